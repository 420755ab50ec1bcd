// SPDX-License-Identifier: Apache-2.0
// Dragonfly+ (Shpiner et al., 2017): groups of leaves and spines, all leaves of a group joined to
// all its spines. Every spine is joined to the spine of its number in every other group, or has `h`
// links of its own, and arrangement.hpp says where the ports of all spines of a group lead.
// Coordinates: group, switch in the group, leaves first. Ports of a leaf: the spines, then the
// hosts; of a spine: the leaves, then the other groups by number, or its `h` links.
#include <fmt/format.h>

#include "plan/topo/arrangement.hpp"
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

Size size_of(const PlusShape& shape, std::size_t ports_each, CheckedCount global_links) {
  const CheckedCount groups = shape.groups;
  return {groups * (shape.leaves + shape.spines), groups * shape.leaves * shape.hosts,
          groups * shape.leaves * shape.spines + global_links,
          std::max(shape.spines + shape.hosts, shape.leaves + ports_each)};
}

void add_local_links(Assembly& out, const PlusShape& shape, std::size_t group) {
  for (std::size_t spine = 0; spine < shape.spines; ++spine)
    for (std::size_t leaf = 0; leaf < shape.leaves; ++leaf)
      out.add_link(end_at(shape.leaf(group, leaf), spine + 1),
                   end_at(shape.spine(group, spine), leaf + 1));
}

void add_switches(Assembly& out, const PlusShape& shape) {
  for (std::size_t group = 0; group < shape.groups; ++group)
    for (std::size_t i = 0; i < shape.leaves + shape.spines; ++i)
      out.add_switch({static_cast<int>(group), static_cast<int>(i)});
}

void add_hosts(Assembly& out, const PlusShape& shape) {
  for (std::size_t group = 0; group < shape.groups; ++group)
    for (std::size_t leaf = 0; leaf < shape.leaves; ++leaf)
      out.add_hosts(shape.leaf(group, leaf), shape.spines + 1, shape.hosts);
}

/// Spines of one number are joined.
Fabric by_number(const Params& params, const PlusShape& shape) {
  const CheckedCount groups = shape.groups;
  Assembly out(params,
               size_of(shape, shape.groups - 1, groups * (shape.groups - 1) * shape.spines / 2));
  add_switches(out, shape);
  const Wire global = wire_with(params, "global_delay");
  for (std::size_t group = 0; group < shape.groups; ++group) {
    add_local_links(out, shape, group);
    for (std::size_t spine = 0; spine < shape.spines; ++spine)
      for (std::size_t other = group + 1; other < shape.groups; ++other)
        out.add_link(end_at(shape.spine(group, spine), shape.global_port(group, other)),
                     end_at(shape.spine(other, spine), shape.global_port(other, group)), global);
  }
  add_hosts(out, shape);
  return std::move(out).build();
}

/// Every spine has `h` links, in an arrangement.
Fabric arranged(const Params& params, const PlusShape& shape, std::size_t h) {
  if (shape.groups < 2 || shape.groups > shape.spines * h + 1)
    params.reject("groups", fmt::format("with h={} a number from 2 to {} is needed", h,
                                        shape.spines * h + 1));
  const Arrangement arrangement(params, {shape.spines * h, shape.groups});
  Assembly out(params, size_of(shape, h, arrangement.link_count()));
  add_switches(out, shape);
  const Wire global = wire_with(params, "global_delay");
  const auto end = [&](std::size_t group, std::size_t port) {
    return end_at(shape.spine(group, port / h), shape.leaves + 1 + port % h);
  };
  for (std::size_t group = 0; group < shape.groups; ++group) {
    add_local_links(out, shape, group);
    for (const auto& link : arrangement.links_from(group))
      out.add_link(end(group, link.port), end(link.peer, link.peer_port), global);
  }
  add_hosts(out, shape);
  return std::move(out).build();
}

}  // namespace

Fabric dragonfly_plus(const Params& params) {
  const auto number = [&](std::string_view name) { return params.whole<std::size_t>(name); };
  const PlusShape shape{number("leaves"), number("spines"), number("hosts"), number("groups")};
  if (!params.is("h", "groups-1")) return arranged(params, shape, number("h"));
  for (const char* name : {"arrangement", "offsets"})
    if (params.given(name)) params.reject(name, "it is for a number of links per spine, as h=2");
  return by_number(params, shape);
}

}  // namespace weft::topo
