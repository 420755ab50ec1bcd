// SPDX-License-Identifier: Apache-2.0
// Processes come, go, allocate, map, export and reach for anything at random. A plain list of bytes
// and exports says what must be allowed and what is where; refused accesses change nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <list>
#include <map>
#include <set>

#include "base/message.hpp"
#include "base/rng.hpp"
#include "sim/elan/memory/memory.hpp"

namespace weft::test::elan_random {
namespace {

using namespace sim::elan;

constexpr std::uint64_t page = 8192;
constexpr Process processes = 5;  // two more never come, and reach for things all the same

struct PlainPage {
  MemoryKind kind;
  std::vector<std::byte> bytes;
  int blocks = 0;
};
struct PlainExport {
  std::uint64_t first, end;
  AccessRights rights;
  std::set<Process> partners;
  bool lets(std::uint64_t at, Process by) const {
    return first <= at && at < end && partners.contains(by);
  }
};
struct PlainSpace {
  Process process;
  std::map<std::uint64_t, PlainPage> pages;
  std::map<Address, std::size_t> blocks;
  std::map<SegmentId, PlainExport> exports;
  std::vector<PlainExport> withdrawn;

  std::byte* byte(std::uint64_t at) {
    const auto found = pages.find(at / page);
    if (found == pages.end() || at % page >= found->second.bytes.size()) return nullptr;
    return &found->second.bytes[at % page];
  }
  bool allowed(std::uint64_t at, Access access, Process by) {
    if (by == process) return byte(at) != nullptr;
    return std::any_of(exports.begin(), exports.end(), [&](const auto& known) {
      return known.second.lets(at, by) && allows(known.second.rights, access);
    });
  }
  bool has_blocks(std::uint64_t first, std::uint64_t end) const {
    for (std::uint64_t at = first; at < end; ++at) {
      const auto after = blocks.upper_bound(static_cast<Address>(at));
      if (after == blocks.begin()) return false;
      const auto& [from, bytes] = *std::prev(after);
      if (at >= from + bytes) return false;
    }
    return true;
  }
  void withdraw(std::uint64_t first, std::uint64_t end) {
    std::erase_if(exports, [&](const auto& known) {
      const bool meets = known.second.first < end && first < known.second.end;
      if (meets) withdrawn.push_back(known.second);
      return meets;
    });
  }
};

class Play {
 public:
  explicit Play(std::uint64_t seed) : rng_(seed) {}
  void run(int steps) {
    for (int step = 0; step < steps; ++step) {
      switch (rng_.below(16)) {
        case 0:
          attach();
          break;
        case 1:
          if (rng_.below(8) == 0) detach();
          break;
        case 2:
        case 3:
          allocate();
          break;
        case 4:
          map();
          break;
        case 5:
        case 6:
          release();
          break;
        case 7:
        case 8:
          open();
          break;
        case 9:
          close();
          break;
        default:
          reach();
      }
      if (::testing::Test::HasFatalFailure()) return;
      compare();
    }
    EXPECT_GT(allowed_, steps / 20);
    EXPECT_GT(refused_, steps / 20);
    while (!spaces_.empty()) detach();
    // All that is left is the table of contexts.
    EXPECT_EQ(memory_.sdram_left(), Bytes{static_cast<std::int64_t>((64 << 20) - page)});
  }

 private:
  template <class Items>
  auto any(Items& items) {
    return std::next(items.begin(), static_cast<std::ptrdiff_t>(rng_.below(items.size())));
  }
  std::size_t size() {
    const std::array<std::uint64_t, 4> upto{8, 200, 5000, 3 * page};
    return 1 + rng_.below(upto[rng_.below(upto.size())]);
  }
  /// Near what is or was at the edge of something.
  Address address() {
    const std::uint64_t edge = edges_.empty() ? 0 : *any(edges_);
    return static_cast<Address>(edge + rng_.below(5) - 2);
  }

  void attach() {
    const Process process = static_cast<Process>(rng_.below(processes));
    const bool here = std::any_of(spaces_.begin(), spaces_.end(), [&](const auto& space) {
      return space.second.process == process;
    });
    Context context = 0;
    const std::string said = message_of([&] { context = memory_.attach(process); });
    ASSERT_EQ(said != "(no error)", here);
    if (here) return;
    ASSERT_TRUE(contexts_.insert(context).second) << "a context came back";
    spaces_[context].process = process;
  }
  void detach() {
    if (spaces_.empty()) return;
    const auto leaving = any(spaces_);
    memory_.detach(leaving->first);
    for (const auto& known : leaving->second.exports) stale_.push_back(known.first);
    spaces_.erase(leaving);
  }
  void add(PlainSpace& space, const MemoryBlock& block, std::size_t whole) {
    ASSERT_TRUE(space.blocks.emplace(block.elan, block.bytes.size()).second);
    for (std::size_t done = 0; done < block.bytes.size();) {
      const std::uint64_t at = block.elan + done;
      auto [place, fresh] = space.pages.try_emplace(at / page);
      PlainPage& in = place->second;
      if (fresh) in = {block.kind, std::vector<std::byte>(std::min(page, whole - done))};
      ASSERT_EQ(in.kind, block.kind);
      ++in.blocks;
      done += page - at % page;
    }
    edges_.insert(edges_.end(), {block.elan, block.elan + block.bytes.size(),
                                 (block.elan + block.bytes.size()) / page * page + page});
  }
  void allocate() {
    if (spaces_.empty()) return;
    auto& [context, space] = *any(spaces_);
    const MemoryKind kind = rng_.below(2) == 0 ? MemoryKind::main : MemoryKind::sdram;
    const std::size_t bytes = size(), alignment = std::size_t{1} << rng_.below(10);
    const MemoryBlock block = memory_.allocate(context, kind, bytes, alignment);
    ASSERT_EQ(block.kind, kind);
    ASSERT_EQ(block.bytes.size(), bytes);
    ASSERT_EQ(block.elan % alignment, 0U);
    for (std::uint64_t at = block.elan; at < block.elan + bytes; ++at)
      ASSERT_FALSE(space.has_blocks(at, at + 1)) << "two blocks share a byte";
    add(space, block, ~std::size_t{0});
  }
  void map() {
    if (spaces_.empty()) return;
    auto& [context, space] = *any(spaces_);
    owned_.emplace_back(size());
    const MemoryBlock block = memory_.map(context, owned_.back());
    ASSERT_EQ(block.bytes.data(), owned_.back().data());
    add(space, block, block.bytes.size());
  }
  void release() {
    if (spaces_.empty()) return;
    auto& [context, space] = *any(spaces_);
    const Address at =
        space.blocks.empty() || rng_.below(4) == 0 ? address() : any(space.blocks)->first;
    const auto block = space.blocks.find(at);
    const std::string said = message_of([&, context = context] { memory_.release(context, at); });
    ASSERT_EQ(said == "(no error)", block != space.blocks.end());
    if (block == space.blocks.end()) return;
    const std::uint64_t end = at + block->second;
    space.withdraw(at, end);
    for (std::uint64_t number = at / page; number * page < end; ++number)
      if (--space.pages.at(number).blocks == 0) space.pages.erase(number);
    space.blocks.erase(block);
  }
  void open() {
    if (spaces_.empty()) return;
    auto& [context, space] = *any(spaces_);
    const Address first = address();
    const std::size_t bytes = size();
    const AccessRights rights = static_cast<AccessRights>(1 + rng_.below(3));
    std::vector<Process> partners(rng_.below(4));
    for (Process& partner : partners) partner = static_cast<Process>(rng_.below(processes + 2));
    SegmentId segment = 0;
    const std::string said = message_of([&, context = context] {
      segment = memory_.open(context, first, bytes, rights, partners);
    });
    ASSERT_EQ(said == "(no error)", space.has_blocks(first, first + bytes)) << said;
    if (segment == 0) return;
    space.exports[segment] = {first, first + bytes, rights, {partners.begin(), partners.end()}};
    edges_.insert(edges_.end(), {first, first + bytes});
  }
  void close() {
    for (auto& [context, space] : spaces_)
      if (!space.exports.empty() && rng_.below(2) == 0) {
        const SegmentId segment = any(space.exports)->first;
        memory_.close(segment);
        space.withdrawn.push_back(space.exports.at(segment));
        space.exports.erase(segment);
        stale_.push_back(segment);
      }
    for (const SegmentId segment : stale_)
      ASSERT_NE(message_of([&] { memory_.close(segment); }), "(no error)");
  }

  struct Aim {
    Context context;
    Process by;
    std::uint64_t first, end;
  };
  /// Anything; but half the time what may well be allowed, or was.
  Aim aim() {
    const Address first = address();
    Aim aim{*any(contexts_), static_cast<Process>(rng_.below(processes + 2)), first,
            first + size()};
    if (spaces_.empty() || rng_.below(2) == 0) return aim;
    auto& [context, space] = *any(spaces_);
    aim.context = context;
    const std::uint64_t what = rng_.below(4);
    if ((what < 2 && !space.exports.empty()) || (what == 2 && !space.withdrawn.empty())) {
      const PlainExport& some = what < 2 ? any(space.exports)->second : *any(space.withdrawn);
      if (!some.partners.empty()) aim.by = *any(some.partners);
      aim.first = some.first + rng_.below(some.end - some.first);
      aim.end = aim.first + 1 + rng_.below(some.end - aim.first + rng_.below(2));
    } else if (!space.blocks.empty()) {
      const auto& [at, bytes] = *any(space.blocks);
      aim = {context, space.process, at, at + bytes};
    }
    return aim;
  }
  /// Any process accesses anything, by a random function.
  void reach() {
    if (contexts_.empty()) return;
    const auto [context, by, from, end] = aim();
    const Address first = static_cast<Address>(from);
    const Access access = rng_.below(2) == 0 ? Access::read : Access::write;
    std::vector<std::byte> data(end - from);
    for (std::byte& byte : data) byte = static_cast<std::byte>(rng_.next());
    const auto space = spaces_.find(context);
    std::optional<Trap> expected;
    if (space == spaces_.end()) expected = Trap{by, context, first, access, Fault::no_context};
    for (std::uint64_t at = first; !expected && at < first + data.size(); ++at)
      if (!space->second.allowed(at, access, by))
        expected =
            Trap{by, context, static_cast<Address>(at), access, reason(space->second, at, by)};
    std::optional<Trap> trap = memory_.check(context, first, data.size(), access, by);
    ASSERT_EQ(trap.has_value(), expected.has_value());
    if (trap && expected) {
      // A withdrawn export may have been forgotten.
      if (trap->why == Fault::not_exported && expected->why == Fault::withdrawn)
        expected->why = Fault::not_exported;
      ASSERT_EQ(*trap, *expected) << to_text(*trap) << "; " << to_text(*expected);
    }
    ++(trap ? refused_ : allowed_);
    if (rng_.below(2) == 0)
      whole(context, first, data, access, by, trap);
    else
      in_pages(context, first, data, access, by);
  }
  static Fault reason(PlainSpace& space, std::uint64_t at, Process by) {
    if (by == space.process) return Fault::unmapped;
    for (const auto& known : space.exports)
      if (known.second.lets(at, by)) return Fault::no_right;
    for (const PlainExport& known : space.withdrawn)
      if (known.lets(at, by)) return Fault::withdrawn;
    return Fault::not_exported;
  }
  void whole(Context context, Address first, std::vector<std::byte>& data, Access access,
             Process by, const std::optional<Trap>& trap) {
    if (access == Access::write) {
      ASSERT_EQ(memory_.copy_in(context, first, data, by), trap);
    } else {
      const std::vector<std::byte> before = data;
      ASSERT_EQ(memory_.copy_out(data, context, first, by), trap);
      ASSERT_TRUE(!trap || data == before);
    }
    if (!trap) exchange(spaces_.at(context), first, data, access);
  }
  void in_pages(Context context, std::uint64_t at, std::span<std::byte> data, Access access,
                Process by) {
    for (; !data.empty() && at < std::uint64_t{1} << 32U;) {
      const std::size_t bytes = std::min(data.size(), page - at % page);
      const auto result = memory_.translate(context, static_cast<Address>(at), access, by, bytes);
      const auto space = spaces_.find(context);
      bool allowed = space != spaces_.end();
      for (std::uint64_t i = at; allowed && i < at + bytes; ++i)
        allowed = space->second.allowed(i, access, by);
      ASSERT_EQ(std::holds_alternative<Translation>(result), allowed);
      if (allowed) {
        const auto& found = std::get<Translation>(result);
        ASSERT_EQ(found.physical.kind, space->second.pages.at(at / page).kind);
        const std::span<std::byte> real = memory_.bytes(found.physical, bytes);
        if (access == Access::write)
          std::copy_n(data.begin(), bytes, real.begin());
        else
          std::copy_n(real.begin(), bytes, data.begin());
        exchange(space->second, at, data.first(bytes), access);
      }
      at += bytes;
      data = data.subspan(bytes);
    }
  }
  /// Does the same to the plain bytes.
  void exchange(PlainSpace& space, std::uint64_t at, std::span<std::byte> data, Access access) {
    for (std::byte& byte : data) {
      std::byte& plain = *space.byte(at++);
      if (access == Access::write)
        plain = byte;
      else
        ASSERT_EQ(byte, plain);
    }
  }
  void compare() {
    for (auto& [context, space] : spaces_)
      for (const auto& [number, plain] : space.pages) {
        std::vector<std::byte> real(plain.bytes.size());
        const Address at = static_cast<Address>(number * page);
        ASSERT_EQ(memory_.copy_out(real, context, at, space.process), std::nullopt);
        ASSERT_TRUE(real == plain.bytes) << "context " << context << ", page " << number;
      }
  }

  Rng rng_;
  Memory memory_{MemoryOptions{}};
  std::map<Context, PlainSpace> spaces_;
  std::set<Context> contexts_;  ///< also those that have gone
  std::vector<std::uint64_t> edges_{0, std::uint64_t{1} << 32U};
  std::vector<SegmentId> stale_;
  std::list<std::vector<std::byte>> owned_;  ///< memory of the programs
  int allowed_ = 0, refused_ = 0;
};

TEST(ElanMemory, DoesWhatAPlainListOfBytesAndExportsSays) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Play(seed).run(600);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

}  // namespace
}  // namespace weft::test::elan_random
