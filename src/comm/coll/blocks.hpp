// SPDX-License-Identifier: Apache-2.0
// Blocks: which part of a buffer belongs to which member of a team, in the order of ranks and
// without gaps. Equal blocks, and even shares, need no list.
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "comm/types.hpp"

namespace weft::comm {

class Blocks {
 public:
  /// Nothing is known of them: for a member that knows the size of its own block only.
  Blocks() = default;
  explicit Blocks(std::vector<std::size_t> sizes);
  static Blocks equal(int members, std::size_t size) {
    return shares(members, static_cast<std::size_t>(members) * size, size);
  }
  /// Even shares of `total` in whole units: the first ones are a unit larger than the last where it
  /// does not divide.
  static Blocks shares(int members, std::size_t total, std::size_t unit = 1);

  int members() const { return members_; }
  std::size_t size(Rank member) const { return offset(member + 1) - offset(member); }
  std::size_t offset(Rank member) const {
    const auto i = static_cast<std::size_t>(member);
    return offsets_.empty() ? i * each_ + std::min(i, larger_) * unit_ : offsets_[i];
  }
  std::size_t total() const { return offset(members_); }
  std::size_t largest() const;
  bool are_equal() const;

  /// The blocks of the members from `first` to before `end`, in a buffer of all blocks.
  template <class Byte>
  std::span<Byte> range(std::span<Byte> all, Rank first, Rank end) const {
    return all.subspan(offset(first), offset(end) - offset(first));
  }
  template <class Byte>
  std::span<Byte> block(std::span<Byte> all, Rank member) const {
    return range(all, member, member + 1);
  }

 private:
  int members_ = 0;
  std::size_t each_ = 0, larger_ = 0, unit_ = 0;
  std::vector<std::size_t> offsets_{};  ///< and the total; empty: shares
};

}  // namespace weft::comm
