// SPDX-License-Identifier: Apache-2.0
// The deadlock check: certificates that fail when anything changes, descriptions of cycles,
// imported tables of OpenSM, and the text form.
#include <gtest/gtest.h>

#include <sstream>

#include "base/rng.hpp"
#include "fabric/builder.hpp"
#include "fabric/format/format.hpp"
#include "fabric/walk.hpp"
#include "plan/check/check.hpp"
#include "plan/topo/topology.hpp"
#include "plan/verify/verify_text.hpp"
#include "support/fabrics.hpp"
#include "support/paths.hpp"
#include "support/routes.hpp"

namespace weft::test {
namespace {

std::string recorded(const std::string& name) {
  return weft::testing::source_dir().string() + "/tests/recorded/opensm/" + name;
}

TEST(Deadlock, OpenSmUpDownOnAnIrregularFabricHasACycle) {
  const Fabric fabric = read_fabric(read_source(recorded("irr16/ibnetdiscover.txt")));
  const Tables imported = read_tables(read_source(recorded("irr16/updn/opensm-lfts.dump")), fabric);
  EXPECT_TRUE(survey(fabric, imported).complete());
  const DeadlockVerdict verdict = deadlock(fabric, imported);
  ASSERT_TRUE(std::holds_alternative<DependencyCycle>(verdict));
  const auto wrong = not_a_cycle(fabric, imported, std::get<DependencyCycle>(verdict));
  EXPECT_FALSE(wrong) << *wrong;
  for (const char* spec : {"updown", "updown:root=sw_0", "dl", "nue", "lash", "dfsssp"})
    EXPECT_FALSE(not_certified(fabric, routed(fabric, spec))) << spec;
}

TEST(Deadlock, OtherRecordedTablesOfOpenSm) {
  const Fabric irregular = read_fabric(read_source(recorded("irr16/ibnetdiscover.txt")));
  const Tables nue = read_tables(read_source(recorded("irr16/nue1/opensm-lfts.dump")), irregular);
  EXPECT_FALSE(not_certified(irregular, nue));
  const Fabric mesh = read_fabric(read_source(recorded("mesh4x4/ibnetdiscover.txt")));
  const Tables dor = read_tables(read_source(recorded("mesh4x4/dor/opensm-lfts.dump")), mesh);
  EXPECT_FALSE(not_certified(mesh, dor));
}

/// Removes all changes of lane from the turns.
void drop_lane_changes(const Fabric& fabric, Tables& tables) {
  auto& turns = std::get<TurnLanes>(tables.lanes);
  for (SwitchId s : fabric.switches())
    for (ChannelId entering : fabric.out(s))
      for (ChannelId out : fabric.out(s))
        turns.at(s, fabric.out_port(entering), fabric.out_port(out)) = LaneOp::keep();
}

TEST(Deadlock, WithoutTheLaneChangesThereIsACycle) {
  for (const auto& [topology, engine] :
       {std::pair{"ring:switches=6", "dl"}, std::pair{"torus:dims=5x5", "dor"},
        std::pair{"torus:dims=8x8", "dor:select=low_port"}}) {
    const Fabric fabric = make_fabric(topology);
    Tables tables = routed(fabric, engine);
    EXPECT_FALSE(not_certified(fabric, tables)) << topology;
    drop_lane_changes(fabric, tables);
    const DeadlockVerdict verdict = deadlock(fabric, tables);
    ASSERT_TRUE(std::holds_alternative<DependencyCycle>(verdict)) << topology;
    EXPECT_FALSE(not_a_cycle(fabric, tables, std::get<DependencyCycle>(verdict)));
  }
}

TEST(Deadlock, TheCycleOfARingIsDescribed) {
  const Fabric fabric = ring(5);
  const Tables tables = routed(fabric, "minhop:select=low_port");
  const DeadlockVerdict verdict = deadlock(fabric, tables);
  const auto lines = std::get<DependencyCycle>(verdict).describe(fabric);
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(
      lines[0],
      "s0 port 1 lane 0 (to s1) waits for s1 port 2 lane 0 (to s2), on the route from h0 to h2");
}

TEST(Deadlock, APacketWithoutALaneIsRefused) {
  const Fabric fabric = ring(6);
  Tables tables = routed(fabric, "dl:lanes=2");
  tables.lane_count = 1;
  const DeadlockVerdict verdict = deadlock(fabric, tables);
  ASSERT_TRUE(std::holds_alternative<Refused>(verdict));
  EXPECT_NE(std::get<Refused>(verdict).why.find("a packet from a host to port"), std::string::npos);
  Tables pools = routed(fabric, "sbp");
  pools.lane_count = 2;
  const DeadlockVerdict short_of_lanes = deadlock(fabric, pools);
  ASSERT_TRUE(std::holds_alternative<Refused>(short_of_lanes));
  EXPECT_NE(std::get<Refused>(short_of_lanes).why.find("needs a lane that is not among the 2"),
            std::string::npos);
}

TEST(Deadlock, LoopsAreCyclesAndAreNotReached) {
  const Fabric fabric = ring(4);
  Tables tables = routed(fabric, "updown");
  auto& next = std::get<DestinationTables>(tables.paths);
  const auto column = next[tables.to_host[HostId(3)]];
  column[0] = fabric.out_port(fabric.out(SwitchId(0))[0]);
  column[1] = fabric.out_port(fabric.out(SwitchId(1))[0]);
  const Survey seen = survey(fabric, tables);
  EXPECT_FALSE(seen.complete());
  ASSERT_FALSE(seen.strays.empty());
  Walker walk(fabric, tables);
  EXPECT_EQ(walk(seen.strays[0].from, seen.strays[0].to).end, RouteEnd::loop);
  const DeadlockVerdict verdict = deadlock(fabric, tables);
  ASSERT_TRUE(std::holds_alternative<DependencyCycle>(verdict));
  EXPECT_EQ(std::get<DependencyCycle>(verdict).waits.size(), 2U);
}

/// Minimal tables on a ring whose lane follows from the in-port: hosts on port 3 start in lane 1,
/// those on port 4 in lane 0, where the ring closes.
Tables ring_with_map(const Fabric& fabric, bool harmless) {
  Tables tables = routed(fabric, "minhop:select=low_port");
  auto& next = std::get<DestinationTables>(tables.paths);
  for (HostId to : fabric.hosts())
    for (SwitchId at : fabric.switches())
      if (fabric[to].on != at) next[tables.to_host[to]][at.index()] = 1;  // in one direction
  tables.lane_count = 2;
  ServiceLanes service{Grid<std::uint8_t>(next.size(), fabric.switch_count(), 0)};
  ServiceLanes::Map map;
  map.levels = 1;
  for (SwitchId s : fabric.switches()) {
    const std::size_t width = fabric[s].ports + std::size_t{1};
    std::vector<Lane> lane(width * width, 0);
    lane[3 * width + 1] = 1;
    if (harmless) lane[4 * width + 1] = 1;
    map.lane.push_back(lane);
  }
  service.map = std::move(map);
  tables.lanes = std::move(service);
  return tables;
}

TEST(Deadlock, HostsWhosePortDecidesTheirLaneAreAllLookedAt) {
  const Fabric fabric = make_fabric("ring:switches=4,hosts=2");
  for (const bool harmless : {false, true}) {
    const Tables tables = ring_with_map(fabric, harmless);
    ASSERT_TRUE(survey(fabric, tables).complete());
    EXPECT_EQ(as_set(std::get<DependencyGraph>(dependencies(fabric, tables))),
              brute_force_dependencies(fabric, tables));
    const DeadlockVerdict verdict = deadlock(fabric, tables);
    ASSERT_TRUE(std::holds_alternative<DependencyCycle>(verdict));
    EXPECT_FALSE(not_a_cycle(fabric, tables, std::get<DependencyCycle>(verdict)));
  }
}

/// Routes of two hops: only hosts on port 4 hold lane 0 of the first.
TEST(Deadlock, OneHostOfASwitchMayCloseACycleThatAnotherLeavesOpen) {
  const Fabric fabric = make_fabric("ring:switches=3,hosts=2");
  for (const bool harmless : {false, true}) {
    const Tables tables = ring_with_map(fabric, harmless);
    ASSERT_TRUE(survey(fabric, tables).complete());
    EXPECT_EQ(as_set(std::get<DependencyGraph>(dependencies(fabric, tables))),
              brute_force_dependencies(fabric, tables));
    EXPECT_EQ(std::holds_alternative<DependencyCycle>(deadlock(fabric, tables)), !harmless);
  }
}

TEST(Deadlock, AColumnWithoutHostsIsNotFollowed) {
  const Fabric fabric = from_links(2, {{0, 1}});
  for (const bool choose : {false, true}) {
    Tables tables = routed(fabric, "updown:form=source");
    auto& routes = std::get<SourceRoutes>(tables.paths);
    if (choose) routes.add_links({1, 2});
    for (std::size_t i = 0; i < 2; ++i) routes.push_back(std::vector<PortNumber>{});
    EXPECT_TRUE(std::holds_alternative<Certificate>(deadlock(fabric, tables)));
  }
}

TEST(Deadlock, AChoiceWithoutALaneIsRefused) {
  const Fabric fabric = make_fabric("tree:k=2,n=2");
  Tables tables = routed(fabric, "nca");
  tables.lanes = TurnLanes(fabric, LaneOp::set(0), LaneOp::set(1));
  const DeadlockVerdict verdict = deadlock(fabric, tables);
  ASSERT_TRUE(std::holds_alternative<Refused>(verdict));
  EXPECT_NE(std::get<Refused>(verdict).why.find("needs a lane that is not among the 1"),
            std::string::npos)
      << std::get<Refused>(verdict).why;
}

TEST(Deadlock, ALoopWithAMapOfLevelsIsACycle) {
  const Fabric fabric = ring(4);
  Tables source = routed(fabric, "updown");
  auto& next = std::get<DestinationTables>(source.paths);
  const auto column = next[source.to_host[HostId(3)]];
  column[0] = fabric.out_port(fabric.out(SwitchId(0))[0]);
  column[1] = fabric.out_port(fabric.out(SwitchId(1))[0]);
  ServiceLanes service{Grid<std::uint8_t>(next.size(), 4, 0)};
  ServiceLanes::Map map;
  map.levels = 1;
  for (SwitchId s : fabric.switches())
    map.lane.emplace_back((fabric[s].ports + 1U) * (fabric[s].ports + 1U), Lane{0});
  service.map = std::move(map);
  source.lanes = std::move(service);
  EXPECT_EQ(as_set(std::get<DependencyGraph>(dependencies(fabric, source))),
            brute_force_dependencies(fabric, source));
  EXPECT_TRUE(std::holds_alternative<DependencyCycle>(deadlock(fabric, source)));
}

TEST(Deadlock, UnicastAloneIsFreeWhateverTheLevels) {
  const Fabric fabric = make_fabric("ring:switches=5");
  Tables tables = routed(fabric, "updown");
  tables.lanes = OneLane{true};
  Group group{"round", {HostId(0), HostId(3)}, HostId(0), 0, {}};
  for (SwitchId s : fabric.switches())
    group.out.push_back({s, {fabric.out_port(fabric.out(s)[0])}});
  tables.groups.push_back(group);
  const auto summary = [&] {
    return find_row(checks(), "check", "deadlock")
        .make({fabric, tables, {}, deadlock(fabric, tables)})
        .summary;
  };
  EXPECT_EQ(summary(),
            "unicast alone cannot deadlock; with multicast it cannot be judged without the service "
            "levels: if all packets travel on one lane, it can: 5 channels wait for each other in "
            "a circle");
  tables = routed(fabric, "minhop");
  tables.lanes = OneLane{true};
  EXPECT_TRUE(summary().starts_with("cannot be judged without the service levels")) << summary();
}

TEST(Certificate, AGroupAloneCanBreakIt) {
  const Fabric fabric = make_fabric("torus:dims=4x4");
  Tables tables = routed(fabric, "updown");
  const Certificate unicast = std::get<Certificate>(deadlock(fabric, tables));
  // A group that is sent once round a row, against the order of up*/down*.
  Group group{"round", {HostId(0), HostId(3)}, HostId(0), 0, {}};
  for (const unsigned s : {0U, 1U, 2U}) group.out.push_back({SwitchId(s), {1}});
  group.out.push_back({SwitchId(3), {fabric[HostId(3)].port}});
  tables.groups.push_back(group);
  const auto wrong = verify(fabric, tables, unicast);
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->rfind("group round: ", 0), 0U) << *wrong;
}

TEST(Certificate, EveryChangeOfANumberIsNoticed) {
  const Fabric fabric = make_fabric("torus:dims=4x4");
  const Tables tables = routed(fabric, "dor");
  const Certificate good = std::get<Certificate>(deadlock(fabric, tables));
  Rng rng(7);
  int noticed = 0;
  int changed = 0;
  for (std::size_t i = 0; i < good.number.size(); ++i) {
    if (good.number[i] == Certificate::unused) continue;
    Certificate bad = good;
    bad.number[i] = rng.below(2) == 0 ? Certificate::unused : good.number[i] + 50;
    ++changed;
    const bool last = [&] {  // a channel after which nothing comes may have any larger number
      const auto graph = dependencies(fabric, tables);
      return std::get<DependencyGraph>(graph).after(LaneChannel(i)).empty();
    }();
    if (verify(fabric, tables, bad) || (last && bad.number[i] != Certificate::unused)) ++noticed;
  }
  EXPECT_GT(changed, 50);
  EXPECT_EQ(noticed, changed);
}

TEST(Certificate, OfOtherTablesDoesNotHold) {
  const Fabric fabric = make_fabric("torus:dims=4x4");
  const Certificate dor = std::get<Certificate>(deadlock(fabric, routed(fabric, "dor")));
  const Tables other = routed(fabric, "dl");
  EXPECT_TRUE(verify(fabric, other, dor));
  const auto wrong = verify(fabric, routed(fabric, "updown"), dor);
  ASSERT_TRUE(wrong);
  EXPECT_EQ(*wrong, "the certificate is for 2 lanes, the tables have 1");
}

TEST(Certificate, IsWrittenAsText) {
  const Fabric fabric = ring(3);
  const Certificate certificate{2, {0, 1, Certificate::unused, 7}};
  std::ostringstream text;
  write_certificate(text, fabric, certificate);
  EXPECT_EQ(text.str(), "weft certificate 1\nlanes 2\n\"s0\" 1: 0 1\n\"s1\" 1: - 7\n");
}

TEST(Figures1And2, FourMessagesAroundASquare) {
  // Four neighbours of a mesh, each sending to the one across the corner: without an order of
  // dimensions the four wait for each other; with XY they do not (seed of iba_mesh, figures 1, 2).
  const Fabric fabric = make_fabric("iba_mesh:m=2,n=2");
  Tables turning = routed(fabric, "xy");
  auto& next = std::get<DestinationTables>(turning.paths);
  // Everyone goes round the square clockwise.
  for (SwitchId at : fabric.switches()) {
    const int x = fabric[at].at[0];
    const int y = fabric[at].at[1];
    const int to_x = y == 0 ? 0 : 1;
    const int to_y = x == 0 ? 1 : 0;
    const int nx = x == y ? x : to_x;
    const int ny = x == y ? to_y : y;
    for (HostId to : fabric.hosts()) {
      if (fabric[to].on == at) continue;
      for (ChannelId c : fabric.out(at))
        if (fabric[fabric.to(c)].at == std::vector<int>{nx, ny})
          next[turning.to_host[to]][at.index()] = fabric.out_port(c);
    }
  }
  const DeadlockVerdict verdict = deadlock(fabric, turning);
  ASSERT_TRUE(std::holds_alternative<DependencyCycle>(verdict));
  EXPECT_EQ(std::get<DependencyCycle>(verdict).waits.size(), 4U);
  EXPECT_FALSE(not_certified(fabric, routed(fabric, "xy")));
}

}  // namespace
}  // namespace weft::test
