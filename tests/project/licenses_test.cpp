// SPDX-License-Identifier: Apache-2.0
// Licenses as REUSE (reuse.software) wants them: every file of the repository has a holder and a
// license, whose text is in LICENSES/. Code names its license itself; .reuse/dep5 has the rest.
#include <fnmatch.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/files.hpp"
#include "support/paths.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using Complaints = std::vector<std::string>;

/// A paragraph of .reuse/dep5.
struct LicensedFiles {
  std::vector<std::string> patterns;
  std::string holder, license;

  bool match(const std::string& path) const {
    return std::ranges::any_of(patterns, [&](const std::string& pattern) {
      return fnmatch(pattern.c_str(), path.c_str(), 0) == 0;
    });
  }
};

struct RepositoryFile {
  std::string path;
  std::string license;  ///< that its first lines name; may be empty
};

std::vector<LicensedFiles> read_dep5(const std::string& text) {
  std::vector<LicensedFiles> paragraphs;
  for (const auto& line : split_lines(text)) {
    const auto colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::string field = line.substr(0, colon), value = line.substr(colon + 2);
    if (field == "Files") {
      std::istringstream words(value);
      paragraphs.emplace_back();
      for (std::string word; words >> word;) paragraphs.back().patterns.push_back(word);
    }
    if (field == "Copyright") paragraphs.back().holder = value;
    if (field == "License") paragraphs.back().license = value;
  }
  return paragraphs;
}

// Cut in two: a tool that looks for licenses would take it for this file's own.
const std::string tag =
    "SPDX-"
    "License-Identifier: ";

std::string named_license(const std::string& text) {
  static const std::regex name(tag + "*([A-Za-z0-9.+-]+)");
  const std::string first_lines = text.substr(0, 120);
  std::smatch match;
  return std::regex_search(first_lines, match, name) ? match[1].str() : "";
}

bool is_code(const fs::path& path) {
  return std::set<std::string>{".cpp", ".hpp", ".cmake", ".sh"}.contains(path.extension()) ||
         path.filename() == "CMakeLists.txt";
}

/// "Apache-2.0 and MIT" are two.
std::vector<std::string> licenses_in(const std::string& all) {
  static const std::regex separator(" and ");
  return {std::sregex_token_iterator(all.begin(), all.end(), separator, -1), {}};
}

/// What is wrong with the licenses of `files`, of which LICENSES/ has these texts.
Complaints complaints_of(const std::vector<RepositoryFile>& files,
                         const std::vector<LicensedFiles>& paragraphs,
                         const std::set<std::string>& texts) {
  Complaints complaints;
  std::set<std::string> used;
  for (const auto& [path, license] : files) {
    if (is_code(path) && license.empty()) complaints.push_back(path + ": lacks its SPDX line");
    // The last paragraph that fits counts.
    const auto found = std::find_if(paragraphs.rbegin(), paragraphs.rend(),
                                    [&](const LicensedFiles& some) { return some.match(path); });
    if (found == paragraphs.rend()) {
      complaints.push_back(path + ": .reuse/dep5 does not say whose it is");
      continue;
    }
    if (found->holder.empty()) complaints.push_back(path + ": has no holder");
    if (!license.empty() && license != found->license)
      complaints.push_back(path + ": names another license than .reuse/dep5");
    for (const std::string& each : licenses_in(found->license)) {
      if (!texts.contains(each))
        complaints.push_back(path + ": LICENSES/ lacks its license, \"" + each + "\"");
      used.insert(each);
    }
  }
  for (const auto& text : texts)
    if (!used.contains(text)) complaints.push_back("no file has the license " + text);
  for (const auto& paragraph : paragraphs)
    for (const auto& pattern : paragraph.patterns)
      if (std::ranges::none_of(files, [&](const RepositoryFile& file) {
            return fnmatch(pattern.c_str(), file.path.c_str(), 0) == 0;
          }))
        complaints.push_back(".reuse/dep5: no file is called " + pattern);
  return complaints;
}

/// The files that git tracks, but for those about licenses themselves.
std::vector<RepositoryFile> repository_files() {
  const auto tracked = run_shell("git -C " + shell_quoted(source_dir().string()) +
                                 " ls-files --cached --others --exclude-standard");
  std::vector<RepositoryFile> files;
  if (tracked.status != 0) return files;
  for (const auto& path : split_lines(tracked.output)) {
    const bool about = path == "LICENSE" || path == ".reuse/dep5" || path.starts_with("LICENSES/");
    if (!about && fs::exists(source_dir() / path))
      files.push_back({path, named_license(read_file(source_dir() / path))});
  }
  return files;
}

TEST(Licenses, EveryFileHasOne) {
  const auto files = repository_files();
  if (files.empty()) GTEST_SKIP() << "not a repository of git";
  std::set<std::string> texts;
  for (const auto& text : files_below("LICENSES", {".txt"})) texts.insert(text.stem().string());
  const auto paragraphs = read_dep5(read_file(source_dir() / ".reuse/dep5"));
  EXPECT_EQ(complaints_of(files, paragraphs, texts), Complaints{});
}

TEST(Licenses, TheTextThatPeopleLookForIsTheSame) {
  EXPECT_EQ(read_file(source_dir() / "LICENSE"),
            read_file(source_dir() / "LICENSES/Apache-2.0.txt"));
}

TEST(Licenses, CheckCanFail) {
  const auto paragraphs = read_dep5(
      "Format: x\n\nFiles: *.cpp *.md\nCopyright: we\nLicense: Apache-2.0\n\n"
      "Files: theirs/*\nLicense: MIT\nComment: a\n b\n");
  const auto complaints = [&](std::vector<RepositoryFile> files, std::set<std::string> texts) {
    files.push_back({"a.md", ""});
    files.push_back({"b.cpp", "Apache-2.0"});
    files.push_back({"theirs/d/e.cpp", "MIT"});
    texts.insert({"Apache-2.0", "MIT"});
    auto found = complaints_of(files, paragraphs, texts);
    std::erase(found, "theirs/d/e.cpp: has no holder");
    return found;
  };
  EXPECT_EQ(complaints({}, {}), Complaints{});
  EXPECT_EQ(complaints({{"c.cpp", ""}}, {}), Complaints{"c.cpp: lacks its SPDX line"});
  EXPECT_EQ(complaints({{"c.csv", ""}}, {}),
            Complaints{"c.csv: .reuse/dep5 does not say whose it is"});
  EXPECT_EQ(complaints({{"c.cpp", "MIT"}}, {}),
            Complaints{"c.cpp: names another license than .reuse/dep5"});
  EXPECT_EQ(complaints({}, {"ISC"}), Complaints{"no file has the license ISC"});
  EXPECT_EQ(
      complaints_of({{"theirs/a", ""}}, paragraphs, {}),
      (Complaints{"theirs/a: has no holder", "theirs/a: LICENSES/ lacks its license, \"MIT\"",
                  ".reuse/dep5: no file is called *.cpp", ".reuse/dep5: no file is called *.md"}));
  EXPECT_EQ(named_license("#!/bin/sh\n# " + tag + "MIT\n"), "MIT");
}

}  // namespace
}  // namespace weft::testing
