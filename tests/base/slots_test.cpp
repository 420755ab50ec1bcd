// SPDX-License-Identifier: Apache-2.0
// Slots: a number in use belongs to one user, and numbers are reused before there are new ones.
#include "base/slots.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <string>

#include "base/rng.hpp"

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

}  // namespace
}  // namespace weft
