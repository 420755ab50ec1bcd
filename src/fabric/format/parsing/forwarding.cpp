// SPDX-License-Identifier: Apache-2.0
// Entries of forwarding tables become columns.
#include "fabric/format/parsing/forwarding.hpp"

#include <algorithm>
#include <map>

#include "fabric/format/addresses.hpp"
#include "fabric/format/parsing/text.hpp"

namespace weft {

ForwardingTables::ForwardingTables(const Source& source, const Fabric& fabric)
    : source_(source), fabric_(with_addresses(fabric)), by_lid_(std::size_t{1} << 16, nobody) {
  for (HostId h : fabric_.hosts())
    know({fabric_[h].port_guid, h}, fabric_[h].lid, (1U << fabric_[h].lmc) - 1);
  for (SwitchId s : fabric_.switches()) {
    know({fabric_[s].guid}, fabric_[s].lid, 0);
    switches_.emplace(fabric_[s].guid, s);
  }
  for (HostId h : fabric_.hosts())
    for (unsigned lid = 1; lid < 1U << fabric_[h].lmc; ++lid) {
      by_lid_[fabric_[h].lid + lid] = static_cast<std::uint32_t>(destinations_.size());
      destinations_.push_back({fabric_[h].port_guid, h, lid});
    }
}

void ForwardingTables::know(Destination destination, Lid lid, unsigned further) {
  const auto id = static_cast<std::uint32_t>(destinations_.size());
  const auto name = [&](const Destination& d, std::uint32_t place) {
    return d.host.valid() ? fabric_[d.host].name
                          : fabric_[SwitchId(place - fabric_.host_count())].name;
  };
  for (unsigned i = 0; lid != 0 && i <= further; ++i) {
    if (lid + i >= by_lid_.size())
      throw Error("{}: LID {} does not exist; it would be that of \"{}\"", fabric_.name(), lid + i,
                  name(destination, id));
    std::uint32_t& place = by_lid_[lid + i];
    if (place != nobody)
      throw Error("{}: LID {} (0x{:04x}) belongs to both \"{}\" and \"{}\"; each port has its own",
                  fabric_.name(), lid + i, lid + i, name(destinations_[place], place),
                  name(destination, id));
    place = id;
  }
  by_guid_.emplace(destination.guid, id);
  destinations_.push_back(std::move(destination));
}

void ForwardingTables::begin_switch(Guid guid) {
  const auto found = switches_.find(guid);
  at_ = found == switches_.end() ? SwitchId::none() : found->second;
  switches_seen_.count(at_.valid());
}

/// A port GUID counts more than the LID, which may have been another one when the dump was made.
std::uint32_t ForwardingTables::destination_of(Lid lid, std::optional<Guid> port_guid) const {
  const std::uint32_t by_lid = by_lid_[lid];
  if (!port_guid || (by_lid != nobody && destinations_[by_lid].guid == *port_guid)) return by_lid;
  const auto found = by_guid_.find(*port_guid);
  return found == by_guid_.end() ? by_lid : found->second;
}

void ForwardingTables::add(std::size_t line, Lid lid, unsigned port,
                           std::optional<Guid> port_guid) {
  if (!at_.valid()) return;
  constexpr unsigned unreachable = 255;
  if (port == unreachable && fabric_[at_].ports < unreachable) return;
  if (port > fabric_[at_].ports)
    fail(source_, line, "switch \"{}\" has {} ports, there is no port {}", fabric_[at_].name,
         fabric_[at_].ports, port);
  const std::uint32_t to = destination_of(lid, port_guid);
  if (to == nobody) return;
  matched_ = true;
  Destination& destination = destinations_[to];
  if (destination.column.empty()) destination.column.assign(fabric_.switch_count(), no_port);
  PortNumber& place = destination.column[at_.index()];
  const PortNumber value = as_column(destination, static_cast<PortNumber>(port));
  if (place == no_port)
    place = value;
  else if (place != value && by_lid_[lid] == to)  // other LIDs of the port may go other ways
    fail(source_, line, "LID 0x{:04x} has port {} here and another one before; keep one", lid,
         port);
}

/// At the host's own switch its port is `here`; port 0 there means the switch, which is wrong.
PortNumber ForwardingTables::as_column(const Destination& to, PortNumber port) const {
  if (!to.host.valid() || fabric_[to.host].on != at_) return port;
  if (port == 0) return no_port;
  return port == fabric_[to.host].port ? here : port;
}

Tables ForwardingTables::tables() && {
  if (!matched_)
    fail(source_, 1, "none of its entries belongs to this fabric; the GUIDs or LIDs must agree");
  switches_seen_.require_most(source_, "tables", "switches");
  Tables out;
  out.engine = "opensm";
  DestinationTables next(0, fabric_.switch_count(), no_port);
  std::map<Column, ColumnId> known;
  const auto column_of = [&](Column& column) {
    const auto is_port = [](PortNumber port) { return port != no_port; };
    if (std::none_of(column.begin(), column.end(), is_port)) return ColumnId::none();
    const auto found = known.find(column);
    if (found != known.end()) return found->second;
    const ColumnId id = next.push_back(column);
    known.emplace(std::move(column), id);
    return id;
  };
  bool any = false;
  const std::size_t nodes = fabric_.host_count() + fabric_.switch_count();
  for (std::size_t i = 0; i < destinations_.size(); ++i) {
    Destination& destination = destinations_[i];
    const ColumnId column = column_of(destination.column);
    if (i < fabric_.host_count()) {
      out.to_host.push_back(column);
    } else if (i < nodes) {
      out.to_switch.push_back(column);
      any = any || column.valid();
    } else if (column.valid()) {
      out.further.push_back({destination.host, destination.lid, column});
    }
  }
  if (!any) out.to_switch = {};
  std::sort(out.further.begin(), out.further.end(),
            [](const FurtherColumn& a, const FurtherColumn& b) {
              return std::tie(a.column, a.host, a.lid) < std::tie(b.column, b.host, b.lid);
            });
  out.paths = std::move(next);
  return out;
}

}  // namespace weft
