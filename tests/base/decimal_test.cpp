// SPDX-License-Identifier: Apache-2.0
// Decimal numbers: what is one, and how it is written.
#include "base/decimal.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

std::string again(std::string_view text) {
  const auto number = Decimal::parse(text);
  return number ? number->text() : "none";
}

TEST(Decimal, ShortestText) {
  EXPECT_EQ(again("0"), "0");
  EXPECT_EQ(again("-0"), "0");
  EXPECT_EQ(again("0.10"), "0.1");
  EXPECT_EQ(again("100"), "100");
  EXPECT_EQ(again("100.00"), "100");
  EXPECT_EQ(again("-1.25"), "-1.25");
  EXPECT_EQ(again("-0.05"), "-0.05");
  EXPECT_EQ(again("007"), "7");
  EXPECT_EQ(again("0.00000001"), "0.00000001");
  EXPECT_EQ(again("999999999"), "999999999");
}

TEST(Decimal, OtherTextsAreNone) {
  for (const char* text : {"", "-", ".", ".5", "5.", "-.5", "1e3", "1.2.3", "1 ", " 1", "+1", "--1",
                           "x", "1234567890", "0.123456789", "0x10", "..", "1.", "1,5"})
    EXPECT_EQ(again(text), "none") << text;
}

TEST(Decimal, MorePlaces) {
  const Decimal number = Decimal::parse("1.5")->with_places(3);
  EXPECT_EQ(number.units, 1500);
  EXPECT_EQ(number.places, 3);
  EXPECT_EQ(number.text(), "1.5");
  EXPECT_DEATH(number.with_places(2), "a decimal number would lose places");
}

}  // namespace
}  // namespace weft
