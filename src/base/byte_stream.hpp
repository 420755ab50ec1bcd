// SPDX-License-Identifier: Apache-2.0
// Bytes that come piece by piece, for inputs that need not be in memory as a whole.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace weft {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Writes up to `most` bytes, which are 1 or more; returns how many, 0 only at the end.
  virtual std::size_t read(char* into, std::size_t most) = 0;
};

/// A file or pipe. Throws Error when it cannot be read.
std::unique_ptr<ByteStream> open_stream(const std::string& path);

/// Bytes that are in memory, and after them those of another stream, if there is one.
std::unique_ptr<ByteStream> stream_of(std::string bytes,
                                      std::unique_ptr<ByteStream> rest = nullptr);

/// The first bytes, up to `most`, which are taken from the stream.
std::string take_front(ByteStream& stream, std::size_t most);

}  // namespace weft
