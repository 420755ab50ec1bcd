// SPDX-License-Identifier: Apache-2.0
// Links of the documents: every relative link of a Markdown file leads to a file and, where it has
// a fragment, to a heading; every document that sources and scripts name exists.
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "support/files.hpp"
#include "support/paths.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using Complaints = std::vector<std::string>;

/// The lines of a Markdown text outside its code blocks.
std::vector<std::string> prose_lines(const std::string& text) {
  std::vector<std::string> lines;
  bool in_block = false;
  for (const auto& line : split_lines(text)) {
    const auto begin = line.find_first_not_of(' ');
    const bool fence = begin != std::string::npos && line.substr(begin).starts_with("```");
    if (fence) in_block = !in_block;
    if (!fence && !in_block) lines.push_back(line);
  }
  return lines;
}

/// The fragment by which GitHub links to a heading. Bytes above 127 are kept: letters of UTF-8.
std::string fragment_of(const std::string& heading) {
  std::string out;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || byte > 127 || c == '-' || c == '_')
      out += static_cast<char>(std::tolower(byte));
    else if (c == ' ')
      out += '-';
  }
  return out;
}

std::set<std::string> fragments_of(const std::string& text) {
  static const std::regex heading("^#+ +(.*[^ ]) *$");
  std::set<std::string> found;
  for (const auto& line : prose_lines(text))
    if (std::smatch match; std::regex_match(line, match, heading))
      found.insert(fragment_of(match[1]));
  return found;
}

/// The targets of the links of a Markdown text, images included, without those of other hosts.
std::vector<std::string> link_targets(const std::string& text) {
  static const std::regex code("`[^`]*`");
  static const std::regex link(R"(\]\(([^)\s]+)\))");
  std::vector<std::string> targets;
  for (const auto& line : prose_lines(text)) {
    const std::string prose = std::regex_replace(line, code, "code");
    for (std::sregex_iterator at(prose.begin(), prose.end(), link), end; at != end; ++at)
      if (const std::string target = (*at)[1]; target.find("://") == std::string::npos)
        targets.push_back(target);
  }
  return targets;
}

/// Complains of the links of one document that lead nowhere. `path` is relative to `root`.
void check_links(const fs::path& root, const fs::path& path, Complaints& complaints) {
  for (const auto& target : link_targets(read_file(root / path))) {
    const auto hash = target.find('#');
    const std::string file = target.substr(0, hash);
    const fs::path to = file.empty() ? root / path : root / path.parent_path() / file;
    if (!fs::exists(to))
      complaints.push_back(path.string() + ": " + target + " leads to no file");
    else if (hash != std::string::npos &&
             !fragments_of(read_file(to)).contains(target.substr(hash + 1)))
      complaints.push_back(path.string() + ": " + target + " leads to no heading");
  }
}

std::vector<fs::path> documents() {
  std::vector<fs::path> found{"README.md"};
  for (const char* folder : {"docs", "src", "tests", "bench"})
    for (auto& file : files_below(folder, {".md"})) found.push_back(std::move(file));
  return found;
}

TEST(Links, LeadSomewhere) {
  Complaints complaints;
  for (const auto& path : documents()) check_links(source_dir(), path, complaints);
  EXPECT_EQ(complaints, Complaints{});
}

TEST(Links, TheMapNamesEveryDocument) {
  std::set<fs::path> named{"docs/README.md"};
  for (const auto& target : link_targets(read_file(source_dir() / "docs/README.md")))
    named.insert((fs::path("docs") / target).lexically_normal());
  for (const auto& path : files_below("docs", {".md"}))
    EXPECT_TRUE(named.contains(path)) << path << " is missing in docs/README.md";
}

TEST(Links, DocumentsThatSourcesNameExist) {
  static const std::regex document(R"(\bdocs(/[\w-]+)+\.md\b)");
  auto files = cpp_files();
  for (const char* folder : {"cmake", "clusters", "scenarios", "tests"})
    for (auto& file : files_below(folder, {".cmake", ".toml", ".txt", ".sh"}))
      files.push_back(std::move(file));
  for (const auto& file : files) {
    const std::string text = read_file(source_dir() / file);
    for (std::sregex_iterator at(text.begin(), text.end(), document), end; at != end; ++at)
      EXPECT_TRUE(fs::exists(source_dir() / at->str())) << file << " names " << at->str();
  }
}

TEST(Links, CheckCanFail) {
  EXPECT_EQ(fragment_of("QsNet: `weft run`, a walk (1)"), "qsnet-weft-run-a-walk-1");
  const auto fragments = fragments_of("# A b\n```\n# no heading\n```\n## C's\n");
  EXPECT_EQ(fragments, (std::set<std::string>{"a-b", "cs"}));
  const auto targets = link_targets("[a](b.md) ![c](d.svg) [e](https://f.org)\n`[g](h)` [i](#j)\n");
  EXPECT_EQ(targets, (std::vector<std::string>{"b.md", "d.svg", "#j"}));
  const TemporaryFolder folder;
  std::ofstream(folder / "a.md") << "# A\n[here](#a) [gone](b.md) [none](a.md#b)\n";
  Complaints complaints;
  check_links(fs::path(folder / "a.md").parent_path(), "a.md", complaints);
  EXPECT_EQ(complaints,
            (Complaints{"a.md: b.md leads to no file", "a.md: a.md#b leads to no heading"}));
}

}  // namespace
}  // namespace weft::testing
