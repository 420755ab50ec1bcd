// SPDX-License-Identifier: Apache-2.0
// Words for a shell.
#pragma once
#include <string>

namespace weft {

/// In quotes where a shell needs them.
std::string shell_word(const std::string& text);

}  // namespace weft
