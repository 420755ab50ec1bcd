// SPDX-License-Identifier: Apache-2.0
// The progress line.
#include "lab/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace weft {

namespace {

/// "21 s", "10 min" or "2 h 5 min": as exact as a guess can be.
std::string time_text(double seconds) {
  const auto whole = std::llround(seconds);
  if (whole < 120) return fmt::format("{} s", whole);
  if (whole < 7200) return fmt::format("{} min", (whole + 30) / 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace

ProgressLine::ProgressLine(std::FILE* out)
    : out_(isatty(fileno(out)) != 0 ? out : nullptr), start_(std::chrono::steady_clock::now()) {}

std::string ProgressLine::text(const ProgressSteps& steps, double seconds,
                               const std::string& what) {
  const std::size_t all = std::max(steps.all, steps.done);  // there may be more than was thought
  std::string line = fmt::format("{} of {}", steps.done, all);
  if (steps.done > steps.before) {
    const double each = seconds / static_cast<double>(steps.done - steps.before);
    line += fmt::format(", {} to go", time_text(each * static_cast<double>(all - steps.done)));
  }
  return what.empty() ? line : line + ": " + what;
}

std::string ProgressLine::text(std::optional<double> share, double seconds,
                               const std::string& what) {
  if (!share) return what;
  std::string line = fmt::format("{:.0f} %", 100 * *share);
  if (*share > 0) line += fmt::format(", {} to go", time_text(seconds / *share * (1 - *share)));
  return what.empty() ? line : line + ": " + what;
}

void ProgressLine::operator()(std::size_t done, std::size_t all, const std::string& what) {
  const std::lock_guard lock(mutex_);
  if (!before_) {
    before_ = done;
    start_ = std::chrono::steady_clock::now();
  }
  show(text(ProgressSteps{done, all, *before_}, seconds(), what));
}

void ProgressLine::operator()(std::optional<double> share, const std::string& what) {
  const std::lock_guard lock(mutex_);
  if (share == 0) start_ = std::chrono::steady_clock::now();
  show(text(share, seconds(), what));
}

double ProgressLine::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void ProgressLine::show(const std::string& text) {
  if (out_ == nullptr) return;
  const auto now = std::chrono::steady_clock::now();
  if (shown_ && now - last_ < std::chrono::milliseconds(50)) return;  // nobody reads faster
  last_ = now;
  fmt::print(out_, "\r\033[K{:.100}", text);
  std::fflush(out_);
  shown_ = true;
}

void ProgressLine::erase() {
  if (!shown_) return;
  std::fputs("\r\033[K", out_);
  std::fflush(out_);
}

}  // namespace weft
