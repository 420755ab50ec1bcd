// SPDX-License-Identifier: Apache-2.0
// Paths that the build defines.
#include "support/paths.hpp"

namespace weft::testing {

std::filesystem::path source_dir() { return WEFT_SOURCE_DIR; }
std::filesystem::path program() { return WEFT_BINARY; }

}  // namespace weft::testing
