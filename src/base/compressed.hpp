// SPDX-License-Identifier: Apache-2.0
// Compressed files, which are read like others.
#pragma once
#include <string>
#include <string_view>

namespace weft {

/// Why bytes that begin so cannot be read: "compressed with xz; weft reads gzip and zstd: unxz
/// FILE". Empty for all others.
std::string other_compression(std::string_view bytes, const std::string& name);

/// What the bytes of a file hold: themselves, or what gzip or zstd has compressed, whatever the
/// file is called. Throws Error for damaged ones, for more than 4 GiB, and for other compressions.
std::string decompressed(std::string bytes, const std::string& name);

}  // namespace weft
