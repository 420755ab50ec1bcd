// SPDX-License-Identifier: Apache-2.0
// Fat tree (2,4,2) of the RHiNET-2 paper (Koibuchi, Watanabe, Otsuka, Amano, 2002): eight leaves
// with the hosts; leaves 0-3 are joined to 8 and 9, leaves 4-7 to 10 and 11, those four to 12 and
// 13. It is not an XGFT: 12 and 13 are both joined to 8 and to 9.
#include <array>

#include "plan/topo/construction.hpp"
#include "plan/topo/topologies.hpp"

namespace weft::topo {
namespace {

constexpr std::array<Join, 24> fat_tree_242_links{
    {{0, 8},  {0, 9},  {1, 8},  {1, 9},  {2, 8},   {2, 9},   {3, 8},   {3, 9},
     {4, 10}, {4, 11}, {5, 10}, {5, 11}, {6, 10},  {6, 11},  {7, 10},  {7, 11},
     {8, 12}, {8, 13}, {9, 12}, {9, 13}, {10, 12}, {10, 13}, {11, 12}, {11, 13}}};

}  // namespace

Fabric fat_tree_242(const Params& params) {
  std::vector<std::size_t> hosts(14, 0);
  std::fill_n(hosts.begin(), 8, hosts_each(params));
  return from_graph(params, {{fat_tree_242_links.begin(), fat_tree_242_links.end()}, hosts});
}

}  // namespace weft::topo
