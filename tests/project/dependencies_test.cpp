// SPDX-License-Identifier: Apache-2.0
// docs/dependencies.md: it has the packages that weft.sh installs, list by list, and packages of
// weft come with the licenses of everything that the page says is in the program.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/files.hpp"
#include "support/paths.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;
using Lists = std::map<std::string, Names>;

/// The lists "test_packages=(a b …)" of a script.
Lists lists_of_script(const std::string& text) {
  static const std::regex list(R"((^|\n)(\w+_packages)=\(([^)]*)\))");
  Lists lists;
  for (std::sregex_iterator at(text.begin(), text.end(), list), end; at != end; ++at) {
    std::istringstream words((*at)[3].str());
    for (std::string word; words >> word;) lists[(*at)[2]].insert(word);
  }
  return lists;
}

/// The cells of a line of a table; none of another line.
std::vector<std::string> cells(const std::string& line) {
  static const std::regex cell(R"(\| ([^|]*[^| ]) (?=\|))");
  std::vector<std::string> found;
  for (std::sregex_iterator at(line.begin(), line.end(), cell), end; at != end; ++at)
    found.push_back((*at)[1]);
  return found;
}

struct DependencyPage {
  Lists lists;       ///< by the headings that end with the name of a list
  Names in_program;  ///< packages with headers or a library in the program
};

/// What the page says. Throws where a row of a list lacks a cell.
DependencyPage read_page(const std::string& text) {
  static const std::regex heading(R"(## .*: `(\w+)`)"), package("`([^`]+)`");
  DependencyPage found;
  std::string list;
  for (const auto& line : split_lines(text)) {
    std::smatch match;
    if (line.starts_with("## "))
      list = std::regex_match(line, match, heading) ? match[1].str() : "";
    const auto row = cells(line);
    if (row.empty() || !std::regex_match(row[0], match, package)) continue;
    if (!list.empty() && row.size() != 5) throw std::runtime_error("not five cells: " + line);
    if (!list.empty()) found.lists[list].insert(match[1]);
    if (row.size() > 3 && (row[3].starts_with("headers") || row[3].starts_with("library")))
      found.in_program.insert(match[1]);
  }
  return found;
}

DependencyPage page() { return read_page(read_file(source_dir() / "docs/dependencies.md")); }

TEST(Dependencies, ThePageHasThePackagesThatTheScriptInstalls) {
  const Lists installed = lists_of_script(read_file(source_dir() / "weft.sh"));
  ASSERT_TRUE(installed.contains("build_packages"));
  EXPECT_EQ(page().lists, installed);
}

TEST(Dependencies, PackagesHaveTheLicensesOfWhatIsInside) {
  if (!fs::exists("/usr/share/doc/libfmt-dev/copyright"))
    GTEST_SKIP() << "not a Debian system, whose licenses would be packed";
  const TemporaryFolder folder;
  const std::string build = shell_quoted(folder / "build");
  const auto result =
      run_shell("cmake -S " + shell_quoted(source_dir().string()) + " -B " + build +
                " -G Ninja -DWEFT_STATIC=ON -DWEFT_HARDEN=OFF && cmake --install " + build +
                " --component licenses --prefix " + shell_quoted(folder / "usr"));
  ASSERT_EQ(result.status, 0) << result.output;
  static const std::regex version("-[0-9]+-dev"),
      grant("permission is hereby granted|redistribut", std::regex::icase);
  Names given;
  for (const auto& file : fs::directory_iterator(folder / "usr/share/doc/weft/licenses")) {
    given.insert(std::regex_replace(file.path().filename().string(), version, "-N-dev"));
    EXPECT_TRUE(std::regex_search(read_file(file), grant)) << file << " has no license";
  }
  Names wanted{"LGPL-2.1", "page"};
  for (const auto& name : page().in_program)
    if (fs::exists(fs::path("/usr/share/doc") / name) || std::regex_search(name, version))
      wanted.insert(std::regex_replace(name, version, "-N-dev"));  // others are no Debian packages
  EXPECT_EQ(given, wanted);
}

TEST(Dependencies, ReadersSeeWhatIsThere) {
  EXPECT_EQ(lists_of_script("a_packages=(b c\n  d)\nneed \"${a_packages[@]}\"\nx=(y)\n"),
            (Lists{{"a_packages", {"b", "c", "d"}}}));
  const auto found = read_page(
      "## To run: `a_packages`\n| package | x | y | z | w |\n|---|---|---|---|---|\n"
      "| `b` | x | MIT | no | w |\n| `c` | x | MIT | headers, library | w |\n"
      "## Other\n| `d` | x | MIT | library |\n");
  EXPECT_EQ(found.lists, (Lists{{"a_packages", {"b", "c"}}}));
  EXPECT_EQ(found.in_program, (Names{"c", "d"}));
  EXPECT_THROW(read_page("## To run: `a_packages`\n| `b` | x | | no | w |\n"), std::runtime_error);
}

}  // namespace
}  // namespace weft::testing
