// SPDX-License-Identifier: Apache-2.0
// A progress line with the time to go, on a terminal; silence in a pipe. The time to go counts from
// the beginning of the work: what is done before (a fabric is made and routed) is named only.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

namespace weft {

/// Called after every step with the number of steps done and the number in all.
using Progress = std::function<void(std::size_t done, std::size_t all, const std::string& what)>;

/// Called now and then with the share that is done, 0 to 1, and what is done next.
using ShareProgress = std::function<void(double share, const std::string& what)>;

/// Called before every step of the set-up with what is done next.
using SetUpProgress = std::function<void(const std::string& what)>;

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
  /// `share` is what is done, 0 to 1; at 0 the work begins. None: nobody knows how much there is.
  void operator()(std::optional<double> share, const std::string& what);

  /// "3 of 24, 5 s to go: torus dl", "12 %, 5 s to go: warm-up" and "routing", for tests.
  static std::string text(const ProgressSteps& steps, double seconds, const std::string& what);
  static std::string text(std::optional<double> share, double seconds, const std::string& what);

 private:
  double seconds() const;
  void show(const std::string& text);
  void erase();
  std::mutex mutex_;  ///< guards what is below: networks may be made by several threads
  std::FILE* out_;    ///< null when it is no terminal
  std::chrono::steady_clock::time_point start_, last_{};
  std::optional<std::size_t> before_{};
  bool shown_ = false;
};

}  // namespace weft
