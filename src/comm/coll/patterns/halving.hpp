// SPDX-License-Identifier: Apache-2.0
// Recursive vector halving with distance doubling, with which Rabenseifner's reductions begin, and
// its reverse, with which they end (Thakur, Rabenseifner and Gropp, 2005).
// Neighbours combine first, so operands stay in the order of ranks.
#pragma once
#include <span>

#include "comm/coll/blocks.hpp"
#include "comm/coll/patterns/combine.hpp"
#include "comm/coll/patterns/fold.hpp"

namespace weft::comm {

/// A member of 2^k with its part of the vector, which is all of it at first.
class HalvedVector {
 public:
  /// Of ranks counted from the root, folded; `data` are written to.
  HalvedVector(const Team& team, Fold fold, Rank root, std::span<std::byte> data,
               std::size_t element)
      : team_(team),
        fold_(fold),
        root_(root),
        data_(data),
        blocks_(Blocks::shares(fold.members, data.size(), element)),
        count_(fold.members) {}
  HalvedVector(const HalvedVector&) = delete;
  HalvedVector& operator=(const HalvedVector&) = delete;

  /// Takes in the data of the partner that leaves, then combines ever smaller parts.
  TaskOf<Status> reduce_scatter(const Reduction& reduction);
  /// Exchanges ever larger parts, so that everyone has the result.
  TaskOf<Status> allgather();
  /// Sends them to the member at place 0, which has the result then.
  TaskOf<Status> gather();

  Pool& frames() const { return team_.frames(); }
  Rank member(Rank from_root) const { return (from_root + root_) % team_.size(); }

 private:
  Rank partner(int distance) const { return member(fold_.rank_at(fold_.place ^ distance)); }
  std::span<std::byte> part(int first, int count) const {
    return blocks_.range(data_, first, first + count);
  }
  /// The part that this member has kept, and the one that went to the partner at this distance.
  std::span<std::byte> kept() const { return part(first_, count_); }
  std::span<std::byte> given(int distance) const { return part(beside(distance), count_); }
  int beside(int distance) const {
    return (fold_.place & distance) != 0 ? first_ - count_ : first_ + count_;
  }
  void halve(int distance);
  void double_up(int distance);

  const Team& team_;
  Fold fold_;
  Rank root_;
  std::span<std::byte> data_;
  Blocks blocks_;
  int first_ = 0, count_;  ///< blocks of the part that this member has
};

}  // namespace weft::comm
