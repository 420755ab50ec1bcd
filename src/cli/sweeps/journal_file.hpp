// SPDX-License-Identifier: Apache-2.0
// The journal of a sweep on the command line: where it is, and what an interrupt says about it.
#pragma once
#include <csignal>
#include <string>

namespace weft::cli {

/// The journal beside a result file; a device or standard output has none.
std::string journal_path(const std::string& out);

/// Says how to go on, as long as it lives, when an interrupt (Ctrl-C) ends the program. Where
/// interrupts are ignored, they remain so. A signal handler is handed nothing: its text is static.
class LastWords {
 public:
  explicit LastWords(const std::string& journal);
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;
  ~LastWords() { sigaction(SIGINT, &before_, nullptr); }

 private:
  static inline std::string text_{};
  struct sigaction before_ {};
};

}  // namespace weft::cli
