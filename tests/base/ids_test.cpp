// SPDX-License-Identifier: Apache-2.0
// Ids, ranges of ids, and vectors indexed by them.
#include "base/ids.hpp"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

namespace weft::test {
namespace {

using CupId = Id<struct CupTag>;
using SpoonId = Id<struct SpoonTag>;

static_assert(!std::is_convertible_v<std::size_t, CupId>, "a number is no id");
static_assert(!std::is_convertible_v<CupId, std::size_t>, "an id is no number");
static_assert(!std::is_constructible_v<CupId, SpoonId>, "ids of two kinds do not mix");
static_assert(sizeof(CupId) == 4, "tables hold millions of ids");

TEST(Id, NoneIsNotValid) {
  EXPECT_FALSE(CupId().valid());
  EXPECT_FALSE(CupId::none().valid());
  EXPECT_EQ(CupId(), CupId::none());
  EXPECT_TRUE(CupId(0).valid());
  EXPECT_NE(CupId(0), CupId::none());
}

TEST(Id, CountsAndCompares) {
  CupId id(41);
  EXPECT_EQ(id.index(), 41U);
  EXPECT_EQ((++id).index(), 42U);
  EXPECT_LT(CupId(41), id);
  EXPECT_GT(CupId::none(), id) << "none comes after every id";
}

TEST(IdRange, VisitsEachOnceInOrder) {
  std::size_t expected = 0;
  for (CupId id : IdRange<CupId>(5)) EXPECT_EQ(id.index(), expected++);
  EXPECT_EQ(expected, 5U);
  EXPECT_EQ(IdRange<CupId>(5).size(), 5U);
  for (CupId id : IdRange<CupId>(0)) FAIL() << id.index();
}

TEST(IdVector, IsFilledByCountOrItems) {
  const IdVector<CupId, int> filled(3, 7);
  EXPECT_EQ(filled.items(), (std::vector<int>{7, 7, 7}));
  const IdVector<CupId, int> zeros(2);
  EXPECT_EQ(zeros.items(), (std::vector<int>{0, 0}));
  const IdVector<CupId, int> given(std::vector<int>{3, 1, 2});
  EXPECT_EQ(given[CupId(0)], 3);
  EXPECT_EQ(given[CupId(2)], 2);
  EXPECT_TRUE((IdVector<CupId, int>().empty()));
}

TEST(IdVector, PushBackReturnsTheId) {
  IdVector<CupId, std::string> names;
  const CupId first = names.push_back("first");
  const CupId second = names.push_back("second");
  EXPECT_EQ(names[first], "first");
  EXPECT_EQ(names[second], "second");
  names[first] += " cup";
  EXPECT_EQ(names[first], "first cup");
  EXPECT_EQ(names.size(), 2U);
}

TEST(IdVector, IdsCoverItAndAssignReplacesIt) {
  IdVector<CupId, int> values(4, 1);
  for (CupId id : values.ids()) values[id] = static_cast<int>(id.index() * 10);
  EXPECT_EQ(values.items(), (std::vector<int>{0, 10, 20, 30}));
  int sum = 0;
  for (const int value : values) sum += value;
  EXPECT_EQ(sum, 60);
  const IdVector<CupId, int> copy = values;
  EXPECT_EQ(copy, values);
  values.assign(2, 5);
  EXPECT_EQ(values.items(), (std::vector<int>{5, 5}));
  EXPECT_NE(copy, values);
}

TEST(IdVector, OfBoolIsWritable) {
  IdVector<CupId, bool> seen(3, false);
  seen[CupId(1)] = true;
  EXPECT_EQ(seen.items(), (std::vector<bool>{false, true, false}));
}

}  // namespace
}  // namespace weft::test
