// SPDX-License-Identifier: Apache-2.0
// Dragonfly (Kim, Dally, Scott, Abts, 2008): groups of `a` switches, complete inside a group, each
// switch with `p` hosts and `h` global links. Coordinates: group, switch in the group. Ports: 1 to
// a-1 to the others of the group by id, then `h` global ones, then the hosts.
//
// Global port j of a group (counted over its switches) leads, as the arrangement says (Camarero,
// Vallejo, Beivide, 2014), to the group j+1 places before it (palmtree) or behind it (relative), to
// group j without itself (absolute), or in turn to those 1, 2, … places behind and before it
// (circulant). With fewer than a*h+1 groups the arrangement is repeated as often as it fits, so
// every two groups are joined equally often; global ports that are left over stay empty.
#include "plan/topo/construction.hpp"
#include "plan/topo/topologies.hpp"

namespace weft::topo {
namespace {

/// Which global port leads to which group.
enum class Arrangement { palmtree, relative, absolute, circulant };

struct Shape {
  std::size_t a, p, h;
  std::size_t groups;
  Arrangement arrangement;
  std::size_t copies() const { return a * h / (groups - 1); }
};

Arrangement arrangement_of(const Params& params) {
  if (params.is("arrangement", "absolute")) return Arrangement::absolute;
  if (params.is("arrangement", "relative")) return Arrangement::relative;
  return params.is("arrangement", "circulant") ? Arrangement::circulant : Arrangement::palmtree;
}

Shape shape_of(const Params& params) {
  Shape shape{params.whole<std::size_t>("a"), params.whole<std::size_t>("p"),
              params.whole<std::size_t>("h"), 0, arrangement_of(params)};
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

/// The global port of a group that leads to another.
std::size_t port_towards(const Shape& shape, std::size_t group, std::size_t peer) {
  const std::size_t behind = (peer + shape.groups - group) % shape.groups;
  const std::size_t before = shape.groups - behind;
  switch (shape.arrangement) {
    case Arrangement::palmtree:
      return before - 1;
    case Arrangement::relative:
      return behind - 1;
    case Arrangement::absolute:
      return peer < group ? peer : peer - 1;
    case Arrangement::circulant:
      return behind <= before ? 2 * (behind - 1) : 2 * before - 1;
  }
  return 0;
}

/// The links from `group` to groups with a larger number.
void add_global_links(Assembly& out, const Shape& shape, std::size_t group, Wire wire) {
  const std::size_t others = shape.groups - 1;
  for (std::size_t copy = 0; copy < shape.copies(); ++copy)
    for (std::size_t peer = group + 1; peer < shape.groups; ++peer)
      out.add_link(global_port(shape, group, copy * others + port_towards(shape, group, peer)),
                   global_port(shape, peer, copy * others + port_towards(shape, peer, group)),
                   wire);
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
