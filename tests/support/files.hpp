// SPDX-License-Identifier: Apache-2.0
// Files as tests need them: whole texts, lines, the tracked sources, commands and their output.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace weft::testing {

std::string read_file(const std::filesystem::path& path);
std::vector<std::string> split_lines(std::string_view text);

// The files below `folder` (relative to the source tree) with one of the extensions, sorted; a
// missing folder has none.
std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder,
                                               const std::vector<std::string>& extensions);

// The C++ files of src, tests and bench, relative to the source tree: those git tracks, or all
// outside git.
std::vector<std::filesystem::path> cpp_files();

/// A folder that is removed with its content by the destructor.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

struct CommandResult {
  int status;
  std::string output;  // stdout and stderr, interleaved
};

// Runs a command line with the shell, without input.
CommandResult run_shell(const std::string& command);
std::string shell_quoted(std::string_view word);

}  // namespace weft::testing
