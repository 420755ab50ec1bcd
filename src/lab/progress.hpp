// SPDX-License-Identifier: Apache-2.0
// A progress line with the time to go, on a terminal; silence in a pipe.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>

namespace weft {

class ProgressLine {
 public:
  explicit ProgressLine(std::FILE* out);
  ~ProgressLine() { erase(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void operator()(std::size_t done, std::size_t all, const std::string& what);

  /// "3 of 24, 5 s to go: torus dl", for tests.
  static std::string text(std::size_t done, std::size_t all, double seconds,
                          const std::string& what);

 private:
  void erase();
  std::FILE* out_;  ///< null when nobody looks
  std::chrono::steady_clock::time_point start_;
  bool shown_ = false;
};

}  // namespace weft
