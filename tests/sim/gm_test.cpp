// SPDX-License-Identifier: Apache-2.0
// NICs with a schedule, and the model of GM: who is next, what a packet costs, tokens, chunks, and
// the order of flows, whatever happens.
#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "sim/nics/nic.hpp"
#include "support/fabrics.hpp"
#include "support/hosts_bench.hpp"

namespace weft::sim::gm_test {
namespace {

using namespace std::chrono_literals;
using test::HostBench;
using test::HostScript;

/// A NIC in which a packet takes 10 us: 1 to prepare, 8 of the host DMA engine, 1 to send.
constexpr const char* simple =
    "gm:mhz=100,token=0,sdma=100,pace=0,send=100,recv=0,rdma=0,ack=0,dma=8us,read=1TB/s,write=1TB/"
    "s,flow_change=0ns,direction_change=0ns,mtu=64B,header=0B,post=0ns,event=0ns,poll=0ns,tick=1us";

std::string with(const std::string& more) {
  Spec spec = Spec::parse(simple);
  for (const auto& [key, value] : Spec::parse("gm:" + more).values) spec.values[key] = value;
  return spec.text();
}

Transfer to(std::size_t host, std::uint64_t bytes, std::uint64_t cookie) {
  return {.move = Move::message,
          .from = HostId(0),
          .to = HostId(host),
          .bytes = bytes,
          .cookie = cookie};
}

FlowKey flow_to(std::size_t host, bool urgent = false) {
  return {HostId(0), HostId(host), 0, 0, urgent};
}

TEST(Dispatcher, TakesTurnsOfConnectionsThenOfTheirPorts) {
  Dispatcher dispatcher(Schedule::by_packet, Duration(1us));
  // Two flows to host 7 and one to host 8: each host gets half.
  const std::uint32_t a = dispatcher.add(100, 7, false), b = dispatcher.add(101, 7, false),
                      c = dispatcher.add(102, 8, false), d = dispatcher.add(103, 8, true);
  for (const std::uint32_t flow : {a, b, c}) dispatcher.wake(flow, Duration(0));
  std::string order;
  for (int i = 0; i < 8; ++i) {
    if (i == 5) dispatcher.wake(d, Duration(0));  // urgent
    const std::uint32_t flow = *dispatcher.next(Duration(0));
    order += static_cast<char>('a' + static_cast<int>(flow) - 100);
    dispatcher.sent(flow - 100, Duration(0), true, flow == 103);
  }
  EXPECT_EQ(order, "acbcadcb");
  EXPECT_EQ(dispatcher.due(Duration(5us)), Duration(5us));
  for (const std::uint32_t flow : {a, c, b}) dispatcher.sent(flow, Duration(0), true, true);
  EXPECT_EQ(dispatcher.next(Duration(0)), std::nullopt);
  EXPECT_EQ(dispatcher.due(Duration(0)), std::nullopt);
}

TEST(Dispatcher, ByMessageAFlowStaysUntilItsMessageEnds) {
  Dispatcher dispatcher(Schedule::by_message, Duration(1us));
  const std::uint32_t a = dispatcher.add(0, 7, false), b = dispatcher.add(1, 8, false);
  dispatcher.wake(a, Duration(0));
  dispatcher.wake(b, Duration(0));
  std::string order;
  for (int i = 0; i < 8; ++i) {
    const std::uint32_t flow = *dispatcher.next(Duration(0));
    order += flow == 0 ? 'a' : 'b';
    // Messages of a have three packets, those of b one.
    dispatcher.sent(flow, Duration(0), flow == 1 || i % 4 == 2, false);
  }
  EXPECT_EQ(order, "aaabaaab");
}

// Small messages keep the LANai busy all the time: what is paid for each shows.
TEST(Gm, RateControlCostsASmallMessageItsCyclesAndNoSecondWait) {
  const auto each = [](const std::string& schedule) {
    HostBench bench(nic_from(with("token=200,ack=100,dma=1us,pace=20,schedule=" + schedule)));
    std::vector<HostScript::Entry> lines;
    for (std::uint64_t i = 1; i <= 100; ++i) lines.push_back({Duration(0), to(1, 4, i)});
    const HostScript script(bench, lines);
    bench.run();
    return static_cast<double>(bench.log.at_finished[100].count()) / 1e8;
  };
  EXPECT_NEAR(each("packet"), 5, 0.1);  // token, sdma, send, ack
  const double more = each("rate") - each("packet");
  EXPECT_GE(more, 0.19);
  EXPECT_LT(more, 0.4);  // and not another turn in the LANai's queue
}

TEST(Gm, APacketTakesTheSumOfItsStagesAtTheSource) {
  HostBench bench(nic_from(with("schedule=packet")));
  const HostScript script(bench, {{Duration(0), to(1, 64 * 50, 1)}});
  bench.run();
  // The next packet is prepared when this one has been sent: one processor, one packet at a time.
  const double each = static_cast<double>(bench.log.at_finished[1].count()) / 50;
  EXPECT_NEAR(each / 1e6, 10, 0.3);
}

TEST(Gm, MessagesTakeTurnsByPacketOrByMessage) {
  for (const bool by_packet : {false, true}) {
    HostBench bench(nic_from(with(by_packet ? "schedule=packet" : "schedule=message")));
    std::vector<HostScript::Entry> all;
    for (std::uint64_t i = 0; i < 10; ++i) {
      all.push_back({Duration(0), to(1, 3 * 64, 2 * i)});
      all.push_back({Duration(0), to(2, 64, 2 * i + 1)});
    }
    const HostScript script(bench, all);
    EXPECT_EQ(bench.hosts.run(bench.log, Duration(200us)), NetworkEnd::in_time);
    const double ratio = static_cast<double>(bench.hosts.dispatched(flow_to(1))) /
                         static_cast<double>(bench.hosts.dispatched(flow_to(2)));
    EXPECT_NEAR(ratio, by_packet ? 1 : 3, 0.3);
  }
}

TEST(Gm, FlowsGoAtTheirRates) {
  HostBench bench(nic_from(with("schedule=rate,send_tokens=1000")));
  bench.hosts.set_interval(flow_to(1), Duration(25us));
  bench.hosts.set_interval(flow_to(2), Duration(66'667ns));
  std::vector<HostScript::Entry> all;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    all.push_back({Duration(0), to(1, 64, 2 * i)});
    all.push_back({Duration(0), to(2, 64, 2 * i + 1)});
  }
  const HostScript script(bench, all);
  EXPECT_EQ(bench.hosts.run(bench.log, Duration(10ms)), NetworkEnd::in_time);
  EXPECT_NEAR(static_cast<double>(bench.hosts.dispatched(flow_to(1))), 400, 1);
  EXPECT_NEAR(static_cast<double>(bench.hosts.dispatched(flow_to(2))), 150, 1);
}

TEST(Gm, UrgentMessagesGoFirst) {
  for (const char* schedule : {"schedule=packet", "schedule=rate"}) {
    HostBench bench(nic_from(with(schedule)));
    Transfer urgent = to(1, 64, 9);
    urgent.urgent = true;
    const HostScript script(bench, {{Duration(0), to(1, 64 * 40, 1)}, {Duration(95us), urgent}});
    bench.run();
    EXPECT_LT(bench.log.at_landed[9], Duration(130us)) << schedule;
    EXPECT_GT(bench.log.at_landed[1], Duration(400us)) << schedule;
  }
}

TEST(Gm, APortHasSoManySendTokens) {
  HostBench bench(nic_from(with("schedule=packet,send_tokens=3")));
  std::vector<HostScript::Entry> all;
  for (std::uint64_t i = 0; i < 9; ++i) all.push_back({Duration(0), to(1, 64, i)});
  const HostScript script(bench, all);
  bench.run();
  for (std::uint64_t i = 0; i < 9; ++i) {
    EXPECT_EQ(bench.log.outcomes[i], TransferStatus::ok);
    // The fourth begins when the first has been acknowledged.
    if (i >= 3) {
      EXPECT_GE(bench.log.at_posted[i], bench.log.at_finished[i - 3]);
    }
  }
}

/// Answers change over time.
struct Doors : Kernel::Handler {
  Doors(HostBench& of, Duration open) : bench(of) {
    bench.log.answer = TransferStatus::not_ready;
    bench.hosts.kernel().at(open, *this, 0);
  }
  void fire(std::uint64_t) override { bench.log.answer = TransferStatus::ok; }
  HostBench& bench;
};

TEST(Gm, AMessageWithoutAReceiveTokenIsSentAgainAndKeepsItsPlace) {
  HostBench bench(nic_from(with("schedule=packet,retry_after=100us")));
  Doors doors(bench, Duration(550us));
  std::vector<HostScript::Entry> all;
  for (std::uint64_t i = 0; i < 5; ++i) all.push_back({Duration(i * 30us), to(1, 64, i)});
  const HostScript script(bench, all);
  bench.run();
  EXPECT_EQ(bench.log.order, (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
  EXPECT_GT(bench.log.at_landed[0], Duration(550us));
  EXPECT_LT(bench.log.at_landed[4], Duration(700us));
}

TEST(Gm, AMessageForWhichThereIsNeverAReceiveTokenFails) {
  HostBench bench(nic_from(with("schedule=packet,retry_after=100us,retries=3")));
  bench.log.answer = TransferStatus::not_ready;
  const HostScript script(bench, {{Duration(0), to(1, 64, 1)}, {Duration(0), to(1, 64, 2)}});
  bench.run();
  EXPECT_EQ(bench.log.outcomes[1], TransferStatus::not_ready);
  EXPECT_EQ(bench.log.outcomes[2], TransferStatus::not_ready);
  EXPECT_GT(bench.log.at_finished[1], Duration(300us));
  EXPECT_LT(bench.log.at_finished[1], Duration(400us));
}

/// The host DMA engine's time at the source for a message, in set-ups of 8 us.
double setups(const std::string& chunks, std::uint64_t bytes) {
  HostBench bench(nic_from(with("schedule=packet,mtu=4096B,chunks=" + chunks)));
  const HostScript script(bench, {{Duration(0), to(1, bytes, 1)}});
  bench.run();
  EXPECT_EQ(bench.log.outcomes[1], TransferStatus::ok);
  return static_cast<double>(bench.part(HostId(0), Part::bus).busy().count()) / 8e6;
}

TEST(Gm, EqualChunksCrossPages) {
  EXPECT_NEAR(setups("equal", 4096), 1, 0.01);
  EXPECT_NEAR(setups("equal", 8192), 2, 0.01);
  EXPECT_NEAR(setups("full", 5000), 2, 0.01);
  EXPECT_NEAR(setups("equal", 5000), 3, 0.01);  // 2 x 2500: the second from one page to the next
  EXPECT_NEAR(setups("full", 12'000), 3, 0.01);
  EXPECT_NEAR(setups("equal", 12'000), 5, 0.01);  // 3 x 4000
}

TEST(Gm, ThePartThatTurnsPaysForIt) {
  const auto time = [](const std::string& changes, bool two, bool back) {
    HostBench bench(nic_from(with(changes)));
    std::vector<HostScript::Entry> all{{Duration(0), to(1, 64 * 20, 1)}};
    if (two) all.push_back({Duration(0), to(2, 64 * 20, 2)});
    Transfer in = to(0, 64 * 20, 3);
    in.from = HostId(1);
    if (back) all.push_back({Duration(0), in});
    const HostScript script(bench, all);
    bench.run();
    return bench.part(HostId(0), Part::bus).busy();
  };
  const std::string none = "flow_change=0ns,direction_change=0ns";
  EXPECT_EQ(time("flow_change=3us", false, false), time(none, false, false));
  // Forty packets in turns, but for the beginning and the end: 1 1 2 1 2 … 1 2 2.
  EXPECT_EQ(time("flow_change=3us", true, false), time(none, true, false) + Duration(37 * 3us));
  EXPECT_EQ(time("direction_change=3us", true, false), time(none, true, false));
  EXPECT_GT(time("direction_change=3us", false, true), time(none, false, true) + Duration(60us));
}

/// Random transfers of random flows over links that lose packets: each ends once, those of a flow
/// land in the order they were begun, and the NIC's memory is empty in the end (or it would stand
/// still).
TEST(Gm, FlowsKeepTheirOrderWhateverHappens) {
  for (int turn = 0; turn < test::tries(30, 1000); ++turn) {
    const auto seed = static_cast<std::uint64_t>(turn);
    Rng rng(seed);
    const char* const schedules[] = {"message", "packet", "rate"};
    HostOptions options;
    options.processors = 2;
    if (seed % 2 == 0) options.network.faults.bit_error_rate = 2e-5;
    options.network.seed = seed;
    HostBench bench(
        nic_from(with(fmt::format(
            "schedule={},send_buffers={},receive_buffers={},send_tokens={},retry_after=50us",
            schedules[seed % 3], 1 + rng.below(3), 2 + rng.below(3), 1 + rng.below(4)))),
        "mesh:dims=3,hosts=2", "iq:buffer=16,flow=stop_go", options);
    std::vector<HostScript::Entry> all;
    std::map<std::uint64_t, FlowKey> flows;
    for (std::uint64_t i = 0; i < 300; ++i) {
      const std::size_t from = rng.below(6), target = (from + 1 + rng.below(5)) % 6;
      const Transfer transfer{.move = rng.below(3) == 0 ? Move::write : Move::message,
                              .from = HostId(from),
                              .to = HostId(target),
                              .from_processor = static_cast<std::uint32_t>(rng.below(2)),
                              .to_processor = static_cast<std::uint32_t>(rng.below(2)),
                              .urgent = rng.below(4) == 0,
                              .bytes = rng.below(300),
                              .cookie = i};
      const FlowKey key{transfer.from, transfer.to, transfer.from_processor, transfer.to_processor,
                        transfer.urgent};
      if (seed % 3 == 2 && rng.below(4) == 0)
        bench.hosts.set_interval(key, Duration(1us) * static_cast<std::int64_t>(rng.below(100)));
      flows[i] = key;
      all.push_back({Duration(1us) * static_cast<std::int64_t>(i * 3), transfer});
    }
    const HostScript script(bench, all);
    bench.run();
    ASSERT_EQ(bench.log.outcomes.size(), 300U);
    std::map<std::tuple<HostId, HostId, std::uint32_t, std::uint32_t, bool>, std::uint64_t> last;
    for (const std::uint64_t cookie : bench.log.order) {
      const FlowKey& key = flows[cookie];
      auto& before = last[{key.from, key.to, key.from_processor, key.to_processor, key.urgent}];
      EXPECT_GE(cookie, before) << "seed " << seed;
      before = cookie;
    }
    for (const auto& [cookie, outcome] : bench.log.outcomes)
      EXPECT_EQ(outcome, TransferStatus::ok) << "seed " << seed;
  }
}

TEST(Gm, AWrongScheduleIsRefused) {
  for (const auto& [spec, text] :
       {std::pair{"gm:schedule=fair", "gm: schedule=fair: it is message, packet or rate"},
        std::pair{"gm:chunks=odd", "gm: chunks=odd: it is default, equal or full"},
        std::pair{"gm:tick=0ns", "gm: tick=0ns: a counter counts in time"}})
    EXPECT_THROW(
        {
          try {
            nic_from(spec);
          } catch (const Error& error) {
            EXPECT_EQ(std::string(error.what()), text);
            throw;
          }
        },
        Error);
}

}  // namespace
}  // namespace weft::sim::gm_test
