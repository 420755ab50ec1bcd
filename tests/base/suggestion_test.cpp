// SPDX-License-Identifier: Apache-2.0
// Suggestions: near words only, and names whose parameters come behind a comma.
#include "base/suggestion.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace weft::test {
namespace {

std::string suggested(std::string_view word) {
  const std::vector<std::string_view> known{"lanes", "allocate_lane", "buffer", "iq"};
  return suggestion(word, known);
}

TEST(Suggestion, IsTheNearestWord) {
  EXPECT_EQ(suggested("lane"), "; did you mean lanes?");
  EXPECT_EQ(suggested("LANES"), "; did you mean lanes?");
  EXPECT_EQ(suggested(" buffer"), "; did you mean buffer?");
  EXPECT_EQ(suggested("laens"), "; did you mean lanes?");
  EXPECT_EQ(suggested("bufer"), "; did you mean buffer?");
  EXPECT_EQ(suggested("allocate_lanes"), "; did you mean allocate_lane?");
}

TEST(Suggestion, IsEmptyWhereNothingIsNear) {
  EXPECT_EQ(suggested(""), "");
  EXPECT_EQ(suggested("oq"), "");
  EXPECT_EQ(suggested("colour"), "");
  EXPECT_EQ(suggested(std::string(100'000, 'x')), "");
  EXPECT_EQ(suggestion("lanes", {}), "");
}

TEST(Suggestion, PutsAColonBeforeParameters) {
  EXPECT_EQ(suggested("iq,lanes=4"), "; did you mean iq:lanes=4?");
  EXPECT_EQ(suggested("oq,lanes=4"), "");
}

}  // namespace
}  // namespace weft::test
