// SPDX-License-Identifier: Apache-2.0
// Myrinet-Clos(8) of the RHiNET-2 paper (Koibuchi, Watanabe, Otsuka, Amano, 2002): leaves 0-3
// joined to spines 4-7, the only simple graph with table III's bisection and four links per
// switch. There all switches have hosts; its barrier with 16 hosts uses the leaves only.
#include <array>

#include "plan/topo/construction.hpp"
#include "plan/topo/topologies.hpp"

namespace weft::topo {
namespace {

constexpr std::array<Join, 16> myrinet_clos_links{{{0, 4},
                                                   {0, 5},
                                                   {0, 6},
                                                   {0, 7},
                                                   {1, 4},
                                                   {1, 5},
                                                   {1, 6},
                                                   {1, 7},
                                                   {2, 4},
                                                   {2, 5},
                                                   {2, 6},
                                                   {2, 7},
                                                   {3, 4},
                                                   {3, 5},
                                                   {3, 6},
                                                   {3, 7}}};

}  // namespace

Fabric myrinet_clos(const Params& params) {
  const std::size_t hosted = params.is("hosted", "all") ? 8 : 4;
  std::vector<std::size_t> hosts(8, 0);
  std::fill_n(hosts.begin(), hosted, hosts_each(params));
  return from_graph(params, {{myrinet_clos_links.begin(), myrinet_clos_links.end()}, hosts});
}

}  // namespace weft::topo
