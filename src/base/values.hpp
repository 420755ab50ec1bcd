// SPDX-License-Identifier: Apache-2.0
// Values of parameters from their text; base/units.hpp has those with a unit.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/units.hpp"

namespace weft {

/// Removes and returns the text up to `stop`; `rest` then begins after it.
std::string_view take_until(std::string_view& rest, char stop);

/// Parses a whole number. Throws Error unless it is from `least` to `most`.
std::int64_t whole_from(std::string_view text, std::int64_t least, std::int64_t most);
/// Parses "4x4x2". Throws Error unless all numbers are `least` or more.
std::vector<int> dims_from(std::string_view text, int least);
/// Parses "4KiB" and, where `plain` numbers mean bytes, "4096". Throws Error.
Bytes size_from(std::string_view text, bool plain);

}  // namespace weft
