// SPDX-License-Identifier: Apache-2.0
// Binary hypercube: switches whose ids differ in bit d are joined by port d+1 on both sides; the
// hosts come after. Coordinates are the bits of the id, lowest first.
#include "plan/topo/construction.hpp"
#include "plan/topo/topologies.hpp"

namespace weft::topo {

Fabric hypercube(const Params& params) {
  const std::size_t dims = params.whole<std::size_t>("dims");
  const std::size_t hosts = hosts_each(params);
  const std::size_t switches = std::size_t{1} << dims;
  Assembly out(params,
               {switches, CheckedCount(switches) * hosts, switches / 2 * dims, dims + hosts});
  const std::vector<int> radix(dims, 2);
  for (std::size_t s = 0; s < switches; ++s) out.add_switch(digits(s, radix));
  for (std::size_t s = 0; s < switches; ++s)
    for (std::size_t d = 0; d < dims; ++d)
      if ((s >> d & 1U) == 0)
        out.add_link(end_at(s, d + 1), end_at(s | std::size_t{1} << d, d + 1));
  for (std::size_t s = 0; s < switches; ++s) out.add_hosts(s, dims + 1, hosts);
  return std::move(out).build();
}

}  // namespace weft::topo
