// SPDX-License-Identifier: Apache-2.0
// A statement judged case by case, on all cases that it names.
#pragma once
#include <fmt/format.h>

#include <string>
#include <vector>

namespace weft::papers {

class Cases {
 public:
  void add(bool holds, std::string where) {
    ++all_;
    if (!holds) fails_.push_back(std::move(where));
  }
  std::size_t all() const { return all_; }
  std::size_t held() const { return all_ - fails_.size(); }
  bool hold() const { return all_ > 0 && fails_.empty(); }
  /// "not for A, B and 7 more", or nothing.
  std::string exceptions(std::size_t most = 4) const {
    if (fails_.empty()) return "";
    const std::size_t shown = fails_.size() <= most + 1 ? fails_.size() : most;
    std::string out = "not for ";
    for (std::size_t i = 0; i < shown; ++i)
      out += (i == 0 ? "" : i + 1 == shown && shown == fails_.size() ? " and " : ", ") + fails_[i];
    if (shown < fails_.size()) out += fmt::format(" and {} more", fails_.size() - shown);
    return out;
  }

 private:
  std::size_t all_ = 0;
  std::vector<std::string> fails_{};
};

}  // namespace weft::papers
