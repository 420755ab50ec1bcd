// SPDX-License-Identifier: Apache-2.0
// Policies: which port a packet takes. Two switches with parallel links: round robin and random
// ports are even, queues and credits prefer links with fewer flits, static links come first, flows
// stay on theirs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/rng.hpp"
#include "fabric/builder.hpp"
#include "sim/flit/flow_table.hpp"
#include "support/choice_worlds.hpp"
#include "support/recorder.hpp"

namespace weft::sim::policy {
namespace {

using test::Recorder;
using test::Script;

/// s0 with four hosts and s1 with four, so many links between them; link 0 may be a long one.
Fabric two_switches(int links, Duration first = {}) {
  FabricBuilder builder("two switches");
  for (const char* name : {"s0", "s1"}) builder.add_switch({name});
  for (int i = 0; i < links; ++i)
    builder.connect(SwitchId(0), SwitchId(1), i == 0 ? Wire{.delay = first} : Wire{});
  for (std::size_t i = 0; i < 8; ++i) builder.add_host({fmt::format("h{}", i), SwitchId(i / 4)});
  return std::move(builder).build();
}

/// Flits over every link from s0 to s1.
std::vector<std::uint64_t> use_of(const Fabric& fabric, const Tables& tables,
                                  const std::string& switches, const Script& script) {
  Network network(fabric, tables, model_from(switches), {.longest_packet = 16});
  Recorder recorder(network, script);
  EXPECT_EQ(network.run(recorder, never), NetworkEnd::quiet);
  EXPECT_FALSE(recorder.miscounted(network));
  std::vector<std::uint64_t> out(fabric.link_count(), 0);
  for (const LaneUse& use : network.lane_use())
    if (use.channel.valid() && fabric.from(use.channel) == SwitchId(0))
      out[fabric.out_port(use.channel) - 1U] += use.flits;
  return out;
}

/// Packets from the hosts of s0, one in every so many cycles, of any length up to 16.
Script stream(int packets, Cycle apart) {
  Rng rng(1);
  Script out;
  for (int i = 0; i < packets; ++i)
    out.push_back({static_cast<Cycle>(i) * apart,
                   {.from = HostId(rng.below(4)),
                    .to = HostId(4 + rng.below(4)),
                    .flits = static_cast<std::uint32_t>(1 + rng.below(16))}});
  return out;
}

std::uint64_t sum(const std::vector<std::uint64_t>& use) {
  std::uint64_t out = 0;
  for (const std::uint64_t flits : use) out += flits;
  return out;
}

TEST(Policies, RandomPortsAreUniform) {
  const Fabric fabric = two_switches(4);
  const Tables tables = test::shortest_groups(fabric);
  for (const char* choice : {"any", "commit"}) {
    Script script = stream(4000, 3);
    for (auto& sending : script) sending.packet.flits = 1;
    const auto use =
        use_of(fabric, tables, fmt::format("iq:lanes=4,policy=random,choice={}", choice), script);
    double chi = 0;  // of three degrees of freedom
    for (const std::uint64_t flits : use) {
      const double off = static_cast<double>(flits) - 1000;
      chi += off * off / 1000;
    }
    EXPECT_LT(chi, 16.3) << choice;  // one in a thousand is above
    EXPECT_GT(chi, 0.05) << choice;  // nor in turns
  }
}

TEST(Policies, RoundRobinIsEven) {
  const Fabric fabric = two_switches(4);
  const Tables tables = test::shortest_groups(fabric);
  for (const char* choice : {"any", "commit"}) {
    Script script = stream(400, 30);
    for (auto& sending : script) sending.packet.flits = 3;
    for (const std::uint64_t flits :
         use_of(fabric, tables, fmt::format("iq:lanes=4,choice={}", choice), script))
      EXPECT_EQ(flits, 300U) << choice;
  }
}

TEST(Policies, QueuesAndCreditsAvoidTheLinkWhoseCreditsAreLate) {
  const Fabric fabric = two_switches(2, Duration{800'000});  // a hundred cycles
  const Tables tables = test::shortest_groups(fabric);
  for (const char* policy : {"queue", "credits", "queue:draws=2"})
    for (const char* rest : {"", ",choice=commit", ",switching=cut_through,multiplex=packet"}) {
      const auto use = use_of(fabric, tables, fmt::format("iq:lanes=4,policy={}{}", policy, rest),
                              stream(400, 30));
      const double share = std::string(policy) == "queue:draws=2" ? 0.4 : 0.3;
      EXPECT_LT(static_cast<double>(use[0]), share * static_cast<double>(sum(use)))
          << policy << rest;
      EXPECT_GT(use[0], 0U);
    }
}

TEST(Policies, StaticPortsComeFirst) {
  const Fabric fabric = two_switches(3);
  const Tables tables = test::shortest_groups(fabric);
  for (const char* choice : {"any", "commit"}) {
    const std::string switches =
        fmt::format("iq:lanes=1,buffer=32,switching=cut_through,policy=static,choice={}", choice);
    const auto calm = use_of(fabric, tables, switches, stream(100, 60));
    EXPECT_EQ(calm[0], sum(calm));
    const auto busy = use_of(fabric, tables, switches, stream(400, 3));
    EXPECT_GT(busy[0], busy[1]);
    EXPECT_GT(busy[1], busy[2]);
    EXPECT_GT(busy[2], 0U);
  }
}

TEST(Policies, FlowsStayOnTheirPortsUntilTheyPause) {
  const Fabric fabric = two_switches(4);
  const Tables tables = test::shortest_groups(fabric);
  const auto ports_used = [&](const char* switches, Cycle apart) {
    Script script;  // one flow
    for (Cycle i = 0; i < 40; ++i)
      script.push_back({i * apart, {.from = HostId(0), .to = HostId(5), .flits = 4}});
    std::size_t used = 0;
    for (const std::uint64_t flits : use_of(fabric, tables, switches, script))
      used += flits > 0 ? 1 : 0;
    return used;
  };
  for (const std::string choice : {"any", "commit"}) {
    const std::string spec = "iq:lanes=4,policy=sticky:idle=50,choice=" + choice;
    EXPECT_EQ(ports_used(spec.c_str(), 20), 1U) << choice;
    EXPECT_EQ(ports_used(spec.c_str(), 80), 4U) << choice;
  }
}

TEST(Policies, OtherPreferencesAreTakenWhereNoLaneIsIdle) {
  const Fabric fabric = two_switches(2);
  Tables tables = test::shortest_groups(fabric);
  auto& choices = std::get<ChoiceTables>(tables.paths);
  const auto entry = choices.add({{.port = 2, .lane = 0}, {.port = 1, .lane = 0, .preference = 1}});
  for (std::size_t host = 4; host < 8; ++host) choices.next[ColumnId(host)][0] = entry;
  for (const char* policy : {"round_robin", "random", "queue", "credits", "static", "sticky"})
    for (const char* choice : {"any", "commit"}) {
      const std::string spec = fmt::format(
          "iq:lanes=1,buffer=32,switching=cut_through,policy={},choice={}", policy, choice);
      EXPECT_EQ(use_of(fabric, tables, spec, stream(100, 60))[0], 0U) << spec;
      EXPECT_GT(use_of(fabric, tables, spec, stream(400, 3))[0], 0U) << spec;
    }
}

TEST(Policies, WordsThatAreWrong) {
  const auto complaint = [](const char* spec) -> std::string {
    try {
      model_from(spec);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(complaint("iq:policy=shortest"),
            "iq: policy=shortest: no policy of a switch is called \"shortest\"; there are: "
            "round_robin random credits queue static sticky");
  EXPECT_NE(complaint("iq:policy=queue:draws=65").find("draws=65"), std::string::npos);
  EXPECT_NE(complaint("iq:policy=queue,flow=stop_go").find("flow=stop_go"), std::string::npos);
  EXPECT_EQ(complaint("iq:policy=random,flow=stop_go"), "");
  EXPECT_EQ(model_from("iq").choice, PortChoice::any);
  EXPECT_EQ(model_from("infiniband").choice, PortChoice::commit);
}

TEST(FlowTable, KnowsFlowsUntilTheyHavePaused) {
  constexpr Cycle pause = 50;
  Rng rng(7);
  FlowTable table;
  std::map<std::uint64_t, std::pair<Index, Cycle>> all;
  for (Cycle now = 0; now < 20'000; now += rng.below(3)) {
    const Cycle oldest = now > pause ? now - pause : 0;
    const std::uint64_t flow = rng.below(now < 5'000 ? 1'000 : 60) << 32U | rng.below(4);
    const auto found = all.find(flow);
    const bool known = found != all.end() && found->second.second >= oldest;
    EXPECT_EQ(table.port_of(flow, oldest), known ? found->second.first : nothing) << now;
    if (rng.below(3) == 0) continue;
    const auto port = static_cast<Index>(rng.below(8));
    table.note(flow, port, now, oldest);
    all[flow] = {port, now};
  }
}

}  // namespace
}  // namespace weft::sim::policy
