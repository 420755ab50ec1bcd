// SPDX-License-Identifier: Apache-2.0
// Reads, runs and compares transcripts.
#include "support/transcript.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "support/files.hpp"
#include "support/paths.hpp"

namespace weft::testing {
namespace fs = std::filesystem;
namespace {

using Lines = std::vector<std::string>;

void drop_blank_end(Lines& lines) {
  while (!lines.empty() && lines.back().find_first_not_of(" \t\r") == std::string::npos)
    lines.pop_back();
}

// Builds steps out of the lines of one console block after another.
class StepReader {
 public:
  void read(int number, const std::string& line) {
    if (continued_) {
      steps_.back().command += "\n" + line;
    } else if (line.starts_with("$ ")) {
      steps_.push_back({number, line.substr(2), {}});
      in_block_ = true;
    } else {
      if (in_block_) steps_.back().expected.push_back(line);
      return;
    }
    if (document_end_ == line) document_end_.clear();
    constexpr std::string_view here = "<<'";  // a document up to the word in quotes
    if (const std::size_t at = line.find(here); at != std::string::npos && document_end_.empty())
      document_end_ = line.substr(at + here.size(), line.rfind('\'') - at - here.size());
    continued_ = line.ends_with('\\') || !document_end_.empty();
  }

  void end_block() {
    in_block_ = continued_ = false;
    document_end_.clear();
  }

  std::vector<TranscriptStep> finish() && {
    std::erase_if(steps_, [](const auto& step) { return step.command.starts_with("./weft.sh"); });
    for (auto& step : steps_) drop_blank_end(step.expected);
    return std::move(steps_);
  }

 private:
  std::vector<TranscriptStep> steps_;
  bool in_block_ = false;
  bool continued_ = false;
  std::string document_end_;  // of a document within a command; empty: there is none
};

bool line_matches(std::string_view expected, std::string_view got) {
  constexpr std::string_view any = "<...>";
  const std::size_t first = expected.find(any);
  if (first == std::string_view::npos) return expected == got;
  if (!got.starts_with(expected.substr(0, first))) return false;
  expected.remove_prefix(first + any.size());
  for (std::size_t at = first; at <= got.size(); ++at)
    if (line_matches(expected, got.substr(at))) return true;
  return false;
}

// Fewest unmatched lines between the rest of expected from i and the rest of got from j.
class Alignment {
 public:
  Alignment(const Lines& expected, const Lines& got)
      : expected_(expected), got_(got), costs_((expected.size() + 1) * (got.size() + 1)) {
    for (std::size_t i = expected.size() + 1; i-- > 0;)
      for (std::size_t j = got.size() + 1; j-- > 0;) costs_[index(i, j)] = best(i, j);
  }

  int cost(std::size_t i = 0, std::size_t j = 0) const { return costs_[index(i, j)]; }

  std::string diff() const {
    std::string text;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < expected_.size() || j < got_.size()) {
      if (pairs(i, j) && cost(i, j) == cost(i + 1, j + 1)) {
        text += "  " + got_[j++] + "\n", ++i;
      } else if (any_lines(i) && cost(i, j) == cost(i + 1, j)) {
        text += "  " + expected_[i++] + "\n";
      } else if (swallows(i, j) && cost(i, j) == cost(i, j + 1)) {
        text += "  " + got_[j++] + "\n";
      } else if (i < expected_.size() && !any_lines(i) && cost(i, j) == 1 + cost(i + 1, j)) {
        text += "- " + expected_[i++] + "\n";
      } else {
        text += "+ " + got_[j++] + "\n";
      }
    }
    return text;
  }

 private:
  std::size_t index(std::size_t i, std::size_t j) const { return i * (got_.size() + 1) + j; }
  bool any_lines(std::size_t i) const { return i < expected_.size() && expected_[i] == "..."; }
  // Three dots match any line but [exit n]: a transcript must show that a command fails.
  bool swallows(std::size_t i, std::size_t j) const {
    return any_lines(i) && j < got_.size() && !got_[j].starts_with("[exit ");
  }
  bool pairs(std::size_t i, std::size_t j) const {
    return i < expected_.size() && j < got_.size() && !any_lines(i) &&
           line_matches(expected_[i], got_[j]);
  }

  int best(std::size_t i, std::size_t j) const {
    const bool expected_left = i < expected_.size();
    const bool got_left = j < got_.size();
    if (!expected_left && !got_left) return 0;
    int least = std::numeric_limits<int>::max();
    if (pairs(i, j)) least = cost(i + 1, j + 1);
    if (expected_left) least = std::min(least, (any_lines(i) ? 0 : 1) + cost(i + 1, j));
    if (got_left) least = std::min(least, (swallows(i, j) ? 0 : 1) + cost(i, j + 1));
    return least;
  }

  const Lines& expected_;
  const Lines& got_;
  std::vector<int> costs_;
};

Lines run_command(const std::string& command, const std::string& folder) {
  const std::string work = shell_quoted(folder);
  const std::string programs = weft::testing::program().parent_path().string();
  const auto result =
      run_shell("cd " + work + " && HOME=" + work + " PATH=" + shell_quoted(programs) +
                ":\"$PATH\" bash -c " + shell_quoted(command));
  Lines got = split_lines(result.output);
  drop_blank_end(got);
  if (result.status != 0) got.push_back("[exit " + std::to_string(result.status) + "]");
  return got;
}

}  // namespace

std::vector<TranscriptStep> parse_transcript(std::string_view text) {
  StepReader reader;
  int number = 0;
  for (const auto& line : split_lines(text)) reader.read(++number, line);
  return std::move(reader).finish();
}

std::vector<TranscriptStep> parse_markdown(std::string_view text) {
  StepReader reader;
  bool in_block = false;
  bool is_console = false;
  int number = 0;
  for (const auto& line : split_lines(text)) {
    ++number;
    if (line.starts_with("```")) {
      in_block = !in_block;
      is_console = in_block && line == "```console";
      reader.end_block();
    } else if (is_console) {
      reader.read(number, line);
    }
  }
  return std::move(reader).finish();
}

std::string transcript_diff(const Lines& expected, const Lines& got) {
  const Alignment alignment(expected, got);
  return alignment.cost() == 0 ? "" : alignment.diff();
}

std::string run_transcript(std::string_view name, const std::vector<TranscriptStep>& steps) {
  const TemporaryFolder folder;
  std::string report;
  for (const auto& step : steps) {
    const auto diff = transcript_diff(step.expected, run_command(step.command, folder.path()));
    if (diff.empty()) continue;
    report += std::string(name) + ":" + std::to_string(step.line) + ": $ " + step.command +
              "\n(- expected, + got)\n" + diff;
  }
  return report;
}

std::vector<fs::path> transcript_files() {
  auto files = files_below("tests/transcripts", {".txt"});
  for (auto& file : files_below("docs", {".md"})) files.push_back(std::move(file));
  if (fs::exists(weft::testing::source_dir() / "README.md")) files.emplace_back("README.md");
  return files;
}

}  // namespace weft::testing
