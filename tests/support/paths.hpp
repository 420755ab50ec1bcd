// SPDX-License-Identifier: Apache-2.0
// Where the checkout and the program under test are. One source file knows: the others compile to
// the same objects wherever the checkout is.
#pragma once
#include <filesystem>

namespace weft::testing {

std::filesystem::path source_dir();
std::filesystem::path program();

}  // namespace weft::testing
