// SPDX-License-Identifier: Apache-2.0
// Following every route once.
#include "sim/flit/routes_end.hpp"

#include <algorithm>

namespace weft::sim {

bool routes_end(const Units& units, const Routing& routing) {
  if (!routing.by_destination() && !routing.by_turns()) return false;
  const Layout& layout = units.layout;
  const std::size_t switches = layout.switches.size();
  constexpr std::size_t most = 1 << 26;
  if (switches * layout.fabric.host_count() > most) return false;
  constexpr Index unknown = 0;
  std::vector<Index> to_go(switches);  // switches, with this one
  std::vector<Index> passed;
  for (Index host = 0; host < layout.fabric.host_count(); ++host) {
    const auto next = [&](Index s) -> const SwitchPort& {
      return units.ports[layout.switches[s].first + layout.out_ports(s, host)];
    };
    std::fill(to_go.begin(), to_go.end(), unknown);
    for (Index start = 0; start < switches; ++start) {
      passed.clear();
      for (Index s = start; to_go[s] == unknown;) {
        const bool is_choice = layout.out_ports(s, host) + 1U >= first_link_group;
        if (is_choice || passed.size() >= layout.most_hops) return false;
        if (next(s).peer == nothing) return false;
        if (next(s).to_host) {
          to_go[s] = 1;
        } else {
          passed.push_back(s);
          s = units.ports[next(s).peer].home;
        }
      }
      for (; !passed.empty(); passed.pop_back()) {
        const Index s = passed.back();
        to_go[s] = to_go[units.ports[next(s).peer].home] + 1;
        if (to_go[s] > layout.most_hops) return false;
      }
    }
  }
  return true;
}

}  // namespace weft::sim
