// SPDX-License-Identifier: Apache-2.0
// Streams give the bytes of files and of memory, and their lines, in pieces of any size.
#include <gtest/gtest.h>

#include "base/byte_stream.hpp"
#include "base/line_stream.hpp"
#include "message.hpp"
#include "support/files.hpp"

namespace weft::test {
namespace {

/// Gives its bytes in small pieces.
class Dripping : public ByteStream {
 public:
  Dripping(std::string bytes, std::size_t piece) : bytes_(std::move(bytes)), piece_(piece) {}
  std::size_t read(char* into, std::size_t most) override {
    const std::size_t count = bytes_.copy(into, std::min(most, piece_), at_);
    at_ += count;
    return count;
  }

 private:
  std::string bytes_;
  std::size_t piece_, at_ = 0;
};

std::vector<std::string> lines_of(std::unique_ptr<ByteStream> stream) {
  std::vector<std::string> out;
  for (LineStream lines(std::move(stream), "x"); lines.next();) {
    out.push_back(std::string(lines.text) + (lines.ended ? "|" : ""));
    EXPECT_EQ(lines.number, out.size());
  }
  return out;
}

TEST(Streams, Lines) {
  using Texts = std::vector<std::string>;
  for (std::size_t piece = 1; piece < 9; ++piece) {
    const auto lines = [&](std::string text) {
      return lines_of(std::make_unique<Dripping>(std::move(text), piece));
    };
    EXPECT_EQ(lines(""), Texts{});
    EXPECT_EQ(lines("\n"), Texts{"|"});
    EXPECT_EQ(lines("a\r\nbc\n\nd\re"), (Texts{"a|", "bc|", "|", "d\re"}));
    EXPECT_EQ(lines("a\n"), Texts{"a|"});
  }
  const std::string longer(1'000'000, 'x');
  EXPECT_EQ(lines_of(stream_of("a\n" + longer + "\nb\n")), (Texts{"a|", longer + "|", "b|"}));
}

TEST(Streams, ALineWithoutEnd) {
  class Endless : public ByteStream {
   public:
    std::size_t read(char* into, std::size_t most) override {
      std::fill_n(into, most, 'x');
      return most;
    }
  };
  EXPECT_EQ(message_of([] { lines_of(std::make_unique<Endless>()); }),
            "x: line 1 is longer than 64 MiB: this is no text");
}

TEST(Streams, FrontAndRest) {
  std::unique_ptr<ByteStream> stream = std::make_unique<Dripping>("abcdefg", 2);
  EXPECT_EQ(take_front(*stream, 3), "abc");
  stream = stream_of("abc", std::move(stream));
  EXPECT_EQ(take_front(*stream, 100), "abcdefg");
  EXPECT_EQ(take_front(*stream, 100), "");
}

TEST(Streams, Files) {
  const testing::TemporaryFolder folder;
  EXPECT_EQ(message_of([] { open_stream("there/is/none"); }),
            "there/is/none: No such file or directory");
  const std::unique_ptr<ByteStream> stream = open_stream(folder.path());
  EXPECT_EQ(message_of([&] { take_front(*stream, 1); }), folder.path() + ": Is a directory");
}

}  // namespace
}  // namespace weft::test
