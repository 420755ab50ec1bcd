// SPDX-License-Identifier: Apache-2.0
// Entries of forwarding tables become columns.
#include "fabric/format/parsing/forwarding.hpp"

#include <algorithm>
#include <map>

#include "base/words.hpp"
#include "fabric/format/addresses.hpp"
#include "fabric/format/parsing/text.hpp"
#include "fabric/rematch.hpp"

namespace weft {

ForwardingTables::ForwardingTables(const Source& source, const Fabric& fabric)
    : source_(source), fabric_(with_addresses(fabric)), by_lid_(std::size_t{1} << 16, nobody) {
  for (HostId h : fabric_.hosts()) {
    know({fabric_[h].port_guid, fabric[h].port_guid != 0, h}, fabric_[h].lid,
         (1U << fabric_[h].lmc) - 1);
    has_lid_.push_back(fabric[h].lid != 0);
  }
  for (SwitchId s : fabric_.switches()) {
    know({fabric_[s].guid, fabric[s].guid != 0}, fabric_[s].lid, 0);
    switches_.emplace(fabric_[s].guid, s);
  }
  for (HostId h : fabric_.hosts())
    for (unsigned lid = 1; lid < 1U << fabric_[h].lmc; ++lid) {
      by_lid_[fabric_[h].lid + lid] = static_cast<std::uint32_t>(destinations_.size());
      destinations_.push_back({fabric_[h].port_guid, fabric[h].port_guid != 0, h, lid});
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

/// A port GUID counts more than the LID, which may have been another one when the dump was made:
/// where nobody has the GUID, whoever has its LID by now is somebody else.
std::uint32_t ForwardingTables::destination_of(Lid lid, std::optional<Guid> port_guid) const {
  const std::uint32_t by_lid = by_lid_[lid];
  if (!port_guid || (by_lid != nobody && destinations_[by_lid].guid == *port_guid)) return by_lid;
  const auto found = by_guid_.find(*port_guid);
  if (found != by_guid_.end()) return found->second;
  return by_lid != nobody && !destinations_[by_lid].has_guid ? by_lid : nobody;
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
  if (to != nobody)
    put(line, lid, static_cast<PortNumber>(port), to);
  else if (port_guid)
    strange_.push_back({line, at_, lid, static_cast<PortNumber>(port), *port_guid});
}

void ForwardingTables::put(std::size_t line, Lid lid, PortNumber port, std::uint32_t to) {
  matched_ = true;
  Destination& destination = destinations_[to];
  if (destination.column.empty()) destination.column.assign(fabric_.switch_count(), no_port);
  PortNumber& place = destination.column[at_.index()];
  const PortNumber value = as_column(destination, port);
  if (const HostId host = destination.host; host.valid() && has_lid_[host])
    if (const std::uint32_t now = by_lid_[lid]; now == nobody || destinations_[now].host != host)
      with_other_lids_.insert(host);
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

/// The GUID of a switch's own port, which its entry for itself names (port 0), may be another than
/// that of the switch. Returns the GUIDs that are nobody's.
std::set<Guid> ForwardingTables::place_strange_entries() {
  for (const StrangeEntry& entry : strange_)
    if (entry.port == 0) by_guid_.emplace(entry.guid, fabric_.host_count() + entry.at.index());
  std::set<Guid> strangers;
  for (const StrangeEntry& entry : strange_) {
    at_ = entry.at;
    if (const auto found = by_guid_.find(entry.guid); found != by_guid_.end())
      put(entry.line, entry.lid, entry.port, found->second);
    else
      strangers.insert(entry.guid);
  }
  return strangers;
}

std::vector<std::string> ForwardingTables::notes(const std::set<Guid>& strangers) const {
  std::vector<std::string> out;
  if (!with_other_lids_.empty()) out.push_back(other_lids_note(with_other_lids_.size()));
  if (!strangers.empty())
    out.push_back(fmt::format("entries to {} that this fabric does not have are skipped",
                              counted(strangers.size(), "port", "ports")));
  if (std::string note = switches_seen_.note("tables"); !note.empty())
    out.push_back(std::move(note));
  return out;
}

NotedTables ForwardingTables::tables() && {
  const std::set<Guid> strangers = place_strange_entries();
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
  return {std::move(out), notes(strangers)};
}

}  // namespace weft
