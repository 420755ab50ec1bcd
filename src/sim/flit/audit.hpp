// SPDX-License-Identifier: Apache-2.0
// Auditor: counts the flits, credits and order of a running network again, from its lanes and
// links, and ends the program when they do not agree with what went in and out.
#pragma once
#include <deque>
#include <vector>

#include "sim/flit/layout.hpp"

namespace weft::sim {

class Units;

class Auditor {
 public:
  explicit Auditor(const Layout& layout)
      : order_(layout.options.check ? layout.switch_lanes() : 0) {}

  /// Recounts everything; does nothing unless the options say so.
  void look(const Units& units) const;
  /// The same after the last packet: all buffers empty, all credits home.
  void drained(const Units& units) const;

  // What the simulator reports of single packets: a lane's packets come to its front in the order
  // in which their heads were sent.
  void head_sent(Index lane, Index packet) {
    if (!order_.empty()) order_[lane].push_back(packet);
  }
  void came_to_front(Index lane, Index packet);
  void lost_on_link(Index lane, Index packet);

  // Flits put on links, taken to hosts, lost on failed links; into buffers and out of them.
  std::uint64_t departed = 0, ejected = 0, vanished = 0, arrived = 0, left = 0;
  std::uint64_t made_up = 0;  ///< ends of packets that were cut: in no link's count

 private:
  std::vector<std::deque<Index>> order_;  ///< by in-lane: packets whose heads are on their way
};

}  // namespace weft::sim
