// SPDX-License-Identifier: Apache-2.0
// Names as weft's tables write them.
#pragma once
#include <string>
#include <string_view>

namespace weft::weft_tables {

/// A name, in quotes where it needs them.
std::string word(std::string_view text);
/// The same for the rest of a line.
std::string line_word(std::string_view text);

}  // namespace weft::weft_tables
