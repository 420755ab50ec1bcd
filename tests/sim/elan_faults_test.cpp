// SPDX-License-Identifier: Apache-2.0
// Faults under Elans: whatever breaks, every DMA is delivered once and in its turn, or reported
// failed because there is no route any more.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/rng.hpp"
#include "fabric/detour.hpp"
#include "support/elan_bench.hpp"
#include "support/fabrics.hpp"

namespace weft::sim {
namespace {

using elan::MemoryKind;
using test::ElanBench;

Faults random_faults(const Fabric& fabric, Rng& rng, Cycle within) {
  Faults faults;
  for (std::uint64_t i = rng.below(5); i > 0; --i)
    faults.links.push_back(
        {.link = LinkId(rng.below(fabric.link_count())), .at = rng.below(within)});
  if (rng.below(4) == 0)
    faults.links.push_back(
        {.host = HostId(rng.below(fabric.host_count())), .at = rng.below(within)});
  if (rng.below(3) == 0)
    faults.switches.push_back({SwitchId(rng.below(fabric.switch_count())), rng.below(within)});
  for (LinkFault& fault : faults.links)
    if (rng.below(3) == 0) fault.until = fault.at + 1 + rng.below(within);
  for (std::uint64_t i = rng.below(6); i > 0; --i)
    faults.glitches.push_back(
        {.link = LinkId(rng.below(fabric.link_count())), .at = rng.below(within)});
  if (rng.below(2) == 0) faults.bit_error_rate = 1e-6 * static_cast<double>(1 + rng.below(20));
  return faults;
}

TEST(ElanFaults, APacketIsSentAgainAsOftenAsTheModelSays) {
  HostOptions options;
  options.network.faults.links = {{.host = HostId(3), .at = 0}};
  ElanBench bench("tree:k=2,n=2,speed=3.2Gb/s", "elan:retries=3,retry_after=1us", options);
  const auto source = bench.block(0, MemoryKind::main, 64);
  const auto target = bench.block(3, MemoryKind::main, 64);
  const elan::DmaDescriptor dma = bench.dma(0, 3, source.elan, target.elan, 64);
  bench.start_at(Duration(0), dma);
  bench.run();
  EXPECT_EQ(bench.outcomes.at(dma.cookie), TransferStatus::lost);
  EXPECT_EQ(bench.elans.counts().retries, 3U);
}

TEST(ElanFaults, DmasAreDeliveredOnceAndInOrderOrReportedFailed) {
  std::uint64_t faults_seen = 0, failed = 0, delivered = 0, reroutes = 0, duplicates = 0;
  for (int turn = 0; turn < test::tries(60, 3000); ++turn) {
    Rng rng(static_cast<std::uint64_t>(turn) + 1000);
    const char* const topologies[] = {"tree:k=2,n=2,speed=3.2Gb/s", "tree:k=2,n=3,speed=3.2Gb/s",
                                      "tree:k=4,n=2,speed=3.2Gb/s"};
    const std::string topology = topologies[rng.below(3)];
    HostOptions options;
    options.network.check = true;
    options.network.seed = rng.below(1'000'000);
    options.network.faults = random_faults(make_fabric(topology), rng, 30'000);
    ElanBench bench(topology, "elan:map_page=100ns,retry_after=1us", options);
    const std::size_t hosts = bench.contexts.size();

    struct Sent {
      std::uint64_t cookie;
      std::size_t from, to;
      std::span<std::byte> source, target;
      elan::Address event;
      std::uint32_t queue;
    };
    std::vector<Sent> all;
    for (int i = 0; i < 40; ++i) {
      const std::size_t from = rng.below(hosts), to = rng.below(hosts);
      const std::uint64_t bytes = rng.below(3) == 0 ? rng.below(8000) : rng.below(400);
      const auto source = bench.block(from, MemoryKind::main, bytes + 1);
      const auto target = bench.block(to, MemoryKind::main, bytes + 1);
      for (std::byte& byte : source.bytes) byte = static_cast<std::byte>(1 + rng.below(255));
      elan::DmaDescriptor dma = bench.dma(from, to, source.elan, target.elan, bytes);
      dma.target_event = bench.block(to, MemoryKind::sdram, 8).elan;
      if (rng.below(2) == 0) dma.queue = static_cast<std::uint32_t>(rng.below(2));
      all.push_back({dma.cookie, from, to, source.bytes.first(bytes), target.bytes.first(bytes),
                     dma.target_event, dma.queue});
      // Those of a queue are begun in their order.
      bench.start_at(Duration(static_cast<std::int64_t>(i) * 3'000'000), dma);
    }
    bench.run();

    const Levels levels(bench.fabric);
    const Obstacles obstacles = elan::obstacles_of(bench.fabric, options.network.faults);
    ASSERT_EQ(bench.outcomes.size(), all.size()) << "seed " << turn;
    for (const Sent& sent : all) {
      const TransferStatus outcome = bench.outcomes.at(sent.cookie);
      const std::uint64_t events = bench.elans.event_count(bench.place(sent.to), sent.event);
      if (outcome == TransferStatus::ok) {
        ++delivered;
        EXPECT_EQ(events, 1U) << "seed " << turn;
        EXPECT_TRUE(std::equal(sent.source.begin(), sent.source.end(), sent.target.begin()))
            << "seed " << turn;
        continue;
      }
      ++failed;
      EXPECT_EQ(outcome, TransferStatus::lost);
      EXPECT_LE(events, 1U);  // the acknowledgment may be what is lost
      EXPECT_FALSE(detour(bench.fabric, levels, HostId(sent.from), HostId(sent.to), {&obstacles}))
          << "seed " << turn << ": there is a way from " << sent.from << " to " << sent.to;
    }
    std::map<std::pair<std::size_t, std::uint32_t>, std::uint64_t> last;
    for (const std::uint64_t cookie : bench.order) {
      const Sent& sent = all[cookie - 1];
      if (sent.queue == elan::no_queue) continue;
      EXPECT_GT(cookie, (last[{sent.from, sent.queue}])) << "out of order, seed " << turn;
      last[{sent.from, sent.queue}] = cookie;
    }
    const Faults& planned = options.network.faults;
    faults_seen += planned.links.size() + planned.switches.size() + bench.elans.counts().retries;
    reroutes += bench.elans.counts().reroutes;
    duplicates += bench.elans.counts().duplicates;
  }
  RecordProperty("faults", std::to_string(faults_seen));
  RecordProperty("doubles", std::to_string(duplicates));
  EXPECT_GT(failed, 0U);
  EXPECT_GT(reroutes, 0U);
  EXPECT_GT(delivered, 4 * failed);
}

}  // namespace
}  // namespace weft::sim
