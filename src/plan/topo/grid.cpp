// SPDX-License-Identifier: Apache-2.0
// Grids with and without wraparound links: what mesh, torus and ring have in common.
#include "plan/topo/construction.hpp"

namespace weft::topo {
namespace {

/// Two switches in a dimension are joined once: a wraparound link would double that link.
bool wraps_in(const GridShape& grid, int size) { return grid.wraps && size > 2; }

Size size_of(const GridShape& grid, std::size_t hosts) {
  const CheckedCount switches = product(grid.dims);
  Size size{switches, switches * hosts, 0, grid.dims.size() * 2 + hosts};
  for (const int k : grid.dims)
    size.links = size.links + (wraps_in(grid, k) ? switches : switches / k * (k - 1));
  return size;
}

/// The links in + direction that leave switch `s`.
void add_links(Assembly& out, const GridShape& grid, std::size_t s) {
  const std::vector<int> at = digits(s, grid.dims);
  std::size_t stride = 1;
  for (std::size_t d = 0; d < at.size(); ++d) {
    const auto k = static_cast<std::size_t>(grid.dims[d]);
    const bool last = at[d] + 1 == grid.dims[d];
    const std::size_t next = last ? s - (k - 1) * stride : s + stride;
    if (!last || wraps_in(grid, grid.dims[d]))
      out.add_link(end_at(s, 2 * d + 1), end_at(next, 2 * d + 2));
    stride *= k;
  }
}

}  // namespace

Fabric from_grid(const Params& params, const GridShape& grid) {
  const std::size_t hosts = hosts_each(params);
  const Size size = size_of(grid, hosts);
  Assembly out(params, size);
  const auto switches = static_cast<std::size_t>(size.switches.value());
  for (std::size_t s = 0; s < switches; ++s) out.add_switch(digits(s, grid.dims));
  for (std::size_t s = 0; s < switches; ++s) add_links(out, grid, s);
  for (std::size_t s = 0; s < switches; ++s) out.add_hosts(s, 2 * grid.dims.size() + 1, hosts);
  return std::move(out).build();
}

}  // namespace weft::topo
