// SPDX-License-Identifier: Apache-2.0
// What no Elan has or does is refused in one clear line, and nothing is changed by it.
#include <gtest/gtest.h>

#include <limits>

#include "base/message.hpp"
#include "sim/elan/memory/memory.hpp"

namespace weft::test::elan_refusals {
namespace {

using namespace sim::elan;

constexpr std::size_t endless = std::numeric_limits<std::size_t>::max();

std::string refusal(const MemoryOptions& options) {
  return message_of([&] { Memory memory(options); });
}

TEST(ElanRefusals, OptionsOfNoElan) {
  EXPECT_EQ(refusal({.page{4096}}),
            "Elan memory: a page of 4KiB: 8KiB, 16KiB, 32KiB or 64KiB are possible");
  EXPECT_EQ(refusal({.page{12288}}),
            "Elan memory: a page of 12KiB: 8KiB, 16KiB, 32KiB or 64KiB are possible");
  EXPECT_EQ(refusal({.sdram{(1 << 28) + 1}}),
            "Elan memory: 268435457B of SDRAM: a page up to 256MiB are possible");
  EXPECT_EQ(refusal({.sdram{-1}}), "Elan memory: -1B of SDRAM: a page up to 256MiB are possible");
  EXPECT_EQ(refusal({.main{0}}),
            "Elan memory: 0B of main memory: a page up to 262144GiB are possible");
  EXPECT_EQ(refusal({.tlb_entries = 0}), "Elan memory: a TLB has an entry or more");
  EXPECT_EQ(refusal({.host_end = 0x20000000000}),
            "Elan memory: 0x1ff0c808000 to 0x20000000000 cannot be the Elan's addresses from "
            "0xc808000 on");
  for (const Address base : {0U, 0x1000U, 0xC808001U, 0xC80A000U})
    EXPECT_NE(refusal({.elan_base = base}), "(no error)") << base;
  EXPECT_EQ(refusal({.host_base = 0x1FF0C808000, .host_end = 0x1FF0C80FFFF, .heap{65536}}),
            "Elan memory: a heap of 64KiB is not whole pages within the Elan's reach");
  EXPECT_EQ(refusal({.cache{.line{48}}}),
            "Elan cache: 8KiB in 4 ways of lines of 48B: this does not divide");
  EXPECT_EQ(refusal({.cache{.ways = 0}}),
            "Elan cache: 8KiB in 0 ways of lines of 32B: this does not divide");
  EXPECT_EQ(refusal({.sdram{1 << 28}, .page{32 << 10}}), "(no error)");
}

TEST(ElanRefusals, ContextsThatAreNone) {
  Memory memory({});
  const Context context = memory.attach(3);
  EXPECT_EQ(message_of([&] { memory.attach(3); }),
            "attach: process 3 is here already, as context 1");
  memory.detach(context);
  EXPECT_EQ(message_of([&] { memory.detach(context); }), "detach: the Elan has no context 1");
  EXPECT_EQ(message_of([&] { memory.allocate(1, MemoryKind::main, 8); }),
            "allocate: the Elan has no context 1");
  EXPECT_EQ(message_of([&] { memory.release(2, 0xC808000); }),
            "release: the Elan has no context 2");
  EXPECT_EQ(message_of([&] { memory.map(0, {}); }), "map: the Elan has no context 0");
  EXPECT_EQ(message_of([&] { memory.open(9, 0xC808000, 1, AccessRights::both, {}); }),
            "open: the Elan has no context 9");
}

TEST(ElanRefusals, ContextsAreNeverUsedTwice) {
  Memory memory({});
  for (unsigned number = 1; number <= 65'535; ++number) {
    ASSERT_EQ(memory.attach(number), number);
    memory.detach(static_cast<Context>(number));
  }
  EXPECT_EQ(message_of([&] { memory.attach(1); }),
            "attach: all 65535 contexts of the Elan were used");
}

TEST(ElanRefusals, BlocksThatCannotBe) {
  Memory memory({});
  const Context context = memory.attach(3);
  const auto allocation = [&](MemoryKind store, std::size_t bytes, std::size_t alignment) {
    return message_of([&] { memory.allocate(context, store, bytes, alignment); });
  };
  EXPECT_EQ(allocation(MemoryKind::main, 0, 64), "allocate: a block has a byte or more");
  for (const std::size_t alignment : {0U, 3U, 16384U})
    EXPECT_EQ(
        allocation(MemoryKind::main, 1, alignment),
        fmt::format("allocate: an alignment of {} is no power of two up to a page", alignment));
  for (const std::size_t bytes : {endless, endless - 8190, std::size_t{1} << 31U | 1U})
    EXPECT_EQ(allocation(MemoryKind::main, bytes, 64),
              fmt::format("allocate: no {} bytes of addresses are free in the heap", bytes));
  EXPECT_EQ(allocation(MemoryKind::main, std::size_t{1} << 31U, 64),
            "main memory is full: 262144 pages wanted, 131072 of 131072 are free");
  EXPECT_EQ(allocation(MemoryKind::sdram, 64 << 20, 64),
            "the Elan's SDRAM is full: 8192 pages wanted, 8190 of 8192 are free");
}

TEST(ElanRefusals, ReleaseOfWhatIsNoBlock) {
  Memory memory({});
  const Context context = memory.attach(3), other = memory.attach(4);
  const Address small = memory.allocate(context, MemoryKind::main, 100).elan;
  const Address beside = memory.allocate(context, MemoryKind::main, 100).elan;
  const Address large = memory.allocate(context, MemoryKind::main, 10'000).elan;
  memory.allocate(other, MemoryKind::main, 5000);
  const auto release = [&](Context by, Address address) {
    return message_of([&] { memory.release(by, address); });
  };
  EXPECT_EQ(release(context, 0), "release: no block of context 1 begins at 0x0");
  for (const Address address : {small + 1, small + 100, large + 8192, large - 1, ~Address{0}})
    EXPECT_NE(release(context, address), "(no error)") << address;
  EXPECT_NE(release(other, beside), "(no error)");
  for (const Address address : {large, small, beside}) {
    EXPECT_EQ(release(context, address), "(no error)");
    EXPECT_EQ(release(context, address),
              fmt::format("release: no block of context 1 begins at {:#x}", address));
  }
}

TEST(ElanRefusals, SegmentsOfWhatIsNotThere) {
  Memory memory({});
  const Context context = memory.attach(3);
  const Address block = memory.allocate(context, MemoryKind::main, 100).elan;
  const auto opening = [&](Address address, std::size_t bytes, AccessRights rights) {
    return message_of([&] { memory.open(context, address, bytes, rights, {}); });
  };
  EXPECT_EQ(opening(block, 0, AccessRights::both), "open: a segment has a byte or more");
  EXPECT_EQ(opening(block, 1, AccessRights::none), "open: a segment without rights is of no use");
  EXPECT_EQ(opening(block, 101, AccessRights::both),
            "open: not all of 101 bytes from 0xc808000 on are blocks of context 1");
  // Sizes that wrap round 2^32 and 2^64, addresses below, within the page but in no block, at 0.
  for (const std::size_t bytes : {std::size_t{1} << 32U, endless, endless - block + 2})
    EXPECT_NE(opening(block, bytes, AccessRights::both), "(no error)") << bytes;
  for (const Address address : {block - 1, block + 100, block + 8191, ~Address{0}, 0U})
    EXPECT_NE(opening(address, 1, AccessRights::both), "(no error)") << address;
  EXPECT_EQ(opening(block, 100, AccessRights::both), "(no error)");
}

TEST(ElanRefusals, HandlesThatAreForged) {
  Memory memory({});
  const Context context = memory.attach(3), other = memory.attach(4);
  const Address block = memory.allocate(context, MemoryKind::main, 100).elan;
  const SegmentId first = memory.open(context, block, 100, AccessRights::both, {});
  const SegmentId second = memory.open(context, block, 100, AccessRights::both, {});
  EXPECT_NE(first, second);
  memory.close(first);
  const SegmentId elsewhere = (second & 0xFFFFFFFFFFFFU) | SegmentId{other} << 48U;
  for (const SegmentId forged : {first, second + 1, elsewhere, SegmentId{0}})
    EXPECT_EQ(message_of([&] { memory.close(forged); }),
              fmt::format("close: segment {:#x} is not open", forged));
  EXPECT_NE(memory.open(context, block, 100, AccessRights::both, {}), first);
  memory.release(context, block);  // withdraws what is open
  EXPECT_NE(message_of([&] { memory.close(second); }), "(no error)");
}

}  // namespace
}  // namespace weft::test::elan_refusals
