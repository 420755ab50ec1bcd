// SPDX-License-Identifier: Apache-2.0
// LaneTable: the lane class that a packet has after a turn, by in-port, out-port and the class it
// had before, or its service level. Most in-ports share their rows, so that they fit the cache.
#pragma once
#include "sim/flit/packets.hpp"

namespace weft::sim {

class LaneTable {
 public:
  /// Of tables with lanes by turn or by service level. To hosts it is class 0.
  LaneTable(const Fabric& fabric, const Tables& tables);

  /// `in` is one of all ports, `out` one of its switch; both are counted from 0.
  Lane operator()(Index in, Index out, unsigned before) const {
    return classes_[(std::size_t{row_of_[in]} + out) << bits_ | before];
  }

  /// Whether turns lead from the first so many classes to these only.
  bool is_closed(Index classes) const;

 private:
  Index bits_ = 0;            ///< of a class, or a level
  HugeVector<Index> row_of_;  ///< by in-port, in entries of all classes before
  HugeVector<Lane> classes_;  ///< by row, out-port, class before
};

}  // namespace weft::sim
