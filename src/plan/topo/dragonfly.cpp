// SPDX-License-Identifier: Apache-2.0
// Dragonfly (Kim, Dally, Scott, Abts, 2008): groups of `a` switches, complete inside a group, each
// switch with `p` hosts and `h` global links. Coordinates: group, switch in the group. Ports: 1 to
// a-1 to the others of the group by id, then `h` global ones, then the hosts.
//
// Global links are arranged as a palmtree (Camarero, Vallejo, Beivide, 2014): global port j of a
// group (counted over its switches) leads to the group j+1 places before it. With fewer than a*h+1
// groups the arrangement is repeated as often as it fits, so every two groups are joined equally
// often; global ports that are left over stay empty.
#include "plan/topo/construction.hpp"
#include "plan/topo/topologies.hpp"

namespace weft::topo {
namespace {

struct Shape {
  std::size_t a, p, h;
  std::size_t groups;
  std::size_t copies() const { return a * h / (groups - 1); }
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

Size size_of(const Shape& shape) {
  const CheckedCount groups = shape.groups;
  const CheckedCount switches = groups * shape.a;
  const CheckedCount local = groups * (shape.a * (shape.a - 1) / 2);
  const CheckedCount global = groups * (shape.copies() * (shape.groups - 1)) / 2;
  return {switches, switches * shape.p, local + global, shape.a - 1 + shape.h + shape.p};
}

void add_local_links(Assembly& out, const Shape& shape, std::size_t group) {
  for (std::size_t x = 0; x < shape.a; ++x)
    for (std::size_t y = x + 1; y < shape.a; ++y)
      out.add_link(end_at(group * shape.a + x, y), end_at(group * shape.a + y, x + 1));
}

LinkEnd global_port(const Shape& shape, std::size_t group, std::size_t j) {
  return end_at(group * shape.a + j / shape.h, shape.a + j % shape.h);
}

/// The links from `group` to groups with a larger number.
void add_global_links(Assembly& out, const Shape& shape, std::size_t group, Wire wire) {
  const std::size_t others = shape.groups - 1;
  for (std::size_t copy = 0; copy < shape.copies(); ++copy)
    for (std::size_t peer = group + 1; peer < shape.groups; ++peer) {
      const std::size_t back = group + shape.groups - peer;  // peer is so many places before group
      const std::size_t forth = peer - group;
      out.add_link(global_port(shape, group, copy * others + back - 1),
                   global_port(shape, peer, copy * others + forth - 1), wire);
    }
}

}  // namespace

Fabric dragonfly(const Params& params) {
  const Shape shape = shape_of(params);
  Assembly out(params, size_of(shape));
  for (std::size_t group = 0; group < shape.groups; ++group)
    for (std::size_t x = 0; x < shape.a; ++x)
      out.add_switch({static_cast<int>(group), static_cast<int>(x)});
  for (std::size_t group = 0; group < shape.groups; ++group) {
    add_local_links(out, shape, group);
    add_global_links(out, shape, group, wire_with(params, "global_delay"));
  }
  for (std::size_t s = 0; s < shape.groups * shape.a; ++s)
    out.add_hosts(s, shape.a + shape.h, shape.p);
  return std::move(out).build();
}

}  // namespace weft::topo
