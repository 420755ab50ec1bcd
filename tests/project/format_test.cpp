// SPDX-License-Identifier: Apache-2.0
// Layout of the sources: .clang-format decides, and every file begins by saying what it is.
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <string>

#include "support/files.hpp"
#include "support/paths.hpp"

namespace weft::testing {
namespace {

// Cut in two: a tool that looks for licenses would take it for the license of this file.
constexpr auto spdx_line =
    "// SPDX-"
    "License-Identifier: Apache-2.0";

// What is wrong with the first lines of a file, or nothing.
std::string header_complaint(const std::string& text) {
  const auto lines = split_lines(text);
  if (lines.empty() || lines[0] != spdx_line)
    return "the first line must be " + std::string(spdx_line);
  std::size_t letters = 0;
  if (lines.size() > 1 && lines[1].starts_with("//"))
    for (const char c : lines[1]) letters += std::isalpha(static_cast<unsigned char>(c)) ? 1 : 0;
  return letters < 8 ? "the second line must be a comment saying what the file is" : "";
}

TEST(Format, ClangFormatAgrees) {
  if (run_shell("clang-format --version | grep -q 'version 14'").status != 0)
    GTEST_SKIP() << "no clang-format 14; others lay some lines out in other ways";
  std::string command = "cd " + shell_quoted(weft::testing::source_dir().string()) +
                        " && clang-format --dry-run -Werror";
  const auto files = cpp_files();
  ASSERT_FALSE(files.empty());
  for (const auto& file : files) command += " " + shell_quoted(file.string());
  const auto result = run_shell(command);
  EXPECT_EQ(result.status, 0) << result.output << "(clang-format -i repairs it)";
}

TEST(Format, EveryFileSaysWhatItIs) {
  for (const auto& file : cpp_files())
    EXPECT_EQ(header_complaint(read_file(weft::testing::source_dir() / file)), "") << file.string();
}

TEST(Format, HeaderCheckCanFail) {
  const std::string spdx = std::string(spdx_line) + "\n";
  EXPECT_EQ(header_complaint(spdx + "// The tables of a fabric.\n#pragma once\n"), "");
  EXPECT_NE(header_complaint(""), "");
  EXPECT_NE(header_complaint("// The tables of a fabric.\n" + spdx), "");
  EXPECT_NE(header_complaint(spdx), "");
  EXPECT_NE(header_complaint(spdx + "//\n"), "");
  EXPECT_NE(header_complaint(spdx + "#pragma once\n// The tables of a fabric.\n"), "");
}

}  // namespace
}  // namespace weft::testing
