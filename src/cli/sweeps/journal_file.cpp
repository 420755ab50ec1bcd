// SPDX-License-Identifier: Apache-2.0
// The journal of a sweep on the command line.
#include "cli/sweeps/journal_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

namespace weft::cli {

std::string journal_path(const std::string& out) {
  std::error_code ignored;
  const bool special =
      std::filesystem::exists(out, ignored) && !std::filesystem::is_regular_file(out, ignored);
  return out.empty() || out == "-" || special ? "" : out + ".journal";
}

LastWords::LastWords(const std::string& journal) {
  const char* const end_of_progress = isatty(STDERR_FILENO) != 0 ? "\n" : "";
  text_ = fmt::format("{}weft: finished points are kept in {}; the same command resumes\n",
                      end_of_progress, journal);
  struct sigaction say {};
  say.sa_handler = [](int end) {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text_.data(), text_.size());
    raise(end);
  };
  say.sa_flags = static_cast<int>(SA_RESETHAND);  // so that raise() ends the program
  for (std::size_t i = 0; i < ends.size(); ++i) {
    sigaction(ends[i], nullptr, &before_[i]);
    if (before_[i].sa_handler == SIG_DFL) sigaction(ends[i], &say, nullptr);
  }
}

}  // namespace weft::cli
