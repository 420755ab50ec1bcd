// SPDX-License-Identifier: Apache-2.0
// Packets that may take any of several links: all arrive, the links are used evenly, bad
// permutations do not hurt, dead links are avoided, and a deadlock among choices is explained.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.hpp"
#include "fabric/builder.hpp"
#include "plan/topo/topology.hpp"
#include "support/fabrics.hpp"
#include "support/networks.hpp"
#include "support/routes.hpp"

namespace weft::sim::choice {
namespace {

using test::Recorder;
using test::Script;

/// Every host sends so many packets to its partner.
template <class Partner>
Script permutation(const Fabric& fabric, int packets, Partner partner) {
  Script out;
  for (HostId from : fabric.hosts())
    for (int i = 0; i < packets; ++i)
      out.push_back({0, {.from = from, .to = HostId(partner(from.index())), .flits = 8}});
  return out;
}

Script all_to_all(const Fabric& fabric, int rounds) {
  Script out;
  for (int round = 0; round < rounds; ++round)
    for (std::size_t step = 1; step < fabric.host_count(); ++step)
      for (HostId from : fabric.hosts())
        out.push_back({0,
                       {.from = from,
                        .to = HostId((from.index() + step) % fabric.host_count()),
                        .flits = 4}});
  return out;
}

struct Run {
  const Fabric& fabric;
  const Tables& tables;
  std::string switches = "iq";
  bool check = false;
  std::string faults = "";
};

/// Sends by a script; returns the network after it.
Network finished(const Run& run, const Script& script, std::vector<Recorder::End>* ends = nullptr) {
  NetworkOptions options{.check = run.check, .longest_packet = 8};
  if (!run.faults.empty()) options.faults = faults_from(run.fabric, run.faults);
  Network network(run.fabric, run.tables, model_from(run.switches), options);
  Recorder recorder(network, script);
  EXPECT_EQ(network.run(recorder, never), NetworkEnd::quiet) << network.explanation();
  EXPECT_FALSE(recorder.miscounted(network));
  if (ends != nullptr) *ends = recorder.ends();
  return network;
}

TEST(Choice, EverythingArrivesOnShortestRoutes) {
  for (const char* topology : {"tree:k=4,n=2", "tree:k=2,n=4", "clos2:leaves=4,spines=3,links=2"})
    for (const char* switches :
         {"iq", "iq:lanes=1,buffer=2", "iq:lanes=3,switching=cut_through",
          "iq:lanes=2,switching=store_and_forward", "iq:flow=stop_go,buffer=40"})
      for (const bool check : {false, true}) {
        const Fabric fabric = make_fabric(topology);
        const Tables tables = test::routed(fabric, "nca");
        std::vector<Recorder::End> ends;
        finished({fabric, tables, switches, check}, all_to_all(fabric, 2), &ends);
        for (const Recorder::End& end : ends) {
          ASSERT_FALSE(end.why) << topology << " " << switches;
          const auto ways = test::all_routes(fabric, tables, end.packet.from, end.packet.to);
          EXPECT_EQ(end.hops, ways.front().hops.size() + 1);
        }
      }
}

/// With --check, the simulator uses its most general pipeline.
TEST(Choice, AllPipelinesChooseAlike) {
  for (int seed = 0; seed < test::tries(30); ++seed) {
    Rng rng(static_cast<std::uint64_t>(seed));
    const Fabric fabric = test::damaged_tree(rng.next());
    const auto tables = route(fabric, "nca");
    if (!std::holds_alternative<Tables>(tables) || fabric.host_count() < 2) continue;
    for (const std::uint32_t longest : {1U, 6U}) {
      const Script script = test::random_script(fabric, rng, {600, 100, longest});
      const SwitchModel model =
          model_from(rng.below(2) == 0 ? "iq:lanes=3" : "iq:lanes=1,buffer=2");
      std::uint64_t hashes[2];
      for (const bool check : {false, true}) {
        Network network(fabric, std::get<Tables>(tables), model,
                        {.check = check, .longest_packet = longest});
        Recorder recorder(network, script);
        EXPECT_EQ(network.run(recorder, never), NetworkEnd::quiet) << network.explanation();
        hashes[check ? 1 : 0] = recorder.hash();
      }
      EXPECT_EQ(hashes[0], hashes[1]) << seed;
    }
  }
}

/// Flits over each channel.
std::vector<std::uint64_t> use_of(const Network& network) {
  std::vector<std::uint64_t> out(network.fabric().channel_count(), 0);
  for (const LaneUse& use : network.lane_use())
    if (use.channel.valid()) out[use.channel.index()] += use.flits;
  return out;
}

TEST(Choice, LinksOfAGroupAreUsedEvenly) {
  const Fabric fabric = make_fabric("tree:k=4,n=3");
  const Tables tables = test::routed(fabric, "nca");
  for (const bool check : {false, true}) {
    const auto use = use_of(finished({fabric, tables, "iq:lanes=2", check}, all_to_all(fabric, 4)));
    for (SwitchId s : fabric.switches()) {
      std::uint64_t least = ~std::uint64_t{0}, most = 0;
      for (ChannelId c : fabric.out(s)) {
        if (fabric.out_port(c) <= 4) continue;  // those down
        least = std::min(least, use[c.index()]);
        most = std::max(most, use[c.index()]);
      }
      if (most == 0) continue;
      EXPECT_GT(least * 100, most * 90) << fabric[s].name << " " << least << " " << most;
    }
  }
}

std::size_t digits_reversed(std::size_t host) {
  return host % 4 * 16 + host / 4 % 4 * 4 + host / 16;
}

TEST(Choice, PermutationsThatAreBadForFixedRoutesAreNot) {
  const Fabric fabric = make_fabric("tree:k=4,n=3");
  const Tables fixed = test::routed(fabric, "dmodk"), free = test::routed(fabric, "nca");
  const auto time = [&](const Tables& tables, const Script& script) {
    return static_cast<double>(finished({fabric, tables, "iq:lanes=2,buffer=16"}, script).now());
  };
  // The four hosts of a leaf send to hosts with the same last digit: d-mod-k has one link for them.
  const Script bad = permutation(fabric, 50, digits_reversed);
  EXPECT_LT(time(free, bad), time(fixed, bad) / 2);
  // Shifts meet on no link of d-mod-k: choosing as one goes cannot beat that, but comes near.
  const Script good = permutation(fabric, 50, [](std::size_t host) { return (host + 16) % 64; });
  EXPECT_LT(time(free, good), time(fixed, good) * 2);
}

/// s0 with many hosts and s1 with one, two links between them.
struct WideSwitch {
  static constexpr std::size_t senders = 40;  // with two lanes each: more than a word of in-lanes
  Fabric fabric = make();
  Tables tables;

  WideSwitch() {
    SourceRoutes routes(2);
    const PortNumber either = routes.add_links({1, 2});
    for (HostId to : fabric.hosts()) {
      tables.to_host.push_back(ColumnId(to.index()));
      for (SwitchId from : fabric.switches())
        routes.push_back(fabric[to].on == from ? std::vector<PortNumber>{} : std::vector{either});
    }
    tables.paths = routes;
  }
  static Fabric make() {
    FabricBuilder builder("wide");
    for (const char* name : {"s0", "s1"}) builder.add_switch({name});
    for (int i = 0; i < 2; ++i) builder.connect(SwitchId(0), SwitchId(1), {});
    for (std::size_t i = 0; i < senders; ++i)
      builder.add_host({fmt::format("h{}", i), SwitchId(0)});
    builder.add_host({"to", SwitchId(1)});
    return std::move(builder).build();
  }
};

TEST(Choice, AllInLanesOfAWideSwitchAreWoken) {
  const WideSwitch wide;
  Script script;
  for (std::size_t from = 0; from < WideSwitch::senders; ++from)
    for (int i = 0; i < 2; ++i)
      script.push_back({0, {.from = HostId(from), .to = HostId(WideSwitch::senders), .flits = 8}});
  for (const bool check : {false, true})
    finished({wide.fabric, wide.tables, "iq:lanes=2", check}, script);
}

/// The last switch of a route may be left by a group of links, too: only the host's own port
/// counts.
TEST(Choice, OfLinksToHostsOnlyThatOfTheReceiverIsTaken) {
  const Fabric fabric = make_fabric("crossbar:hosts=3");
  Tables tables;
  SourceRoutes routes(1);
  const PortNumber any = routes.add_links({1, 2, 3});
  for (HostId to : fabric.hosts()) {
    tables.to_host.push_back(ColumnId(to.index()));
    routes.push_back(std::vector{any});
  }
  tables.paths = routes;
  for (const bool check : {false, true}) {
    std::vector<Recorder::End> ends;
    finished({fabric, tables, "iq", check}, all_to_all(fabric, 2), &ends);
    EXPECT_EQ(ends.size(), 12U);
    for (const Recorder::End& end : ends) {
      EXPECT_FALSE(end.why);
      EXPECT_EQ(end.at, end.packet.to);
    }
  }
}

TEST(Choice, DeadUpLinksAreAvoided) {
  const Fabric fabric = make_fabric("tree:k=4,n=2");
  const Tables tables = test::routed(fabric, "nca");
  Script script;  // the hosts of the first leaf send to the others, before and after the failures
  for (Cycle at = 0; at < 4000; at += 5)
    for (std::size_t from = 0; from < 4; ++from)
      script.push_back({at, {.from = HostId(from), .to = HostId(4 + (at + 3 * from) % 12)}});
  std::vector<Recorder::End> ends;
  finished({fabric, tables, "iq", true, "link=s0:5@1000;link=s0:7@2000"}, script, &ends);
  std::size_t lost = 0;
  for (const Recorder::End& end : ends) {
    if (!end.why) continue;
    ++lost;
    EXPECT_EQ(*end.why, Loss::link_down);
    const Cycle after = end.packet.created % 1000;
    EXPECT_TRUE(after > 900 || after == 0) << "it came to the switch when the link was dead";
  }
  EXPECT_LT(lost, 12U);
}

TEST(Choice, WithoutALinkThatIsAlivePacketsAreLost) {
  const Fabric fabric = make_fabric("tree:k=2,n=2");
  const Tables tables = test::routed(fabric, "nca");
  Script script;
  for (Cycle at = 0; at < 400; at += 12)
    script.push_back({at, {.from = HostId(0), .to = HostId(2), .flits = 4}});
  std::vector<Recorder::End> ends;
  finished({fabric, tables, "iq:buffer=4", true, "link=s0:3@100;link=s0:4@200"}, script, &ends);
  for (const Recorder::End& end : ends) {
    if (end.packet.created > 200) {
      EXPECT_EQ(end.why, Loss::link_down) << end.packet.created;
    }
    if (end.packet.created > 100 && end.packet.created < 150) {
      EXPECT_FALSE(end.why) << end.packet.created;
    }
  }
}

TEST(Choice, EveryPortHasItsOwnLane) {
  // Up by port 3 on lane 1, by port 4 on lane 0, and down on the same.
  const Fabric fabric = make_fabric("tree:k=2,n=3");
  Tables tables = test::routed(fabric, "nca");
  TurnLanes turns(fabric, LaneOp::set(0), LaneOp::keep());
  for (SwitchId s : fabric.switches())
    for (unsigned in = 1; in <= fabric[s].ports; ++in)
      if (fabric[s].ports == 4) {
        turns.at(s, static_cast<PortNumber>(in), 3) = LaneOp::set(1);
        turns.at(s, static_cast<PortNumber>(in), 4) = LaneOp::set(0);
      }
  tables.lanes = turns;
  tables.lane_count = 2;
  ASSERT_FALSE(test::not_certified(fabric, tables));
  for (const bool check : {false, true})
    for (const LaneUse& use :
         finished({fabric, tables, "iq:lanes=2", check}, all_to_all(fabric, 3)).lane_use()) {
      if (!use.channel.valid()) continue;
      const PortNumber out = fabric.out_port(use.channel);
      const bool up = out > 2;
      if (up) {
        EXPECT_EQ(use.flits > 0, use.lane == (out == 3 ? 1 : 0));
      }
    }
}

/// Four switches in a ring, two links from each to the next, three hosts on each.
Fabric double_ring() {
  FabricBuilder builder("double ring");
  for (int i = 0; i < 4; ++i) builder.add_switch({fmt::format("s{}", i), 7});
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t h = 0; h < 3; ++h)
      builder.add_host(
          {fmt::format("h{}", 3 * i + h), SwitchId(i), static_cast<PortNumber>(5 + h)});
    const SwitchId next((i + 1) % 4);
    builder.add_link({{SwitchId(i), 1}, {next, 3}, {}});
    builder.add_link({{SwitchId(i), 2}, {next, 4}, {}});
  }
  return std::move(builder).build();
}

/// Round the ring by either link.
Tables round_tables(const Fabric& fabric) {
  Tables tables;
  SourceRoutes routes(fabric.switch_count());
  const PortNumber either = routes.add_links({1, 2});
  for (HostId to : fabric.hosts()) {
    tables.to_host.push_back(ColumnId(to.index()));
    for (SwitchId from : fabric.switches())
      routes.push_back(
          std::vector<PortNumber>((fabric[to].on.index() + 4 - from.index()) % 4, either));
  }
  tables.paths = routes;
  return tables;
}

TEST(Choice, ADeadlockAmongChoicesIsExplained) {
  const Fabric fabric = double_ring();
  const Tables tables = round_tables(fabric);
  EXPECT_FALSE(std::holds_alternative<Certificate>(deadlock(fabric, tables)));
  for (const char* switches : {"iq:lanes=1,buffer=2", "iq:lanes=1,buffer=8,switching=cut_through"})
    for (const bool check : {false, true}) {
      const Script script = permutation(fabric, 20, [](std::size_t h) { return (h + 9) % 12; });
      Network network(fabric, tables, model_from(switches), {.check = check, .longest_packet = 8});
      Recorder recorder(network, script);
      EXPECT_EQ(network.run(recorder, 1'000'000), NetworkEnd::deadlocked);
      EXPECT_NE(network.explanation().find(" or of another port, which packet "), std::string::npos)
          << network.explanation();
    }
}

TEST(Choice, OneOpenLinkIsEnough) {
  // Those round the ring may be stuck behind each other; with a way out there is no deadlock.
  const Fabric fabric = double_ring();
  const Tables tables = round_tables(fabric);
  for (const char* switches : {"iq:lanes=1,buffer=2", "iq:lanes=1,buffer=8,switching=cut_through"})
    for (const bool check : {false, true}) {
      const Script script = permutation(fabric, 200, [](std::size_t h) { return (h + 3) % 12; });
      finished({fabric, tables, switches, check}, script);
    }
}

}  // namespace
}  // namespace weft::sim::choice
