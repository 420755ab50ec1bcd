// SPDX-License-Identifier: Apache-2.0
// Joins switches to the tree of each column, breadth first.
#include "plan/export/answering_switches.hpp"

#include <vector>

namespace weft {
namespace {

class ColumnCompletion {
 public:
  explicit ColumnCompletion(const Fabric& fabric)
      : fabric_(fabric), mark_(fabric.switch_count()), carries_(fabric.switch_count()) {}

  void complete(std::span<PortNumber> next) {
    find_arrivals(next);
    find_carriers(next);
    std::vector<SwitchId> joined;
    for (SwitchId s : fabric_.switches())
      if (mark_[s] == ArrivalMark::arrives) joined.push_back(s);
    for (std::size_t i = 0; i < joined.size(); ++i)
      for (ChannelId c : fabric_.out(joined[i])) {
        const SwitchId other = fabric_.to(c);
        if (mark_[other] == ArrivalMark::arrives || carries_[other]) continue;
        mark_[other] = ArrivalMark::arrives;
        next[other.index()] = fabric_.in_port(c);
        joined.push_back(other);
      }
  }

 private:
  enum class ArrivalMark : std::uint8_t { unknown, passed, lost, arrives };

  ChannelId out(std::span<const PortNumber> next, SwitchId s) const {
    return fabric_.channel_at(s, next[s.index()]);
  }
  /// Whether packets that a switch sends come to an end: `here`, or the port of a host.
  void find_arrivals(std::span<const PortNumber> next) {
    mark_.assign(fabric_.switch_count(), ArrivalMark::unknown);
    std::vector<SwitchId> route;
    for (SwitchId s : fabric_.switches()) {
      SwitchId at = s;
      for (route.clear(); mark_[at] == ArrivalMark::unknown; at = fabric_.to(out(next, at))) {
        mark_[at] = ArrivalMark::passed;
        route.push_back(at);
        if (!out(next, at).valid()) break;
      }
      const PortNumber end = next[at.index()];
      const bool ends = end == here || fabric_.at_port(at, end).host.valid();
      const bool arrives = mark_[at] == ArrivalMark::arrives || (!out(next, at).valid() && ends);
      for (SwitchId each : route) mark_[each] = arrives ? ArrivalMark::arrives : ArrivalMark::lost;
    }
  }
  /// Switches that packets of hosts come to: their entries stay, even if these are lost there.
  void find_carriers(std::span<const PortNumber> next) {
    carries_.assign(fabric_.switch_count(), false);
    for (SwitchId s : fabric_.switches()) {
      if (fabric_.hosts_on(s).empty()) continue;
      for (SwitchId at = s; !carries_[at]; at = fabric_.to(out(next, at))) {
        carries_[at] = true;
        if (!out(next, at).valid()) break;
      }
    }
  }

  const Fabric& fabric_;
  IdVector<SwitchId, ArrivalMark> mark_;
  IdVector<SwitchId, bool> carries_;
};

}  // namespace

Tables with_answering_switches(const Fabric& fabric, Tables tables) {
  ColumnCompletion completion(fabric);
  if (auto* next = std::get_if<DestinationTables>(&tables.paths))
    for (ColumnId column : next->ids()) completion.complete((*next)[column]);
  return tables;
}

}  // namespace weft
