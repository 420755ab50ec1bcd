// SPDX-License-Identifier: Apache-2.0
// Chain: switches in a row, each with hosts of its own: how small clusters outgrow a switch.
#include "plan/topo/construction.hpp"
#include "plan/topo/topologies.hpp"

namespace weft::topo {

Fabric chain(const Params& params) {
  const std::vector<int> hosts = params.dims("hosts");
  const std::size_t links = params.whole<std::size_t>("links");
  Graph graph;
  for (const int count : hosts) {
    const auto here = static_cast<std::uint32_t>(graph.hosts.size());
    graph.hosts.push_back(static_cast<std::size_t>(count));
    if (here > 0) graph.links.insert(graph.links.end(), links, Join{here - 1, here});
  }
  return from_graph(params, std::move(graph));
}

}  // namespace weft::topo
