// SPDX-License-Identifier: Apache-2.0
// Compressed files, which are read like others.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "base/byte_stream.hpp"

namespace weft {

/// Why bytes that begin so cannot be read: "compressed with xz; weft reads gzip and zstd: unxz
/// FILE". Empty for all others.
std::string other_compression(std::string_view bytes, const std::string& name);

/// What a stream holds: its bytes, or what gzip or zstd has compressed, whatever the file is
/// called. It, and its read(), throw Error for damaged ones and for other compressions.
std::unique_ptr<ByteStream> decompressed(std::unique_ptr<ByteStream> stream,
                                         const std::string& name);

/// The same for the bytes of a file. Throws Error for more than 4 GiB, too.
std::string decompressed(std::string bytes, const std::string& name);

}  // namespace weft
