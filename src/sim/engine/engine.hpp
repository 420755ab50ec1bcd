// SPDX-License-Identifier: Apache-2.0
// Engine: moves a State from cycle to cycle. A cycle's events (credits, arrivals, routed heads)
// come first, then NICs inject, then every switch with work allocates lanes and its crossbar.
// Nothing that a switch does in a cycle is seen by another switch in the same cycle, so their order
// does not matter.
#pragma once
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "sim/engine/audit.hpp"
#include "sim/engine/dense/dense.hpp"
#include "sim/engine/lane_shares.hpp"
#include "sim/engine/state.hpp"

namespace weft::sim {

class Engine {
 public:
  Engine(const Fabric& fabric, const Tables& tables, const SwitchModel& model,
         const NetworkOptions& options);

  NetworkEnd run(Network& network, Driver& driver, Cycle until);
  RouteId add_route(HostId from, HostId to, std::span<const PortNumber> tags);
  PortNumber add_links(const std::vector<PortNumber>& ports);
  void send(const Packet& packet);
  bool stalled();
  /// Brings the state up to date where it is kept in words.
  void settle() {
    if (dense()) dense_->leave();
  }

  State state;
  std::string explanation;

 private:
  /// Round robin among requests: the smallest distance from a pointer wins.
  struct Best {
    std::uint64_t key = none;
    Index request = 0;
    static constexpr std::uint64_t none = ~std::uint64_t{0};
  };
  struct Request {
    Index bit, port, branch;
  };

  // The cycle's parts.
  void step();
  void choose_path();
  void take_ejections();
  void route_front(InLane& lane, Index id);
  Cycle next_event() const;

  // The fast path (fast.cpp).
  void take_credits_fast();
  void take_signal_fast(Index signal);
  void take_arrivals_fast();
  void arrive_fast(const Arrival& flit);
  bool serve_fast(Index at);
  std::uint64_t allocate_lanes_fast(const SwitchState& at);
  std::uint64_t take_lane(const SwitchState& at, Index bit, Index o, std::uint64_t granted);
  std::uint64_t share_lanes(const SwitchState& at, std::uint64_t asking, Index o);
  void allocate_switch_fast(const SwitchState& at, std::uint64_t ready);
  Index pick(const SwitchState& at, std::uint64_t asking, Index o) const;
  std::uint64_t accepted(const SwitchState& at, std::uint64_t outs) const;
  void send_flit_fast(const SwitchState& at, Index bit);

  // Switches with every feature (full.cpp).
  void take_signal(Index signal);
  void arrive_full(const Arrival& flit);
  bool serve_full(Index at);
  void came_to_front(InLane& lane, Index id);
  void next_front(InLane& lane, Index id);
  void allocate_lanes_full(const SwitchState& at);
  void settle_lane_requests(const SwitchState& at);
  void give_lane(const SwitchState& at, const Request& request, Index lane_index);
  void allocate_switch_full(const SwitchState& at);
  void request_switch(const SwitchState& at, Index bit);
  bool link_open(Index id, Index in_port, Index port) const;
  void refresh_ready(Index id);
  void send_flit_full(const SwitchState& at, const Request& request);
  void put_on_link(Index out_lane, Index port, Arrival flit);
  void leave_buffer(InLane& lane, Index id, std::uint32_t flits);
  std::uint64_t rank(const SwitchState& at, Index bit) const;
  void corrupt(Arrival& flit, Index out_lane);
  bool glitched(const Arrival& flit, Index out_lane);
  bool corrupted(Index packet);

  // Multicast (multicast.cpp).
  void climb(InLane& lane, Index id);
  void start_branches(InLane& lane, Index id);
  void request_branches(const SwitchState& at, Index bit);
  bool branch_ready(const InLane& lane, Index id, const Branch& branch) const;
  void copy_flit(InLane& lane, Index id, Branch& branch, Index port);
  void release_links(Index id, Index port);
  void release_copies(InLane& lane, Index id);

  // Packets that may take any of several ports (choice.cpp).
  void start_choice(InLane& lane, Index id, PortNumber tag);
  std::uint64_t choose_port(const SwitchState& at, Index bit);

  // NICs and the end of packets (nic.cpp).
  void prepare(const Packet& packet);
  void expect_members(Index slot);
  bool inject(Index host);
  bool begin_packet(Nic& nic, Index port);
  bool has_circuit(HostId host, Index out) const;
  bool close_circuit(Index host);
  bool lose_queue(Index host);
  void depart(Index slot);
  void end_piece(Index slot, HostId at, std::optional<Loss> why);
  void end_copy(Index slot, HostId at, std::optional<Loss> why);
  void deliver(const Packet& packet, HostId at, unsigned hops) {
    ++state.totals.delivered;
    driver_->delivered(*network_, packet, at, hops);
  }
  void lose(const Packet& packet, HostId at, Loss why);
  unsigned depth(const Packet& packet, HostId at);
  std::vector<std::uint32_t> depths(const Packet& packet) const;

  // Failures (failures.cpp).
  void plan_failures();
  void drain(InLane& lane, Index id, Loss why, Index dead_port = nothing);
  void discard(InLane& lane, Index id);
  void throw_away(InLane& lane, Index id);
  void plan_glitches();
  void fail_due();
  void mend_link(Index port);
  void mend_direction(Index from);
  void fail_link(Index port, Loss why);
  void fail_direction(Index from, Loss why);
  void fail_switch(SwitchId s);
  void cut(Index lane, Loss why);
  void drop_branches(Index port, Loss why);
  void give_up_lane(Index id, Index out_lane);

  // Where packets break (breakages.cpp).
  unsigned switches_before(Index id) const;
  void broke_in(Index id, Loss why, Index dead_port);
  void broke_on_link(Index id, Index packet, Loss why);
  void broke_to_host(Index packet, HostId at);
  void broke_in_nic(Index packet);
  void damaged(Index packet, Index out_lane);
  void note_breakage(Index packet, const FaultSite& site);
  FaultSite link_breakage(Loss why, Index port, unsigned hops) const;
  void tell_breakages();

  bool dense() const { return dense_ && dense_->on(); }

  Network* network_ = nullptr;
  Driver* driver_ = nullptr;

  // Fast path: by out-port, and by bit.
  std::array<std::uint64_t, 64> asking_{};
  std::array<Index, 64> winner_{};
  LaneShares shares_;
  // All features.
  std::vector<Request> requests_;
  std::vector<std::uint64_t> offers_;  ///< by request: idle lanes it may have
  std::vector<Best> by_out_, by_in_, by_lane_, by_request_;
  std::vector<Index> outs_, ins_, out_lanes_;
  std::vector<Index> fresh_;  ///< in-lanes that were given a lane in this cycle
  std::vector<HostId> fired_;

  struct Failure {
    Cycle at;
    Index port;  ///< nothing: a switch
    SwitchId on;
    bool over = false;  ///< the end of a fault
  };
  std::vector<Failure> failures_;  ///< to come, latest first
  std::map<Index, int> down_;      ///< by port of a failure: faults that its link has
  SwitchId failing_{};             ///< while it does
  /// A link that damages packets: at which cycles, latest first, and by lane of either of its ends
  /// which is sending a packet that it has damaged.
  struct GlitchedLink {
    std::vector<Cycle> at{};
    std::array<std::uint64_t, 2> damaged{};
  };
  std::map<Index, GlitchedLink> glitches_;     ///< by the lower of the link's ports
  std::map<Index, std::set<HostId>> damaged_;  ///< by slot of a multicast circuit: whose data are
  std::vector<std::pair<Packet, FaultSite>> breakages_;  ///< that the driver has not been told
  Rng rng_;
  std::vector<std::uint64_t> error_chance_;       ///< by packet length, of 2^64
  std::vector<std::vector<bool>> members_;        ///< by group
  std::map<Index, std::vector<bool>> accounted_;  ///< by slot: members that were reported
  std::map<std::pair<std::uint32_t, HostId>, std::vector<std::uint32_t>> depths_;
  std::unique_ptr<Dense> dense_;  ///< none where words cannot do it
  Cycle next_look_ = 0;           ///< for deadlocks
  Cycle choice_interval_;
  Cycle next_choice_ = 0;        ///< of the path
  std::uint64_t hops_then_ = 0;  ///< at the last choice
  Auditor auditor_;
};

}  // namespace weft::sim
