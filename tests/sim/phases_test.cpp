// SPDX-License-Identifier: Apache-2.0
// Phases: Valiant's packets visit their intermediate destination, by every rule; UGAL takes no
// detour in an idle network, and some where one link has all the traffic; packets start in phases
// by lot, by queue, or by service level.
#include <gtest/gtest.h>

#include <map>

#include "fabric/distances.hpp"
#include "plan/topo/topology.hpp"
#include "support/choice_worlds.hpp"
#include "support/fabrics.hpp"
#include "support/recorder.hpp"
#include "support/routes.hpp"

namespace weft::sim::phases {
namespace {

using test::Recorder;
using test::Script;

std::vector<Recorder::End> ends_of(const Fabric& fabric, const Tables& tables,
                                   const std::string& switches, const Script& script,
                                   std::uint64_t seed = 1) {
  Network network(fabric, tables, model_from(switches), {.seed = seed, .longest_packet = 8});
  Recorder recorder(network, script);
  EXPECT_EQ(network.run(recorder, never), NetworkEnd::quiet) << network.explanation();
  EXPECT_FALSE(recorder.miscounted(network));
  return recorder.ends();
}

/// One packet after the other between two hosts.
Script one_pair(HostId from, HostId to, int packets, Cycle apart = 200) {
  Script out;
  for (int i = 0; i < packets; ++i)
    out.push_back({static_cast<Cycle>(i) * apart, {.from = from, .to = to, .flits = 2}});
  return out;
}

/// How often packets pass so many switches.
std::map<unsigned, int> hops_of(const std::vector<Recorder::End>& ends) {
  std::map<unsigned, int> out;
  for (const Recorder::End& end : ends) ++out[end.hops];
  return out;
}

/// On a line, the way over an intermediate switch is easily told: 1 + |a - i| + |i - b|.
TEST(Phases, PacketsVisitTheirIntermediateDestinations) {
  const Fabric fabric = make_fabric("mesh:dims=8");
  Tables tables = test::valiant_tables(fabric);
  auto& rule = std::get<ChoiceTables>(tables.paths).intermediates.rule;
  const Script script = one_pair(HostId(2), HostId(4), 800);
  const auto any = hops_of(ends_of(fabric, tables, "iq", script));
  // Switches 2, 3 and 4 make 3 hops, 1 and 5 make 5, 0 and 6 make 7, 7 makes 9: of 800, 100 each.
  const std::map<unsigned, int> expected{{3, 300}, {5, 200}, {7, 200}, {9, 100}};
  ASSERT_EQ(any.size(), expected.size());
  for (const auto& [hops, count] : expected) EXPECT_NEAR(any.at(hops), count, 50) << hops;
  rule = IntermediateRule::elsewhere;  // not 2, nor 4
  const auto elsewhere = hops_of(ends_of(fabric, tables, "iq", script));
  EXPECT_NEAR(elsewhere.at(3), 800 / 6, 45);
  EXPECT_NEAR(elsewhere.at(9), 800 / 6, 45);
  rule = IntermediateRule::between;
  const auto between = hops_of(ends_of(fabric, tables, "iq", script));
  EXPECT_EQ(between.size(), 1U);
  EXPECT_EQ(between.begin()->first, 3U);
  rule = IntermediateRule::up_to_last;  // 5, 6 and 7 lie behind 4
  const auto up_to_last = hops_of(ends_of(fabric, tables, "iq", script));
  const std::map<unsigned, int> fewer{{3, 600}, {5, 100}, {7, 100}};
  ASSERT_EQ(up_to_last.size(), fewer.size());
  for (const auto& [hops, count] : fewer) EXPECT_NEAR(up_to_last.at(hops), count, 50) << hops;
}

TEST(Phases, AlignedIntermediateDestinationsKeepCommonCoordinates) {
  const Fabric fabric = make_fabric("mesh:dims=4x4");
  Tables tables = test::valiant_tables(fabric);
  std::get<ChoiceTables>(tables.paths).intermediates.rule = IntermediateRule::aligned;
  // In one row all ways stay in it: at most three links there and three back.
  for (const auto& end : ends_of(fabric, tables, "iq", one_pair(HostId(0), HostId(1), 100)))
    EXPECT_LE(end.hops, 2U + 2 * 2);
}

TEST(Phases, SeedsDrawOtherIntermediateDestinations) {
  const Fabric fabric = make_fabric("mesh:dims=4x4");
  const Tables tables = test::valiant_tables(fabric);
  const Script script = one_pair(HostId(5), HostId(6), 60);
  const auto of_seed = [&](std::uint64_t seed) {
    std::vector<unsigned> out;
    for (const auto& end : ends_of(fabric, tables, "iq", script, seed)) out.push_back(end.hops);
    return out;
  };
  EXPECT_EQ(of_seed(1), of_seed(1));
  EXPECT_NE(of_seed(1), of_seed(2));
}

/// Complete graphs: a link, or two over another switch.
TEST(Phases, DetoursAreTakenWhereALinkIsFull) {
  const Fabric fabric = make_fabric("hyperx:dims=6,hosts=4");
  for (const auto queue :
       {DetourDecision::Queue::port, DetourDecision::Queue::lane, DetourDecision::Queue::path}) {
    const Tables tables = test::ugal_tables(
        fabric, {.queue = queue, .weight = 0, .detour_weight = 0, .threshold = 2});
    for (const auto& end :
         ends_of(fabric, tables, "iq:lanes=4", one_pair(HostId(0), HostId(23), 50)))
      EXPECT_EQ(end.hops, 2U);
    Script script;  // the four hosts of a switch to those of the next one
    for (const HostId from : fabric.hosts())
      for (Cycle i = 0; i < 50; ++i)
        script.push_back(
            {10 * i, {.from = from, .to = HostId((from.index() + 4) % 24), .flits = 8}});
    const auto hops = hops_of(ends_of(fabric, tables, "iq:lanes=4", script));
    EXPECT_GT(hops.at(2), 100);
    EXPECT_GT(hops.at(3), 300);
    // A large threshold favours the direct way.
    const Tables direct = test::ugal_tables(
        fabric, {.queue = queue, .weight = 1, .detour_weight = 1, .threshold = 100'000});
    EXPECT_EQ(hops_of(ends_of(fabric, direct, "iq:lanes=4", script)).size(), 1U);
  }
}

/// Queues of other switches are counted as flits move, also where the credits of long packets that
/// are lost come all at once. (With check they are looked up.)
TEST(Phases, QueuesOnTheWayAreKnownWherePacketsAreLost) {
  const Fabric fabric = make_fabric("mesh:dims=6,hosts=2");
  Tables tables = test::ugal_tables(fabric, {.queue = DetourDecision::Queue::path, .threshold = 2});
  auto& choices = std::get<ChoiceTables>(tables.paths);
  for (const HostId lost : {HostId(8), HostId(9)})  // of switch 4: behind 3 there is no route
    choices.next[tables.to_host[lost]][3] = ChoiceTables::no_route;
  Script script;  // packets that are lost stand behind others
  for (Cycle i = 0; i < 40; ++i)
    for (const HostId from : fabric.hosts())
      script.push_back({i,
                        {.from = from,
                         .to = HostId(i % 4 == 0 ? 10 : 8 + (i + from.index()) % 2),
                         .flits = 64}});
  std::vector<std::vector<std::pair<Cycle, unsigned>>> found;
  for (const bool check : {false, true}) {
    Network network(fabric, tables, model_from("iq:lanes=2,buffer=256"),
                    {.check = check, .longest_packet = 64});
    Recorder recorder(network, script);
    EXPECT_EQ(network.run(recorder, never), NetworkEnd::quiet) << network.explanation();
    auto& ends = found.emplace_back();
    for (const Recorder::End& end : recorder.ends())
      ends.emplace_back(end.when, end.why ? 0 : end.hops);
  }
  EXPECT_EQ(found[0], found[1]);
}

/// Two phases that lead to hosts by other ports, of two.
struct TwoWays {
  Fabric fabric = test::from_links(2, {{0, 1}, {0, 1}}, 2);
  Tables tables;

  explicit TwoWays(StartRule rule) {
    tables.lane_count = 1;
    ChoiceTables choices(8, 2);
    for (std::size_t way = 0; way < 2; ++way) {
      Phase& phase = way == 0 ? choices.phases.front() : choices.phases.emplace_back();
      for (const HostId host : fabric.hosts()) {
        const ColumnId column(4 * way + host.index());
        const std::size_t on = fabric[host].on.index();
        choices.next[column][on] = ChoiceTables::at_end;
        choices.next[column][1 - on] = choices.add({{.port = static_cast<PortNumber>(1 + way),
                                                     .lane = 0,
                                                     .phase = static_cast<PhaseId>(way)}});
        phase.to_host.push_back(column);
        if (way == 0) tables.to_host.push_back(column);
      }
    }
    choices.starts = {0, 1};
    choices.start_rule = rule;
    tables.paths = choices;
  }
  /// Flits on the two links from switch 0.
  std::array<std::uint64_t, 2> use(const Script& script) const {
    Network network(fabric, tables, model_from("iq:lanes=2"), {.longest_packet = 8});
    Recorder recorder(network, script);
    EXPECT_EQ(network.run(recorder, never), NetworkEnd::quiet);
    std::array<std::uint64_t, 2> out{};
    for (const LaneUse& use : network.lane_use())
      if (use.channel.valid() && fabric.from(use.channel) == SwitchId(0))
        out[fabric.out_port(use.channel) - 1U] += use.flits;
    return out;
  }
};

TEST(Phases, PacketsStartByLot) {
  const TwoWays ways(StartRule::random);
  const auto use = ways.use(one_pair(HostId(0), HostId(2), 400));
  EXPECT_NEAR(static_cast<double>(use[0]), 400, 80);
  EXPECT_EQ(use[0] + use[1], 800U);
}

TEST(Phases, PacketsStartWhereTheQueueIsShorter) {
  const TwoWays ways(StartRule::queue);
  Script script = one_pair(HostId(0), HostId(2), 400, 16);  // two flits, far apart
  for (const auto& sending : one_pair(HostId(1), HostId(3), 400, 16)) {
    script.push_back(sending);
    script.back().at += 6;  // while the other one's credits are out
  }
  const auto use = ways.use(script);
  EXPECT_NEAR(static_cast<double>(use[0]), 800, 80);
  EXPECT_EQ(use[0] + use[1], 1600U);
}

TEST(Phases, PacketsStartByServiceLevel) {
  TwoWays ways(StartRule::level);
  ServiceLanes service;
  service.level = Grid<std::uint8_t>(8, 2, 0);
  service.level[ways.tables.to_host[HostId(3)]][0] = 1;
  ways.tables.lanes = service;
  ways.tables.lane_count = 2;
  EXPECT_EQ(ways.use(one_pair(HostId(0), HostId(2), 20)), (std::array<std::uint64_t, 2>{40, 0}));
  EXPECT_EQ(ways.use(one_pair(HostId(0), HostId(3), 20)), (std::array<std::uint64_t, 2>{0, 40}));
}

TEST(Phases, QueuesNeedCredits) {
  const Fabric fabric = test::ring(4);
  const Tables tables = test::ugal_tables(fabric, {.weight = 1, .detour_weight = 1});
  EXPECT_THROW(Network(fabric, tables, model_from("iq:flow=stop_go")), Error);
}

}  // namespace
}  // namespace weft::sim::phases
