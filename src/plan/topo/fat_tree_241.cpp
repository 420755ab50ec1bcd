// SPDX-License-Identifier: Apache-2.0
// Fat tree (2,4,1) of the RHiNET-2 paper (Koibuchi, Watanabe, Otsuka, Amano, 2002): four leaves
// with the hosts, switches 0-3, and two spines, 4 and 5.
#include <array>

#include "plan/topo/construction.hpp"
#include "plan/topo/topologies.hpp"

namespace weft::topo {
namespace {

constexpr std::array<Join, 8> fat_tree_241_links{
    {{0, 4}, {0, 5}, {1, 4}, {1, 5}, {2, 4}, {2, 5}, {3, 4}, {3, 5}}};

}  // namespace

Fabric fat_tree_241(const Params& params) {
  std::vector<std::size_t> hosts(6, 0);
  std::fill_n(hosts.begin(), 4, hosts_each(params));
  return from_graph(params, {{fat_tree_241_links.begin(), fat_tree_241_links.end()}, hosts});
}

}  // namespace weft::topo
