// SPDX-License-Identifier: Apache-2.0
// Writing files whole or not at all.
#pragma once
#include <functional>
#include <iosfwd>
#include <string>

namespace weft {

/// Writes to a file beside `path` and renames it; "-" is standard output. Throws Error when it
/// cannot; the file is then unchanged, as it is when `write` throws.
void write_file(const std::string& path, const std::function<void(std::ostream&)>& write);

}  // namespace weft
