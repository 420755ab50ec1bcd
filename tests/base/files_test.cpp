// SPDX-License-Identifier: Apache-2.0
// Files are written whole or not at all.
#include "base/files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <thread>

#include "message.hpp"
#include "support/files.hpp"

namespace weft::test {
namespace {

namespace fs = std::filesystem;
using testing::read_file;

class WriteFile : public ::testing::Test {
 protected:
  std::string at(const std::string& name) const { return folder_ / name; }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  std::size_t file_count() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_ / ""), fs::directory_iterator()));
  }

 private:
  testing::TemporaryFolder folder_;
};

void hello(std::ostream& out) { out << "hello\n"; }

/// Sends standard output elsewhere until destroyed.
class RedirectedOutput {
 public:
  explicit RedirectedOutput(std::streambuf* to) : before_(std::cout.rdbuf(to)) {}
  RedirectedOutput(const RedirectedOutput&) = delete;
  ~RedirectedOutput() {
    std::cout.rdbuf(before_);
    std::cout.clear();
  }

 private:
  std::streambuf* before_;
};

TEST_F(WriteFile, MakesAFile) {
  write_file(at("new"), hello);
  EXPECT_EQ(read_file(at("new")), "hello\n");
  EXPECT_EQ(file_count(), 1U) << "no draft remains";
}

TEST_F(WriteFile, ReplacesAFile) {
  put("old", "something much longer than what comes\n");
  write_file(at("old"), hello);
  EXPECT_EQ(read_file(at("old")), "hello\n");
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(WriteFile, TheOldFileStandsUntilTheNewOneIsWhole) {
  put("old", "old");
  write_file(at("old"), [&](std::ostream& out) {
    out << "half" << std::flush;
    EXPECT_EQ(read_file(at("old")), "old");
  });
  EXPECT_EQ(read_file(at("old")), "half");
}

TEST_F(WriteFile, KeepsTheOldFileWhenTheWriterThrows) {
  put("old", "old");
  const auto half = [](std::ostream& out) {
    out << "half";
    throw Error("cannot go on");
  };
  EXPECT_EQ(message_of([&] { write_file(at("old"), half); }), "cannot go on");
  EXPECT_EQ(read_file(at("old")), "old");
  EXPECT_EQ(message_of([&] { write_file(at("new"), half); }), "cannot go on");
  EXPECT_EQ(file_count(), 1U) << "neither a new file nor a draft";
}

TEST_F(WriteFile, KeepsTheOldFileWhenTheStreamFails) {
  put("old", "old");
  const auto fail = [](std::ostream& out) {
    errno = ENOSPC;
    out.setstate(std::ios::badbit);
  };
  EXPECT_EQ(message_of([&] { write_file(at("old"), fail); }),
            at("old") + ": cannot be written: No space left on device");
  EXPECT_EQ(read_file(at("old")), "old");
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(WriteFile, NeedsAFolder) {
  EXPECT_EQ(message_of([&] { write_file(at("nowhere/file"), hello); }),
            at("nowhere/file") + ": cannot be written: No such file or directory");
  put("plain", "");
  EXPECT_EQ(message_of([&] { write_file(at("plain/file"), hello); }),
            at("plain/file") + ": cannot be written: Not a directory");
}

TEST_F(WriteFile, DoesNotReplaceAFolder) {
  fs::create_directory(at("folder"));
  EXPECT_EQ(message_of([&] { write_file(at("folder"), hello); }),
            at("folder") + ": cannot be written: Is a directory");
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(WriteFile, NeedsTheRightToWrite) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  fs::create_directory(at("locked"));
  fs::permissions(at("locked"), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(message_of([&] { write_file(at("locked/file"), hello); }),
            at("locked/file") + ": cannot be written: Permission denied");
}

TEST_F(WriteFile, FollowsASymbolicLink) {
  put("target", "old");
  fs::create_symlink("target", at("link"));
  write_file(at("link"), hello);
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(read_file(at("target")), "hello\n");
}

TEST_F(WriteFile, ADanglingLinkLeadsToTheNewFile) {
  fs::create_symlink("target", at("link"));
  write_file(at("link"), hello);
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(read_file(at("target")), "hello\n");
}

TEST_F(WriteFile, DraftsHaveNamesThatNobodyTook) {
  // Names that drafts once had, or might be thought to have.
  put("precious", "precious");
  for (const char* name : {"out.part", ".out", "out~", ".out.part", "out.tmp"})
    fs::create_symlink("precious", at(name));
  std::set<std::string> drafts;
  for (int i = 0; i < 50; ++i)
    write_file(at("out"), [&](std::ostream& out) {
      hello(out);
      for (const auto& entry : fs::directory_iterator(at("")))
        if (!entry.is_symlink()) drafts.insert(entry.path().filename());
    });
  EXPECT_EQ(read_file(at("precious")), "precious");
  EXPECT_EQ(drafts.size(), 52U) << "out, precious, and a draft of its own for each time";
  EXPECT_EQ(file_count(), 7U);
}

TEST_F(WriteFile, LongNamesHaveDraftsToo) {
  const std::string name(255, 'x');
  write_file(at(name), hello);
  EXPECT_EQ(read_file(at(name)), "hello\n");
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(WriteFile, KeepsTheMode) {
  for (const unsigned mode : {0600U, 0640U, 0755U, 0444U}) {
    put("old", "old");
    fs::permissions(at("old"), static_cast<fs::perms>(mode));
    write_file(at("old"), hello);
    EXPECT_EQ(fs::status(at("old")).permissions(), static_cast<fs::perms>(mode));
    fs::remove(at("old"));
  }
  const mode_t before = umask(027);
  write_file(at("new"), hello);
  umask(before);
  EXPECT_EQ(fs::status(at("new")).permissions(), static_cast<fs::perms>(0640));
}

TEST_F(WriteFile, NobodyReadsTheDraftOfAPrivateFile) {
  put("old", "old");
  fs::permissions(at("old"), static_cast<fs::perms>(0600));
  write_file(at("old"), [&](std::ostream& out) {
    hello(out);
    for (const auto& entry : fs::directory_iterator(at("")))
      EXPECT_EQ(entry.status().permissions(), static_cast<fs::perms>(0600)) << entry.path();
  });
}

TEST_F(WriteFile, OfSeveralWritersOneWins) {
  const auto write = [&](char letter) {
    for (int i = 0; i < 20; ++i)
      write_file(at("out"), [&](std::ostream& out) {
        for (int line = 0; line < 1000; ++line) out << std::string(100, letter);
      });
  };
  {
    const std::jthread one([&] { write('a'); });
    const std::jthread other([&] { write('b'); });
  }
  const std::string text = read_file(at("out"));
  EXPECT_EQ(text.size(), 100'000U);
  EXPECT_EQ(text, std::string(text.size(), text.front()));
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(WriteFile, WritesAllOfALargeText) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i) + '\n';
  write_file(at("large"), [&](std::ostream& out) { out << text.substr(0, 7) << text.substr(7); });
  EXPECT_EQ(read_file(at("large")), text);
}

TEST_F(WriteFile, WritesIntoPipes) {
  ASSERT_EQ(mkfifo(at("pipe").c_str(), 0600), 0);
  std::string seen;
  {
    const std::jthread reader([&] { seen = read_file(at("pipe")); });
    write_file(at("pipe"), hello);
  }
  EXPECT_EQ(seen, "hello\n");
  EXPECT_TRUE(fs::is_fifo(at("pipe")));
}

TEST(ReadToEnd, AReadErrorIsNoEnd) {
  const OpenFile folder(open("/", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(message_of([&] { read_to_end(folder, "x"); }), "x: Is a directory");
}

TEST_F(WriteFile, WritesToDevices) {
  write_file("/dev/null", hello);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(message_of([] { write_file("/dev/full", hello); }),
            "/dev/full: cannot be written: No space left on device");
}

TEST_F(WriteFile, ADashIsStandardOutput) {
  std::ostringstream seen;
  {
    const RedirectedOutput redirected(seen.rdbuf());
    write_file("-", hello);
  }
  EXPECT_EQ(seen.str(), "hello\n");
  EXPECT_FALSE(fs::exists("-"));
}

TEST_F(WriteFile, StandardOutputMayFail) {
  std::string message;
  {
    const RedirectedOutput redirected(nullptr);
    message = message_of([] { write_file("-", hello); });
  }
  EXPECT_EQ(message, "standard output cannot be written");
}

}  // namespace
}  // namespace weft::test
