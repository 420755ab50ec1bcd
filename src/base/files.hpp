// SPDX-License-Identifier: Apache-2.0
// Writing files whole or not at all.
#pragma once
#include <functional>
#include <iosfwd>
#include <string>

namespace weft {

/// Writes beside the file and renames; "-" is standard output. Throws Error when it cannot; then,
/// as when `write` throws, the file is what it was.
void write_file(const std::string& path, const std::function<void(std::ostream&)>& write);

}  // namespace weft
