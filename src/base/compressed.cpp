// SPDX-License-Identifier: Apache-2.0
// Calls zlib and zstd, piece by piece.
#include "base/compressed.hpp"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/files.hpp"

namespace weft {
namespace {

constexpr std::size_t piece_size = 1 << 16;

/// Bytes that are to be decompressed, a piece at a time.
class CompressedInput {
 public:
  explicit CompressedInput(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)) {}
  /// Reads the next piece when this one is used up; false at the end.
  bool fill() {
    if (at < size) return true;
    size = stream_->read(bytes.data(), bytes.size());
    at = 0;
    return size > 0;
  }
  std::array<char, piece_size> bytes;
  std::size_t at = 0, size = 0;

 private:
  std::unique_ptr<ByteStream> stream_;
};

/// A file of gzip is one part, or several in a row.
class GzipStream : public ByteStream {
 public:
  GzipStream(std::unique_ptr<ByteStream> stream, std::string name)
      : in_(std::move(stream)), name_(std::move(name)) {
    constexpr int any_window = 15, gzip_only = 16;
    if (inflateInit2(&state_, any_window + gzip_only) != Z_OK)
      throw Error("{}: zlib cannot be used", name_);
  }
  ~GzipStream() override { inflateEnd(&state_); }

  std::size_t read(char* into, std::size_t most) override {
    const std::size_t wanted = std::min<std::size_t>(most, 1U << 30);  // zlib counts in 32 bits
    for (;;) {
      const bool more = in_.fill();
      if (ended_ && !more) return 0;
      if (ended_) inflateReset(&state_);
      const std::size_t count = inflate_piece(into, wanted);
      if (count > 0) return count;
    }
  }

 private:
  std::size_t inflate_piece(char* into, std::size_t wanted) {
    state_.next_in = reinterpret_cast<unsigned char*>(in_.bytes.data()) + in_.at;
    state_.avail_in = static_cast<unsigned>(in_.size - in_.at);
    state_.next_out = reinterpret_cast<unsigned char*>(into);
    state_.avail_out = static_cast<unsigned>(wanted);
    const int state = inflate(&state_, Z_NO_FLUSH);
    if (state != Z_OK && state != Z_STREAM_END)
      throw Error("{}: damaged, or cut off: gzip cannot read it", name_);
    ended_ = state == Z_STREAM_END;
    in_.at = in_.size - state_.avail_in;
    return wanted - state_.avail_out;
  }

  CompressedInput in_;
  std::string name_;
  z_stream state_ = {};
  bool ended_ = false;
};

class ZstdStream : public ByteStream {
 public:
  ZstdStream(std::unique_ptr<ByteStream> stream, std::string name)
      : in_(std::move(stream)),
        name_(std::move(name)),
        state_(ZSTD_createDStream(), ZSTD_freeDStream) {
    if (!state_) throw Error("{}: zstd cannot be used", name_);
  }

  std::size_t read(char* into, std::size_t most) override {
    for (;;) {
      const bool more = in_.fill();
      if (!more && left_ == 0) return 0;
      ZSTD_inBuffer in{in_.bytes.data(), in_.size, in_.at};
      ZSTD_outBuffer out{into, most, 0};
      left_ = ZSTD_decompressStream(state_.get(), &out, &in);
      if (ZSTD_isError(left_) != 0) throw Error("{}: damaged: zstd cannot read it", name_);
      in_.at = in.pos;
      if (out.pos > 0) return out.pos;
      if (!more && left_ != 0) throw Error("{}: cut off: zstd finds no end", name_);
    }
  }

 private:
  CompressedInput in_;
  std::string name_;
  std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> state_;
  std::size_t left_ = 0;  ///< 0: a part has ended
};

}  // namespace

std::string other_compression(std::string_view bytes, const std::string& name) {
  constexpr std::string_view xz(
      "\xfd"
      "7zXZ",
      5);
  const bool is_xz = bytes.starts_with(xz);
  const bool is_bzip2 = bytes.starts_with("BZh") && bytes.size() > 9 && bytes.substr(4, 2) == "1A";
  if (!is_xz && !is_bzip2) return {};
  return fmt::format("compressed with {}; weft reads gzip and zstd: {} {}", is_xz ? "xz" : "bzip2",
                     is_xz ? "unxz" : "bunzip2", name);
}

std::unique_ptr<ByteStream> decompressed(std::unique_ptr<ByteStream> stream,
                                         const std::string& name) {
  const std::string start = take_front(*stream, piece_size);
  if (const std::string why = other_compression(start, name); !why.empty())
    throw Error("{}: {}", name, why);
  std::unique_ptr<ByteStream> whole = stream_of(start, std::move(stream));
  if (start.starts_with("\x1f\x8b")) return std::make_unique<GzipStream>(std::move(whole), name);
  if (start.starts_with("\x28\xb5\x2f\xfd"))
    return std::make_unique<ZstdStream>(std::move(whole), name);
  return whole;
}

std::string decompressed(std::string bytes, const std::string& name) {
  const std::unique_ptr<ByteStream> stream = decompressed(stream_of(std::move(bytes)), name);
  std::string out;
  std::array<char, piece_size> piece;
  while (const std::size_t count = stream->read(piece.data(), piece.size())) {
    if (out.size() + count > largest_file) throw Error("{}: holds more than 4 GiB", name);
    out.append(piece.data(), count);
  }
  return out;
}

}  // namespace weft
