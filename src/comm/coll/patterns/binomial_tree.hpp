// SPDX-License-Identifier: Apache-2.0
// BinomialTree: a member's place in a binomial tree of ranks counted from the root, around the end.
// The children of a place are 1, 2, 4, … places further, as many as its subtree reaches.
#pragma once
#include <algorithm>
#include <bit>

#include "comm/team.hpp"

namespace weft::comm {

struct BinomialTree {
  BinomialTree(const Team& team, Rank top)
      : root(top),
        size(team.size()),
        place((team.rank() + size - root) % size),
        reach(place == 0 ? static_cast<int>(std::bit_ceil(static_cast<unsigned>(size)))
                         : place & -place) {}

  bool is_root() const { return place == 0; }
  Rank member(int at) const { return (at + root) % size; }
  Rank parent() const { return member(place - reach); }
  bool has_child(int distance) const { return distance < reach && place + distance < size; }
  Rank child(int distance) const { return member(place + distance); }
  /// How many places the subtree of this place has, and that of a child.
  int subtree() const { return std::min(reach, size - place); }
  int subtree(int distance) const { return std::min(distance, size - place - distance); }

  Rank root;
  int size;
  int place;
  int reach;  ///< a power of two: the places of its subtree, as far as there are so many
};

}  // namespace weft::comm
