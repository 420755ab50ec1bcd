// SPDX-License-Identifier: Apache-2.0
// Hardware broadcast of Elans: the same bytes at the same address of a range of hosts, acknowledged
// together, whatever else is under way and whatever breaks.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.hpp"
#include "fabric/detour.hpp"
#include "support/elan_bench.hpp"
#include "support/fabrics.hpp"

namespace weft::sim {
namespace {

using elan::MemoryKind;
using test::ElanBench;

std::vector<HostId> hosts_from_to(std::size_t first, std::size_t last) {
  std::vector<HostId> out;
  for (std::size_t host = first; host <= last; ++host) out.push_back(HostId(host));
  return out;
}

/// A block of the same size everywhere, which so has the same address.
struct Everywhere {
  Everywhere(ElanBench& bench, std::size_t bytes, MemoryKind store = MemoryKind::main) {
    for (std::size_t host = 0; host < bench.contexts.size(); ++host) {
      const auto block = bench.block(host, store, bytes);
      EXPECT_TRUE(host == 0 || address == block.elan) << "hosts have allocated differently before";
      address = block.elan;
      at.push_back(block.bytes);
    }
  }
  elan::Address address = 0;
  std::vector<std::span<std::byte>> at;
};

TEST(ElanBroadcast, ReachesItsRangeAndNobodyElse) {
  for (const std::uint64_t bytes : {0U, 1U, 320U, 5000U}) {
    ElanBench bench("tree:k=4,n=2,speed=3.2Gb/s", "elan:map_page=0ns", {}, test::elite,
                    {hosts_from_to(3, 9)});
    const Everywhere block(bench, 5000), event(bench, 8, MemoryKind::sdram);
    std::fill(block.at[5].begin(), block.at[5].end(), std::byte{7});
    elan::BroadcastDescriptor all = bench.broadcast(5, 0, block.address, block.address, bytes);
    all.target_event = all.source_event = event.address;
    Duration last_written{0};
    bench.on_written = [&](HostId, std::span<const std::byte>) { last_written = bench.now(); };
    bench.elans.start(all);
    bench.run();
    EXPECT_EQ(bench.outcomes.at(all.cookie), TransferStatus::ok);
    for (std::size_t host = 0; host < 16; ++host) {
      const bool member = host >= 3 && host <= 9;
      const auto count = bench.elans.event_count(bench.place(host), event.address);
      EXPECT_EQ(count, member ? 1U : 0U) << host;
      if (bytes > 0) {
        EXPECT_EQ(block.at[host][bytes - 1], member ? std::byte{7} : std::byte{0}) << host;
      }
    }
    // Done when the last of them has acknowledged, not before.
    EXPECT_LT(last_written, bench.ended.at(all.cookie));
  }
}

TEST(ElanBroadcast, IsRefusedWhereOneOfItsHostsHasNotExportedTheMemory) {
  ElanBench bench("tree:k=4,n=2,speed=3.2Gb/s", "elan", {}, test::elite, {hosts_from_to(0, 15)});
  const Everywhere block(bench, 100);
  elan::BroadcastDescriptor all = bench.broadcast(0, 0, block.address, block.address, 100);
  all.contexts[7] = 99;
  bench.elans.start(all);
  bench.run();
  EXPECT_EQ(bench.outcomes.at(all.cookie), TransferStatus::refused);
  EXPECT_EQ(bench.traps.at(all.cookie).why, elan::Fault::no_context);
}

/// Broadcasts of overlapping ranges from everywhere, DMAs between them, links and switches that
/// fail, packets that are damaged: a broadcast that has ended well has brought all bytes to every
/// host of its range and set its event there once, others set none twice, and nothing hangs.
TEST(ElanBroadcast, LosesNothingAtRandom) {
  std::uint64_t complete = 0, incomplete = 0, again = 0;
  const int turns = test::tries(30, 1500);
  for (int turn = 0; turn < turns; ++turn) {
    Rng rng(static_cast<std::uint64_t>(turn) + 5);
    const std::string topology =
        rng.below(2) == 0 ? "tree:k=2,n=3,speed=3.2Gb/s" : "tree:k=4,n=2,speed=3.2Gb/s";
    const Fabric fabric = make_fabric(topology);
    HostOptions options;
    options.network.check = true;
    options.network.seed = rng.below(1000);
    const bool faults = rng.below(3) > 0;
    if (faults) {
      if (rng.below(2) == 0) options.network.faults.bit_error_rate = 2e-6;
      for (std::uint64_t i = rng.below(3); i > 0; --i)
        options.network.faults.links.push_back(
            {.link = LinkId(rng.below(fabric.link_count())), .at = rng.below(20'000)});
      if (rng.below(4) == 0)
        options.network.faults.switches.push_back(
            {SwitchId(rng.below(fabric.switch_count())), rng.below(20'000)});
    }
    std::vector<std::vector<HostId>> groups;
    for (int i = 0; i < 3; ++i) {
      const std::size_t first = rng.below(fabric.host_count() - 1);
      groups.push_back(
          hosts_from_to(first, first + 1 + rng.below(fabric.host_count() - first - 1)));
    }
    ElanBench bench(topology, "elan:map_page=0ns,retry_after=1us", options, test::elite, groups);
    struct Sent {
      elan::BroadcastDescriptor broadcast;
      Everywhere target, event;
      std::span<std::byte> source;
    };
    std::vector<Sent> all;
    std::vector<Everywhere> targets, events;
    for (int i = 0; i < 12; ++i) {
      targets.emplace_back(bench, 2001);
      events.emplace_back(bench, 8, MemoryKind::sdram);
    }
    for (std::size_t i = 0; i < 12; ++i) {
      const std::size_t from = rng.below(bench.contexts.size());
      const std::uint64_t bytes = rng.below(2000);
      const auto source = bench.block(from, MemoryKind::main, bytes + 1);
      for (std::byte& byte : source.bytes) byte = static_cast<std::byte>(1 + rng.below(255));
      elan::BroadcastDescriptor one = bench.broadcast(
          from, static_cast<std::uint32_t>(rng.below(3)), source.elan, targets[i].address, bytes);
      one.target_event = events[i].address;
      bench.elans.start(one);
      all.push_back({one, targets[i], events[i], source.bytes.first(bytes)});
      const std::size_t to = rng.below(bench.contexts.size());
      bench.start_at(
          Duration(static_cast<std::int64_t>(rng.below(60'000'000))),
          bench.dma(from, to, source.elan, bench.block(to, MemoryKind::main, 2001).elan, bytes));
    }
    bench.run();
    const Levels levels(fabric);
    const Obstacles obstacles = elan::obstacles_of(fabric, options.network.faults);
    ASSERT_EQ(bench.outcomes.size(), 24U) << "seed " << turn;
    for (const Sent& sent : all) {
      const TransferStatus outcome = bench.outcomes.at(sent.broadcast.cookie);
      (outcome == TransferStatus::ok ? complete : incomplete)++;
      if (!faults) {
        EXPECT_EQ(outcome, TransferStatus::ok);
      }
      for (const HostId host : groups[sent.broadcast.group]) {
        if (host == sent.broadcast.from.host) continue;
        const auto count = bench.elans.event_count(bench.place(host.index()), sent.event.address);
        EXPECT_LE(count, 1U);
        const bool reachable =
            detour(fabric, levels, sent.broadcast.from.host, host, {&obstacles}).has_value();
        if (outcome != TransferStatus::ok && !reachable) continue;
        EXPECT_EQ(count, 1U) << "seed " << turn;
        EXPECT_TRUE(std::equal(sent.source.begin(), sent.source.end(),
                               sent.target.at[host.index()].begin()))
            << "seed " << turn;
      }
    }
    again += bench.elans.counts().retries;
  }
  EXPECT_GT(complete, incomplete);
  EXPECT_GT(again, 0U);
  EXPECT_TRUE(incomplete > 0 || turns < 30) << "no host was ever out of reach";
}

}  // namespace
}  // namespace weft::sim
