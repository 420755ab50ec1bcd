// SPDX-License-Identifier: Apache-2.0
// Minimal routes on dragonflies: canonical ones, with loads and a certificate that are known.
#include <gtest/gtest.h>

#include "fabric/builder.hpp"
#include "fabric/walk.hpp"
#include "plan/check/check.hpp"
#include "plan/check/survey.hpp"
#include "plan/route/route.hpp"
#include "plan/topo_support.hpp"

namespace weft::testing {
namespace {

/// Without the coordinates by which the generator knows groups, and with other numbers of switches.
Fabric anonymous(const Fabric& fabric) {
  FabricBuilder builder(fabric.name());
  const std::size_t count = fabric.switch_count();
  const auto moved = [&](SwitchId s) { return SwitchId((s.index() * 7 + 3) % count); };
  std::vector<SwitchId> original(count);
  for (const SwitchId s : fabric.switches()) original[moved(s).index()] = s;
  for (const SwitchId s : original)
    builder.add_switch({.name = fabric[s].name, .ports = fabric[s].ports});
  for (const LinkId l : fabric.links())
    builder.add_link({{moved(fabric[l].a.on), fabric[l].a.port},
                      {moved(fabric[l].b.on), fabric[l].b.port},
                      fabric[l].wire});
  for (const HostId h : fabric.hosts())
    builder.add_host({.name = fabric[h].name, .on = moved(fabric[h].on), .port = fabric[h].port});
  return std::move(builder).build();
}

int group_of(const Fabric& fabric, SwitchId s) { return fabric[s].at[0]; }

TEST(MinOnDragonfly, TakesALocalAGlobalAndALocalLink) {
  for (const std::string arrangement : {"palmtree", "absolute", "relative", "circulant"})
    for (const std::string shape :
         {"a=2,p=1,h=1", "a=4,p=2,h=2", "a=6,p=3,h=3", "a=4,p=1,h=2,groups=3", "a=1,p=2,h=4"}) {
      const std::string spec = "dragonfly:" + shape + ",arrangement=" + arrangement;
      const Fabric fabric = make_fabric(spec);
      const Tables tables = std::get<Tables>(route(fabric, "min"));
      Walker walk(fabric, tables);
      for (const HostId from : fabric.hosts())
        for (const HostId to : fabric.hosts()) {
          const Walk& taken = walk(from, to);
          ASSERT_EQ(taken.end, RouteEnd::reached) << spec;
          EXPECT_LE(taken.hops.size(), 3U) << spec;
          int global = 0;
          for (const Hop& hop : taken.hops)
            global += group_of(fabric, fabric.from(hop.channel)) !=
                              group_of(fabric, fabric.to(hop.channel))
                          ? 1
                          : 0;
          EXPECT_LE(global, shape == "a=1,p=2,h=4" ? 3 : 1) << spec;
        }
      EXPECT_FALSE(run_checks(fabric, tables).bad()) << spec;
    }
}

/// At full size a global link carries the routes between its two groups, and nothing else.
TEST(MinOnDragonfly, LoadsGlobalLinksEqually) {
  for (const std::string spec :
       {"dragonfly:a=4,p=2,h=2", "dragonfly:a=6,p=3,h=3,arrangement=absolute"}) {
    const Fabric fabric = make_fabric(spec);
    const Survey seen = survey(fabric, std::get<Tables>(route(fabric, "min")));
    const double hosts = spec.find("a=4") != std::string::npos ? 8 : 18;
    for (const ChannelId channel : fabric.channels())
      if (group_of(fabric, fabric.from(channel)) != group_of(fabric, fabric.to(channel))) {
        EXPECT_EQ(seen.load[channel], hosts * hosts) << spec;
      }
  }
}

TEST(MinOnDragonfly, FindsTheGroupsOfOthers) {
  const Fabric fabric = anonymous(make_fabric("dragonfly:a=4,p=2,h=2"));
  const Routed routed = route(fabric, "min");
  ASSERT_TRUE(std::holds_alternative<Tables>(routed)) << std::get<Refused>(routed).why;
  const Survey seen = survey(fabric, std::get<Tables>(routed));
  EXPECT_TRUE(seen.complete());
  EXPECT_LE(seen.most_hops, 4U);
}

TEST(MinOnDragonfly, RefusesOtherFabrics) {
  const Routed routed = route(make_fabric("mesh:dims=3x3"), "min");
  EXPECT_EQ(std::get<Refused>(routed).why.substr(0, 14), "no dragonfly: ");
}

}  // namespace
}  // namespace weft::testing
