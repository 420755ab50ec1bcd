// SPDX-License-Identifier: Apache-2.0
// Bytes as text and back.
#include "base/base64.hpp"

#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "message.hpp"

namespace weft {
namespace {

TEST(Base64, IsThatOfTheStandard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

TEST(Base64, AnyBytesComeBack) {
  Rng rng(1);
  for (std::size_t size = 0; size < 200; ++size) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(rng.below(256));
    EXPECT_EQ(from_base64(base64(bytes)), bytes) << size;
  }
}

TEST(Base64, RefusesOtherText) {
  EXPECT_EQ(test::message_of([] { from_base64("Zg="); }), "text of 64 letters ends in the middle");
  EXPECT_EQ(test::message_of([] { from_base64("Z<=="); }), "'<' is not one of the 64 letters");
  EXPECT_EQ(test::message_of([] { from_base64("A==="); }), "'=' is not one of the 64 letters");
}

}  // namespace
}  // namespace weft
