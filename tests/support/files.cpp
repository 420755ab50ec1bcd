// SPDX-License-Identifier: Apache-2.0
// Files, texts and commands for tests, by the standard library and popen.
#include "support/files.hpp"

#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "support/paths.hpp"

namespace weft::testing {
namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::vector<fs::path> files_below(const fs::path& folder,
                                  const std::vector<std::string>& extensions) {
  const fs::path root = weft::testing::source_dir();
  std::vector<fs::path> found;
  if (!fs::is_directory(root / folder)) return found;
  for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
    const auto extension = entry.path().extension().string();
    if (entry.is_regular_file() && std::ranges::find(extensions, extension) != extensions.end())
      found.push_back(entry.path().lexically_relative(root));
  }
  std::ranges::sort(found);
  return found;
}

std::vector<fs::path> cpp_files() {
  const fs::path root = weft::testing::source_dir();
  std::vector<fs::path> found;
  const auto tracked = run_shell("git -C " + shell_quoted(root.string()) +
                                 " ls-files 'src/*.[ch]pp' 'tests/*.[ch]pp' 'bench/*.[ch]pp'");
  if (tracked.status == 0) {
    for (const auto& line : split_lines(tracked.output))
      if (fs::exists(root / line)) found.emplace_back(line);
    return found;
  }
  for (const char* folder : {"src", "tests", "bench"})
    for (auto& file : files_below(folder, {".cpp", ".hpp"})) found.push_back(std::move(file));
  return found;
}

TemporaryFolder::TemporaryFolder()
    : path_((std::filesystem::temp_directory_path() / "weft_test_XXXXXX").string()) {
  if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot make " + path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

CommandResult run_shell(const std::string& command) {
  std::FILE* pipe = popen(("{ " + command + "\n} </dev/null 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  std::string output;
  std::array<char, 4096> buffer;
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
    output.append(buffer.data(), count);
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), std::move(output)};
}

std::string shell_quoted(std::string_view word) {
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace weft::testing
