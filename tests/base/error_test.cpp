// SPDX-License-Identifier: Apache-2.0
// Error and invariant: their texts arrive as written.
#include "base/error.hpp"

#include <gtest/gtest.h>

#include "message.hpp"

namespace weft::test {
namespace {

TEST(Error, FormatsItsArguments) {
  EXPECT_STREQ(Error("{}: dims={}x{}", "torus", 4, 0).what(), "torus: dims=4x0");
  const std::string kept = "kept";
  EXPECT_STREQ(Error("\"{}\" 0x{:04x}", kept, 17).what(), "\"kept\" 0x0011");
}

TEST(Error, ATextAloneIsNotAFormat) {
  EXPECT_STREQ(Error("{} stays").what(), "{} stays");
  EXPECT_STREQ(Error(std::string("100% of {")).what(), "100% of {");
}

TEST(Error, IsARuntimeError) {
  EXPECT_THROW(throw Error("wrong"), std::runtime_error);
  EXPECT_EQ(message_of([] { throw Error("wrong"); }), "wrong");
}

TEST(InvariantDeathTest, AbortsWithTheReason) {
  invariant(true, "never shown");
  EXPECT_DEATH(invariant(false, "two is one"), "^weft: bug: two is one\n");
}

}  // namespace
}  // namespace weft::test
