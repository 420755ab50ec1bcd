// SPDX-License-Identifier: Apache-2.0
// The page of the files that weft writes.
#include "cli/reference/topics.hpp"

namespace weft::cli {

std::vector<ReferenceSection> result_sections() { return {}; }
std::vector<ReferenceSection> input_sections() { return {}; }

}  // namespace weft::cli
