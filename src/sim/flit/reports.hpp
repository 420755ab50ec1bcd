// SPDX-License-Identifier: Apache-2.0
// Reports: tells the driver what has become of packets, each exactly once (a multicast packet once
// for every member), and where they broke.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "sim/flit/units.hpp"

namespace weft::sim {

class Reports {
 public:
  explicit Reports(Units& units);

  void attach(Network& network, Driver& driver) {
    network_ = &network;
    driver_ = &driver;
    driver_answers_ = driver.answers() != AnswerScope::never;
  }
  /// A flit goes onto the link behind an out-lane.
  void depart_flit(Index packet, Index out_lane, bool first);
  /// If not, the order does not matter in which packets of a cycle are reported.
  bool driver_answers() const { return driver_answers_; }
  void timers(std::span<const HostId> hosts) { driver_->timers(*network_, hosts); }

  /// Everybody in its group but the sender is to get this multicast packet.
  void expect_members(Index packet);
  /// The last flit has left its source, or never will.
  void depart(Index packet);
  /// The only part of a packet that can have an end has come to its host.
  void deliver_whole(Index packet, unsigned hops);
  /// A part of a packet has come to its end: at a host, or nowhere.
  void end_fragment(Index packet, HostId at, std::optional<Loss> why, unsigned hops = 0);
  // What becomes of packets inside switches. While it is held back, it counts only when
  // report_ends() is called, in the order of lanes: whichever switch was first, and on whichever
  // thread.
  void hold_back(bool yes) { holds_back_ = yes; }
  void lose_in(Index lane, Index packet, Loss why);
  void end_in(Index lane, Index packet, std::optional<Loss> why);
  void take_ends(Reports& of_part);
  /// In the cycle before `next`.
  void report_ends(Cycle& next);
  bool has_ends() const { return !held_.empty(); }

  /// Circuits: the first flit, and all but the last one, have come to a host.
  void reach(Index packet, HostId at);
  void fill(Index packet, HostId at, bool bad, unsigned hops);
  bool is_damaged(Index packet, HostId at) const;

  // Where packets break (fault_sites.cpp): nothing unless NetworkOptions::fault_sites.
  /// The front packet of an in-lane cannot go on: to a dead port, or (nothing) not at all.
  void broke_in(Index id, Loss why, Index dead_port);
  /// Flits of a packet that were to come to in-lane `id`, after `hops` switches, do not.
  void broke_on_link(Index id, Index packet, unsigned hops, Loss why);
  /// The last flit of a packet does not come to a host, whose link has failed.
  void broke_to_host(Index packet, HostId at, unsigned hops);
  /// The link of its source has failed.
  void broke_in_nic(Index packet);
  /// The link behind an out-lane has damaged a packet, which has passed `hops` switches; its other
  /// end sees that.
  void damaged(Index packet, Index out_lane, unsigned hops);
  /// While a switch fails, it is to blame.
  void blame(SwitchId failing) { failing_ = failing; }
  /// Tells the driver what was noted.
  void report_fault_sites();
  bool has_fault_sites() const { return !fault_sites_.empty(); }

  /// Switches that a multicast packet has passed where it comes in by a port.
  unsigned depth_at_port(const Packet& packet, Index port) const { return depths(packet)[port]; }

 private:
  void deliver(const Packet& packet, HostId at, unsigned hops) {
    ++units_.totals.delivered;
    driver_->delivered(*network_, packet, at, hops);
  }
  void lose(const Packet& packet, HostId at, Loss why);
  void end_copy(Index packet, HostId at, std::optional<Loss> why);
  unsigned depth(const Packet& packet, HostId at);
  std::vector<std::uint32_t> depths(const Packet& packet) const;
  unsigned switches_before(Index id) const;
  FaultSite link_site(Loss why, Index port, unsigned hops) const;
  bool is_first_cut(Index packet, Index receiver);
  void note_fault_site(Index packet, const FaultSite& site);

  struct HeldEnd {
    Index lane, packet;
    std::optional<Loss> why;
    bool is_end;  ///< or only the reason why there will be one
  };

  Units& units_;
  Network* network_ = nullptr;
  Driver* driver_ = nullptr;
  bool driver_answers_ = true;
  SwitchId failing_{};
  bool holds_back_ = false;
  std::vector<HeldEnd> held_;
  std::vector<std::pair<Packet, FaultSite>> fault_sites_;  ///< that were not reported yet
  std::map<Index, std::set<Index>> cuts_;  ///< by multicast packet: ports behind links that failed
  std::vector<std::uint32_t> flits_departed_;     ///< by out-lane: of its packet, but the first
  std::vector<std::vector<bool>> members_;        ///< by group
  std::map<Index, std::vector<bool>> accounted_;  ///< by packet: members that were reported
  std::map<Index, std::set<HostId>> damaged_;  ///< by packet, a multicast circuit: whose data are
  std::map<std::pair<std::uint32_t, HostId>, std::vector<std::uint32_t>> depths_;
};

}  // namespace weft::sim
