// SPDX-License-Identifier: Apache-2.0
// loggp: a NIC given by L, o_s, o_r, g and G has the times that LogGP predicts, network on top.
#include <gtest/gtest.h>

#include "sim/nics/nic.hpp"
#include "support/hosts_bench.hpp"

namespace weft::sim::loggp_test {
namespace {

using namespace std::chrono_literals;
using test::HostBench;
using test::HostScript;

/// When messages of rank 0 to rank 1, begun at time 0, land.
std::vector<Duration> landed(const std::string& nic, std::uint64_t bytes, std::uint64_t count = 1,
                             Move move = Move::message) {
  HostBench bench(nic_from(nic), "crossbar:hosts=2,speed=200Gb/s", "infiniband:latency=45");
  std::vector<HostScript::Entry> entries;
  for (std::uint64_t i = 0; i < count; ++i)
    entries.push_back(
        {Duration(0),
         {.move = move, .from = HostId(0), .to = HostId(1), .bytes = bytes, .cookie = i}});
  const HostScript script(bench, entries);
  bench.run();
  std::vector<Duration> out;
  for (const auto& [cookie, when] : bench.log.at_landed) out.push_back(when);
  return out;
}

constexpr Duration cycle{2560};
/// Of a packet of one flit: its length, and 45 cycles of the switch.
constexpr Duration network = 46 * cycle;

void near(Duration measured, Duration expected) {
  EXPECT_GE(measured, expected - 2 * cycle);
  EXPECT_LE(measured, expected + 2 * cycle);
}

TEST(LogGp, AByteTakesTheOverheadsTheLatencyAndTheNetwork) {
  for (const auto& [latency, send, receive] :
       {std::tuple{Duration(1us), Duration(100ns), Duration(230ns)},
        std::tuple{Duration(0us), Duration(1300ns), Duration(0ns)},
        std::tuple{Duration(3701ns), Duration(0ns), Duration(200ns)}})
    for (const char* gap : {"0ns", "290ns", "5us"}) {
      const std::string spec = "loggp:L=" + weft::to_text(latency) + ",o_s=" + weft::to_text(send) +
                               ",o_r=" + weft::to_text(receive) + ",g=" + gap;
      near(landed(spec, 1).at(0), send + latency + receive + network);
    }
  near(landed("loggp:L=1us,o_s=100ns,poll=70ns", 1, 1, Move::read).at(0),
       100ns + 2 * 1us + 70ns + 2 * network);
}

TEST(LogGp, MessagesAreAGapOrAnOverheadApart) {
  const auto apart = [](const std::string& spec) {
    const std::vector<Duration> times = landed(spec, 8, 101);
    return (times[100] - times[0]) / 100;
  };
  const auto about = [](Duration measured, Duration expected) {
    EXPECT_GE(measured, expected - 1ns);
    EXPECT_LE(measured, expected + 1ns);
  };
  about(apart("loggp:o_s=100ns,o_r=50ns,g=290ns"), 290ns);
  about(apart("loggp:o_s=400ns,o_r=50ns,g=290ns"), 400ns);
  about(apart("loggp:o_s=100ns,o_r=50ns,g=0ns"), 100ns);
  about(apart("loggp:o_s=100ns,o_r=500ns,g=290ns"), 500ns);  // the receiver is slower
}

TEST(LogGp, LongMessagesGoAtTheSlowerRateOfNicAndLink) {
  const auto gigabytes_per_second = [](const std::string& spec) {
    const double more = 3 << 20U;
    const Duration time = landed(spec, 4U << 20U, 1, Move::write).at(0) -
                          landed(spec, 1U << 20U, 1, Move::write).at(0);
    return more / std::chrono::duration<double, std::nano>(time).count();
  };
  EXPECT_NEAR(gigabytes_per_second("loggp:G=10GB/s"), 10, 0.01);
  EXPECT_NEAR(gigabytes_per_second("loggp:G=20GB/s"), 20, 0.02);
  EXPECT_NEAR(gigabytes_per_second("loggp:G=40GB/s"), 25.0 * 64 / 65, 0.02);
  // The first bytes are not paid twice either: the time on the link is within G.
  near(landed("loggp:o_s=0ns,o_r=0ns,L=1us,G=10GB/s", 4000, 1, Move::write).at(0),
       1us + 400ns + network - cycle);
}

}  // namespace
}  // namespace weft::sim::loggp_test
