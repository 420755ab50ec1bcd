// SPDX-License-Identifier: Apache-2.0
// Pipeline: what the switches and NICs do in a cycle, one text for all of them. Its template
// parameter says which features a network has; what it lacks is not compiled.
//
//   receive       flits arrive in buffers, credits at the other ends of links
//   route         heads that have been routed request lanes of their out-ports
//   allocate      lanes, then crossbars: iSLIP with one iteration (McKeown, 1999). Every resource
//                 is granted to one request, every requester accepts one grant, both round-robin
//   traverse      a flit of every accepted request goes onto its link
//   inject, eject the same at the hosts
//
// Nothing that a switch does in a cycle is seen by another one before the shortest link has carried
// it there, so their order does not matter: they are handled block by block, whose arrays stay in
// the cache meanwhile, and each block for as many cycles.
#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "sim/flit/failures.hpp"
#include "sim/flit/phases.hpp"

namespace weft::sim {

/// The units that a pipeline works on.
struct PipelineUnits {
  Units& units;
  Routing& routing;
  Branches& branches;
  Choices& choices;
  Phases& phases;
  Injector& injection;
  Failures& failures;
  Reports& reports;
};

class AnyPipeline {
 public:
  virtual ~AnyPipeline() = default;
  /// Reports what comes to hosts in this cycle.
  virtual void eject() = 0;
  /// What NICs do in this cycle.
  virtual void inject() = 0;
  /// The first flit of a packet that has just been sent leaves its NIC in this cycle, if nothing
  /// else wants to and the next lane has room. Returns whether.
  virtual bool inject_at_once(Packet& packet) = 0;
  /// What switches do in this cycle and those after it, up to `end`; the clock then stands there.
  virtual void run_switches(Cycle end) = 0;
  /// For profiles.
  virtual std::string_view name() const = 0;
};

/// With the fewest features that a network needs.
std::unique_ptr<AnyPipeline> make_pipeline(const PipelineUnits& of);

/// Wormhole switching with credits, unicast over links of one speed, which lanes share flit by
/// flit; no choices, and hosts that take whatever comes.
struct PlainFeatures {
  static constexpr std::string_view name = "events, wormhole";
  static constexpr bool plain = true;  ///< nothing but that
  static constexpr bool single = false, choices = false, watched = false, shared_links = false,
                        whole = false, all = false;
};
/// The same, with packets of one flit only.
struct SingleFlitFeatures : PlainFeatures {
  static constexpr std::string_view name = "events, packets of one flit";
  static constexpr bool single = true;
};
/// Both, with packets that may choose among ports.
struct ChoiceFeatures : PlainFeatures {
  static constexpr std::string_view name = "events, wormhole with choices";
  static constexpr bool choices = true;
};
struct SingleFlitChoiceFeatures : SingleFlitFeatures {
  static constexpr std::string_view name = "events, packets of one flit with choices";
  static constexpr bool choices = true;
};
/// Both, where somebody looks at buffers: lanes hold one packet at a time, or the queues of other
/// switches count.
struct WatchedFeatures : ChoiceFeatures {
  static constexpr std::string_view name = "events, wormhole with watched buffers";
  static constexpr bool watched = true;
};
struct SingleFlitWatchedFeatures : SingleFlitChoiceFeatures {
  static constexpr std::string_view name = "events, packets of one flit with watched buffers";
  static constexpr bool watched = true;
};
/// And other switching and flow control, and hosts with few buffers.
struct UnicastFeatures : WatchedFeatures {
  static constexpr std::string_view name = "events, unicast";
  static constexpr bool plain = false;
};
/// And packets that have a link to themselves, slower links, priorities, and crossbars with an
/// input for every lane.
struct LinkFeatures : UnicastFeatures {
  static constexpr std::string_view name = "events, shared links";
  static constexpr bool shared_links = true;
};
/// Packets that have a link to themselves, with cut-through and credits, over links of one speed:
/// the times of all flits follow from that of the head, so that a packet is handled as a whole.
struct WholePacketFeatures : LinkFeatures {
  static constexpr std::string_view name = "whole packets";
  static constexpr bool whole = true;
};
/// Everything: multicast, circuits, failures, and audits, too.
struct AllFeatures : LinkFeatures {
  static constexpr std::string_view name = "events, all features";
  static constexpr bool all = true;
};

template <class Features>
class Pipeline final : public AnyPipeline {
 public:
  explicit Pipeline(const PipelineUnits& of);
  void eject() override;
  void inject() override;
  bool inject_at_once(Packet& packet) override;
  void run_switches(Cycle end) override;
  std::string_view name() const override { return Features::name; }

 private:
  void step(Index block);
  std::uint64_t blocks_with_work(Index word, Cycle begin, Cycle end) const;

  // Receive (receive.hpp).
  void receive(Index block);
  WEFT_HOT void receive_signal(Index signal);
  void receive_nic_signal(Index signal);
  WEFT_HOT void receive_head(const HeadArrival& flit);
  WEFT_HOT void receive_body(const Arrival& flit);
  void end_packet_at_host(const Ejection& flit);
  void eject_flit(const Ejection& flit);
  bool vanishes(Index lane, Index packet, const Head* head);

  // Route.
  void route(Index block);
  WEFT_HOT void route_front(Index id);
  WEFT_HOT void route(Index id, InLane& lane, const Head& head);
  WEFT_HOT void request_port(Index id, InLane& lane, Index o, Lane lane_class);
  // Groups (route_groups.hpp).
  void start_branches(Index id);
  void climb(Index id);
  // Choices (route_choices.hpp).
  void route_by_choices(Index id, InLane& lane);
  void choose(Index id, Index set);
  void take_choosers(Index block);
  void commit_ports(Index block);
  void choose_ports(Index block);

  // Allocate (allocate.hpp).
  struct LaneGrant {
    std::uint64_t offered, granted;  ///< lanes of a port
  };
  struct LaneRequest {
    Index who;
    std::uint64_t key;  ///< its number in the switch, and whether it is not urgent
    LaneGrant lanes;
  };
  void allocate_lanes(Index block);
  WEFT_HOT void request_lane(Index id, Index o);
  const InLane& lane_with_class(Index who);
  WEFT_HOT std::uint64_t offer(const InLane& lane, const SwitchPort& port, Index o);
  WEFT_HOT void allocate_lane(Index who, SwitchPort& port, Index o);
  void share_lanes(SwitchPort& port, Index o);
  void share_lanes_of_two(SwitchPort& port, Index o);
  WEFT_HOT std::uint64_t grant_or_wait(Index who, SwitchPort& port, Index o, LaneGrant lanes);
  WEFT_HOT void grant_lane(Index who, SwitchPort& port, Index o, std::uint64_t lanes);
  void drain_waiting(SwitchPort& port, Index o);
  std::uint64_t rank(Index lane_id) const;
  /// Among the first `count` senders of a block: the others have had their lanes since this cycle.
  void allocate_crossbars(Index block, std::size_t count);
  bool no_sender_competes(std::size_t count) const;
  WEFT_HOT void prefetch_sender(const SendRequest* each, const SendRequest* end) const;
  [[gnu::noinline]] void traverse_all(RequestList<SendRequest>& list, std::size_t count);
  WEFT_HOT void keep_senders(RequestList<SendRequest>& list, const SendRequest* last,
                             const SendRequest* fresh);
  bool link_is_open(Index lane_id, Index o) const;
  void make_room(std::size_t requests);

  // Traverse, inject (traverse.hpp).
  /// A flit that goes onto the link behind an out-lane.
  struct Flit {
    const Head& head;  ///< of its packet, as it travels
    Index flags;       ///< of Arrival
    bool first;        ///< the head flit
    Index from;        ///< the in-lane that it leaves; nothing: a NIC
  };
  WEFT_HOT bool traverse(SendRequest sender);
  WEFT_HOT void move_turns(SwitchPort& in_port, SwitchPort& port, Index lane);
  bool traverse_copy(SendRequest sender);
  WEFT_HOT void transmit(SwitchPort& port, Index out_lane, const Flit& flit);
  Index circuit_flags(const Head& head, std::uint32_t sent, bool first) const;
  bool damages(Index out_lane, const Flit& flit);
  WEFT_HOT bool inject(Index host);
  void prefetch_nics(Index first, std::uint64_t hosts) const;

  bool stop_go() const { return !Features::plain && layout_.stop_go; }
  bool cut_through() const { return !Features::plain && layout_.cut_through; }
  bool store_and_forward() const { return !Features::plain && layout_.store_and_forward; }
  bool observed() const { return !Features::plain && u_.observed; }
  bool empty_lanes() const { return Features::watched && layout_.empty_lanes; }
  // Whole packets (whole_packets.hpp).
  void receive_packet_credits(Index block);
  WEFT_HOT void receive_packet(const HeadArrival& flit);
  void release(Index p);
  void wake_blocked();
  void lose_packet(Index id, Loss why);
  void end_lost_packet(Index id);
  void drain(Index id, Loss why, Index dead_port = nothing);
  /// Of the times of a port, while requests take their places.
  bool is_busy(Cycle free_at) const {
    return static_cast<std::int64_t>(free_at) > static_cast<std::int64_t>(u_.now);
  }
  WEFT_HOT void request_lane_for_packet(Index id, Index o);
  void await(Index p, std::uint8_t what);
  void block_sender(Index id, Index o);
  WEFT_HOT bool room_for_packet(Index out_lane, std::uint32_t flits);
  std::uint64_t offer_for_packet(const InLane& lane, const SwitchPort& port, Index o);
  WEFT_HOT std::uint64_t first_lane_for_packet(const InLane& lane, const SwitchPort& port, Index o);
  void retry_choice(Index id);
  void allocate_links(Index block, std::size_t count);
  [[gnu::noinline]] void traverse_open_links(RequestList<SendRequest>& list, std::size_t count);
  WEFT_HOT void traverse_packet(SendRequest sender);
  bool inject_packet(Index host);

  Index port_of(Index lane) const { return static_cast<Index>(lane >> lane_bits_); }
  Index first_lane(Index port) const { return static_cast<Index>(port << lane_bits_); }
  Index lane_in_port(Index lane) const { return static_cast<Index>(lane & lane_mask_); }
  OutLane& out_lane(Index id) const {
    if constexpr (Features::whole) return packet_out_[id];
    return out_[id];
  }
  Index lane_of(Index who) const {
    if constexpr (Features::all) return b_.lane_of(who);
    return who;
  }

  Units& u_;
  const Layout& layout_;
  Routing& routing_;
  Branches& b_;
  Choices& choices_;
  Phases& phases_;
  Injector& injection_;
  Failures& failures_;
  Reports& reports_;
  // Copies of what loops need: nothing that they write can change these, so they stay in registers.
  SwitchPort* const ports_;
  InLane* const in_;
  OutLane* const out_;
  PacketOutLane* const packet_out_;
  const std::size_t lane_bits_, lane_mask_;
  const bool one_route_;  ///< a hop depends on nothing but switch and destination
  const bool choice_tables_;
  const Index lane_classes_, most_hops_;
  RequestList<Index> arrivals_;        ///< in-lanes of a block whose front packets are routed
  RequestList<Index> choosers_;        ///< in-lanes of a block
  RequestList<Index> woken_;           ///< the first ones of lists of in-lanes: SwitchPort::blocked
  RequestList<SendRequest> routed_;    ///< the same, and their out-ports
  std::vector<Index> outs_, ins_;      ///< ports with requests, with grants
  std::vector<LaneRequest> requests_;  ///< for lanes of a port
  std::vector<Index> next_in_order_;   ///< in-lanes whose next branch may request a lane
  Cycle retry_at_ = never;             ///< when there is room behind a port for who waits there
  std::vector<std::uint32_t> sent_;    ///< by in-lane: flits of a circuit that have left
  std::vector<Ejection> ejected_;      ///< by host
  WorkSet ejecting_;
};

extern template class Pipeline<SingleFlitFeatures>;
extern template class Pipeline<PlainFeatures>;
extern template class Pipeline<ChoiceFeatures>;
extern template class Pipeline<SingleFlitChoiceFeatures>;
extern template class Pipeline<WatchedFeatures>;
extern template class Pipeline<SingleFlitWatchedFeatures>;
extern template class Pipeline<UnicastFeatures>;
extern template class Pipeline<LinkFeatures>;
extern template class Pipeline<WholePacketFeatures>;
extern template class Pipeline<AllFeatures>;

}  // namespace weft::sim
