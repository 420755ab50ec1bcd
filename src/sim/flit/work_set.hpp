// SPDX-License-Identifier: Apache-2.0
// WorkSet: the hosts that have work to do in a cycle.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace weft::sim {

/// A set of small numbers that is visited in order at a cost that follows its members.
class WorkSet {
 public:
  explicit WorkSet(std::size_t count = 0) : words_(count / 64 + 1), top_(count / 4096 + 1) {}
  void insert(std::uint32_t i) {
    words_[i / 64] |= std::uint64_t{1} << (i % 64);
    top_[i / 4096] |= std::uint64_t{1} << (i / 64 % 64);
  }
  bool contains(std::uint32_t i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }
  bool empty() const {
    return std::all_of(top_.begin(), top_.end(), [](std::uint64_t w) { return w == 0; });
  }
  /// Visits the members; those for which `keep` returns false leave. What it inserts is visited
  /// the next time.
  template <class Keep>
  void filter(Keep keep) {
    filter_words([&keep](std::uint32_t first, std::uint64_t members) {
      std::uint64_t kept = members;
      for (std::uint64_t bits = members; bits != 0; bits &= bits - 1)
        if (!keep(first + static_cast<std::uint32_t>(std::countr_zero(bits))))
          kept &= ~(bits & (~bits + 1));
      return kept;
    });
  }
  /// The same for 64 at a time: `keep(first, members)` has a bit for each from the first one on.
  template <class Keep>
  void filter_words(Keep keep) {
    for (std::size_t t = 0; t < top_.size(); ++t)
      for (std::uint64_t left = top_[t]; left != 0; left &= left - 1) {
        const std::size_t w = t * 64 + static_cast<std::size_t>(std::countr_zero(left));
        const std::uint64_t members = std::exchange(words_[w], 0);
        words_[w] |= keep(static_cast<std::uint32_t>(w * 64), members);
        if (words_[w] == 0) top_[t] &= ~(std::uint64_t{1} << (w % 64));
      }
  }

 private:
  std::vector<std::uint64_t> words_, top_;
};

}  // namespace weft::sim
