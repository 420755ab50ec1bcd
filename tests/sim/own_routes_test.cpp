// SPDX-License-Identifier: Apache-2.0
// Packets with routes of their own: they go as if the tables had them, beside packets that follow
// the tables; what does not lead to its host is refused.
#include <gtest/gtest.h>

#include "base/message.hpp"
#include "base/rng.hpp"
#include "fabric/builder.hpp"
#include "plan/topo/topology.hpp"
#include "support/fabrics.hpp"
#include "support/networks.hpp"
#include "support/routes.hpp"

namespace weft::sim::own_routes {
namespace {

using test::message_of;
using test::Recorder;
using test::Script;

constexpr PortNumber g0 = first_link_group;

/// The tags that the tables have for a pair.
std::vector<PortNumber> tags_of(const Fabric& fabric, const Tables& tables, HostId from,
                                HostId to) {
  const auto route =
      std::get<SourceRoutes>(tables.paths).route(tables.to_host[to], fabric[from].on);
  return {route->begin(), route->end()};
}

Script random_script(const Fabric& fabric, std::uint64_t seed, std::uint32_t longest) {
  Rng rng(seed);
  return test::random_script(fabric, rng, {.longest = longest});
}

struct Setting {
  std::string switches = "iq:lanes=2";
  bool check = false;
  Pace pace = Pace::automatic;
};

/// A hash of all ends. Every packet whose place in the script `own` wants has the route that
/// `routes` (with choices among the same links as `tables`) has for its pair.
template <class Own>
std::uint64_t hash_of(const Fabric& fabric, const Tables& tables, const Tables& routes,
                      Script script, const Setting& setting, Own own) {
  NetworkOptions options{.check = setting.check, .longest_packet = 6, .pace = setting.pace};
  options.review = 64;
  Network network(fabric, tables, model_from(setting.switches), options);
  const auto& groups = std::get<SourceRoutes>(routes.paths).link_groups();
  for (std::size_t i = 0; i < script.size(); ++i) {
    if (!own(i)) continue;
    Packet& packet = script[i].packet;
    auto tags = tags_of(fabric, routes, packet.from, packet.to);
    for (PortNumber& tag : tags)
      if (tag >= g0) tag = network.add_links(groups[tag - g0]);
    if (i % 2 == 0) tags.push_back(fabric[packet.to].port);  // the same, in full
    packet.route = network.add_route(packet.from, packet.to, tags);
  }
  Recorder recorder(network, script);
  EXPECT_EQ(network.run(recorder, never), NetworkEnd::quiet) << network.explanation();
  EXPECT_FALSE(recorder.miscounted(network));
  EXPECT_EQ(recorder.lost_count(), 0U);
  return recorder.hash();
}

const auto all = [](std::size_t) { return true; };
const auto none = [](std::size_t) { return false; };
const auto some = [](std::size_t i) { return i % 3 == 1; };

TEST(OwnRoutes, GoAsThoseOfTheTables) {
  for (const char* topology : {"tree:k=4,n=2", "mesh:dims=3x3,hosts=2", "tree:k=2,n=4"})
    for (const char* engine : {"minhop", "updown", "nca"}) {
      const Fabric fabric = make_fabric(topology);
      if (std::string(engine) == "nca" && topology[0] != 't') continue;
      const Tables tables = test::routed(fabric, engine);
      if (!std::holds_alternative<OneLane>(tables.lanes)) continue;
      const Tables routes = std::holds_alternative<SourceRoutes>(tables.paths)
                                ? tables
                                : as_source_routes(fabric, tables);
      const Script script = random_script(fabric, 7, 6);
      for (const Setting& setting :
           {Setting{}, Setting{.check = true}, Setting{"iq:lanes=1,buffer=2"},
            Setting{"iq:lanes=3,switching=cut_through", true},
            Setting{.switches = "iq:flow=stop_go,buffer=40"}, Setting{.pace = Pace::bit_sliced}}) {
        const std::uint64_t expected = hash_of(fabric, tables, routes, script, setting, none);
        EXPECT_EQ(hash_of(fabric, tables, routes, script, setting, all), expected)
            << topology << " " << engine << " " << setting.switches;
        EXPECT_EQ(hash_of(fabric, tables, routes, script, setting, some), expected)
            << topology << " " << engine << " " << setting.switches;
      }
    }
}

/// Tables with fixed routes, packets that choose: as with tables that leave the choice.
TEST(OwnRoutes, MayChooseWhereTheTablesDoNot) {
  const Fabric fabric = make_fabric("tree:k=4,n=2");
  const Tables fixed = test::routed(fabric, "dmodk"), free = test::routed(fabric, "nca");
  const Script script = random_script(fabric, 3, 6);
  for (const bool check : {false, true}) {
    const Setting setting{.check = check};
    EXPECT_EQ(hash_of(fabric, fixed, free, script, setting, all),
              hash_of(fabric, free, free, script, setting, none));
    EXPECT_NE(hash_of(fabric, fixed, free, script, setting, all),
              hash_of(fabric, fixed, as_source_routes(fabric, fixed), script, setting, none));
  }
}

/// Adds a route and sends a packet with it from within a run, in words until then.
class Late final : public Recorder {
 public:
  Late(Network& network, Script script, std::vector<PortNumber> tags)
      : Recorder(network, std::move(script)), tags_(std::move(tags)) {}
  void delivered(Network& network, const Packet& packet, HostId at, unsigned hops) override {
    if (packet.kind == 1) {
      EXPECT_EQ(hops, tags_.size() + 1);
      ++came_;
      return;
    }
    Recorder::delivered(network, packet, at, hops);
    if (ends().size() != 100) return;
    Packet own{.from = HostId(0), .to = HostId(1), .kind = 1};
    own.route = network.add_route(own.from, own.to, tags_);
    network.send(own);
  }
  int came_ = 0;

 private:
  std::vector<PortNumber> tags_;
};

TEST(OwnRoutes, MayBeAddedWhilePacketsMove) {
  const Fabric fabric = make_fabric("mesh:dims=4x4,hosts=1");
  const Tables tables = test::routed(fabric, "dor");
  // Round a square, from the first switch to the one beside it.
  std::vector<PortNumber> tags;
  for (const auto& [at, next] : {std::pair{0, 4}, {4, 5}, {5, 1}})
    for (const ChannelId c : fabric.out(SwitchId(static_cast<std::size_t>(at))))
      if (fabric.to(c) == SwitchId(static_cast<std::size_t>(next)))
        tags.push_back(fabric.out_port(c));
  ASSERT_EQ(tags.size(), 3U);
  for (const std::uint32_t longest : {1U, 4U})
    for (const Pace pace : {Pace::bit_sliced, Pace::events}) {
      Network network(fabric, tables, model_from("iq:lanes=2"),
                      {.longest_packet = longest, .pace = pace, .review = 16});
      Late late(network, random_script(fabric, 5, longest), tags);
      EXPECT_EQ(network.run(late, never), NetworkEnd::quiet);
      EXPECT_EQ(late.came_, 1);
      EXPECT_EQ(late.ends().size(), 400U);
    }
}

TEST(OwnRoutes, TheSameTagsAreTheSameRoute) {
  const Fabric fabric = make_fabric("tree:k=2,n=3");
  const Tables tables = test::routed(fabric, "nca");
  Network network(fabric, tables, model_from("iq"));
  const auto first = tags_of(fabric, tables, HostId(0), HostId(7));
  EXPECT_EQ(network.add_route(HostId(0), HostId(7), first), 0U);
  EXPECT_EQ(network.add_route(HostId(1), HostId(7), first), 0U);
  EXPECT_EQ(network.add_route(HostId(0), HostId(5), tags_of(fabric, tables, HostId(0), HostId(5))),
            1U);
  EXPECT_EQ(network.add_links({3, 4}), g0) << "that the tables have";
  EXPECT_EQ(network.add_links({4, 3}), g0 + 1);
  EXPECT_EQ(network.add_links({4, 3}), g0 + 1);
}

/// Three switches: port 1 leads round the ring, 2 back, the host is on port 3, 4 is free.
Fabric ring() {
  FabricBuilder builder("ring");
  for (std::size_t i = 0; i < 3; ++i) {
    builder.add_switch({fmt::format("s{}", i), 4});
    builder.add_host({fmt::format("h{}", i), SwitchId(i), 3});
  }
  for (std::size_t i = 0; i < 3; ++i)
    builder.add_link({{SwitchId(i), 1}, {SwitchId((i + 1) % 3), 2}, {}});
  return std::move(builder).build();
}

std::string refusal(const std::vector<PortNumber>& tags, HostId to = HostId(2)) {
  const Fabric fabric = ring();
  const Tables tables = test::routed(fabric, "minhop");
  Network network(fabric, tables, model_from("iq"));
  network.add_links({1, 2});
  network.add_links({1, 3});
  return message_of([&] { network.add_route(HostId(0), to, tags); });
}

TEST(OwnRoutes, WhatDoesNotArriveIsRefused) {
  EXPECT_EQ(refusal({1, 1}), "(no error)");
  EXPECT_EQ(refusal({1, 1, 3}), "(no error)");
  EXPECT_EQ(refusal({2}), "(no error)");
  EXPECT_EQ(refusal({}, HostId(0)), "(no error)");
  const auto text = [](const char* tags, const char* what) {
    return fmt::format("the route \"{}\" from host \"h0\" to \"h2\" {}", tags, what);
  };
  const std::string right = "; \"h2\" is at port 3 of switch \"s2\"";
  EXPECT_EQ(refusal({1}), text("1", "ends at switch \"s1\"") + right);
  EXPECT_EQ(refusal({}), text("", "ends at switch \"s0\"") + right);
  EXPECT_EQ(refusal({1, 3}), text("1 3", "leads to \"h1\" at port 3 of switch \"s1\"") + right);
  EXPECT_EQ(refusal({1, 1, 3, 1}),
            text("1 1 3 1", "is longer than its path: at host \"h2\" a tag is left; 3 would do"));
  EXPECT_EQ(refusal({2, 3, 3, 3}),
            text("2 3 3 3", "is longer than its path: at host \"h2\" 2 tags are left; 2 would do"));
  EXPECT_EQ(refusal({1, 7}), text("1 7", "takes port 7 of switch \"s1\", which has 4"));
  EXPECT_EQ(refusal({1, 4}),
            text("1 4", "takes port 4 of switch \"s1\", to which nothing is connected"));
  EXPECT_EQ(refusal({0, 1}), text("0 1", "has tag 0; ports are numbered from 1"));
  EXPECT_EQ(refusal({1, g0 + 2}), text("1 g2", "names group g2 of links; there are g0 to g1"));
  EXPECT_EQ(refusal(std::vector<PortNumber>(13, 1)),
            text("1 1 1 1 1 1 1 1 1 1 1 1 1", "is 13 tags long; 12 are the most here"));
  // One choice arrives, the other does not.
  EXPECT_EQ(refusal({g0, 1}), text("g0 1", "ends at switch \"s0\"") + right);
  EXPECT_EQ(refusal({1, g0 + 1}),
            text("1 g1", "leads to \"h1\" at port 3 of switch \"s1\"") + right);
  EXPECT_EQ(refusal({1, g0 + 1, 3}),
            text("1 g1 3", "is longer than its path: at host \"h1\" a tag is left; 2 would do"));
}

TEST(OwnRoutes, WhatTheyNeed) {
  const Fabric fabric = test::from_links(3, {{0, 1}, {1, 2}});
  Tables tables = test::routed(fabric, "minhop");
  const auto links = [&](const std::vector<PortNumber>& ports) {
    Network network(fabric, tables, model_from("iq"));
    return message_of([&] { network.add_links(ports); });
  };
  EXPECT_EQ(links({}), "group g0 of links is empty");
  EXPECT_EQ(links({9}), "group g0 of links has port 9; the switches have ports from 1 to 3");
  EXPECT_EQ(links({1, 1}), "group g0 of links has port 1 twice");
  const std::vector<PortNumber> tags{2};  // of s0, which has one link and a host
  Network network(fabric, tables, model_from("iq"));
  EXPECT_EQ(message_of([&] { network.add_route(HostId(0), HostId(2), std::vector{g0}); }),
            "the route \"g0\" from host \"h0\" to \"h2\" names group g0 of links; there are none");
  tables.lanes = ServiceLanes{Grid<std::uint8_t>(column_count(tables), 3, 0)};
  Network other(fabric, tables, model_from("iq"));
  EXPECT_EQ(message_of([&] { other.add_route(HostId(0), HostId(2), tags); }),
            fmt::format("packets cannot have routes of their own: the tables ({}) tell their lanes",
                        tables.engine));
}

}  // namespace
}  // namespace weft::sim::own_routes
