// SPDX-License-Identifier: Apache-2.0
// Whether a dump is of this fabric. Single strangers are normal, as dumps are not made at the same
// time; a majority of them is another fabric.
#pragma once
#include <string>
#include <string_view>

#include "base/words.hpp"
#include "fabric/format/parsing/text.hpp"

namespace weft {

class Belonging {
 public:
  void count(bool belongs) { ++(belongs ? ours_ : strangers_); }
  /// Throws Error when most does not belong to the fabric: "these are tables of another fabric: of
  /// 3 switches it has 1".
  void require_most(const Source& source, std::string_view what, std::string_view counted) const {
    if (strangers_ > ours_)
      fail(source, 1, "these are {} of another fabric: of {} {} it has {}", what,
           ours_ + strangers_, counted, ours_);
  }
  /// Empty, or "tables of 2 switches that this fabric does not have are skipped".
  std::string note(std::string_view what) const {
    if (strangers_ == 0) return {};
    return fmt::format("{} of {} that this fabric does not have are skipped", what,
                       counted(strangers_, "switch", "switches"));
  }

 private:
  std::size_t ours_ = 0, strangers_ = 0;
};

}  // namespace weft
