// SPDX-License-Identifier: Apache-2.0
// The program weft as a child of OpenSM, which it cannot harm: whatever becomes of it, OpenSM goes
// on.
#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

#include "live/frames.hpp"

namespace weft::live {

class WeftProcess {
 public:
  /// Runs `weft live` with these words behind it. Throws std::runtime_error.
  explicit WeftProcess(const std::vector<std::string>& words);
  ~WeftProcess();
  WeftProcess(const WeftProcess&) = delete;
  WeftProcess& operator=(const WeftProcess&) = delete;

  /// Throw std::runtime_error, which says what became of it, when it has ended.
  void send(const Frame& frame);
  Frame receive();

 private:
  [[noreturn]] void report_end();
  void wait();

  int socket_ = -1;
  pid_t child_ = 0;
  int status_ = 0;
};

}  // namespace weft::live
