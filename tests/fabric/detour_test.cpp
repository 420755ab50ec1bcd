// SPDX-License-Identifier: Apache-2.0
// Detours: shortest without obstacles, never through one, always up and then down, and found
// whenever there is such a route.
#include "fabric/detour.hpp"

#include <gtest/gtest.h>

#include <map>

#include "base/rng.hpp"
#include "plan/topo/topology.hpp"
#include "support/fabrics.hpp"

namespace weft {
namespace {

struct FollowedRoute {
  std::vector<ChannelId> channels;
  SwitchId end;
};

FollowedRoute follow(const Fabric& fabric, HostId from, const std::vector<PortNumber>& ports) {
  FollowedRoute route{{}, fabric[from].on};
  for (const PortNumber port : ports) {
    const ChannelId channel = fabric.channel_at(route.end, port);
    EXPECT_TRUE(channel.valid());
    route.channels.push_back(channel);
    route.end = fabric.to(channel);
  }
  return route;
}

bool up_then_down(const Fabric& fabric, const Levels& levels, const FollowedRoute& route) {
  bool down = false;
  for (const ChannelId channel : route.channels) {
    const unsigned before = levels[fabric.from(channel)], after = levels[fabric.to(channel)];
    if (before == after || (down && after > before)) return false;
    down = after < before;
  }
  return true;
}

/// Whether any route goes up and then down, by trying all of them.
bool some_route(const Fabric& fabric, const Levels& levels, SwitchId at, SwitchId end, bool down,
                const Obstacles& avoid) {
  if (avoid.blocks(at)) return false;
  if (at == end) return true;
  for (const ChannelId channel : fabric.out(at)) {
    const SwitchId there = fabric.to(channel);
    const bool up = levels[there] > levels[at];
    if (levels[there] == levels[at] || (up && down) || avoid.blocks(link_of(channel))) continue;
    if (some_route(fabric, levels, there, end, down || !up, avoid)) return true;
  }
  return false;
}

TEST(Detour, LevelsOfATreeCountFromItsHosts) {
  const Fabric fabric = make_fabric("tree:k=2,n=3");
  const Levels levels(fabric);
  std::map<unsigned, int> of_level;
  for (const SwitchId on : fabric.switches()) ++of_level[levels[on]];
  EXPECT_EQ(of_level, (std::map<unsigned, int>{{0, 4}, {1, 4}, {2, 4}}));
}

TEST(Detour, WithoutObstaclesItIsAShortestRouteOfTheTree) {
  const Fabric fabric = make_fabric("tree:k=4,n=2");
  const Levels levels(fabric);
  for (const HostId from : fabric.hosts())
    for (const HostId to : fabric.hosts()) {
      const auto ports = detour(fabric, levels, from, to, {}, 3);
      ASSERT_TRUE(ports);
      EXPECT_EQ(ports->size(), fabric[from].on == fabric[to].on ? 0U : 2U);
      EXPECT_EQ(follow(fabric, from, *ports).end, fabric[to].on);
    }
}

TEST(Detour, IsFoundIfAndOnlyIfThereIsARoute) {
  int none = 0;
  for (int turn = 0; turn < test::tries(200, 5000); ++turn) {
    Rng rng(static_cast<std::uint64_t>(turn));
    const Fabric fabric = make_fabric(rng.below(2) == 0 ? "tree:k=2,n=3" : "tree:k=3,n=2");
    const Levels levels(fabric);
    Obstacles dead, bad, both;
    const auto put = [&](const Obstacle& obstacle) {
      (rng.below(2) == 0 ? dead : bad).add(obstacle);
      both.add(obstacle);
    };
    for (std::uint64_t i = rng.below(8); i > 0; --i)
      put({.channel = ChannelId(rng.below(fabric.channel_count()))});
    if (rng.below(2) == 0) put({.on = SwitchId(rng.below(fabric.switch_count()))});
    if (rng.below(4) == 0) put({.host = HostId(rng.below(fabric.host_count()))});
    const HostId from(rng.below(fabric.host_count())), to(rng.below(fabric.host_count()));
    const auto ports = detour(fabric, levels, from, to, {&dead, &bad}, rng.below(9));
    const bool expected = !both.blocks(from) && !both.blocks(to) &&
                          some_route(fabric, levels, fabric[from].on, fabric[to].on, false, both);
    ASSERT_EQ(ports.has_value(), expected) << "seed " << turn;
    if (!ports) {
      ++none;
      continue;
    }
    const FollowedRoute route = follow(fabric, from, *ports);
    EXPECT_EQ(route.end, fabric[to].on);
    EXPECT_TRUE(up_then_down(fabric, levels, route));
    for (const ChannelId channel : route.channels) {
      EXPECT_FALSE(both.blocks(link_of(channel)));
      EXPECT_FALSE(both.blocks(fabric.to(channel)));
    }
  }
  EXPECT_GT(none, 0);
}

}  // namespace
}  // namespace weft
