// SPDX-License-Identifier: Apache-2.0
// Transcripts: commands with the output they must give, which are documentation and test in one.
//
//   $ weft list topologies        a line starting "$ " is a command (a final \ continues it, and
//                                 <<'END' up to END)
//   torus    built in <...> ms    <...> matches any text within the line
//   ...                           a line of three dots matches any number of lines
//   [exit 2]                      last line if the exit status is not 0; no dots match it
//
// Text before the first command is commentary; blank lines at the end of an output do not count.
// In Markdown the ```console blocks count, save those marked ```console no-test. Commands starting
// with ./weft.sh are not run.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace weft::testing {

struct TranscriptStep {
  int line;  // of the command in its file, from 1
  std::string command;
  std::vector<std::string> expected;
};

std::vector<TranscriptStep> parse_transcript(std::string_view text);
std::vector<TranscriptStep> parse_markdown(std::string_view text);

// Empty if the lines match, otherwise a diff: "  both", "- only expected", "+ only got".
std::string transcript_diff(const std::vector<std::string>& expected,
                            const std::vector<std::string>& got);

// Runs the steps one after another in a fresh temporary folder; returns what went wrong, by line,
// or nothing. `name` is the name of the file in that report.
std::string run_transcript(std::string_view name, const std::vector<TranscriptStep>& steps);

// The transcripts of the source tree: tests/transcripts/*.txt, README.md and the *.md below docs.
std::vector<std::filesystem::path> transcript_files();

}  // namespace weft::testing
