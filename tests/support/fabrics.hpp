// SPDX-License-Identifier: Apache-2.0
// Fabrics for tests: from a list of links, and random ones.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "fabric/fabric.hpp"

namespace weft::test {

using LinkList = std::vector<std::pair<int, int>>;

/// Switches s0.. with `hosts` hosts each; the ports of a switch in the order of its neighbours.
Fabric from_links(int switches, LinkList links, int hosts = 1);

Fabric ring(int switches, int hosts = 1);
/// id = 3y + x, ports in the order of neighbours.
Fabric mesh3x3();
/// Six switches on which careless up*/down* tables turn from down to up.
Fabric trap_graph();
LinkList topology_a_links();

/// A connected multigraph (1 to 3 parallel links), some switches without hosts.
Fabric random_fabric(std::uint64_t seed, int most_switches = 40);
/// A box of 1 to 3 dimensions, each a line, a ring or complete, with coordinates, some parallel
/// links and some switches without hosts.
Fabric random_box(std::uint64_t seed);
/// A k-ary n-tree or XGFT from which some links and hosts are missing.
Fabric damaged_tree(std::uint64_t seed);
/// The same fabric with its switches and hosts in another order, under other names and without
/// coordinates, as a discovered fabric has them.
Fabric shuffled(const Fabric& fabric, std::uint64_t seed);
/// Two random fabrics side by side, not linked.
Fabric random_apart(std::uint64_t seed);

/// How often a property is tried: `count`, scaled down for slow builds and up for long runs.
int tries(int count, int count_when_long = 0);
/// Builds with sanitizers, which are several times slower.
inline bool is_slow_build() { return tries(100) < 100; }

/// The fabric with an aggregation node on every switch: an0, an1, …
Fabric with_aggregation(const Fabric& fabric);

}  // namespace weft::test
