// SPDX-License-Identifier: Apache-2.0
// The lines of a text that comes piece by piece.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/byte_stream.hpp"

namespace weft {

/// for (LineStream lines(stream, name); lines.next();) … lines.text, lines.number
class LineStream {
 public:
  LineStream(std::unique_ptr<ByteStream> stream, std::string name)
      : stream_(std::move(stream)), name_(std::move(name)) {}
  /// False at the end. Throws Error for lines of more than 64 MiB.
  bool next();
  std::string_view text{};  ///< without the line end, be it LF or CR LF
  std::uint64_t number = 0;
  bool ended = true;  ///< by a line end, which only the last line may lack

 private:
  /// Moves what is left to the front and reads more behind it; false at the end.
  bool read_more();

  std::unique_ptr<ByteStream> stream_;
  std::string name_;
  std::string buffer_ = std::string(1 << 18, '\0');
  std::size_t at_ = 0, end_ = 0;  ///< what was read, and is not a line yet
};

}  // namespace weft
