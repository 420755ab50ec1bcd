// SPDX-License-Identifier: Apache-2.0
// Calls zlib and zstd, piece by piece.
#include "base/compressed.hpp"

#include <zlib.h>
#include <zstd.h>

#include <array>
#include <memory>
#include <string_view>

#include "base/error.hpp"
#include "base/files.hpp"

namespace weft {
namespace {

/// Adds a piece, unless the whole becomes too large.
void append(std::string& out, const char* bytes, std::size_t count, const std::string& name) {
  if (out.size() + count > largest_file) throw Error("{}: holds more than 4 GiB", name);
  out.append(bytes, count);
}

/// A file of gzip is one part, or several in a row.
std::string from_gzip(const std::string& bytes, const std::string& name) {
  z_stream stream = {};
  constexpr int any_window = 15, gzip_only = 16;
  if (inflateInit2(&stream, any_window + gzip_only) != Z_OK)
    throw Error("{}: zlib cannot be used", name);
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ends(&stream, inflateEnd);
  std::string out;
  std::array<unsigned char, 1 << 16> piece;
  std::size_t done = 0;
  int state = Z_OK;
  while (done < bytes.size() || state == Z_OK) {
    if (state == Z_STREAM_END && inflateReset(&stream) != Z_OK) break;
    // zlib counts in 32 bits and does not write to what it reads.
    const std::size_t given = std::min<std::size_t>(bytes.size() - done, 1U << 30);
    stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data())) + done;
    stream.avail_in = static_cast<unsigned>(given);
    stream.next_out = piece.data();
    stream.avail_out = piece.size();
    state = inflate(&stream, Z_NO_FLUSH);
    if (state != Z_OK && state != Z_STREAM_END)
      throw Error("{}: damaged, or cut off: gzip cannot read it", name);
    done += given - stream.avail_in;
    append(out, reinterpret_cast<const char*>(piece.data()), piece.size() - stream.avail_out, name);
  }
  return out;
}

std::string from_zstd(const std::string& bytes, const std::string& name) {
  const std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(),
                                                                             ZSTD_freeDStream);
  if (!stream) throw Error("{}: zstd cannot be used", name);
  std::string out, piece(ZSTD_DStreamOutSize(), '\0');
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  std::size_t left = 0;  // 0: a part has ended
  bool full = false;     // there may be more to write
  while (in.pos < in.size || full) {
    ZSTD_outBuffer to{piece.data(), piece.size(), 0};
    left = ZSTD_decompressStream(stream.get(), &to, &in);
    if (ZSTD_isError(left) != 0) throw Error("{}: damaged: zstd cannot read it", name);
    append(out, piece.data(), to.pos, name);
    full = to.pos == to.size;
  }
  if (left != 0) throw Error("{}: cut off: zstd finds no end", name);
  return out;
}

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

std::string decompressed(std::string bytes, const std::string& name) {
  const std::string_view start(bytes);
  if (start.starts_with("\x1f\x8b")) return from_gzip(bytes, name);
  if (start.starts_with("\x28\xb5\x2f\xfd")) return from_zstd(bytes, name);
  if (const std::string why = other_compression(bytes, name); !why.empty())
    throw Error("{}: {}", name, why);
  return bytes;
}

}  // namespace weft
