// SPDX-License-Identifier: Apache-2.0
// The program as a shell runs it, in a folder of its own.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/files.hpp"
#include "support/paths.hpp"

namespace weft::testing {

struct ProgramOutput {
  int status;
  std::string out, err;
};

class Command : public ::testing::Test {
 protected:
  Command() { std::filesystem::create_directory(folder_ / "work"); }

  std::string path(const std::string& name) const { return folder_ / "work/" + name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  void copy_recorded(const std::string& from, const std::string& name) const {
    write(name, read_file(weft::testing::source_dir().string() + "/tests/recorded/" + from));
  }

  /// Runs a line of bash with weft in the PATH.
  ProgramOutput run(const std::string& line) const {
    const std::string programs = weft::testing::program().parent_path().string();
    const auto result =
        run_shell("cd " + shell_quoted(folder_ / "work") + " && PATH=" + shell_quoted(programs) +
                  ":\"$PATH\" bash -c " + shell_quoted(line) + " >../out 2>../err");
    return {result.status, read_file(folder_ / "out"), read_file(folder_ / "err")};
  }

  /// The text of the error after "weft: "; all output when it is not a proper error.
  std::string error(const std::string& line) const { return complaint(line, 2); }
  /// The same where nothing is wrong with the input, but the job cannot be done.
  std::string refusal(const std::string& line) const { return complaint(line, 1); }

  std::string complaint(const std::string& line, int status) const {
    const ProgramOutput output = run(line);
    const bool proper = output.status == status && output.out.empty() && one_complaint(output.err);
    if (proper) return output.err.substr(6, output.err.size() - 7);
    return "exit " + std::to_string(output.status) + "\n" + output.out + output.err;
  }

  static bool one_complaint(const std::string& err) {
    return err.starts_with("weft: ") && std::count(err.begin(), err.end(), '\n') == 1 &&
           err.back() == '\n';
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace weft::testing
