// SPDX-License-Identifier: Apache-2.0
// Joins switches to the tree of each column, breadth first.
#include "plan/export/answering_switches.hpp"

#include <vector>

namespace weft {
namespace {

void complete(const Fabric& fabric, std::span<PortNumber> next) {
  std::vector<bool> open(fabric.switch_count(), false);
  bool any = false;
  for (SwitchId s : fabric.switches())
    if (next[s.index()] == no_port && fabric.hosts_on(s).empty()) any = open[s.index()] = true;
  if (!any) return;
  std::vector<SwitchId> joined;
  for (SwitchId s : fabric.switches()) {
    if (next[s.index()] == no_port) continue;
    joined.push_back(s);
    if (const ChannelId out = fabric.channel_at(s, next[s.index()]); out.valid())
      open[fabric.to(out).index()] = false;
  }
  for (std::size_t i = 0; i < joined.size(); ++i)
    for (ChannelId c : fabric.out(joined[i])) {
      const std::size_t other = fabric.to(c).index();
      if (!open[other]) continue;
      open[other] = false;
      next[other] = fabric.in_port(c);
      joined.push_back(fabric.to(c));
    }
}

}  // namespace

Tables with_answering_switches(const Fabric& fabric, Tables tables) {
  if (auto* next = std::get_if<DestinationTables>(&tables.paths))
    for (ColumnId column : next->ids()) complete(fabric, (*next)[column]);
  return tables;
}

}  // namespace weft
