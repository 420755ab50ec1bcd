// SPDX-License-Identifier: Apache-2.0
// Warnings, on standard error: results come nevertheless.
#pragma once
#include <fmt/core.h>

#include <cstdio>
#include <string>
#include <vector>

namespace weft::cli {

inline void warn(const std::vector<std::string>& warnings) {
  for (const std::string& text : warnings) fmt::print(stderr, "weft: warning: {}\n", text);
}

}  // namespace weft::cli
