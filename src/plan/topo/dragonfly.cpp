// SPDX-License-Identifier: Apache-2.0
// Dragonfly (Kim, Dally, Scott, Abts, 2008): groups of `a` switches, complete inside a group, each
// switch with `p` hosts and `h` global links. Coordinates: group, switch in the group. Ports: 1 to
// a-1 to the others of the group by id, then `h` global ones, then the hosts.
// arrangement.hpp says which global port leads to which group.
#include "plan/topo/arrangement.hpp"
#include "plan/topo/construction.hpp"
#include "plan/topo/topologies.hpp"

namespace weft::topo {
namespace {

struct Shape {
  std::size_t a, p, h;
  std::size_t groups;
};

Shape shape_of(const Params& params) {
  Shape shape{params.whole<std::size_t>("a"), params.whole<std::size_t>("p"),
              params.whole<std::size_t>("h"), 0};
  const std::size_t most = shape.a * shape.h + 1;
  shape.groups = params.is("groups", "full")
                     ? most
                     : params.whole_up_to<std::size_t>("groups", static_cast<std::int64_t>(most));
  return shape;
}

Size size_of(const Shape& shape, const Arrangement& arrangement) {
  const CheckedCount groups = shape.groups;
  const CheckedCount switches = groups * shape.a;
  const CheckedCount local = groups * (shape.a * (shape.a - 1) / 2);
  return {switches, switches * shape.p, local + arrangement.link_count(),
          shape.a - 1 + shape.h + shape.p};
}

void add_local_links(Assembly& out, const Shape& shape, std::size_t group) {
  for (std::size_t x = 0; x < shape.a; ++x)
    for (std::size_t y = x + 1; y < shape.a; ++y)
      out.add_link(end_at(group * shape.a + x, y), end_at(group * shape.a + y, x + 1));
}

LinkEnd global_port(const Shape& shape, std::size_t group, std::size_t j) {
  return end_at(group * shape.a + j / shape.h, shape.a + j % shape.h);
}

}  // namespace

Fabric dragonfly(const Params& params) {
  const Shape shape = shape_of(params);
  const Arrangement arrangement(params, {shape.a * shape.h, shape.groups});
  Assembly out(params, size_of(shape, arrangement));
  for (std::size_t group = 0; group < shape.groups; ++group)
    for (std::size_t x = 0; x < shape.a; ++x)
      out.add_switch({static_cast<int>(group), static_cast<int>(x)});
  const Wire global = wire_with(params, "global_delay");
  for (std::size_t group = 0; group < shape.groups; ++group) {
    add_local_links(out, shape, group);
    for (const auto& link : arrangement.links_from(group))
      out.add_link(global_port(shape, group, link.port),
                   global_port(shape, link.peer, link.peer_port), global);
  }
  for (std::size_t s = 0; s < shape.groups * shape.a; ++s)
    out.add_hosts(s, shape.a + shape.h, shape.p);
  return std::move(out).build();
}

}  // namespace weft::topo
