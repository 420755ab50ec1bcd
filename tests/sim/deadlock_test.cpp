// SPDX-License-Identifier: Apache-2.0
// Deadlocks: never with certified tables, however small the buffers and heavy the load; found and
// explained by a real dependency cycle where tables allow them; never reported where there is only
// congestion.
#include <gtest/gtest.h>

#include <cstdio>
#include <regex>
#include <set>

#include "base/rng.hpp"
#include "plan/mcast/mcast.hpp"
#include "plan/topo/topology.hpp"
#include "support/fabrics.hpp"
#include "support/files.hpp"
#include "support/networks.hpp"
#include "support/routes.hpp"

namespace weft::sim {
namespace {

using test::Recorder;
using test::Script;
using test::tries;

/// Everyone sends to everyone at once.
Script burst(const Fabric& fabric, std::uint32_t flits) {
  Script out;
  for (HostId from : fabric.hosts())
    for (HostId to : fabric.hosts())
      if (from != to) out.push_back({0, {.from = from, .to = to, .flits = flits}});
  Rng rng(7);
  rng.shuffle(out);
  return out;
}

Fabric any_fabric(std::uint64_t seed) {
  if (seed % 4 == 1) return test::random_box(seed);
  if (seed % 4 == 2) return test::damaged_tree(seed);
  return test::random_fabric(seed, 14);
}

TEST(Deadlock, NeverWithCertifiedTables) {
  std::map<std::string_view, int> tried;
  for (int i = 1; i <= tries(50, 1000) && !HasFailure(); ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    const Fabric fabric = any_fabric(seed);
    if (fabric.host_count() > 40) continue;
    for (const RoutingEngineRow& row : engines()) {
      if (!row.promise.deadlock_free) continue;
      const Routed routed = route(fabric, row.name);
      const auto* tables = std::get_if<Tables>(&routed);
      if (tables == nullptr) continue;
      ++tried[row.name];
      const int more = i % 3 == 0 ? tables->lane_count : 0;  // lanes fixed, or free in pairs
      const std::string switches =
          fmt::format("iq:buffer={},switching={},lanes={}", i % 2 == 0 ? 1 : 6,
                      i % 2 == 0 ? "wormhole" : "cut_through", tables->lane_count + more);
      Network network(fabric, *tables, model_from(switches),
                      {.check = i % 4 == 0, .longest_packet = 6});
      Recorder recorder(network, burst(fabric, 6));
      EXPECT_EQ(network.run(recorder, 10'000'000), NetworkEnd::quiet)
          << row.name << " on " << fabric.name() << " " << switches << network.explanation();
      EXPECT_FALSE(recorder.miscounted(network));
    }
  }
  for (const auto& [name, count] : tried) EXPECT_GT(count, 0) << name;
}

/// One line of an explanation.
struct Waiting {
  std::string packet, on, waits_for, at, port, next;
  int in_port = 0;
};

std::vector<Waiting> read_explanation(const std::string& text) {
  static const std::regex form(
      R"(  packet (.+) in (\w+) \(in-port (\d+), lane \d+\) waits for (.+) (\w+):(\d+), )"
      R"((?:where|which|behind) packet (.+?)(?: stands| has|))");
  const auto lines = weft::testing::split_lines(text);
  std::vector<Waiting> out;
  std::set<std::string> packets;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    std::smatch found;
    EXPECT_TRUE(std::regex_match(lines[i], found, form)) << lines[i];
    if (found.empty()) break;
    out.push_back(
        {found[1], found[2], found[4], found[5], found[6], found[7], std::stoi(found[3])});
    packets.insert(found[1]);
  }
  int said = 0;  // at least as many as have different ends
  EXPECT_EQ(std::sscanf(lines.at(0).c_str(), "deadlock at cycle %*u: %d packets wait", &said), 1);
  EXPECT_GE(static_cast<std::size_t>(said), packets.size()) << text;
  EXPECT_LE(static_cast<std::size_t>(said), out.size()) << text;
  return out;
}

/// Every packet waits for the next and the last for the first, and what each waits for is where the
/// next one is.
void expect_real_circle(const Fabric& fabric, const std::string& text) {
  const std::vector<Waiting> circle = read_explanation(text);
  ASSERT_GE(circle.size(), 2U) << text;
  for (std::size_t i = 0; i < circle.size(); ++i) {
    const Waiting& wait = circle[i];
    const Waiting& next = circle[(i + 1) % circle.size()];
    EXPECT_EQ(wait.next, next.packet) << text;
    const auto port = static_cast<PortNumber>(std::stoi(wait.port));
    const ChannelId channel = fabric.channel_at(*fabric.find_switch(wait.at), port);
    ASSERT_TRUE(channel.valid()) << text;
    const SwitchId beyond = fabric.to(channel);
    const bool behind = next.on == fabric[beyond].name && next.in_port == fabric.in_port(channel);
    if (wait.waits_for == "the rest of it from") {
      EXPECT_EQ(beyond, *fabric.find_switch(wait.on)) << text;
      EXPECT_EQ(next.on, wait.at) << text;
    } else {
      EXPECT_EQ(wait.at, wait.on) << text;
      EXPECT_TRUE(behind || (wait.waits_for == "a lane of" && next.on == wait.on)) << text;
    }
  }
}

/// Everyone sends to the host `distance` further.
Script shift(const Fabric& fabric, std::size_t distance) {
  Script out;
  for (int i = 0; i < 20; ++i)
    for (HostId from : fabric.hosts()) {
      const HostId to((from.index() + distance) % fabric.host_count());
      out.push_back({0, {.from = from, .to = to, .flits = 16}});
    }
  return out;
}

TEST(Deadlock, ShortestRoutesRoundARing) {
  for (int switches = 5; switches <= 9; ++switches)
    for (const char* more : {"", ",lanes=2", ",switching=cut_through,buffer=16",
                             ",switching=store_and_forward,buffer=16", ",buffer=1",
                             ",flow=stop_go,buffer=12", ",priorities=yes"}) {
      const Fabric fabric = test::ring(switches, 2);
      const Tables tables = test::routed(fabric, "minhop");
      Network network(fabric, tables, model_from("iq:link=1" + std::string(more)),
                      {.check = true, .longest_packet = 16});
      const auto half = static_cast<std::size_t>((switches - 1) / 2);
      Recorder recorder(network, shift(fabric, half * 2));
      ASSERT_EQ(network.run(recorder, 1'000'000), NetworkEnd::deadlocked) << switches << more;
      expect_real_circle(fabric, network.explanation());
      EXPECT_EQ(network.run(recorder, 2'000'000), NetworkEnd::deadlocked);
    }
}

TEST(Deadlock, ShortestRoutesOnATorus) {
  const Fabric fabric = make_fabric("torus:dims=5x5");
  for (const char* engine : {"minhop", "sssp", "dor:lanes=one"}) {
    const Tables tables = test::routed(fabric, engine);
    Network network(fabric, tables, model_from("iq"), {.longest_packet = 16});
    Recorder recorder(network, shift(fabric, 2));
    ASSERT_EQ(network.run(recorder, 1'000'000), NetworkEnd::deadlocked) << engine;
    expect_real_circle(fabric, network.explanation());
  }
}

/// A dependency cycle far from traffic that goes on: it is found all the same.
TEST(Deadlock, FoundWhileOthersMove) {
  const Fabric fabric = test::ring(6, 3);
  const Tables tables = test::routed(fabric, "minhop");
  Network network(fabric, tables, model_from("iq"), {.longest_packet = 16});
  Script script;
  for (std::size_t h = 0; h < 18; h += 3)
    for (int i = 0; i < 20; ++i)
      script.push_back({0, {.from = HostId(h), .to = HostId((h + 6) % 18), .flits = 16}});
  for (Cycle at = 0; at < 200'000; at += 20)  // between neighbours on one switch
    script.push_back({at, {.from = HostId(1), .to = HostId(2), .flits = 3}});
  Recorder recorder(network, script);
  EXPECT_EQ(network.run(recorder, 150'000), NetworkEnd::deadlocked);
  EXPECT_LT(network.now(), 20'000U);
  expect_real_circle(fabric, network.explanation());
}

TEST(Deadlock, AJamIsNone) {
  // Everyone to one host, on fabrics whose shortest routes have dependency cycles that this traffic
  // cannot close.
  for (const char* topology : {"torus:dims=4x4,hosts=2", "ring:switches=7", "mesh:dims=4x4"}) {
    const Fabric fabric = make_fabric(topology);
    for (const char* switches :
         {"iq:buffer=1", "iq:lanes=3", "iq:switching=cut_through,buffer=20",
          "iq:switching=store_and_forward,buffer=20", "iq:flow=stop_go,buffer=30",
          "iq:switching=cut_through,multiplex=packet,buffer=20,lanes=2"}) {
      const Tables tables = test::routed(fabric, "minhop");
      Network network(fabric, tables, model_from(switches), {.longest_packet = 20});
      Script script;
      for (HostId from : fabric.hosts())
        for (int i = 0; i < 30; ++i)
          script.push_back({0, {.from = from, .to = HostId(1), .flits = 20}});
      Recorder recorder(network, script);
      EXPECT_EQ(network.run(recorder, never), NetworkEnd::quiet)
          << topology << switches << network.explanation();
      EXPECT_FALSE(recorder.miscounted(network));
    }
  }
}

/// Copies of two groups in opposite directions round a ring close a dependency cycle that unicast
/// does not.
TEST(Deadlock, OfMulticast) {
  const Fabric fabric = test::ring(4, 1);
  Tables tables = test::routed(fabric, "minhop");
  for (std::size_t from = 0; from < 4; ++from) {
    // All the way round: h0 > s0 > s1 > s2 > s3.
    Group group{fmt::format("g{}", from), {}, HostId(from)};
    for (std::size_t s = 0; s < 4; ++s) group.members.push_back(HostId(s));
    for (std::size_t step = 0; step < 4; ++step) {
      const SwitchId on((from + step) % 4), next((from + step + 1) % 4);
      PortSet set{on, {}};
      for (ChannelId c : fabric.out(on))
        if (fabric.to(c) == next && step < 3) set.ports.push_back(fabric.out_port(c));
      if (step > 0) set.ports.push_back(fabric[HostId(on.index())].port);
      group.out.push_back(set);
    }
    tables.groups.push_back(group);
  }
  EXPECT_TRUE(test::not_certified(fabric, tables));
  Network network(fabric, tables, model_from("iq:buffer=8"), {.check = true, .longest_packet = 8});
  Script script;
  for (int i = 0; i < 10; ++i)
    for (std::uint32_t g = 0; g < 4; ++g)
      script.push_back({0, {.from = HostId(g), .group = g, .flits = 8}});
  Recorder recorder(network, script);
  ASSERT_EQ(network.run(recorder, 1'000'000), NetworkEnd::deadlocked);
  EXPECT_NE(network.explanation().find("packet h"), std::string::npos);
  EXPECT_NE(network.explanation().find("> g"), std::string::npos);
}

}  // namespace
}  // namespace weft::sim
