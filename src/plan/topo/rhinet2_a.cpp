// SPDX-License-Identifier: Apache-2.0
// Topology A of the RHiNET-2 paper (Koibuchi, Watanabe, Otsuka, Amano, 2002), reconstructed: the
// 4x4 mesh without 5-6, 5-9, 6-7, 9-13, 10-11 and 10-14. It is the only part of that mesh whose
// hops agree with table I for shortest paths, both up*/down* routings and prefix routing.
#include <array>

#include "plan/topo/construction.hpp"
#include "plan/topo/topologies.hpp"

namespace weft::topo {
namespace {

constexpr std::array<Join, 18> rhinet2_a_links{{{0, 1},
                                                {0, 4},
                                                {1, 2},
                                                {1, 5},
                                                {2, 3},
                                                {2, 6},
                                                {3, 7},
                                                {4, 5},
                                                {4, 8},
                                                {6, 10},
                                                {7, 11},
                                                {8, 9},
                                                {8, 12},
                                                {9, 10},
                                                {11, 15},
                                                {12, 13},
                                                {13, 14},
                                                {14, 15}}};

}  // namespace

Fabric rhinet2_a(const Params& params) {
  return from_graph(params, {{rhinet2_a_links.begin(), rhinet2_a_links.end()},
                             std::vector<std::size_t>(16, hosts_each(params))});
}

}  // namespace weft::topo
