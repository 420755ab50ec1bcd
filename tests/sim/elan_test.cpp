// SPDX-License-Identifier: Apache-2.0
// Elans: remote DMAs move bytes between virtual memories, events are set at both ends, what limits
// them is busy all the time, and what is not allowed changes nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/rng.hpp"
#include "support/elan_bench.hpp"
#include "support/fabrics.hpp"

namespace weft::sim {
namespace {

using elan::AccessRights;
using elan::MemoryKind;
using test::ElanBench;
using namespace std::chrono_literals;

constexpr const char* tree = "tree:k=4,n=2,speed=3.2Gb/s";

void fill(std::span<std::byte> bytes, Rng& rng) {
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(rng.below(256));
}

TEST(Elan, MovesBytesBetweenAllStores) {
  Rng rng(1);
  for (const MemoryKind from : {MemoryKind::main, MemoryKind::sdram})
    for (const MemoryKind to : {MemoryKind::main, MemoryKind::sdram})
      for (const std::uint64_t bytes : {0U, 1U, 63U, 64U, 65U, 319U, 320U, 321U, 5000U, 100000U}) {
        ElanBench bench(tree, "elan");
        const auto source = bench.block(0, from, bytes + 1), target = bench.block(9, to, bytes + 9);
        fill(source.bytes, rng);
        bench.start_at(Duration{0}, bench.dma(0, 9, source.elan, target.elan + 8, bytes));
        bench.run();
        EXPECT_EQ(bench.outcomes.at(1), TransferStatus::ok);
        EXPECT_TRUE(std::equal(source.bytes.begin(),
                               source.bytes.begin() + static_cast<long>(bytes),
                               target.bytes.begin() + 8));
        EXPECT_EQ(target.bytes[7], std::byte{0});
      }
}

TEST(Elan, ReadsWhatAnotherProcessHas) {
  Rng rng(2);
  ElanBench bench;
  const auto here = bench.block(3, MemoryKind::main, 10'000),
             there = bench.block(12, MemoryKind::main, 10'000);
  fill(there.bytes, rng);
  elan::DmaDescriptor get = bench.dma(12, 3, there.elan, here.elan, 10'000);
  get.by = 3;
  get.at = bench.place(3);
  bench.start_at(Duration{0}, get);
  bench.run();
  EXPECT_EQ(bench.outcomes.at(get.cookie), TransferStatus::ok);
  EXPECT_TRUE(std::equal(there.bytes.begin(), there.bytes.end(), here.bytes.begin()));
}

TEST(Elan, MovesBytesWithinAHost) {
  Rng rng(3);
  ElanBench bench;
  const auto source = bench.block(3, MemoryKind::main, 1000),
             target = bench.block(3, MemoryKind::sdram, 1000);
  fill(source.bytes, rng);
  bench.start_at(Duration{0}, bench.dma(3, 3, source.elan, target.elan, 1000));
  bench.run();
  EXPECT_EQ(bench.elans.network().totals().sent, 0U);
  EXPECT_TRUE(std::equal(source.bytes.begin(), source.bytes.end(), target.bytes.begin()));
}

// --- events -------------------------------------------------------------------------------------

TEST(Elan, TakesTheThirteenStepsOfFigure5) {
  ElanBench bench;
  bench.elans.record_steps();
  const auto a = bench.block(0, MemoryKind::main, 4096), b = bench.block(5, MemoryKind::main, 4096);
  elan::DmaDescriptor dma = bench.dma(0, 5, a.elan, b.elan, 1000);
  for (const std::size_t host : {0U, 5U}) {
    const auto event = bench.block(host, MemoryKind::sdram, 8),
               word = bench.block(host, MemoryKind::sdram, 8);
    const auto polled = bench.block(host, MemoryKind::main, 8);
    word.bytes[0] = std::byte{7};
    (host == 0 ? dma.source_event : dma.target_event) = event.elan;
    bench.elans.on_event(
        bench.place(host), event.elan,
        {.count = 1, .copy = elan::BlockCopyDescriptor{word.elan, polled.elan, 8}});
  }
  bench.start_at(Duration{0}, dma);
  bench.run();
  std::map<int, Duration> at;
  for (const elan::DmaStep& step : bench.elans.steps()) {
    EXPECT_TRUE(at.emplace(step.number, step.time).second) << step.number << " comes twice";
    const bool target = step.number == 6 || step.number >= 11;
    EXPECT_EQ(step.at, HostId(target ? 5 : 0)) << step.number;
  }
  EXPECT_EQ(at.size(), 13U);
  for (const auto& [before, after] : {std::pair{1, 2},
                                      {2, 3},
                                      {3, 4},
                                      {4, 5},
                                      {5, 6},
                                      {6, 7},
                                      {7, 8},
                                      {8, 9},
                                      {9, 10},
                                      {6, 11},
                                      {11, 12},
                                      {12, 13}})
    EXPECT_LE(at[before], at[after]) << before << " comes after " << after;
}

TEST(Elan, BlockCopiesShowInMainMemory) {
  ElanBench bench;
  const auto event = bench.block(5, MemoryKind::sdram, 8),
             word = bench.block(5, MemoryKind::sdram, 16);
  const auto polled = bench.block(5, MemoryKind::main, 16);
  std::fill(word.bytes.begin(), word.bytes.end(), std::byte{0x5a});
  bench.elans.on_event(bench.place(5), event.elan,
                       {.count = 2, .copy = elan::BlockCopyDescriptor{word.elan, polled.elan, 16}});
  std::vector<Duration> seen;
  bench.on_written = [&](HostId host, std::span<const std::byte> bytes) {
    EXPECT_EQ(host, HostId(5));
    EXPECT_EQ(bytes.data(), polled.bytes.data());
    seen.push_back(bench.now());
  };
  bench.set_event(1, 5, event.elan, 100);
  bench.set_event(2, 5, event.elan, 101);
  bench.run();
  ASSERT_EQ(bench.events.size(), 2U);
  ASSERT_EQ(seen.size(), 1U) << "at the second time, and once";
  EXPECT_GT(seen[0], bench.events[1].time);
  EXPECT_TRUE(std::equal(polled.bytes.begin(), polled.bytes.end(), word.bytes.begin()));
}

TEST(Elan, EventsBeginDmas) {
  ElanBench bench;
  const auto a = bench.block(0, MemoryKind::main, 100), b = bench.block(5, MemoryKind::main, 100);
  const auto c = bench.block(9, MemoryKind::main, 100);
  const auto event = bench.block(5, MemoryKind::sdram, 8);
  std::fill(a.bytes.begin(), a.bytes.end(), std::byte{3});
  elan::DmaDescriptor first = bench.dma(0, 5, a.elan, b.elan, 100);
  first.target_event = event.elan;
  const elan::DmaDescriptor second = bench.dma(5, 9, b.elan, c.elan, 100);
  bench.elans.on_event(bench.place(5), event.elan, {.count = 1, .dma = second});
  bench.start_at(Duration{0}, first);
  bench.run();
  EXPECT_EQ(c.bytes[99], std::byte{3});
  EXPECT_EQ(bench.outcomes.at(second.cookie), TransferStatus::ok);
}

// --- what is not allowed ------------------------------------------------------------------------

TEST(Elan, RefusesWhatIsNotExportedAndChangesNothing) {
  ElanBench bench;
  const auto source = bench.block(0, MemoryKind::main, 5000);
  std::fill(source.bytes.begin(), source.bytes.end(), std::byte{9});
  auto& memory = bench.elans.memory_of(HostId(5));
  const auto target = memory.allocate(bench.contexts[5], MemoryKind::main, 5000);
  const std::vector<elan::Process> only{1};
  const auto open = memory.open(bench.contexts[5], target.elan, 4000, AccessRights::both, only);
  const auto event_in_main = bench.block(5, MemoryKind::main, 8);
  const auto read_only = bench.block(5, MemoryKind::main, 100, AccessRights::read);
  const auto good = bench.block(5, MemoryKind::main, 100);

  elan::DmaDescriptor stranger = bench.dma(0, 5, source.elan, target.elan, 100);
  const auto from_1 = bench.block(1, MemoryKind::main, 5000);
  std::fill(from_1.bytes.begin(), from_1.bytes.end(), std::byte{9});
  elan::DmaDescriptor beyond = bench.dma(1, 5, from_1.elan, target.elan, 4001);
  elan::DmaDescriptor not_for_writing = bench.dma(0, 5, source.elan, read_only.elan, 100);
  elan::DmaDescriptor wrong_context = bench.dma(0, 5, source.elan, good.elan, 100);
  wrong_context.to.context = 999;
  elan::DmaDescriptor wrong_event = bench.dma(0, 5, source.elan, good.elan, 100);
  wrong_event.target_event = event_in_main.elan;
  elan::DmaDescriptor not_mine = bench.dma(0, 5, source.elan + 100'000, good.elan, 100);
  for (const elan::DmaDescriptor& dma :
       {stranger, beyond, not_for_writing, wrong_context, wrong_event, not_mine})
    bench.start_at(Duration{0}, dma);
  bench.run();
  EXPECT_EQ(bench.traps.at(stranger.cookie).why, elan::Fault::not_exported);
  EXPECT_EQ(bench.traps.at(beyond.cookie).why, elan::Fault::not_exported);
  EXPECT_EQ(bench.traps.at(beyond.cookie).address, target.elan + 4000);
  EXPECT_EQ(bench.traps.at(not_for_writing.cookie).why, elan::Fault::no_right);
  EXPECT_EQ(bench.traps.at(wrong_context.cookie).why, elan::Fault::no_context);
  EXPECT_EQ(bench.traps.at(wrong_event.cookie).why, elan::Fault::event_in_main);
  EXPECT_EQ(bench.traps.at(not_mine.cookie).why, elan::Fault::unmapped);
  for (const auto& block : {target, read_only, good})
    for (const std::byte byte : block.bytes) EXPECT_EQ(byte, std::byte{0});
  EXPECT_TRUE(bench.events.empty());

  // Once withdrawn it stays so.
  memory.close(open);
  elan::DmaDescriptor late = bench.dma(1, 5, from_1.elan, target.elan, 100);
  ElanBench* const same = &bench;
  same->elans.start(late);
  same->run();
  EXPECT_EQ(bench.traps.at(late.cookie).why, elan::Fault::withdrawn);
}

// --- whose turn it is ---------------------------------------------------------------------------

TEST(Elan, ShortDmasDoNotWaitForLongOnes) {
  const auto time_of_short = [](const std::string& nic, bool urgent) {
    ElanBench bench(tree, nic);
    const auto source = bench.block(0, MemoryKind::sdram, 1 << 19);
    const auto far = bench.block(5, MemoryKind::sdram, 1 << 19),
               other = bench.block(9, MemoryKind::sdram, 64);
    bench.start_at(Duration{0}, bench.dma(0, 5, source.elan, far.elan, 1 << 19));
    elan::DmaDescriptor small = bench.dma(0, 9, source.elan, other.elan, 64);
    small.urgent = urgent;
    bench.start_at(500us, small);
    bench.run();
    return bench.ended.at(small.cookie) - Duration(500us);
  };
  const std::string nic = "elan:map_page=0ns,slice=";
  const Duration all = time_of_short(nic + "100000", false);
  const Duration slices = time_of_short(nic + "32", false);
  const Duration urgent = time_of_short(nic + "100000", true);
  EXPECT_GT(all, Duration(1ms)) << "it comes after all of the long one";
  EXPECT_LT(slices, Duration(40us)) << "32 packets take 31 us";
  EXPECT_LT(urgent, Duration(6us)) << "it waits for packets that were begun";
}

TEST(Elan, QueuedDmasGoOneAfterAnother) {
  ElanBench bench;
  const auto source = bench.block(0, MemoryKind::main, 100'000);
  std::vector<std::uint64_t> expected;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const std::size_t to = 1 + i % 3;
    const std::uint64_t bytes = i % 4 == 0 ? 50'000 : 10;
    elan::DmaDescriptor dma =
        bench.dma(0, to, source.elan, bench.block(to, MemoryKind::main, 50'000).elan, bytes);
    dma.queue = 4;
    dma.urgent = i % 2 == 1;
    expected.push_back(dma.cookie);
    bench.start_at(Duration{0}, dma);
  }
  bench.run();
  EXPECT_EQ(bench.order, expected);
}

TEST(Elan, ARefusedDmaDoesNotDisturbItsQueue) {
  for (const bool alone : {true, false}) {
    ElanBench bench;
    const auto source = bench.block(0, MemoryKind::main, 50'000);
    const auto target = bench.block(1, MemoryKind::main, 50'000);
    std::vector<std::uint64_t> expected;
    for (std::uint64_t i = 0; i < (alone ? 1 : 9); ++i) {
      const bool refused = i % 3 == 1 || alone;
      elan::DmaDescriptor dma =
          bench.dma(0, 1, refused ? 64 : source.elan, target.elan, 50'000 / (i + 1));
      dma.queue = 4;
      if (!refused) expected.push_back(dma.cookie);
      bench.start_at(Duration{0}, dma);
    }
    bench.run();
    std::vector<std::uint64_t> order;
    for (const std::uint64_t cookie : bench.order)
      if (bench.outcomes.at(cookie) == TransferStatus::ok) order.push_back(cookie);
    EXPECT_EQ(order, expected);
    EXPECT_EQ(bench.traps.size(), alone ? 1U : 3U);
  }
}

// --- what limits it -----------------------------------------------------------------------------

struct Stream {
  double megabytes_per_second = 0;
  std::map<std::string, double> busy;  ///< of the source's Elan
};

/// One DMA after another, for which pages are mapped before.
Stream stream(MemoryKind from, MemoryKind to, bool both, const std::string& nic = "elan") {
  ElanBench bench(tree, nic);
  constexpr std::uint64_t bytes = 262'144;
  constexpr Duration begin = 20ms;
  const auto a = bench.block(0, from, bytes), b = bench.block(5, to, bytes);
  const auto c = bench.block(5, from, bytes), d = bench.block(0, to, bytes);
  std::uint64_t last = 0;
  std::array<Duration, 4> before{};
  for (const Duration at : {Duration{0}, begin}) {
    bench.start_at(at, bench.dma(0, 5, a.elan, b.elan, bytes));
    last = bench.cookies;
    if (both) bench.start_at(at, bench.dma(5, 0, c.elan, d.elan, bytes));
  }
  bench.on_done = [&](std::uint64_t cookie) {
    if (cookie == last || before[1].count() > 0) return;
    for (std::size_t i = 0; i < before.size(); ++i)
      before[i] = bench.elans.part(HostId(0), i).busy();
  };
  bench.run();
  const Duration time = bench.ended.at(last) - begin;
  Stream out;
  out.megabytes_per_second = static_cast<double>(bytes) / (static_cast<double>(time.count()) / 1e6);
  for (std::size_t i = 0; i < before.size(); ++i)
    out.busy[std::string(bench.elans.part_names()[i])] =
        static_cast<double>((bench.elans.part(HostId(0), i).busy() - before[i]).count()) /
        static_cast<double>(time.count());
  return out;
}

TEST(Elan, TheSlowestPartIsTheBottleneckAndIsBusy) {
  if (test::is_slow_build()) GTEST_SKIP() << "a long measurement";
  // 64 B: 199.2 ns over PCI, 114 ns over the bus, 60 ns more from SDRAM; 191 flits of 5 ns carry
  // 320 B.
  const Stream elan = stream(MemoryKind::sdram, MemoryKind::sdram, false);
  EXPECT_NEAR(elan.megabytes_per_second, 320 / 0.955, 4);
  const Stream main = stream(MemoryKind::main, MemoryKind::main, false);
  EXPECT_NEAR(main.megabytes_per_second, 64 / 0.1992, 3);
  EXPECT_GT(main.busy.at("pci"), 0.98);
}

TEST(Elan, BothDirectionsShareTheSlowestPart) {
  if (test::is_slow_build()) GTEST_SKIP() << "a long measurement";
  const Stream both_main = stream(MemoryKind::main, MemoryKind::main, true);
  EXPECT_NEAR(both_main.megabytes_per_second, 64 / 0.1992 / 2, 2);
  EXPECT_GT(both_main.busy.at("pci"), 0.98);
  const Stream to_elan = stream(MemoryKind::main, MemoryKind::sdram, true);
  EXPECT_NEAR(to_elan.megabytes_per_second, 64 / 0.228, 4);
  EXPECT_GT(to_elan.busy.at("bus"), 0.98);
  const Stream both_elan = stream(MemoryKind::sdram, MemoryKind::sdram, true);
  EXPECT_NEAR(both_elan.megabytes_per_second, 64 / 0.288, 4);
  EXPECT_GT(both_elan.busy.at("bus"), 0.98);
}

TEST(Elan, RequestsToMemoryOverlapUpToTheirNumber) {
  if (test::is_slow_build()) GTEST_SKIP() << "a long measurement";
  // One at a time: 199.2 ns over PCI and 100 ns until memory answers, every block.
  const Stream one = stream(MemoryKind::main, MemoryKind::sdram, false, "elan:requests=1");
  const Stream many = stream(MemoryKind::main, MemoryKind::sdram, false);
  EXPECT_NEAR(one.megabytes_per_second, 64 / 0.2992, 3);
  EXPECT_GT(many.megabytes_per_second, 64 / 0.2);
}

TEST(Elan, OneLaneCannotHideAcknowledgments) {
  ElanBench two;
  EXPECT_NE(std::string(test::elite).find("lanes=2"), std::string::npos);
  const auto time = [](const char* switches) {
    ElanBench bench(tree, "elan:map_page=0ns", {}, switches);
    const auto a = bench.block(0, MemoryKind::sdram, 64'000),
               b = bench.block(5, MemoryKind::sdram, 64'000);
    bench.start_at(Duration{0}, bench.dma(0, 5, a.elan, b.elan, 64'000));
    bench.run();
    return bench.ended.at(1);
  };
  EXPECT_GT(time("iq:flit=2B,lanes=1,buffer=128,route=3"), time(test::elite) * 5 / 4);
}

// --- at random ----------------------------------------------------------------------------------

/// Random DMAs of random processes: every byte is where it was last sent to, every DMA ends once,
/// events have been set as often as was asked for.
TEST(Elan, RandomDmasLeaveTheRightBytes) {
  for (int turn = 0; turn < test::tries(10, 300); ++turn) {
    Rng rng(static_cast<std::uint64_t>(turn) + 77);
    ElanBench bench(
        turn % 2 == 0 ? "tree:k=2,n=3,speed=3.2Gb/s" : tree,
        fmt::format("elan:slice={},requests={},map_page=1us", 1 + rng.below(8), 1 + rng.below(8)));
    const std::size_t hosts = bench.contexts.size();
    struct Sent {
      std::span<std::byte> source, target;
    };
    std::vector<Sent> all;
    std::map<std::pair<std::size_t, elan::Address>, std::uint64_t> sets;
    std::vector<elan::Address> events;
    for (std::size_t host = 0; host < hosts; ++host)
      events.push_back(bench.block(host, MemoryKind::sdram, 8).elan);
    for (int i = 0; i < 60; ++i) {
      const std::size_t from = rng.below(hosts), to = rng.below(hosts);
      const std::uint64_t bytes = rng.below(3) == 0 ? rng.below(20'000) : rng.below(700);
      const auto store = [&] { return rng.below(2) == 0 ? MemoryKind::main : MemoryKind::sdram; };
      const auto source = bench.block(from, store(), bytes + 1);
      const auto target = bench.block(to, store(), bytes + 1);
      fill(source.bytes, rng);
      elan::DmaDescriptor dma = bench.dma(from, to, source.elan, target.elan, bytes);
      dma.urgent = rng.below(4) == 0;
      if (rng.below(3) == 0) dma.queue = static_cast<std::uint32_t>(rng.below(2));
      if (rng.below(3) == 0) {  // another process asks for it
        const std::size_t by = rng.below(hosts);
        dma.by = static_cast<elan::Process>(by);
        dma.at = bench.place(by);
      }
      if (rng.below(2) == 0) ++sets[{to, dma.target_event = events[to]}];
      if (rng.below(2) == 0) ++sets[{from, dma.source_event = events[from]}];
      bench.start_at(Duration(static_cast<std::int64_t>(rng.below(50'000'000))), dma);
      all.push_back({source.bytes.first(bytes), target.bytes.first(bytes)});
    }
    bench.run();
    ASSERT_EQ(bench.outcomes.size(), 60U);
    for (const auto& [cookie, outcome] : bench.outcomes)
      EXPECT_EQ(outcome, TransferStatus::ok) << cookie;
    for (const Sent& sent : all)
      EXPECT_TRUE(std::equal(sent.source.begin(), sent.source.end(), sent.target.begin()));
    for (const auto& [event, count] : sets)
      EXPECT_EQ(bench.elans.event_count(bench.place(event.first), event.second), count);
  }
}

}  // namespace
}  // namespace weft::sim
