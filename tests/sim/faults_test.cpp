// SPDX-License-Identifier: Apache-2.0
// Failures and tables that lead nowhere: every loss has its reason.
#include "sim/faults.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "fabric/builder.hpp"
#include "plan/mcast/mcast.hpp"
#include "plan/topo/topology.hpp"
#include "support/fabrics.hpp"
#include "support/recorder.hpp"
#include "support/routes.hpp"

namespace weft::sim {
namespace {

using test::Recorder;
using test::Script;

/// How often each reason comes; "delivered" is one of them.
using Reasons = std::map<std::string, int>;

Reasons reasons(const Fabric& fabric, const Tables& tables, const NetworkOptions& options,
                const Script& script) {
  Network network(fabric, tables, model_from("iq:buffer=64"), options);
  Recorder recorder(network, script);
  EXPECT_EQ(network.run(recorder, never), NetworkEnd::quiet);
  EXPECT_FALSE(recorder.miscounted(network));
  Reasons out;
  for (const auto& end : recorder.ends())
    ++out[end.why ? std::string(to_text(*end.why)) : "delivered"];
  return out;
}

/// As managed switches of InfiniBand are called.
TEST(Faults, NamesWithSemicolonsAndColons) {
  FabricBuilder builder("managed");
  const SwitchId a = builder.add_switch({.name = "MF0;leaf1:MQM8700/U1", .guid = 0xab, .lid = 3});
  const SwitchId b = builder.add_switch({.name = "MF0;spine;link1:X/U2"});
  builder.add_link({{a, 1}, {b, 1}});
  const Fabric fabric = std::move(builder).build();
  const Faults faults =
      faults_from(fabric,
                  "link=MF0;leaf1:MQM8700/U1:1@5;switch=MF0;spine;link1:X/U2@7;;corrupt=0xab:1@9;"
                  "switch=lid 3@8;errors=1e-9;");
  ASSERT_EQ(faults.links.size(), 1U);
  EXPECT_EQ(faults.links[0].link, LinkId(0));
  ASSERT_EQ(faults.switches.size(), 2U);
  EXPECT_EQ(faults.switches[0].on, b);
  EXPECT_EQ(faults.switches[1].on, a);
  ASSERT_EQ(faults.glitches.size(), 1U);
  EXPECT_EQ(faults.bit_error_rate, 1e-9);
}

TEST(Faults, WhereAPacketIsWhenALinkFails) {
  // h0 on s0, h1 on s1, h2 on s2, in a line. 16 flits from h0 are in s0 from cycle 2 on, on the
  // link from 4 to 22, in s1 from 7 to 25, and are over at 32.
  const Fabric fabric = test::from_links(3, {{0, 1}, {1, 2}});
  const Tables tables = test::routed(fabric, "minhop");
  for (Cycle at = 0; at < 50; ++at)
    for (const char* place : {"link=s0:1@", "link=s1:2@", "link=h0@", "link=h2@"}) {
      NetworkOptions options{.check = true, .longest_packet = 16};
      options.faults = faults_from(fabric, fmt::format("{}{}", place, at));
      const Reasons got = reasons(fabric, tables, options,
                                  {{0, {.from = HostId(0), .to = HostId(2), .flits = 16}},
                                   {60, {.from = HostId(0), .to = HostId(2), .flits = 16}}});
      const int first = got.contains("delivered") ? got.at("delivered") : 0;
      EXPECT_EQ(got.at("link down"), 2 - first) << place << at;
      if (at < 2) {
        EXPECT_EQ(first, 0) << place << at;
      }
      if (at > 32) {
        EXPECT_EQ(first, 1) << place << at;
      }
    }
}

TEST(Faults, SwitchesFailWithWhatTheyHold) {
  const Fabric fabric = test::from_links(3, {{0, 1}, {1, 2}});
  const Tables tables = test::routed(fabric, "minhop");
  for (Cycle at = 8; at < 20; ++at) {
    NetworkOptions options{.check = true, .longest_packet = 16};
    options.faults = faults_from(fabric, fmt::format("switch=s1@{}", at));
    EXPECT_EQ(reasons(fabric, tables, options,
                      {{0, {.from = HostId(0), .to = HostId(2), .flits = 16}},
                       {0, {.from = HostId(0), .to = HostId(0), .flits = 16}},
                       {40, {.from = HostId(1), .to = HostId(2)}},
                       {40, {.from = HostId(0), .to = HostId(1)}}}),
              (Reasons{{"switch down", 1}, {"delivered", 1}, {"link down", 2}}));
  }
}

TEST(Faults, BitErrorsAsOftenAsTheirRate) {
  const Fabric fabric = test::from_links(3, {{0, 1}, {1, 2}});
  const Tables tables = test::routed(fabric, "minhop");
  Script script;
  for (Cycle i = 0; i < 20'000; ++i)
    script.push_back({i * 5, {.from = HostId(0), .to = HostId(2), .flits = 4}});
  NetworkOptions options{.longest_packet = 4};
  options.faults.bit_error_rate = 1e-4;
  const Reasons got = reasons(fabric, tables, options, script);
  const double chance = 1 - std::pow(1 - 1e-4, 4 * 64 * 4);  // flits, bits, links
  EXPECT_NEAR(got.at("corrupted"), 20'000 * chance, 3 * std::sqrt(20'000 * chance));
  options.faults.bit_error_rate = 1;
  EXPECT_EQ(reasons(fabric, tables, options, script), (Reasons{{"corrupted", 20'000}}));
}

/// A copy that goes astray is no reason for what happens to the others.
TEST(Faults, EveryCopyHasAReasonOfItsOwn) {
  const Fabric fabric = test::from_links(4, {{0, 1}, {1, 2}, {0, 3}});
  Tables tables = test::routed(fabric, "minhop");
  const GroupRequest request{"g", {HostId(0), HostId(2)}, HostId(0)};
  tables.groups.push_back(std::get<Group>(make_group({fabric, tables, request}, "union")));
  for (PortSet& set : tables.groups[0].out)
    if (set.on == SwitchId(0)) set.ports.push_back(2);  // to s3, which has nothing to do with it
  NetworkOptions options{.longest_packet = 4};
  options.faults.bit_error_rate = 1;
  EXPECT_EQ(reasons(fabric, tables, options, {{0, {.from = HostId(0), .group = 0, .flits = 4}}}),
            (Reasons{{"corrupted", 1}}));
}

/// A copy is cut off in the middle while the other one waits for a lane, which a packet of the same
/// in-port has that waits for its turn: it must come.
TEST(Faults, AnInPortIsFreeAfterACopyIsCutOff) {
  const Fabric fabric = test::from_links(3, {{0, 1}, {0, 2}}, 2);
  Tables tables = test::routed(fabric, "minhop");
  const GroupRequest request{"g", {HostId(0), HostId(2), HostId(4)}, HostId(0), 0};
  tables.groups.push_back(std::get<Group>(make_group({fabric, tables, request}, "union")));
  tables.lane_count = 2;  // all use the first one; hosts use both
  tables.lanes = ServiceLanes{Grid<std::uint8_t>(column_count(tables), 3, 0)};
  Script script;
  for (int i = 0; i < 12; ++i) {
    script.push_back({0, {.from = HostId(0), .to = HostId(4), .flits = 8}});
    script.push_back({0, {.from = HostId(0), .group = 0, .flits = 8}});
    script.push_back({0, {.from = HostId(1), .to = HostId(4), .flits = 8}});
    script.push_back({0, {.from = HostId(1), .to = HostId(2), .flits = 8}});
  }
  for (Cycle at = 0; at < 400; ++at) {
    NetworkOptions options{.check = true, .longest_packet = 8};
    options.faults = faults_from(fabric, fmt::format("link=s0:1@{}", at));
    Network network(fabric, tables, model_from("iq:switching=cut_through,multiplex=packet"),
                    options);
    Recorder recorder(network, script);
    ASSERT_EQ(network.run(recorder, 20'000), NetworkEnd::quiet) << at;
    ASSERT_FALSE(recorder.miscounted(network)) << at;
  }
}

TEST(LostPackets, TablesThatLeadNowhere) {
  const Fabric fabric = test::from_links(3, {{0, 1}, {1, 2}});
  const auto with_entry = [&](std::size_t on, PortNumber port) {
    Tables tables = test::routed(fabric, "minhop");
    std::get<DestinationTables>(tables.paths)[tables.to_host[HostId(2)]][on] = port;
    return reasons(fabric, tables, {.longest_packet = 3},
                   {{0, {.from = HostId(0), .to = HostId(2), .flits = 3}},
                    {9, {.from = HostId(0), .to = HostId(1), .flits = 3}}});
  };
  EXPECT_EQ(with_entry(1, no_port), (Reasons{{"no route", 1}, {"delivered", 1}}));
  EXPECT_EQ(with_entry(1, here), (Reasons{{"no route", 1}, {"delivered", 1}}));
  EXPECT_EQ(with_entry(1, 3), (Reasons{{"no route", 1}, {"delivered", 1}}));  // another host
  EXPECT_EQ(with_entry(1, 1), (Reasons{{"loop", 1}, {"delivered", 1}}));
  Tables unknown = test::routed(fabric, "minhop");
  unknown.to_host[HostId(2)] = ColumnId::none();
  EXPECT_EQ(reasons(fabric, unknown, {}, {{0, {.from = HostId(0), .to = HostId(2)}}}),
            (Reasons{{"no route", 1}}));
}

/// A group whose copies go round for ever if they are let: to all ports of all switches.
TEST(LostPackets, GroupsThatAreNoTrees) {
  const Fabric fabric = make_fabric("complete:switches=12,hosts=1");
  Tables tables = test::routed(fabric, "minhop");
  Group all{"all", {}}, ring{"ring", {}};
  for (HostId h : fabric.hosts()) {
    all.members.push_back(h);
    ring.members.push_back(h);
  }
  for (SwitchId s : fabric.switches()) {
    PortSet set{s, {}};
    for (PortNumber p = 1; p <= fabric[s].ports; ++p) set.ports.push_back(p);
    all.out.push_back(set);
    for (ChannelId c : fabric.out(s))
      if (fabric.to(c).index() == (s.index() + 1) % 12)
        ring.out.push_back({s, {fabric.out_port(c)}});
  }
  tables.groups = {all, ring};
  const Reasons got =
      reasons(fabric, tables, {.check = true}, {{0, {.from = HostId(3), .group = 0}}});
  EXPECT_GE(got.at("delivered"), 1);
  EXPECT_EQ(reasons(fabric, tables, {.check = true}, {{0, {.from = HostId(3), .group = 1}}}),
            (Reasons{{"loop", 11}}));
}

/// Drivers may set timers for the present cycle, whenever they are called.
class Restless : public Driver {
 public:
  void timer(Network& network, HostId host) override {
    times.push_back(network.now());
    if (times.size() < 4) network.wake(host, network.now());
    if (times.size() == 4) network.send({.from = host, .to = host});
  }
  void delivered(Network& network, const Packet&, HostId at, unsigned) override {
    network.wake(at, network.now());
  }
  void lost(Network&, const Packet&, HostId, Loss) override {}
  std::vector<Cycle> times{};
};

TEST(Timers, ForThePresentCycleComeInTheNext) {
  const Fabric fabric = make_fabric("crossbar:hosts=2");
  const Tables tables = test::routed(fabric, "minhop");
  Network network(fabric, tables, model_from("iq"));
  Restless driver;
  network.wake(HostId(1), 100'000);
  network.wake(HostId(1), 3);
  EXPECT_EQ(network.run(driver, 1'000'000), NetworkEnd::quiet);
  EXPECT_EQ(driver.times, (std::vector<Cycle>{3, 4, 5, 6, 14}));
  network.wake(HostId(0), network.now());
  EXPECT_EQ(network.run(driver, 2'000'000), NetworkEnd::quiet);
  EXPECT_EQ(driver.times.size(), 6U);
}

}  // namespace
}  // namespace weft::sim
