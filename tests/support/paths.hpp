// SPDX-License-Identifier: Apache-2.0
// The paths of the checkout and of the program under test. Only one source file has them: the
// others compile to the same objects wherever the checkout is.
#pragma once
#include <filesystem>

namespace weft::testing {

std::filesystem::path source_dir();
std::filesystem::path program();

}  // namespace weft::testing
