// SPDX-License-Identifier: Apache-2.0
// Links in words: flits and credits on their way, a bit each. Bits of switches whose ports lead
// equally far move together.
#pragma once
#include <algorithm>
#include <bit>
#include <vector>

#include "sim/flit/bitsliced/word_layout.hpp"
#include "sim/time.hpp"

namespace weft::sim {

/// Words that are due in some cycles from now.
struct DelayedWords {
  Words words{};
  std::size_t each = 0;  ///< of a cycle
  Cycle mask = 0;

  void make(std::size_t words_each, Cycle longest) {
    each = words_each;
    mask = std::bit_ceil(longest + 1) - 1;
    words.assign(each * (mask + 1), 0);
  }
  void make_like(const DelayedWords& other) {
    words.make_like(other.words);
    each = other.each;
    mask = other.mask;
  }
  Word* at(Cycle cycle) { return &words[(cycle & mask) * each]; }
  void clear(Cycle cycle) { std::fill_n(at(cycle), each, 0); }
};

/// The bits of a word, `from`, that go to the same word, rotated by the same number of places.
struct WordShift {
  Word from;
  Index to;     ///< the word of the first lane there
  Index delay;  ///< cycles
  int rotate;
};

/// The shifts of every port of a block, and of its words.
struct WordShifts {
  std::vector<Index> first;  ///< and the end of the last
  std::vector<WordShift> all;
};

}  // namespace weft::sim
