// SPDX-License-Identifier: Apache-2.0
// Fabric: channels, ports and names, as a builder leaves them.
#include "fabric/fabric.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <memory>

#include "fabric/builder.hpp"
#include "support/fabrics.hpp"

namespace weft::test {
namespace {

/// a:3 - b:1 and a:1 - c:2, hosts x on a:4, y on a:2 and z on c:1; b has five ports.
Fabric three() {
  FabricBuilder builder("three");
  const SwitchId a = builder.add_switch({"a", 0, 0xA});
  const SwitchId b = builder.add_switch({"b", 5, 0xB});
  const SwitchId c = builder.add_switch({"c"});
  builder.add_link({{a, 3}, {b, 1}, {gigabits_per_second(2), delay_from("5ns")}});
  builder.add_link({{c, 2}, {a, 1}, {gigabits_per_second(4)}});
  builder.add_host({"x", a, 4});
  builder.add_host({"y", a, 2});
  builder.add_host({"z", c, 1});
  return std::move(builder).build();
}

template <class Ids>
std::vector<std::size_t> indexes(const Ids& ids) {
  std::vector<std::size_t> out;
  for (const auto id : ids) out.push_back(id.index());
  return out;
}

TEST(Fabric, Counts) {
  const Fabric fabric = three();
  EXPECT_EQ(fabric.name(), "three");
  EXPECT_EQ(fabric.switch_count(), 3U);
  EXPECT_EQ(fabric.host_count(), 3U);
  EXPECT_EQ(fabric.link_count(), 2U);
  EXPECT_EQ(fabric.channel_count(), 4U);
  EXPECT_EQ(fabric.switches().size(), 3U);
  EXPECT_EQ(fabric.hosts().size(), 3U);
  EXPECT_EQ(fabric.links().size(), 2U);
  EXPECT_EQ(fabric.channels().size(), 4U);
}

TEST(Fabric, AnEmptyFabricIsOne) {
  const Fabric fabric = FabricBuilder("nothing").build();
  EXPECT_EQ(fabric.switch_count(), 0U);
  EXPECT_EQ(fabric.channel_count(), 0U);
  EXPECT_FALSE(fabric.find_switch("a"));
}

TEST(Fabric, ALinkIsTwoChannels) {
  const Fabric fabric = three();
  const ChannelId there(2), back(3);
  EXPECT_EQ(reverse(there), back);
  EXPECT_EQ(reverse(back), there);
  EXPECT_EQ(link_of(there), LinkId(1));
  EXPECT_EQ(link_of(back), LinkId(1));
  EXPECT_EQ(fabric[fabric.from(there)].name, "c");
  EXPECT_EQ(fabric[fabric.to(there)].name, "a");
  EXPECT_EQ(fabric.out_port(there), 2);
  EXPECT_EQ(fabric.in_port(there), 1);
  EXPECT_EQ(fabric.from(back), fabric.to(there));
  EXPECT_EQ(fabric.to(back), fabric.from(there));
  EXPECT_EQ(fabric.out_port(back), 1);
  EXPECT_EQ(fabric.in_port(back), 2);
  EXPECT_EQ(fabric.wire(there), (Wire{gigabits_per_second(4)}));
  EXPECT_EQ(fabric.wire(back), fabric.wire(there));
  EXPECT_EQ(fabric.wire(ChannelId(1)).delay, delay_from("5ns"));
}

TEST(Fabric, ChannelsAndHostsOfASwitchComeByPort) {
  const Fabric fabric = three();
  EXPECT_EQ(indexes(fabric.out(SwitchId(0))), (std::vector<std::size_t>{3, 0}));
  EXPECT_EQ(indexes(fabric.out(SwitchId(1))), (std::vector<std::size_t>{1}));
  EXPECT_EQ(indexes(fabric.out(SwitchId(2))), (std::vector<std::size_t>{2}));
  EXPECT_EQ(indexes(fabric.hosts_on(SwitchId(0))), (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(indexes(fabric.hosts_on(SwitchId(1))), (std::vector<std::size_t>{}));
  EXPECT_EQ(indexes(fabric.hosts_on(SwitchId(2))), (std::vector<std::size_t>{2}));
}

TEST(Fabric, EveryPortLeadsToWhatIsThere) {
  const Fabric fabric = three();
  const SwitchId a(0), b(1);
  const auto expect = [&](SwitchId s, unsigned port, ChannelId channel, HostId host) {
    const Neighbour found = fabric.at_port(s, static_cast<PortNumber>(port));
    EXPECT_EQ(found.channel, channel) << port;
    EXPECT_EQ(found.host, host) << port;
    EXPECT_EQ(fabric.channel_at(s, static_cast<PortNumber>(port)), channel) << port;
  };
  expect(a, 0, {}, {});
  expect(a, 1, ChannelId(3), {});
  expect(a, 2, {}, HostId(1));
  expect(a, 3, ChannelId(0), {});
  expect(a, 4, {}, HostId(0));
  expect(a, 5, {}, {});
  expect(a, 65'535, {}, {});
  expect(b, 1, ChannelId(1), {});
  for (unsigned port = 2; port <= 6; ++port) expect(b, port, {}, {});
}

TEST(Fabric, FindsNamesAndGuids) {
  const Fabric fabric = three();
  EXPECT_EQ(fabric.find_switch("c"), SwitchId(2));
  EXPECT_EQ(fabric.find_switch("x"), std::nullopt) << "x is a host";
  EXPECT_EQ(fabric.find_host("y"), HostId(1));
  EXPECT_EQ(fabric.find_host("a"), std::nullopt) << "a is a switch";
  EXPECT_EQ(fabric.find_host(""), std::nullopt);
  EXPECT_EQ(fabric.find_switch_guid(0xB), SwitchId(1));
  EXPECT_EQ(fabric.find_switch_guid(0xC), std::nullopt);
  EXPECT_EQ(fabric.find_switch_guid(0), std::nullopt) << "0 means none";
}

TEST(Fabric, CopiesStandAlone) {
  auto original = std::make_unique<Fabric>(three());
  const Fabric copy = *original;
  Fabric assigned = ring(4);
  assigned = *original;
  const Fabric moved = std::move(*original);
  original.reset();
  for (const Fabric* fabric : {&copy, static_cast<const Fabric*>(&assigned), &moved}) {
    EXPECT_EQ(*fabric, three());
    EXPECT_EQ(fabric->find_switch("b"), SwitchId(1));
    EXPECT_EQ(fabric->find_host("z"), HostId(2));
    EXPECT_EQ(fabric->find_switch("s0"), std::nullopt);
    EXPECT_EQ(fabric->at_port(SwitchId(0), 4).host, HostId(0));
    EXPECT_EQ(fabric->out(SwitchId(0)).size(), 2U);
  }
}

TEST(Fabric, EqualityIsOfAllParts) {
  EXPECT_EQ(ring(4), ring(4));
  EXPECT_NE(ring(4), ring(5));
  EXPECT_NE(ring(4), ring(4, 2));
  const auto named = [](const char* name) {
    FabricBuilder builder(name);
    builder.add_switch({"a"});
    return std::move(builder).build();
  };
  EXPECT_EQ(named("one"), named("one"));
  EXPECT_NE(named("one"), named("other"));
}

void expect_consistent(const Fabric& fabric) {
  std::size_t channels = 0, hosts = 0;
  for (SwitchId s : fabric.switches()) {
    channels += fabric.out(s).size();
    hosts += fabric.hosts_on(s).size();
    RC_ASSERT(std::is_sorted(
        fabric.out(s).begin(), fabric.out(s).end(),
        [&](ChannelId a, ChannelId b) { return fabric.out_port(a) < fabric.out_port(b); }));
    for (ChannelId c : fabric.out(s)) {
      RC_ASSERT(fabric.from(c) == s);
      RC_ASSERT(fabric.channel_at(s, fabric.out_port(c)) == c);
      RC_ASSERT(fabric.channel_at(fabric.to(c), fabric.in_port(c)) == reverse(c));
    }
  }
  RC_ASSERT(channels == fabric.channel_count());
  RC_ASSERT(hosts == fabric.host_count());
  for (HostId h : fabric.hosts()) RC_ASSERT(fabric.at_port(fabric[h].on, fabric[h].port).host == h);
}

TEST(Fabric, RandomFabricsAreConsistent) {
  EXPECT_TRUE(rc::check(
      [] { expect_consistent(random_fabric(*rc::gen::arbitrary<std::uint64_t>(), 20)); }));
}

}  // namespace
}  // namespace weft::test
