// SPDX-License-Identifier: Apache-2.0
// Compressed files, which are read like others.
#pragma once
#include <string>

namespace weft {

/// What the bytes of a file hold: themselves, or what gzip or zstd has compressed, whatever the
/// file is called. Throws Error for damaged ones, and for more than 4 GiB.
std::string decompressed(std::string bytes, const std::string& name);

}  // namespace weft
