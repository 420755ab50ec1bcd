// SPDX-License-Identifier: Apache-2.0
// Fold: algorithms for powers of two serve any number of members (Thakur, Rabenseifner and Gropp,
// 2005). Of the first 2r members, r being what exceeds the largest power of two, the
// odd ones hand their data to the even ones before, do nothing, and get their result last.
#pragma once
#include <bit>

#include "comm/coll/patterns/exchanges.hpp"
#include "comm/types.hpp"

namespace weft::comm {

struct Fold {
  Fold(Rank rank, int size)
      : members(static_cast<int>(std::bit_floor(static_cast<unsigned>(size)))),
        extra(size - members),
        leaves(rank < 2 * extra && rank % 2 == 1),
        partner(rank < 2 * extra ? rank ^ 1 : nobody),
        place(rank < 2 * extra ? rank / 2 : rank - extra) {}

  /// The rank at a place; all ranks from it to before that of the next place are folded into it.
  Rank rank_at(int at) const { return at < extra ? 2 * at : at + extra; }

  int members;   ///< a power of two
  int extra;     ///< ranks beyond it
  bool leaves;   ///< the partner acts for this rank
  Rank partner;  ///< with which this rank is folded, or nobody
  int place;     ///< among the members
};

}  // namespace weft::comm
