// SPDX-License-Identifier: Apache-2.0
// Timing: the times of a network in cycles. A cycle is one flit on the fastest link; times of a
// SwitchModel and of a Fabric become the numbers of cycles that the flit simulator counts.
#pragma once
#include <cstdint>
#include <optional>

#include "fabric/fabric.hpp"
#include "sim/switch_model.hpp"

namespace weft::sim {

/// The pipeline of a switch, in cycles.
struct StageCycles {
  std::uint32_t ahead = 0;  ///< before a flit is in its buffer
  /// `lane` 0: in the same cycle as the crossbar.
  std::uint32_t route = 0, lane = 0, allocate = 1, cross = 0, link = 0;

  static constexpr std::uint32_t usual_sum = 5;  ///< a cycle each
  /// In which a head flit passes an idle switch and the link behind it, without the cable.
  std::uint32_t sum() const { return ahead + route + lane + allocate + cross + link; }
};

/// One direction of a link.
struct LinkCycles {
  std::uint32_t flight = 0;  ///< from the allocation of the crossbar (or the NIC) to the other end
  std::uint32_t back = 0;    ///< from a flit's leaving the buffer at the other end to its credit
  std::uint64_t interval = 1U << 16U;  ///< 1/65536 cycles that a flit takes
};

class Timing {
 public:
  /// Throws Error when a time does not fit the cycle.
  Timing(const Fabric& fabric, const SwitchModel& model);

  Bandwidth fastest() const { return fastest_; }  ///< of all links
  Duration cycle() const { return cycle_; }
  std::uint32_t aging() const { return aging_; }
  std::uint32_t flow_pause() const { return flow_pause_; }  ///< PortPolicy::idle
  /// Of a switch; what is not `ahead` is alike in all of them.
  StageCycles stages(SwitchId s) const;
  LinkCycles link(ChannelId channel) const;
  LinkCycles from_host(HostId host) const;
  LinkCycles to_host(HostId host) const;

  /// Flits that a lane can send over the longest link of the network before the first credit is
  /// back, if the next switch forwards them at once: a smaller buffer leaves the link idle.
  std::uint32_t longest_loop() const { return loop_; }
  /// Flits per lane of an input port: those that the model gives, or those that keep every link
  /// busy with packets of up to `longest` flits. `whole`: packets wait in them as a whole.
  std::uint32_t buffer(std::uint32_t longest, bool whole) const;

 private:
  std::uint32_t cycles(Delay time, const char* what) const;
  StageCycles own_stages() const;
  LinkCycles on(const Wire& wire, std::uint32_t sender, std::uint32_t receiver) const;
  void find_longest_loop();

  const Fabric& fabric_;
  SwitchModel model_;
  Bandwidth fastest_;
  Duration cycle_;
  bool latency_known_;  ///< of a switch, at least
  StageCycles common_;  ///< without what the latency of a switch leaves over
  std::uint32_t credit_ = 0, aging_ = 0, flow_pause_ = 0;
  std::uint32_t loop_ = 0;         ///< flits
  std::uint32_t loop_cycles_ = 0;  ///< the same in cycles, whatever the speed of the link
};

}  // namespace weft::sim
