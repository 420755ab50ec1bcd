// SPDX-License-Identifier: Apache-2.0
// The progress line.
#include "lab/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace weft {

ProgressLine::ProgressLine(std::FILE* out)
    : out_(isatty(fileno(out)) != 0 ? out : nullptr), start_(std::chrono::steady_clock::now()) {}

std::string ProgressLine::text(std::size_t done, std::size_t all, double seconds,
                               const std::string& what) {
  std::string line = fmt::format("{} of {}", done, all);
  if (done > 0) {
    const double left = seconds / static_cast<double>(done) * static_cast<double>(all - done);
    line += fmt::format(", {:.0f} s to go", left);
  }
  return what.empty() ? line : line + ": " + what;
}

void ProgressLine::operator()(std::size_t done, std::size_t all, const std::string& what) {
  if (out_ == nullptr) return;
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
  fmt::print(out_, "\r\033[K{:.100}", text(done, all, spent.count(), what));
  std::fflush(out_);
  shown_ = true;
}

void ProgressLine::erase() {
  if (!shown_) return;
  std::fputs("\r\033[K", out_);
  std::fflush(out_);
}

}  // namespace weft
