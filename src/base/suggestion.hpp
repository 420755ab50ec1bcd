// SPDX-License-Identifier: Apache-2.0
// Suggestions for words that nothing is called: catalogues, specs and the command line end their
// complaints with one.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace weft {

/// "; did you mean lanes?" where a known word is like this one, but for a third of its letters at
/// most, and "; did you mean iq:lanes=4?" for a name whose parameters come behind a comma.
/// Otherwise empty.
std::string suggestion(std::string_view word, std::span<const std::string_view> known);

}  // namespace weft
