// SPDX-License-Identifier: Apache-2.0
// The journal of a sweep on the command line: where it is, and what an interrupt says about it.
#pragma once
#include <array>
#include <csignal>
#include <string>

namespace weft::cli {

/// The journal beside a result file; a device or standard output has none.
std::string journal_path(const std::string& out);

/// Says how to go on, as long as it lives, when an interrupt (Ctrl-C) or the end of a job (SIGTERM)
/// ends the program. Where they are ignored, they remain so. A signal handler is handed nothing:
/// its text is static.
class LastWords {
 public:
  explicit LastWords(const std::string& journal);
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;
  ~LastWords() {
    for (std::size_t i = 0; i < ends.size(); ++i) sigaction(ends[i], &before_[i], nullptr);
  }

 private:
  static constexpr std::array ends{SIGINT, SIGTERM};
  static inline std::string text_{};
  std::array<struct sigaction, ends.size()> before_{};
};

}  // namespace weft::cli
