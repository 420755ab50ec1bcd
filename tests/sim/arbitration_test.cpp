// SPDX-License-Identifier: Apache-2.0
// Arbiters: equal shares for in-ports and lanes that contend, urgent packets first, and aging that
// keeps the others from starving.
#include <gtest/gtest.h>

#include "plan/topo/topology.hpp"
#include "support/fabrics.hpp"
#include "support/recorder.hpp"
#include "support/routes.hpp"

namespace weft::sim {
namespace {

using test::Recorder;
using test::Script;

/// Flits that came to an end before `end`, by sender.
std::map<std::size_t, std::uint64_t> shares(const Recorder& recorder, Cycle end) {
  std::map<std::size_t, std::uint64_t> out;
  for (const auto& it : recorder.ends())
    if (it.when < end) out[it.packet.from.index()] += it.packet.flits;
  return out;
}

void flood(Script& script, HostId from, HostId to, Packet like, int packets) {
  like.from = from;
  like.to = to;
  for (int i = 0; i < packets; ++i) script.push_back({0, like});
}

/// Hosts that flood host 0 of a crossbar.
void expect_equal_shares(int senders, const std::string& switches, const NetworkOptions& options) {
  const Fabric fabric = make_fabric(fmt::format("crossbar:hosts={}", senders + 1));
  const Tables tables = test::routed(fabric, "minhop");
  const std::uint32_t flits = options.longest_packet;
  Network network(fabric, tables, model_from(switches), options);
  Script script;
  for (int s = 1; s <= senders; ++s)
    flood(script, HostId(static_cast<std::size_t>(s)), HostId(0), {.flits = flits}, 2000);
  Recorder recorder(network, script);
  network.run(recorder, 3000);
  // The allocator grants the only lane in the cycle after a tail, to all in turn; of four lanes one
  // is always in use, and a port has several at times.
  const bool one_lane = switches.find("lanes") == std::string::npos;
  const double all = one_lane ? 3000.0 * flits / (flits + 1) : 3000.0, share = all / senders;
  double sum = 0;
  for (const auto& [host, count] : shares(recorder, 3000)) {
    EXPECT_NEAR(static_cast<double>(count), share, 10 + (one_lane ? flits : 0.04 * share))
        << senders << " " << switches;
    sum += static_cast<double>(count);
  }
  EXPECT_NEAR(sum, all, 30) << senders << " " << switches;
}

TEST(Arbiters, InPortsGetEqualShares) {
  for (int senders = 2; senders <= 6; ++senders)
    for (std::uint32_t flits : {1U, 4U})
      for (bool check : {false, true})
        for (const char* switches :
             {"iq", "iq:lanes=4", "iq:switching=cut_through,multiplex=packet"})
          expect_equal_shares(senders, switches, {.check = check, .longest_packet = flits});
}

/// The allocator grants lanes of the host's link in turn to three lanes of one in-port and one of
/// another.
TEST(Arbiters, LanesOfAPortGetEqualShares) {
  // Sources on s0, s1, s2 and lanes by source; over s3 to the host of s4; and one on s5.
  const Fabric fabric = test::from_links(6, {{0, 3}, {1, 3}, {2, 3}, {3, 4}, {4, 5}});
  Tables tables = test::routed(fabric, "minhop");
  tables.lane_count = 3;
  ServiceLanes lanes{Grid<std::uint8_t>(column_count(tables), fabric.switch_count(), 0)};
  for (ColumnId c : lanes.level.ids())
    for (std::uint8_t s = 0; s < 3; ++s) lanes.level[c][s] = s;
  tables.lanes = lanes;
  for (bool check : {false, true}) {
    Network network(fabric, tables, model_from("iq"), {.check = check, .longest_packet = 5});
    Script script;
    for (std::size_t s : {0U, 1U, 2U, 5U}) flood(script, HostId(s), HostId(4), {.flits = 5}, 4000);
    Recorder recorder(network, script);
    network.run(recorder, 12'000);
    auto got = shares(recorder, 12'000);
    for (std::size_t s : {0U, 1U, 2U, 5U}) EXPECT_NEAR(static_cast<double>(got[s]), 3000, 20);
  }
}

TEST(Arbiters, UrgentPacketsOvertake) {
  const Fabric fabric = make_fabric("crossbar:hosts=4");
  const Tables tables = test::routed(fabric, "minhop");
  const auto worst = [&](const char* switches) {
    Network network(fabric, tables, model_from(switches), {.check = true, .longest_packet = 8});
    Script script;
    for (std::size_t s : {1U, 2U}) flood(script, HostId(s), HostId(0), {.flits = 8}, 400);
    for (Cycle at = 1000; at < 3000; at += 100)
      script.push_back({at, {.from = HostId(3), .to = HostId(0), .flits = 8, .urgent = true}});
    Recorder recorder(network, script);
    EXPECT_EQ(network.run(recorder, never), NetworkEnd::quiet);
    Cycle out = 0;
    for (const auto& end : recorder.ends())
      if (end.packet.urgent) out = std::max(out, end.latency());
    return out;
  };
  // Alone it takes 7 + 7 cycles. All lanes of the link are taken: one must become free first, and a
  // whole packet that has the link goes first.
  const Cycle by_turns = worst("iq:lanes=4");
  EXPECT_LE(worst("iq:lanes=4,priorities=yes"), 14U + 3 * 8);
  EXPECT_GT(by_turns, 14U + 3 * 8);
  EXPECT_LE(worst("iq:lanes=1,priorities=yes"), 14U + 8 + 1);
  EXPECT_LE(worst("iq:lanes=4,priorities=yes,switching=cut_through,multiplex=packet"),
            14U + 2 * 8 + 2);
}

TEST(Arbiters, AgingKeepsOthersFromStarving) {
  const Fabric fabric = make_fabric("crossbar:hosts=5");
  const Tables tables = test::routed(fabric, "minhop");
  const auto got = [&](const char* switches) {
    Network network(fabric, tables, model_from(switches), {.check = true, .longest_packet = 4});
    Script script;
    for (std::size_t urgent : {1U, 2U, 3U})
      flood(script, HostId(urgent), HostId(0), {.flits = 4, .urgent = true}, 3000);
    flood(script, HostId(4), HostId(0), {.flits = 4}, 3000);
    Recorder recorder(network, script);
    network.run(recorder, 10'000);
    return shares(recorder, 10'000)[4];
  };
  EXPECT_LE(got("iq:lanes=2,priorities=yes"), 8U);
  // At its age a packet takes turns with the urgent ones.
  EXPECT_GE(got("iq:lanes=2,priorities=yes,aging=100"), 10'000U / 150 * 4);
  EXPECT_GE(got("iq:lanes=2,priorities=yes,aging=20"), 10'000U / 60 * 4);
}

/// The lanes of a NIC and free lanes are taken in turn, so nothing waits behind a jam it could
/// pass.
TEST(Arbiters, FreeLanesPassAJam) {
  const Fabric fabric = test::from_links(3, {{0, 1}, {0, 2}}, 2);
  const Tables tables = test::routed(fabric, "minhop");
  Network network(fabric, tables, model_from("iq:lanes=8"), {.longest_packet = 4});
  Script script;
  flood(script, HostId(4), HostId(2), {.flits = 4}, 500);  // s2 and s0 to s1's first host
  flood(script, HostId(0), HostId(2), {.flits = 4}, 3);
  flood(script, HostId(1), HostId(3), {.flits = 4}, 20);
  Recorder recorder(network, script);
  EXPECT_EQ(network.run(recorder, never), NetworkEnd::quiet);
  for (const auto& end : recorder.ends()) {
    if (end.packet.from == HostId(1)) {
      EXPECT_LT(end.when, 500U);
    }
  }
}

/// Lets a host take packets in at a given cycle, and not before.
class Opener final : public Recorder {
 public:
  Opener(Network& network, Script script, Cycle at) : Recorder(network, std::move(script)) {
    network.wake(HostId(4), at);
  }
  void timer(Network& network, HostId host) override {
    if (host != HostId(4)) {
      Recorder::timer(network, host);
      return;
    }
    network.release_buffer(HostId(2));
    network.release_buffer(HostId(3));
  }
};

/// Two packets wait in two lanes of one in-port, whole, for two hosts: when these take them, both
/// lanes send in every cycle, or in turn.
TEST(Arbiters, LanesMayBeInputsOfTheirOwn) {
  const Fabric fabric = test::from_links(3, {{0, 1}, {0, 2}}, 2);
  const Tables tables = test::routed(fabric, "minhop");
  constexpr std::uint32_t flits = 32;
  const auto time = [&](const char* inputs) {
    Script script;
    for (const std::size_t to : {2U, 2U, 3U, 3U})  // their receive buffers are full then
      script.push_back({0, {.from = HostId(0), .to = HostId(to)}});
    script.push_back({50, {.from = HostId(0), .to = HostId(2), .flits = flits}});
    script.push_back({50, {.from = HostId(1), .to = HostId(3), .flits = flits}});
    NetworkOptions options{.check = true, .longest_packet = flits, .receive_buffers = 2};
    Network network(fabric, tables, model_from(fmt::format("iq:lanes=2,buffer=32,{}", inputs)),
                    options);
    Opener opener(network, script, 500);
    EXPECT_EQ(network.run(opener, never), NetworkEnd::quiet);
    EXPECT_EQ(opener.ends().size(), 6U);
    EXPECT_GT(opener.ends()[4].when, 500U);
    return opener.ends().back().when - 500;
  };
  EXPECT_EQ(time("inputs=port"), time("inputs=lane") + flits);
  EXPECT_LT(time("inputs=lane"), flits + 5);
}

/// Two lanes of one in-port and one of another contend for an out-port: by ports the single one has
/// half of it, by lanes a third.
TEST(Arbiters, InputsGetEqualShares) {
  const Fabric fabric = test::from_links(2, {{0, 1}}, 2);
  const Tables tables = test::routed(fabric, "minhop");
  for (const bool by_lane : {false, true}) {
    Script script;
    for (const std::size_t from : {0U, 1U, 2U})
      flood(script, HostId(from), HostId(3), {.flits = 16}, 400);
    Network network(fabric, tables, model_from(by_lane ? "iq:lanes=8,inputs=lane" : "iq:lanes=8"),
                    {.check = true, .longest_packet = 16});
    // One packet of each host at a time: a NIC sends one after another.
    Recorder recorder(network, script);
    network.run(recorder, 6000);
    const auto got = shares(recorder, 6000);
    const double local = static_cast<double>(got.at(2)) / 6000;
    if (!by_lane) {
      EXPECT_NEAR(local, 1.0 / 2, 0.03);
    }
    EXPECT_NEAR(static_cast<double>(got.at(0) + got.at(1) + got.at(2)) / 6000, 1, 0.03);
    if (by_lane) {
      EXPECT_LT(local, 0.4);
    }
  }
}

}  // namespace
}  // namespace weft::sim
