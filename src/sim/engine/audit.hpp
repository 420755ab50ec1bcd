// SPDX-License-Identifier: Apache-2.0
// Auditor: counts the flits, credits and order of a running network again, from its lanes and
// links, and ends the program when they do not agree with what went in and out.
#pragma once
#include <deque>
#include <vector>

#include "sim/engine/state.hpp"

namespace weft::sim {

class Auditor {
 public:
  explicit Auditor(const State& state) : shadow_(state.options.check ? state.switch_lanes : 0) {}

  /// Recounts everything; does nothing unless the options say so.
  void look(const State& state) const;
  /// The same after the last packet: all buffers empty, all credits home.
  void drained(const State& state) const;

  // What the engine tells of single packets: a lane's packets come to its front in the order in
  // which their heads were sent.
  void head_sent(Index lane, Index packet) {
    if (!shadow_.empty()) shadow_[lane].push_back(packet);
  }
  void came_to_front(Index lane, Index packet);
  void lost_on_link(Index lane, Index packet);

  // Flits put on links, taken to hosts, lost on failed links; into buffers and out of them.
  std::uint64_t departed = 0, ejected = 0, vanished = 0, arrived = 0, left = 0;
  std::uint64_t made_up = 0;  ///< ends of packets that were cut: in no link's count

 private:
  std::vector<std::deque<Index>> shadow_;
};

}  // namespace weft::sim
