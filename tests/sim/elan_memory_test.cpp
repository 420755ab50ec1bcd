// SPDX-License-Identifier: Apache-2.0
// The memory of an Elan: its addresses are those of figure 3, processes have what they allocate or
// map and nothing else, partners reach what is exported to them, and nobody gets round that.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>

#include "base/message.hpp"
#include "sim/elan/memory/memory.hpp"

namespace weft::test::elan_memory {
namespace {

using namespace sim::elan;

constexpr std::uint64_t page = 8192;
constexpr std::size_t endless = std::numeric_limits<std::size_t>::max();
constexpr std::array<Process, 1> only_7{7};

Fault fault(const std::optional<Trap>& trap) {
  EXPECT_TRUE(trap) << "allowed";
  return trap.value_or(Trap{}).why;
}
std::vector<std::byte> text(const char* words) {
  std::vector<std::byte> bytes(std::strlen(words));
  std::memcpy(bytes.data(), words, bytes.size());
  return bytes;
}

TEST(ElanAddresses, AreThoseOfFigureThree) {
  const Memory memory({});
  EXPECT_EQ(memory.to_elan(0x1FF0C808000), 0xC808000U);
  EXPECT_EQ(memory.to_elan(0x1FFFFFFFFFF), 0xFFFFFFFFU);
  EXPECT_EQ(memory.to_elan(0x1FF0C807FFF), std::nullopt);
  EXPECT_EQ(memory.to_elan(0x20000000000), std::nullopt);
  EXPECT_EQ(memory.to_elan(0xC808000), std::nullopt);  // not an address of the main processor
  EXPECT_EQ(memory.to_host(0xC808000), 0x1FF0C808000U);
  EXPECT_EQ(memory.to_host(0xFFFFFFFF), 0x1FFFFFFFFFFU);
  EXPECT_EQ(memory.to_host(0xC807FFF), std::nullopt);
  EXPECT_EQ(memory.to_host(0), std::nullopt);
  for (const Address elan : {0xC808000U, 0xC808001U, 0x80000000U, 0xFFFFFFFEU})
    EXPECT_EQ(memory.to_elan(*memory.to_host(elan)), elan);
}

TEST(ElanBlocks, AreTheSameBytesForProgramAndElan) {
  Memory memory({});
  const Context context = memory.attach(3);
  for (const MemoryKind kind : {MemoryKind::main, MemoryKind::sdram}) {
    const MemoryBlock block = memory.allocate(context, kind, 3 * page + 5);
    EXPECT_EQ(block.kind, kind);
    EXPECT_EQ(block.bytes.size(), 3 * page + 5);
    EXPECT_EQ(memory.to_host(block.elan), block.host);
    ASSERT_EQ(
        memory.copy_in(context, static_cast<Address>(block.elan + page - 2), text("hello"), 3),
        std::nullopt);
    EXPECT_EQ(std::memcmp(&block.bytes[page - 2], "hello", 5), 0);
    std::array<std::byte, 5> read{};
    block.bytes[page] = std::byte{'L'};
    ASSERT_EQ(memory.copy_out(read, context, static_cast<Address>(block.elan + page - 2), 3),
              std::nullopt);
    EXPECT_EQ(std::memcmp(read.data(), "heLlo", 5), 0);
    memory.release(context, block.elan);
  }
}

TEST(ElanBlocks, ThatAreSmallShareAPageOfTheirStore) {
  Memory memory({});
  const Context context = memory.attach(3);
  std::vector<MemoryBlock> events{memory.allocate(context, MemoryKind::sdram, 64)};
  const MemoryBlock main = memory.allocate(context, MemoryKind::main, 64);
  EXPECT_EQ(main.kind, MemoryKind::main);
  EXPECT_NE(main.elan / page, events.front().elan / page);
  while (events.size() < page / 64)
    events.push_back(memory.allocate(context, MemoryKind::sdram, 64));
  EXPECT_EQ(events.back().elan / page, events.front().elan / page);
  EXPECT_NE(memory.allocate(context, MemoryKind::sdram, 1).elan / page, events.front().elan / page);
  memory.release(context, events[5].elan);
  EXPECT_EQ(memory.allocate(context, MemoryKind::sdram, 64).elan, events[5].elan);
  EXPECT_EQ(memory.allocate(context, MemoryKind::main, 64, 4096).elan, main.elan + 4096);
  const Context other = memory.attach(4);
  const MemoryBlock large = memory.allocate(other, MemoryKind::main, page / 2 + 1);
  EXPECT_NE(memory.allocate(other, MemoryKind::main, 1).elan / page, large.elan / page);
}

TEST(ElanBlocks, MapMemoryThatTheProgramHas) {
  Memory memory({});
  const Context context = memory.attach(3);
  std::vector<std::byte> own = text("twenty bytes and two.");
  const MemoryBlock block = memory.map(context, own);
  EXPECT_EQ(block.bytes.data(), own.data());
  ASSERT_EQ(memory.copy_in(context, block.elan, text("T"), 3), std::nullopt);
  EXPECT_EQ(own[0], std::byte{'T'});
  // The rest of its page is not the Elan's.
  const Address end = static_cast<Address>(block.elan + own.size());
  EXPECT_EQ(fault(memory.check(context, end, 1, Access::read, 3)), Fault::unmapped);
  memory.release(context, block.elan);
  EXPECT_EQ(fault(memory.check(context, block.elan, 1, Access::read, 3)), Fault::unmapped);
  EXPECT_EQ(own[1], std::byte{'w'});
}

TEST(ElanBlocks, OfTheProgramEndWhereTheElansAddressesEnd) {
  Memory memory({});
  const Context context = memory.attach(3);
  std::vector<std::byte> own(page);
  const HostAddress last_page = 0x20000000000 - page;
  const MemoryBlock block = memory.map(context, own, last_page);
  EXPECT_EQ(block.elan, 0xFFFFE000U);
  EXPECT_EQ(memory.check(context, block.elan, page, Access::write, 3), std::nullopt);
  EXPECT_EQ(memory.check(context, 0xFFFFFFFF, 1, Access::write, 3), std::nullopt);
  for (const std::size_t bytes : {std::size_t{2}, std::size_t{1} << 32U, endless})
    EXPECT_EQ(fault(memory.check(context, 0xFFFFFFFF, bytes, Access::write, 3)), Fault::unmapped);
  const SegmentId all = memory.open(context, block.elan, page, AccessRights::both, only_7);
  EXPECT_EQ(memory.check(context, block.elan, page, Access::read, 7), std::nullopt);
  for (const std::size_t bytes : {page + 1, std::size_t{1} << 32U, endless})
    EXPECT_EQ(fault(memory.check(context, block.elan, bytes, Access::read, 7)),
              Fault::not_exported);
  memory.close(all);

  const auto mapped = [&](std::span<std::byte> what, HostAddress at) {
    return message_of([&] { memory.map(context, what, at); });
  };
  const std::string reach = "on: the Elan reaches 0x1ff8c808000 to 0x1ffffffffff";
  EXPECT_EQ(mapped(own, 0x20000000000), "map: 8192 bytes from 0x20000000000 " + reach);
  EXPECT_EQ(mapped(own, 0x120000000), "map: 8192 bytes from 0x120000000 " + reach);
  EXPECT_EQ(mapped(own, 0x1FF0C808000), "map: 8192 bytes from 0x1ff0c808000 " + reach);
  std::vector<std::byte> longer(page + 1);
  EXPECT_EQ(mapped(longer, last_page), "map: 8193 bytes from 0x1ffffffe000 " + reach);
  EXPECT_EQ(mapped(longer, last_page - page),
            "map: 8193 bytes from 0x1ffffffc000 on: something is mapped there");
  EXPECT_EQ(mapped(own, last_page - 1), "map: 0x1ffffffdfff is not the beginning of a page");
  EXPECT_EQ(mapped({}, last_page), "map: a block has a byte or more");
}

TEST(ElanExports, GivePartnersTheirRightsAndNobodyElse) {
  Memory memory({});
  const Context context = memory.attach(3);
  const MemoryBlock block = memory.allocate(context, MemoryKind::sdram, 300);
  const auto at = [&](unsigned offset) { return block.elan + offset; };
  const SegmentId segment = memory.open(context, at(100), 100, AccessRights::read, only_7);
  EXPECT_EQ(memory.check(context, at(100), 100, Access::read, 7), std::nullopt);
  EXPECT_EQ(memory.check(context, at(0), 300, Access::write, 3), std::nullopt);
  EXPECT_EQ(memory.check(context, at(99), 0, Access::write, 7), std::nullopt);  // touches nothing
  const auto refused = [&](Address from, std::size_t bytes, Access access, Process by) {
    return memory.check(context, from, bytes, access, by).value_or(Trap{});
  };
  EXPECT_EQ(refused(at(100), 1, Access::write, 7),
            (Trap{7, context, at(100), Access::write, Fault::no_right}));
  EXPECT_EQ(refused(at(100), 101, Access::read, 7),
            (Trap{7, context, at(200), Access::read, Fault::not_exported}));
  EXPECT_EQ(refused(at(100), 1, Access::read, 8),
            (Trap{8, context, at(100), Access::read, Fault::not_exported}));
  memory.close(memory.open(context, at(0), 300, AccessRights::write, only_7));
  EXPECT_EQ(refused(at(100), 1, Access::write, 7).why, Fault::no_right);  // not yet withdrawn
  EXPECT_EQ(refused(at(0), 1, Access::write, 7).why, Fault::withdrawn);
  memory.close(segment);
  EXPECT_EQ(refused(at(150), 1, Access::read, 7).why, Fault::withdrawn);
  EXPECT_EQ(refused(at(150), 1, Access::read, 8).why, Fault::not_exported);
  EXPECT_EQ(to_text(refused(at(150), 1, Access::read, 7)),
            "process 7 may not read 0xc808096 of context 1: its export was withdrawn");
}

TEST(ElanExports, AddUp) {
  Memory memory({});
  const Context context = memory.attach(3);
  const MemoryBlock first = memory.allocate(context, MemoryKind::main, 64);
  const MemoryBlock second = memory.allocate(context, MemoryKind::main, 64);
  ASSERT_EQ(second.elan, first.elan + 64);
  const std::array<Process, 5> many{9, 7, 8, 7, 4'000'000'000};
  memory.open(context, first.elan, 40, AccessRights::read, many);
  memory.open(context, first.elan + 30, 98, AccessRights::both, only_7);  // across two blocks
  EXPECT_EQ(memory.check(context, first.elan, 128, Access::read, 7), std::nullopt);
  EXPECT_EQ(fault(memory.check(context, first.elan, 128, Access::write, 7)), Fault::no_right);
  for (const Process by : {8U, 9U, 4'000'000'000U})
    EXPECT_EQ(memory.check(context, first.elan, 40, Access::read, by), std::nullopt);
  for (const Process by : {0U, 6U, 10U, 3'999'999'999U, 4'000'000'001U})
    EXPECT_EQ(fault(memory.check(context, first.elan, 1, Access::read, by)), Fault::not_exported);
  // Without its second block the larger segment is gone altogether; nothing else is.
  memory.open(context, second.elan + 60, 1, AccessRights::read, only_7);
  memory.release(context, second.elan);
  EXPECT_EQ(fault(memory.check(context, second.elan + 60, 1, Access::read, 7)), Fault::withdrawn);
  EXPECT_EQ(fault(memory.check(context, first.elan + 40, 1, Access::read, 7)), Fault::withdrawn);
  EXPECT_EQ(memory.check(context, first.elan, 40, Access::read, 7), std::nullopt);
  // Who comes to the same place has exported nothing.
  ASSERT_EQ(memory.allocate(context, MemoryKind::main, 64).elan, second.elan);
  EXPECT_TRUE(memory.check(context, second.elan, 1, Access::read, 7));
}

TEST(ElanExports, AreOfOneContextOnly) {
  Memory memory({});
  const Context first = memory.attach(3), second = memory.attach(4);
  const MemoryBlock one = memory.allocate(first, MemoryKind::sdram, page);
  const MemoryBlock other = memory.allocate(second, MemoryKind::sdram, page);
  ASSERT_EQ(one.elan, other.elan);  // every process has an address space of its own
  memory.open(first, one.elan, page, AccessRights::both, only_7);
  ASSERT_EQ(memory.copy_in(first, one.elan, text("one"), 7), std::nullopt);
  EXPECT_EQ(fault(memory.copy_in(second, other.elan, text("other"), 7)), Fault::not_exported);
  EXPECT_EQ(fault(memory.copy_in(second, other.elan, text("other"), 3)), Fault::not_exported);
  EXPECT_EQ(one.bytes[0], std::byte{'o'});
  EXPECT_EQ(other.bytes[0], std::byte{0});
}

TEST(ElanProcesses, ThatHaveGoneAreOutOfReach) {
  Memory memory({});
  const Context before = memory.attach(3);
  const MemoryBlock block = memory.allocate(before, MemoryKind::sdram, page);
  const SegmentId segment = memory.open(before, block.elan, page, AccessRights::both, only_7);
  std::memset(block.bytes.data(), 1, page);
  memory.detach(before);
  const Context after = memory.attach(3);
  EXPECT_NE(after, before);
  EXPECT_EQ(memory.context_of(3), after);
  EXPECT_EQ(memory.process_of(before), std::nullopt);
  const MemoryBlock again = memory.allocate(after, MemoryKind::sdram, page);
  ASSERT_EQ(again.elan, block.elan);
  for (const std::byte byte : again.bytes) ASSERT_EQ(byte, std::byte{0});
  for (const Process by : {3U, 7U})
    EXPECT_EQ(fault(memory.copy_in(before, block.elan, text("x"), by)), Fault::no_context);
  EXPECT_EQ(fault(memory.copy_in(after, block.elan, text("x"), 7)), Fault::not_exported);
  EXPECT_EQ(std::get<Fault>(memory.translate(before, block.elan, Access::read, 3)),
            Fault::no_context);
  EXPECT_EQ(again.bytes[0], std::byte{0});
  EXPECT_EQ(message_of([&] { memory.close(segment); }),
            "close: segment 0x1000000000001 is not open");
}

}  // namespace
}  // namespace weft::test::elan_memory
