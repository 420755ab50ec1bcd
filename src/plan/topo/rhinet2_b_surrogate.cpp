// SPDX-License-Identifier: Apache-2.0
// A surrogate for topology B of the RHiNET-2 paper (Koibuchi, Watanabe, Otsuka, Amano, 2002):
// thousands of graphs agree with its hops in table I, so B itself is not identified. This one
// agrees for shortest paths, both up*/down* routings and prefix routing.
#include <array>

#include "plan/topo/construction.hpp"
#include "plan/topo/topologies.hpp"

namespace weft::topo {
namespace {

constexpr std::array<Join, 20> rhinet2_b_surrogate_links{
    {{0, 1},   {1, 2},   {2, 3},   {2, 14},  {3, 7},   {4, 5},  {4, 7},
     {5, 9},   {6, 7},   {6, 10},  {7, 11},  {8, 9},   {8, 12}, {9, 10},
     {10, 11}, {10, 14}, {11, 15}, {12, 13}, {13, 14}, {14, 15}}};

}  // namespace

Fabric rhinet2_b_surrogate(const Params& params) {
  return from_graph(params, {{rhinet2_b_surrogate_links.begin(), rhinet2_b_surrogate_links.end()},
                             std::vector<std::size_t>(16, hosts_each(params))});
}

}  // namespace weft::topo
