// SPDX-License-Identifier: Apache-2.0
// Branches: the ways out of a switch that a multicast packet takes. Every branch has its own lane
// and goes at its own pace, while the packet stays in the buffer.
//
// Packets of groups with a root first go up to it. Their branches are given lanes one by one, in
// ascending order of ports; so the buffer need not hold all of a packet
// (docs/certificate.md).
#pragma once
#include <vector>

#include "base/slots.hpp"
#include "sim/flit/units.hpp"

namespace weft::sim {

struct Branch {
  Index in_lane = nothing, out_port = nothing;
  Index out_lane = nothing;  ///< that it has
  std::uint32_t sent = 0;    ///< flits
  bool done = false;
  bool sends = false;  ///< is among the senders
  Lane lane_class = 0;
};

/// Branches are numbered behind the in-lanes: lists of requests and senders hold both.
class Branches {
 public:
  explicit Branches(Units& units) : units_(units), first_(units.layout.switch_lanes()) {
    if (units.layout.tables.groups.empty()) return;
    of_.assign(first_, {});
    released_.assign(first_, 0);
  }
  /// Of a part (parts/): each has branches of its own, at lanes that are shared.
  Branches(Branches& whole, Units& units) : units_(units), first_(whole.first_) {
    of_.share(whole.of_);
    released_.share(whole.released_);
  }
  Branches(const Branches&) = delete;

  bool is_branch(Index who) const { return who >= first_; }
  Branch& operator[](Index who) { return all_[who - first_]; }
  const Branch& operator[](Index who) const { return all_[who - first_]; }
  Index lane_of(Index who) const { return is_branch(who) ? (*this)[who].in_lane : who; }
  /// The branches of an in-lane's front packet.
  const std::vector<Index>& of(Index in_lane) const { return of_[in_lane]; }
  bool any() const { return !of_.empty(); }
  /// Flits of the front packet that all branches have sent.
  std::uint32_t& released(Index in_lane) { return released_[in_lane]; }
  std::uint32_t released(Index in_lane) const { return released_[in_lane]; }

  void add(Index in_lane, Index out_port, Lane lane_class) {
    of_[in_lane].push_back(
        add({.in_lane = in_lane, .out_port = out_port, .lane_class = lane_class}));
  }
  void clear(Index in_lane) {
    for (const Index who : of_[in_lane]) all_.release(who - first_);
    of_[in_lane].clear();
  }
  bool can_send(const Branch& branch) const {
    return !branch.done && branch.out_lane != nothing &&
           branch.sent < released_[branch.in_lane] + units_.in[branch.in_lane].have &&
           units_.out[branch.out_lane].credits > 0;
  }
  /// Those that can send and did not are senders from now on.
  void resume(Index in_lane) {
    for (const Index who : of_[in_lane])
      if (Branch& branch = (*this)[who]; !branch.sends && can_send(branch)) {
        branch.sends = true;
        units_.add_sender(who, branch.out_lane, units_.ports[branch.out_port]);
      }
  }
  /// Requests lanes: in order where the group has a root, only the next one.
  void request_lanes(Index in_lane, bool in_order) {
    for (const Index who : of_[in_lane]) {
      const Branch& branch = (*this)[who];
      if (branch.done || branch.out_lane != nothing) continue;
      units_.request_lane(who, branch.out_port);
      if (in_order) return;
    }
  }
  /// Flits that all branches have sent leave the buffer; after the last one so does the packet.
  void release_copies(Index id);
  /// A branch has gone over its link as a whole. The in-port is free when no other branch is half
  /// sent: those that have not begun may wait for lanes that packets of the same in-port hold.
  void release_links(Index id, Index o);
  /// Those of a block of switches, and who waits for ports there, are another part's from now on.
  void move(Index block, Branches& to);

 private:
  Index add(const Branch& branch);

  Units& units_;
  Index first_;
  Slots<Branch> all_;
  SharedArray<std::vector<Index>> of_;   ///< by in-lane
  SharedArray<std::uint32_t> released_;  ///< by in-lane
};

}  // namespace weft::sim
