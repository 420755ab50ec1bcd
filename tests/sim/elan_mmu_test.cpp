// SPDX-License-Identifier: Apache-2.0
// What the MMU and the cache of an Elan cost: TLB hits and walks, pages mapped on demand, room that
// tables take, lines filled and written back; and that an idle one costs next to nothing.
#include <gtest/gtest.h>

#include <list>
#include <set>

#include "base/message.hpp"
#include "base/rng.hpp"
#include "sim/elan/memory/memory.hpp"
#include "support/allocations.hpp"

namespace weft::test::elan_mmu {
namespace {

using namespace sim::elan;

constexpr std::uint64_t page = 8192;

Translation touch(Memory& memory, Context context, std::uint64_t address) {
  const auto process = memory.process_of(context);
  return std::get<Translation>(
      memory.translate(context, static_cast<Address>(address), Access::read, *process));
}

TEST(ElanMmu, MapsPagesWhenTheyAreTouchedFirst) {
  Memory memory({});
  const Context context = memory.attach(3);
  const MemoryBlock block = memory.allocate(context, MemoryKind::sdram, 2 * page);
  block.bytes[page + 7] = std::byte{42};
  EXPECT_EQ(memory.counters().pages_mapped, 0U);
  const auto first = touch(memory, context, block.elan + page + 7);
  EXPECT_TRUE(first.mapped_now);
  EXPECT_EQ(first.reads, 3U);
  EXPECT_EQ(first.physical.kind, MemoryKind::sdram);
  EXPECT_EQ(memory.bytes(first.physical, 1)[0], std::byte{42});
  const auto again = touch(memory, context, block.elan + page);
  EXPECT_FALSE(again.mapped_now);
  EXPECT_EQ(again.reads, 0U);
  EXPECT_EQ(again.physical.at, first.physical.at - 7);
  EXPECT_TRUE(touch(memory, context, block.elan).mapped_now);
  EXPECT_EQ(memory.counters().pages_mapped, 2U);
  EXPECT_EQ(memory.counters().table_reads, 6U);
}

TEST(ElanMmu, WalksReadEntriesOfTablesInSdram) {
  Memory memory({});
  const Context context = memory.attach(3), other = memory.attach(4);
  const MemoryBlock block = memory.allocate(context, MemoryKind::sdram, 20 * page);
  const MemoryBlock apart = memory.allocate(other, MemoryKind::sdram, page);
  std::set<std::uint64_t> tables, data;
  for (unsigned i = 0; i < 20; ++i) {
    const auto found = touch(memory, context, block.elan + i * page);
    ASSERT_EQ(found.reads, 3U);
    data.insert(found.physical.at / page);
    for (const std::uint64_t at : found.read_at) {
      EXPECT_EQ(at % 8, 0U);
      EXPECT_LT(at, std::uint64_t{64} << 20U);
      tables.insert(at / page);
    }
    EXPECT_EQ(found.read_at[2] % page, (block.elan / page + i) % 1024 * 8);
  }
  EXPECT_EQ(data.size(), 20U);
  EXPECT_EQ(tables.size(), 3U);
  for (const std::uint64_t frame : tables) EXPECT_FALSE(data.contains(frame));
  const auto elsewhere = touch(memory, other, apart.elan);
  EXPECT_TRUE(tables.contains(elsewhere.read_at[0] / page));  // the table of contexts
  EXPECT_FALSE(tables.contains(elsewhere.read_at[1] / page));
  EXPECT_FALSE(tables.contains(elsewhere.read_at[2] / page));
  EXPECT_FALSE(data.contains(elsewhere.physical.at / page));
}

TEST(ElanMmu, LeafTablesHaveAsManyEntriesAsAPageHolds) {
  Memory memory({});
  const Context context = memory.attach(3);
  const MemoryBlock block = memory.allocate(context, MemoryKind::main, 1100 * page);
  EXPECT_EQ(memory.sdram_left(), Bytes{(8192 - 4) * page});  // contexts, a root, two leaves
  std::set<std::uint64_t> leaves, entries;
  for (const bool again : {false, true})
    for (unsigned i = 0; i < 1100; ++i) {
      const auto found = touch(memory, context, block.elan + i * page);
      ASSERT_EQ(found.mapped_now, !again);
      ASSERT_EQ(memory.bytes(found.physical, page).data(), &block.bytes[i * page]);
      leaves.insert(found.read_at[2] / page);
      entries.insert(found.read_at[2]);
    }
  EXPECT_EQ(leaves.size(), 2U);
  EXPECT_EQ(entries.size(), 1100U);
}

TEST(ElanMmu, SixteenPagesInTurnStayInTheTlbSeventeenNever) {
  for (const unsigned pages : {16U, 17U}) {
    Memory memory({});
    const Context context = memory.attach(3);
    const MemoryBlock block = memory.allocate(context, MemoryKind::main, pages * page);
    for (unsigned round = 0; round < 5; ++round)
      for (unsigned i = 0; i < pages; ++i) {
        const auto found = touch(memory, context, block.elan + i * page);
        EXPECT_EQ(found.reads, round == 0 || pages == 17 ? 3U : 0U);
        EXPECT_EQ(found.mapped_now, round == 0);
      }
    EXPECT_EQ(memory.counters().tlb_misses, pages == 16 ? 16U : 5 * 17U);
    EXPECT_EQ(memory.counters().tlb_hits, pages == 16 ? 64U : 0U);
  }
}

TEST(ElanMmu, TlbForgetsWhatWasUsedLongestAgo) {
  Memory memory({});
  const Context context = memory.attach(3);
  const MemoryBlock block = memory.allocate(context, MemoryKind::main, 17 * page);
  for (unsigned i = 0; i < 16; ++i) touch(memory, context, block.elan + i * page);
  touch(memory, context, block.elan);  // so page 1 is the oldest
  touch(memory, context, block.elan + 16 * page);
  EXPECT_EQ(touch(memory, context, block.elan).reads, 0U);
  EXPECT_EQ(touch(memory, context, block.elan + 2 * page).reads, 0U);
  EXPECT_EQ(touch(memory, context, block.elan + page).reads, 3U);
}

TEST(ElanMmu, TlbServesNoMappingThatIsGone) {
  Memory memory({});
  const Context context = memory.attach(3);
  const MemoryBlock block = memory.allocate(context, MemoryKind::sdram, 2 * page);
  for (const unsigned offset : {0U, 8192U}) touch(memory, context, block.elan + offset);
  memory.release(context, block.elan);
  EXPECT_EQ(std::get<Fault>(memory.translate(context, block.elan, Access::read, 3)),
            Fault::unmapped);
  const MemoryBlock next = memory.allocate(context, MemoryKind::main, 2 * page);
  ASSERT_EQ(next.elan, block.elan);
  for (const unsigned offset : {0U, 8192U}) {
    const auto found = touch(memory, context, next.elan + offset);
    EXPECT_TRUE(found.mapped_now);
    EXPECT_EQ(found.physical.kind, MemoryKind::main);
    EXPECT_EQ(memory.bytes(found.physical, page).data(), &next.bytes[offset]);
  }
}

TEST(ElanMmu, FaultsAreCountedAndMapNothing) {
  Memory memory({});
  const Context context = memory.attach(3);
  const MemoryBlock block = memory.allocate(context, MemoryKind::sdram, page);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(std::get<Fault>(memory.translate(context, block.elan, Access::read, 4)),
              Fault::not_exported);
  EXPECT_EQ(memory.counters().faults, 3U);
  EXPECT_EQ(memory.counters().tlb_misses, 0U);
  EXPECT_TRUE(touch(memory, context, block.elan).mapped_now);
}

TEST(ElanMmu, SdramRunsOutAndComesBack) {
  Memory memory({.sdram{10 * page}});
  const Context context = memory.attach(3);  // takes a table of contexts and a root
  EXPECT_EQ(memory.sdram_left(), Bytes{8 * page});
  const MemoryBlock first = memory.allocate(context, MemoryKind::sdram, page);  // and a leaf
  EXPECT_EQ(memory.sdram_left(), Bytes{6 * page});
  const MemoryBlock second = memory.allocate(context, MemoryKind::sdram, 5 * page);
  const auto refused = [&] {
    return message_of([&] { memory.allocate(context, MemoryKind::sdram, 2 * page); });
  };
  EXPECT_EQ(refused(), "the Elan's SDRAM is full: 2 pages wanted, 1 of 10 are free");
  EXPECT_EQ(memory.sdram_left(), Bytes{page});
  memory.release(context, first.elan);  // two frames that are not neighbours
  const MemoryBlock last = memory.allocate(context, MemoryKind::sdram, 2 * page);
  EXPECT_EQ(memory.sdram_left(), Bytes{0});
  EXPECT_NE(message_of([&] { memory.attach(4); }), "(no error)");
  EXPECT_EQ(memory.context_of(4), std::nullopt);
  EXPECT_EQ(memory.allocate(context, MemoryKind::main, page).bytes.size(), page);
  for (const MemoryBlock& block : {second, last})
    for (std::uint64_t at = 0; at < block.bytes.size(); at += page) {
      const auto found = touch(memory, context, block.elan + at);
      EXPECT_EQ(memory.bytes(found.physical, page).data(), &block.bytes[at]);
    }
  memory.detach(context);
  EXPECT_EQ(memory.sdram_left(), Bytes{9 * page});
  EXPECT_EQ(memory.attach(4), context + 1);
}

TEST(ElanMmu, IdleMemoryCostsNextToNothing) {
  EXPECT_LT(sizeof(Memory), 1024U);
  const std::uint64_t before = allocations();
  const Memory memory({});
  EXPECT_EQ(allocations(), before);
}

TEST(ElanMmu, AccessesThatLeaveTheirPageAreABug) {
  Memory memory({});
  const Context context = memory.attach(3);
  const MemoryBlock block = memory.allocate(context, MemoryKind::main, 2 * page);
  EXPECT_DEATH(memory.translate(context, block.elan + 1, Access::read, 3, page), "leaves its page");
  EXPECT_DEATH(memory.bytes({MemoryKind::main, page - 1}, 2), "no such bytes");
  EXPECT_DEATH(memory.bytes({MemoryKind::sdram, ~std::uint64_t{0}}, 1), "no such bytes");
}

/// Lists of lines, the one used last first.
struct PlainCache {
  using Row = std::list<std::pair<std::uint64_t, bool>>;
  std::vector<Row> rows;
  std::size_t ways;
  std::uint64_t write_backs = 0;
  bool touch(std::uint64_t line, bool write) {
    Row& row = rows[line % rows.size()];
    for (auto known = row.begin(); known != row.end(); ++known)
      if (known->first == line) {
        known->second |= write;
        row.splice(row.begin(), row, known);
        return true;
      }
    row.emplace_front(line, write);
    if (row.size() > ways) {
      write_backs += row.back().second ? 1 : 0;
      row.pop_back();
    }
    return false;
  }
};

TEST(ElanCache, DoesAsAPlainOneDoes) {
  Rng rng(6);
  for (const CacheGeometry options :
       {CacheGeometry{}, {.size{1024}, .ways = 1, .line{64}}, {.size{96}, .ways = 3, .line{32}}}) {
    Cache cache(options);
    const auto lines = static_cast<std::uint64_t>(options.size.count / options.line.count);
    PlainCache plain{.rows = std::vector<PlainCache::Row>(lines / options.ways),
                     .ways = options.ways};
    std::uint64_t hits = 0;
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t at = rng.below(static_cast<std::uint64_t>(2 * options.size.count));
      const bool write = rng.below(3) == 0;
      const bool hit = plain.touch(at / cache.line_bytes(), write);
      ASSERT_EQ(cache.touch(at, write), hit);
      hits += hit ? 1 : 0;
    }
    EXPECT_EQ(cache.hits(), hits);
    EXPECT_EQ(cache.fills(), 20'000 - hits);
    EXPECT_EQ(cache.write_backs(), plain.write_backs);
    EXPECT_GT(hits, 0U);
    EXPECT_GT(plain.write_backs, 0U);
  }
}

TEST(ElanCache, HoldsEightKibibytesAndFourLinesOfARow) {
  Cache cache({});
  for (const bool again : {false, true})
    for (std::uint64_t at = 0; at < 8192; at += 32) EXPECT_EQ(cache.touch(at, false), again);
  for (const bool again : {false, false})
    for (std::uint64_t at = 0; at < 5 * 2048; at += 2048)
      EXPECT_EQ(cache.touch(at + (1 << 20), true), again);
  EXPECT_EQ(cache.write_backs(), 6U);
}

}  // namespace
}  // namespace weft::test::elan_mmu
