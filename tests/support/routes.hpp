// SPDX-License-Identifier: Apache-2.0
// Properties of routes for tests, computed by brute force.
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "plan/check/deadlock.hpp"
#include "plan/route/route.hpp"

namespace weft::test {

/// The tables of a spec; throws where the engine refuses.
Tables routed(const Fabric& fabric, const std::string& spec);

/// Switches on shortest routes, summed over all ordered pairs of hosts that links join.
std::uint64_t shortest_hop_sum(const Fabric& fabric);

using LaneHop = std::pair<std::size_t, int>;  ///< channel, lane
using Dependencies = std::set<std::pair<LaneHop, LaneHop>>;

/// A route from one host to another that a packet takes if switches choose so.
struct ChosenRoute {
  bool arrives = false;
  double chance = 1;  ///< with every choice equally likely
  std::vector<LaneHop> hops;
};
/// All routes between two hosts, choice by choice.
std::vector<ChosenRoute> all_routes(const Fabric& fabric, const Tables& tables, HostId from,
                                    HostId to);

/// Every dependency of every pair of hosts and every group, by walking them all.
Dependencies brute_force_dependencies(const Fabric& fabric, const Tables& tables);
/// The same in two steps, for tables with the same routes and other groups.
Dependencies dependencies_of_pairs(const Fabric& fabric, const Tables& tables);
Dependencies with_groups(Dependencies found, const Fabric& fabric, const Tables& tables);
Dependencies as_set(const DependencyGraph& graph);

/// Half of the groups get a service level instead of their lane, where the tables have levels.
void give_level(const Tables& tables, Group& group, Rng& rng);

/// Replays the routes of a cycle; says what is wrong with it, or nothing.
std::optional<std::string> not_a_cycle(const Fabric& fabric, const Tables& tables,
                                       const DependencyCycle& cycle);

/// Finds a certificate and has it verified; says why there is none, or nothing.
std::optional<std::string> not_certified(const Fabric& fabric, const Tables& tables);

}  // namespace weft::test
