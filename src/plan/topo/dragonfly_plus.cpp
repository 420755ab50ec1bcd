// SPDX-License-Identifier: Apache-2.0
// Dragonfly+ (Shpiner et al., 2017): groups of leaves and spines, all leaves of a group joined to
// all its spines, and every spine to the spine of its number in every other group. Coordinates:
// group, switch in the group, leaves first. Ports of a leaf: the spines, then the hosts; of a
// spine: the leaves, then the other groups by number.
#include "plan/topo/construction.hpp"
#include "plan/topo/topologies.hpp"

namespace weft::topo {
namespace {

struct PlusShape {
  std::size_t leaves, spines, hosts, groups;
  std::size_t leaf(std::size_t group, std::size_t i) const { return group * (leaves + spines) + i; }
  std::size_t spine(std::size_t group, std::size_t i) const { return leaf(group, leaves + i); }
  /// Of a spine, to the group `other`.
  std::size_t global_port(std::size_t group, std::size_t other) const {
    return leaves + other + (other < group ? 1 : 0);
  }
};

Size size_of(const PlusShape& shape) {
  const CheckedCount groups = shape.groups;
  const CheckedCount global = groups * (shape.groups - 1) * shape.spines / 2;
  return {groups * (shape.leaves + shape.spines), groups * shape.leaves * shape.hosts,
          groups * shape.leaves * shape.spines + global,
          std::max(shape.spines + shape.hosts, shape.leaves + shape.groups - 1)};
}

void add_group(Assembly& out, const PlusShape& shape, std::size_t group, Wire global) {
  for (std::size_t spine = 0; spine < shape.spines; ++spine) {
    for (std::size_t leaf = 0; leaf < shape.leaves; ++leaf)
      out.add_link(end_at(shape.leaf(group, leaf), spine + 1),
                   end_at(shape.spine(group, spine), leaf + 1));
    for (std::size_t other = group + 1; other < shape.groups; ++other)
      out.add_link(end_at(shape.spine(group, spine), shape.global_port(group, other)),
                   end_at(shape.spine(other, spine), shape.global_port(other, group)), global);
  }
}

}  // namespace

Fabric dragonfly_plus(const Params& params) {
  const auto number = [&](std::string_view name) { return params.whole<std::size_t>(name); };
  const PlusShape shape{number("leaves"), number("spines"), number("hosts"), number("groups")};
  Assembly out(params, size_of(shape));
  for (std::size_t group = 0; group < shape.groups; ++group)
    for (std::size_t i = 0; i < shape.leaves + shape.spines; ++i)
      out.add_switch({static_cast<int>(group), static_cast<int>(i)});
  for (std::size_t group = 0; group < shape.groups; ++group)
    add_group(out, shape, group, wire_with(params, "global_delay"));
  for (std::size_t group = 0; group < shape.groups; ++group)
    for (std::size_t leaf = 0; leaf < shape.leaves; ++leaf)
      out.add_hosts(shape.leaf(group, leaf), shape.spines + 1, shape.hosts);
  return std::move(out).build();
}

}  // namespace weft::topo
