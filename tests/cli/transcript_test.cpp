// SPDX-License-Identifier: Apache-2.0
// Runs every transcript of the tests and of the documentation, and tests the transcript runner.
#include "support/transcript.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <string>

#include "support/files.hpp"
#include "support/paths.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

class Transcript : public ::testing::TestWithParam<fs::path> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Transcript);

TEST_P(Transcript, GivesWhatItShows) {
  const auto text = read_file(weft::testing::source_dir() / GetParam());
  const bool markdown = GetParam().extension() == ".md";
  const auto report =
      run_transcript(GetParam().string(), markdown ? parse_markdown(text) : parse_transcript(text));
  EXPECT_TRUE(report.empty()) << report;
}

std::string test_name(const ::testing::TestParamInfo<fs::path>& info) {
  std::string name = info.param.string();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Transcript, ::testing::ValuesIn(transcript_files()), test_name);

std::string run_text(std::string_view text) { return run_transcript("t", parse_transcript(text)); }

TEST(TranscriptRunner, AcceptsWhatMatches) {
  EXPECT_EQ(run_text("What this shows.\n\n$ echo one; echo two >&2\none\ntwo\n\n$ true\n"), "");
  EXPECT_EQ(run_text("$ echo took 12 ms at r1\ntook <...> ms at <...>\n"), "");
  EXPECT_EQ(run_text("$ seq 9\n1\n...\n5\n...\n9\n"), "");
  EXPECT_EQ(run_text("$ seq 2\n...\n1\n2\n...\n"), "");
  EXPECT_EQ(run_text("$ echo bad; exit 2\nbad\n[exit 2]\n"), "");
  EXPECT_EQ(run_text("$ echo a \\\n    b\na b\n"), "");
}

TEST(TranscriptRunner, ShowsWhatDiffers) {
  EXPECT_EQ(run_text("$ true\n$ printf 'a\\nx\\nc\\n'\na\nb\nc\n"),
            "t:2: $ printf 'a\\nx\\nc\\n'\n(- expected, + got)\n  a\n- b\n+ x\n  c\n");
  EXPECT_NE(run_text("$ exit 3\n"), "");
  EXPECT_NE(run_text("$ true\n[exit 1]\n"), "");
  EXPECT_NE(run_text("$ echo more\n"), "");
  EXPECT_EQ(run_text("$ echo a; exit 2\n...\n"),
            "t:1: $ echo a; exit 2\n(- expected, + got)\n  a\n  ...\n+ [exit 2]\n");
  EXPECT_NE(run_text("$ seq 9\n1\n...\n5\n"), "");
}

TEST(TranscriptRunner, DiffPassesOverWildcards) {
  EXPECT_EQ(transcript_diff({"a", "...", "c"}, {"a", "b", "d"}), "  a\n  b\n  d\n  ...\n- c\n");
  EXPECT_EQ(transcript_diff({"t=<...>s", "x"}, {"t=5s", "y"}), "  t=5s\n- x\n+ y\n");
}

TEST(TranscriptRunner, GivesEveryFileItsOwnFolder) {
  EXPECT_EQ(run_text("$ echo hello > f\n$ cat f\nhello\n$ test \"$HOME\" = \"$PWD\"\n"), "");
  EXPECT_EQ(run_text("$ ls\n"), "");
}

TEST(TranscriptRunner, FindsWeft) {
  EXPECT_EQ(run_text("$ command -v weft\n" + weft::testing::program().string() + "\n"), "");
}

TEST(TranscriptRunner, DocumentsWithinCommands) {
  EXPECT_EQ(
      run_text("$ cat > f <<'END'\n$ no command\na \\\nEND\n$ cut -c2- f\n no command\n \\\n"), "");
}

TEST(TranscriptRunner, ReadsConsoleBlocksOfMarkdown) {
  const auto steps = parse_markdown(
      "# Title\n$ not run\n```console\n$ echo a\na\n```\nprose\n```console no-test\n$ exit 1\n```\n"
      "```sh\n$ exit 1\n```\n```console\n$ ./weft.sh test\nlong output\n$ echo b\nb\n```\n");
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].line, 4);
  EXPECT_EQ(steps[0].expected, Lines{"a"});
  EXPECT_EQ(steps[1].command, "echo b");
  EXPECT_EQ(run_transcript("m", steps), "");
}

}  // namespace
}  // namespace weft::testing
