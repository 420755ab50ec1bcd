// SPDX-License-Identifier: Apache-2.0
// HyperX (Ahn, Binkert, Davis, McLaren, Schreiber, 2009): switches that differ in one coordinate
// only are joined, by `width` parallel links in that dimension. Ports go by dimension, within it
// by parallel link, within that by the neighbour's coordinate; the hosts come after. Coordinates
// with dimension 0 fastest.
#include "plan/topo/construction.hpp"
#include "plan/topo/topologies.hpp"

namespace weft::topo {
namespace {

Size size_of(const HyperxShape& shape, std::size_t hosts) {
  const CheckedCount switches = product(shape.dims);
  Size size{switches, switches * hosts, 0, hosts};
  for (std::size_t d = 0; d < shape.dims.size(); ++d) {
    const CheckedCount neighbours = CheckedCount(shape.dims[d] - 1) * shape.width[d];
    size.links = size.links + switches * neighbours / 2;
    size.ports = size.ports + neighbours;
  }
  return size;
}

/// One dimension: its size and parallel links, the first of its ports, and how far apart ids are.
struct Axis {
  std::size_t k, width, first_port, stride;
};

std::vector<Axis> axes_of(const HyperxShape& shape) {
  std::vector<Axis> axes;
  std::size_t first_port = 1, stride = 1;
  for (std::size_t d = 0; d < shape.dims.size(); ++d) {
    const auto k = static_cast<std::size_t>(shape.dims[d]);
    const auto width = static_cast<std::size_t>(shape.width[d]);
    axes.push_back({k, width, first_port, stride});
    first_port += width * (k - 1);
    stride *= k;
  }
  return axes;
}

/// The links of one dimension from switch `s` to those with a larger coordinate.
void add_links(Assembly& out, const Axis& axis, std::size_t s) {
  const std::size_t x = s / axis.stride % axis.k;
  for (std::size_t link = 0; link < axis.width; ++link)
    for (std::size_t other = x + 1; other < axis.k; ++other) {
      // Among the neighbours' coordinates its own is left out, so those above it move down by one.
      const std::size_t first = axis.first_port + link * (axis.k - 1);
      out.add_link(end_at(s, first + other - 1), end_at(s + (other - x) * axis.stride, first + x));
    }
}

}  // namespace

Fabric from_hyperx(const Params& params, const HyperxShape& shape) {
  const std::size_t hosts = hosts_each(params);
  const Size size = size_of(shape, hosts);
  Assembly out(params, size);
  const auto switches = static_cast<std::size_t>(size.switches.value());
  for (std::size_t s = 0; s < switches; ++s) out.add_switch(digits(s, shape.dims));
  for (const Axis& axis : axes_of(shape))
    for (std::size_t s = 0; s < switches; ++s) add_links(out, axis, s);
  const auto links_each = static_cast<std::size_t>(size.ports.value()) - hosts;
  for (std::size_t s = 0; s < switches; ++s) out.add_hosts(s, links_each + 1, hosts);
  return std::move(out).build();
}

Fabric hyperx(const Params& params) {
  HyperxShape shape{params.dims("dims"), params.dims("width")};
  if (shape.width.size() == 1) shape.width.resize(shape.dims.size(), shape.width.front());
  if (shape.width.size() != shape.dims.size())
    params.reject("width", "one number for all dimensions, or one for each, is needed");
  return from_hyperx(params, shape);
}

}  // namespace weft::topo
