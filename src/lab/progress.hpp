// SPDX-License-Identifier: Apache-2.0
// A progress line with the time to go, on a terminal; silence in a pipe.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>

namespace weft {

/// Called after every step with the number of steps done and the number in all.
using Progress = std::function<void(std::size_t done, std::size_t all, const std::string& what)>;

struct ProgressSteps {
  std::size_t done = 0, all = 0;
  std::size_t before = 0;  ///< of those done, the ones of an earlier run
};

class ProgressLine {
 public:
  explicit ProgressLine(std::FILE* out);
  ~ProgressLine() { erase(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Steps that are done at the first call are an earlier run's.
  void operator()(std::size_t done, std::size_t all, const std::string& what);
  /// `share` is what is done, 0 to 1.
  void operator()(double share, const std::string& what);

  /// "3 of 24, 5 s to go: torus dl" and "12 %, 5 s to go: warm-up", for tests.
  static std::string text(const ProgressSteps& steps, double seconds, const std::string& what);
  static std::string text(double share, double seconds, const std::string& what);

 private:
  double seconds() const;
  void show(const std::string& text);
  void erase();
  std::FILE* out_;  ///< null when it is no terminal
  std::chrono::steady_clock::time_point start_;
  std::optional<std::size_t> before_{};
  bool shown_ = false;
};

}  // namespace weft
