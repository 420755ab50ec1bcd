// SPDX-License-Identifier: Apache-2.0
// Finds the column of every LID.
#include "fabric/format/lid_entries.hpp"

#include <algorithm>
#include <queue>
#include <set>
#include <variant>

namespace weft {
namespace {

/// The out-ports of a shortest-path tree towards a switch.
std::vector<PortNumber> tree_to(const Fabric& fabric, SwitchId root) {
  std::vector<PortNumber> next(fabric.switch_count(), no_port);
  next[root.index()] = here;
  std::queue<SwitchId> reached;
  for (reached.push(root); !reached.empty(); reached.pop())
    for (ChannelId c : fabric.out(reached.front())) {
      PortNumber& port = next[fabric.to(c).index()];
      if (port != no_port) continue;
      port = fabric.in_port(c);
      reached.push(fabric.to(c));
    }
  return next;
}

}  // namespace

LidEntries::LidEntries(const Fabric& fabric, const Tables& tables)
    : fabric_(fabric), tables_(tables), next_(std::get_if<DestinationTables>(&tables.paths)) {
  if (std::holds_alternative<ChoiceTables>(tables.paths))
    throw Error(
        "opensm: its tables have one port per entry; those that leave a choice cannot be "
        "written");
  if (next_ == nullptr)
    throw Error("opensm: its tables go by destination; source routes cannot be written");
  for (SwitchId s : fabric_.switches())
    if (fabric_[s].ports > 254)
      throw Error("opensm: switch \"{}\" has {} ports; InfiniBand allows 254", fabric_[s].name,
                  fabric_[s].ports);
  order_by_lid();
  for (SwitchId s : fabric_.switches()) to_switch_.push_back(column_to(s));
}

/// Management traffic goes to the switches themselves, on a lane of its own: any tree will do.
LidEntries::SwitchColumn LidEntries::column_to(SwitchId s) const {
  ColumnId id = tables_.to_switch.empty() ? ColumnId::none() : tables_.to_switch[s];
  if (!id.valid() && !fabric_.hosts_on(s).empty())
    id = tables_.to_host[fabric_.hosts_on(s).front()];
  return {id, id.valid() ? std::vector<PortNumber>() : tree_to(fabric_, s)};
}

void LidEntries::order_by_lid() {
  // Where the tables have no routes to further LIDs, those of the first serve them all.
  std::set<std::pair<HostId, unsigned>> own;
  for (const FurtherColumn& further : tables_.further) own.insert({further.host, further.lid});
  for (HostId h : fabric_.hosts())
    for (unsigned lid = 0; lid < 1U << fabric_[h].lmc; ++lid)
      if (!own.contains({h, lid}))
        order_.push_back(
            {static_cast<Lid>(fabric_[h].lid + lid), h, SwitchId::none(), tables_.to_host[h]});
  for (const auto& [host, lid, column] : tables_.further) {
    if (lid >= 1U << fabric_[host].lmc)
      throw Error(
          "opensm: host \"{}\" has {}; the tables lead to number {}", fabric_[host].name,
          fabric_[host].lmc == 0 ? "one LID" : fmt::format("{} LIDs", 1U << fabric_[host].lmc),
          lid + 1);
    order_.push_back({static_cast<Lid>(fabric_[host].lid + lid), host, SwitchId::none(), column});
  }
  for (SwitchId s : fabric_.switches()) order_.push_back({fabric_[s].lid, HostId::none(), s, {}});
  std::sort(order_.begin(), order_.end(),
            [](const LidDestination& a, const LidDestination& b) { return a.lid < b.lid; });
  if (!order_.empty() && order_.front().lid == 0)
    throw Error("opensm: {} hosts and switches need LIDs; InfiniBand has 49151", order_.size());
}

PortNumber LidEntries::port(SwitchId at, const LidDestination& to) const {
  if (to.node == at) return here;
  if (to.node.valid()) {
    const auto& [column, tree] = to_switch_[to.node];
    return column.valid() ? (*next_)[column][at.index()] : tree[at.index()];
  }
  if (!to.column.valid()) return no_port;
  const PortNumber port = (*next_)[to.column][at.index()];
  return port == here && fabric_[to.host].on == at ? fabric_[to.host].port : port;
}

}  // namespace weft
