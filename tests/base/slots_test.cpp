// SPDX-License-Identifier: Apache-2.0
// Slots: a number in use belongs to one user, and numbers are reused before there are new ones.
#include "base/slots.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/rng.hpp"
#include "base/shared_slots.hpp"

namespace weft {
namespace {

TEST(Slots, NumbersGrowFromZeroWhileNoneIsReleased) {
  Slots<int> slots;
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(slots.acquire(), i);
  EXPECT_EQ(slots.size(), 5U);
  EXPECT_EQ(slots.in_use(), 5U);
}

TEST(Slots, TheOneReleasedLastIsAcquiredFirst) {
  Slots<int> slots;
  for (int i = 0; i < 4; ++i) slots.insert(10 * i);
  for (const std::uint32_t id : {1U, 3U, 0U}) slots.release(id);
  EXPECT_EQ(slots.acquire(), 0U);
  EXPECT_EQ(slots.insert(7), 3U);
  EXPECT_EQ(slots.acquire(), 1U);
  EXPECT_EQ(slots.acquire(), 4U);
  EXPECT_EQ(slots[3], 7);
  EXPECT_EQ(slots[2], 20);  // nobody touched it
}

TEST(Slots, AcquireLeavesTheItemAsItWas) {
  Slots<std::string> slots;
  const auto id = slots.insert("generation 1");
  slots.release(id);
  EXPECT_EQ(slots[slots.acquire()], "generation 1");
}

TEST(Slots, ExtractMovesTheItemOut) {
  Slots<std::unique_ptr<int>> slots;
  const auto id = slots.insert(std::make_unique<int>(3));
  const std::unique_ptr<int> item = slots.extract(id);
  EXPECT_EQ(*item, 3);
  EXPECT_EQ(slots[id], nullptr);
  EXPECT_EQ(slots.in_use(), 0U);
  EXPECT_EQ(slots.insert(nullptr), id);
}

TEST(Slots, AtRandomNoNumberIsInUseTwiceAndThereAreNoMoreThanWereEverNeeded) {
  Rng rng(5);
  Slots<std::uint64_t> slots;
  std::set<std::uint32_t> used;
  std::size_t most = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    if (used.empty() || rng.below(100) < 52) {
      const auto id = slots.insert(std::uint64_t{i});
      EXPECT_TRUE(used.insert(id).second);
      most = std::max(most, used.size());
    } else {
      const auto victim =
          std::next(used.begin(), static_cast<std::ptrdiff_t>(rng.below(used.size())));
      slots.release(*victim);
      used.erase(victim);
    }
    ASSERT_EQ(slots.size(), most);
    ASSERT_EQ(slots.in_use(), used.size());
  }
  std::set<std::uint64_t> items;
  for (const std::uint32_t id : used) EXPECT_TRUE(items.insert(slots[id]).second);
}

/// Threads take and release numbers of their own, read each other's items, and no two have the
/// same.
TEST(SharedSlots, ThreadsHaveDifferentNumbersAndSeeEachOthersItems) {
  constexpr int threads = 4, each = 5'000;
  SharedSlots<std::uint64_t> all;
  std::vector<std::vector<std::uint32_t>> taken(threads);
  const auto value = [](int thread, int i) {
    return static_cast<std::uint64_t>(thread) << 32U | static_cast<std::uint32_t>(i);
  };
  {
    std::vector<std::jthread> running;
    for (int thread = 0; thread < threads; ++thread)
      running.emplace_back([&, thread] {
        PartOfSlots<std::uint64_t> own(all);
        Rng rng(static_cast<std::uint64_t>(thread));
        auto& ids = taken[static_cast<std::size_t>(thread)];
        for (int i = 0; i < each; ++i) {
          if (!ids.empty() && rng.below(3) == 0) {
            own.release(ids.back());
            ids.pop_back();
          }
          ids.push_back(own.insert(value(thread, i)));
          EXPECT_EQ(own.in_use(), ids.size());
        }
      });
  }
  std::set<std::uint32_t> seen;
  for (int thread = 0; thread < threads; ++thread)
    for (const std::uint32_t id : taken[static_cast<std::size_t>(thread)]) {
      EXPECT_TRUE(seen.insert(id).second);
      EXPECT_EQ(all[id] >> 32U, static_cast<std::uint64_t>(thread));
    }
  EXPECT_GT(seen.size(), 1000U);
}

TEST(SharedSlots, ItemsStayWhereTheyAre) {
  SharedSlots<int> all;
  PartOfSlots<int> own(all);
  const std::uint32_t first = own.insert(7);
  const int* const place = &own[first];
  for (int i = 0; i < 100'000; ++i) own.insert(int{i});
  EXPECT_EQ(&own[first], place);
  EXPECT_EQ(*place, 7);
  EXPECT_EQ(own.extract(first), 7);
  EXPECT_EQ(own.acquire(), first);
}

}  // namespace
}  // namespace weft
