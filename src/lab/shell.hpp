// SPDX-License-Identifier: Apache-2.0
// Quotes words for a shell.
#pragma once
#include <string>

namespace weft {

/// The text, in quotes where a shell needs them.
std::string shell_word(const std::string& text);

}  // namespace weft
