// SPDX-License-Identifier: Apache-2.0
// Texts with one place changed, for tests of what readers say about them.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace weft::test {

/// The text with the first `what` replaced; the test fails where there is none.
inline std::string replaced(std::string text, std::string_view what, std::string_view by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

}  // namespace weft::test
