// SPDX-License-Identifier: Apache-2.0
// The program weft as a child of OpenSM, which it cannot harm: whatever becomes of it, OpenSM goes
// on.
#pragma once
#include <sys/types.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "live/frames.hpp"

namespace weft::live {

/// It cannot be run, has ended, or does not answer; the text says which.
struct WeftEnded : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class WeftProcess {
 public:
  /// Runs `weft live` with these words behind it, and waits so many seconds for any answer. Throws
  /// WeftEnded.
  WeftProcess(const std::vector<std::string>& words, long patience);
  ~WeftProcess();
  WeftProcess(const WeftProcess&) = delete;
  WeftProcess& operator=(const WeftProcess&) = delete;

  /// Throw WeftEnded.
  void send(const Frame& frame);
  Frame receive();
  /// Whether it has answered anything so far.
  bool has_answered() const { return has_answered_; }

 private:
  [[noreturn]] void report_end();
  void end();

  std::string last_words() const;

  int socket_ = -1;
  int words_ = -1;  ///< what it writes to its standard error
  pid_t child_ = 0;
  int status_ = 0;
  bool killed_ = false;
  bool has_answered_ = false;
};

}  // namespace weft::live
