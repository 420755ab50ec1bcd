// SPDX-License-Identifier: Apache-2.0
// Compressed inputs: what gzip and zstd write is read back; what is damaged is not.
#include "base/compressed.hpp"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include "message.hpp"

namespace weft::test {
namespace {

std::string sample(std::size_t size) {
  std::string out;
  for (std::size_t i = 0; out.size() < size; ++i) out += std::to_string(i * i % 1009) + ' ';
  return out;
}

std::string gzipped(const std::string& text) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string in = text, out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<unsigned char*>(in.data());
  stream.avail_in = static_cast<unsigned>(in.size());
  stream.next_out = reinterpret_cast<unsigned char*>(out.data());
  stream.avail_out = static_cast<unsigned>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd_of(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

TEST(Compressed, ThereAndBack) {
  for (const std::size_t size : {0U, 1U, 1000U, 65'536U, 1'000'000U}) {
    const std::string text = sample(size);
    EXPECT_EQ(decompressed(gzipped(text), "x"), text);
    EXPECT_EQ(decompressed(gzipped(text) + gzipped("more"), "x"), text + "more");
    EXPECT_EQ(decompressed(zstd_of(text), "x"), text);
    EXPECT_EQ(decompressed(zstd_of(text) + zstd_of("more"), "x"), text + "more");
    EXPECT_EQ(decompressed(text, "x"), text);
  }
}

TEST(Compressed, DamagedOrCutOff) {
  const std::string text = sample(5000), gzip = gzipped(text), zstd = zstd_of(text);
  for (std::size_t cut = 2; cut < gzip.size(); cut += 7)
    EXPECT_EQ(message_of([&] { decompressed(gzip.substr(0, cut), "f.gz"); }),
              "f.gz: damaged, or cut off: gzip cannot read it");
  for (std::size_t cut = 4; cut < zstd.size(); cut += 7)
    EXPECT_EQ(message_of([&] { decompressed(zstd.substr(0, cut), "f.zst"); }),
              "f.zst: cut off: zstd finds no end");
  std::string wrong = gzip;
  wrong[gzip.size() / 2] = static_cast<char>(wrong[gzip.size() / 2] ^ 0x55);
  EXPECT_EQ(message_of([&] { decompressed(wrong, "f.gz"); }),
            "f.gz: damaged, or cut off: gzip cannot read it");
  EXPECT_EQ(message_of([&] { decompressed(gzip + "and more", "f.gz"); }),
            "f.gz: damaged, or cut off: gzip cannot read it");
}

TEST(Compressed, ByOtherPrograms) {
  EXPECT_EQ(message_of([&] {
              decompressed(
                  "\xfd"
                  "7zXZ\x01 and more",
                  "f.xz");
            }),
            "f.xz: compressed with xz; weft reads gzip and zstd: unxz f.xz");
  EXPECT_EQ(message_of([&] { decompressed("BZh91AY&SY and more", "f.bz2"); }),
            "f.bz2: compressed with bzip2; weft reads gzip and zstd: bunzip2 f.bz2");
  EXPECT_EQ(decompressed("BZh is text", "f"), "BZh is text");
}

}  // namespace
}  // namespace weft::test
