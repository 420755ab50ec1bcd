// SPDX-License-Identifier: Apache-2.0
// Units: the input units, output units and links of all switches and NICs, in flat arrays, and the
// elementary steps that the stages of the pipeline share. Flits are not objects: a buffer knows how
// many flits of which packets it holds. The names follow Dally and Towles, chapters 16 and 17.
#pragma once
#include <memory>
#include <vector>

#include "base/huge_pages.hpp"
#include "sim/flit/audit.hpp"
#include "sim/flit/delay_line.hpp"
#include "sim/flit/layout.hpp"
#include "sim/flit/round_robin.hpp"
#include "sim/flit/work_set.hpp"

// A step that is part of a loop over requests or flits.
#define WEFT_HOT [[gnu::always_inline]] inline

namespace weft::sim {

enum class Stage : std::uint8_t {
  idle,      ///< empty
  routing,   ///< the front packet's head is being routed, or has not fully come (store-and-forward)
  waiting,   ///< for a lane of its out-port
  sending,   ///< has one
  draining,  ///< cannot go on: its flits are thrown away as they come
};

/// One lane of an input port of a switch: its front packet. Those behind it are queued as segments.
struct InLane {
  union {
    Head head;          ///< of the front packet
    Cycle left_at = 0;  ///< of an idle lane: the cycle after that in which its last packet left
  };
  std::uint16_t have = 0;      ///< flits of the front packet in the buffer
  std::uint16_t out_port = 0;  ///< of the front packet, from 0
  std::uint8_t out_lane = 0;   ///< that it sends to
  Stage stage = Stage::idle;
  std::uint8_t flags = 0;
  Lane lane_class = 0;          ///< of the tables: which lanes the packet may take at its out-port
  std::uint16_t last_port = 0;  ///< round robin of lane allocation: the out-port it had last,
  std::uint8_t next_lane = 0;   ///< and the lane of it that comes next
  Index last = nothing;         ///< of the queue behind the front packet, which is a ring
  static constexpr std::uint8_t ended = 1;      ///< the front packet's tail has come
  static constexpr std::uint8_t bad = 2;        ///< with bit errors
  static constexpr std::uint8_t replicate = 4;  ///< to several ports: see Branch
  static constexpr std::uint8_t begun = 8;      ///< its head has left
  static constexpr std::uint8_t routed = 16;    ///< its next hop is known
  static constexpr std::uint8_t chooses = 32;   ///< of several ports: see Choices
  static constexpr std::uint8_t late = 64;      ///< whole: came before it was at the front

  bool has(std::uint8_t flag) const { return (flags & flag) != 0; }
};
static_assert(sizeof(InLane) == 32);

/// A packet behind the front one, or the part of it that has come.
struct QueuedPacket {
  Head head;
  Index next;
  std::uint16_t have;
  std::uint8_t flags;
  Cycle arrived;  ///< where packets are handled as a whole: when the head came
};

/// One lane of an output port of a switch, or of a host's link.
struct OutLane {
  std::uint64_t sent = 0;  ///< flits
  std::int32_t credits = 0;
  std::uint16_t holder = 0;  ///< the in-lane (of the switch) whose packet has it, unless it is idle
  std::uint16_t turn = 0;    ///< round robin of lane allocation among in-lanes
};
static_assert(sizeof(OutLane) == 16);

/// A port of a switch, both ways, or the link of a host: a line of the cache.
struct alignas(64) SwitchPort {
  std::uint64_t idle = 0;   ///< lanes of the out-port that no packet has
  Index waiting = nothing;  ///< in-lanes (or branches) that wait for one of them: a list
  // The link.
  Index peer = nothing;      ///< the port at its other end
  std::uint32_t flight = 0;  ///< cycles from allocation to arrival at the other end
  std::uint32_t back = 0;    ///< cycles from a flit's leaving the buffer to the credit's arrival
  Index home = 0;            ///< the switch, or the host
  std::uint16_t number = 0;  ///< in the switch, from 0
  std::uint16_t block = 0, peer_block = 0;
  // Round robin of the crossbar: of the out-port among in-ports, of the in-port among out-ports and
  // among its lanes. A pointer may be one behind the last.
  std::uint16_t grant_turn = 0, accept_turn = 0;
  std::uint8_t lane_turn = 0;
  bool to_host = false;
  bool requested = false;  ///< lane allocation looks at the out-port
  // Packets that are handled as a whole.
  std::uint8_t sending = no_lane;  ///< the lane whose packet has the link, or had it last
  bool several = false;            ///< wait for a lane: otherwise `waiting` is not a list, but one
  std::uint8_t awaited = 0;        ///< there will be a release of the link, of the input
  Index blocked = nothing;         ///< senders that wait for the link, or for the input: a list
  // Crossbar allocation within a cycle: the best request for the out-port, the best grant for the
  // in-port; the smaller, the better. Packets that are handled as a whole request a link that is
  // free, and an input: otherwise this is the cycle when it will be.
  union {
    std::uint64_t request = none;
    Cycle free_at;
  };
  union {
    std::uint64_t grant = none;
    Cycle input_free_at;
  };
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  static constexpr unsigned none_bit = 63;  ///< is set in `none` only
  static constexpr std::uint8_t no_lane = 0xFF, the_link = 1, the_input = 2;
};
static_assert(sizeof(SwitchPort) == 64);

/// An in-lane (or branch) whose front packet has an out-lane, a flit and a credit for it.
class SendRequest {
 public:
  SendRequest() = default;
  SendRequest(Index from, Index out_lane) : both_(std::uint64_t{out_lane} << 32U | from) {}
  Index from() const { return static_cast<Index>(both_); }
  Index out_lane() const { return static_cast<Index>(both_ >> 32U); }

 private:
  std::uint64_t both_;  ///< in one word, so that no load covers half of it that was just written
};

/// A head flit on a link to an in-lane.
struct HeadArrival {
  Index lane;  ///< with the flags of Arrival
  Head head;
};
/// Another flit on a link to an in-lane.
struct Arrival {
  Index lane;
  Index packet;
  static constexpr Index tail = 1U << 31U, bad = 1U << 30U;
  static constexpr Index fills = 1U << 29U;    ///< the last flit but one of a circuit
  static constexpr Index reaches = 1U << 28U;  ///< to a host: the first flit of a circuit
  static constexpr Index lane_mask = reaches - 1;
};
/// The last flit of a packet, or a flit of a circuit, on a link to a host.
struct Ejection {
  Index lane;  ///< of the host, with the flags of Arrival
  Index packet;
  std::uint32_t hops;
};

/// Credits for all flits of a packet, of which one comes in every cycle until the last one.
struct PacketCredits {
  Index out_lane;
  std::uint32_t flits;
  Cycle last;
};
/// Where packets are handled as a whole: an out-lane, and the room behind it.
struct alignas(32) PacketOutLane : OutLane {
  Cycle last = 0;        ///< when the last one of the credits comes
  bool awaited = false;  ///< somebody waits for more
};

/// Packets whose last flits leave in the cycle before `at`.
struct alignas(32) PacketEnds {
  Cycle at = 0;
  std::uint64_t in_switches = 0, in_nics = 0;
};

/// What a host with a limited number of receive buffers can take in.
struct ReceiveBuffers {
  std::uint32_t room = 0;    ///< buffers beyond those that lanes to it have
  std::uint64_t closed = 0;  ///< lanes to it that wait for a buffer
};

/// Requests of a block, with room for one of each of its in-lanes.
template <class Item>
class RequestList {
 public:
  void make(std::size_t most) {
    items_ = std::make_unique_for_overwrite<Item[]>(most);
    end_ = items_.get();
  }
  void add(const Item& item) { *end_++ = item; }
  /// (No branch: it would be guessed wrong.)
  void add_if(bool condition, const Item& item) {
    *end_ = item;
    end_ += static_cast<std::size_t>(condition);
  }
  std::size_t size() const { return static_cast<std::size_t>(end_ - items_.get()); }
  Item* begin() { return items_.get(); }
  Item* end() { return end_; }
  const Item* begin() const { return items_.get(); }
  const Item* end() const { return end_; }
  void end_at(Item* end) { end_ = end; }
  bool empty() const { return end_ == items_.get(); }

 private:
  std::unique_ptr<Item[]> items_;
  Item* end_ = nullptr;
};

class Choices;

class Units {
 public:
  explicit Units(const Layout& layout);

  const Layout& layout;
  PacketPool packets;
  HugeVector<SwitchPort> ports;
  HugeVector<InLane> in;
  HugeVector<OutLane> out;
  HugeVector<QueuedPacket> segments;
  HugeVector<Index> next_waiting;             ///< by in-lane, then branch: see SwitchPort::waiting
  std::vector<RequestList<Index>> requested;  ///< by block: out-ports whose lanes are allocated
  std::vector<RequestList<SendRequest>> senders;  ///< by block
  WorkSet active;                                 ///< hosts that inject

  DelayLine<HeadArrival> heads;
  DelayLine<Arrival> bodies;
  DelayLine<Ejection> ejections;
  DelayLine<Index> credits;  ///< out-lanes, or signals; those of NICs are a block of their own
  DelayLine<Index> routed;   ///< in-lanes whose front packets request lanes
  Cycle head_lead = 0;       ///< cycles that heads are received late: when they have been routed
  Cycle lookahead = 1;       ///< cycles before anything that a switch does is seen elsewhere
  std::uint32_t stop = 0, go = 0;  ///< flits in a buffer that send stop and go (stop_go)
  bool endless_hosts = false;      ///< hosts take flits faster than buffers could fill
  bool whole_packets = false;      ///< packets are handled as a whole
  bool observed = false;           ///< packets' coming to the front is noted
  bool large = false;              ///< more than the cache holds: prefetching pays

  // Only where packets are handled as a whole.
  DelayLine<PacketCredits> packet_credits;
  DelayLine<Index> releases;             ///< ports whose link or input is free, and awaited
  DelayLine<Index> retries;              ///< out-ports, or NICs, that have room for a packet
  DelayLine<Index> drained;              ///< in-lanes where the last flit of a lost packet comes
  HugeVector<PacketOutLane> packet_out;  ///< instead of `out`
  HugeVector<Cycle> arrived;     ///< by in-lane: when the head of a front packet with `late` came
  std::vector<PacketEnds> ends;  ///< by cycle
  // Only where a feature needs them.
  std::vector<std::uint64_t> interval, free_at;  ///< by port, in 1/65536 cycles: slower links
  std::vector<Index> held_out, held_in;  ///< by port: the in-lane that has it for a whole packet
  std::vector<Cycle> since;              ///< by in-lane: when its front packet came to the front
  std::vector<std::uint16_t> fill;       ///< by in-lane: flits in the buffer (stop/go)
  std::vector<ReceiveBuffers> receive_buffers;  ///< by host
  std::vector<bool> dead, mended;               ///< by port: its link has failed, or had
  std::vector<bool> failed;                     ///< by switch

  Choices* choices = nullptr;  ///< packets that may choose among ports, where there are some
  Auditor audit;
  Totals totals{};
  Cycle now = 0;

  static constexpr std::int32_t endless = 1 << 30;
  /// On the way back: an out-lane for a credit, or with one of these.
  static constexpr Index stop_signal = 1U << 31U, go_signal = 1U << 30U,
                         signal_mask = go_signal - 1;

  bool is_dead(Index port) const { return !dead.empty() && dead[port]; }
  /// The out-port of an in-lane's front packet.
  Index out_port_of(Index id) const {
    const Index port = layout.port_of(id);
    return port - ports[port].number + in[id].out_port;
  }
  Index out_lane_of(Index id) const {
    return (out_port_of(id) << layout.lane_bits) + in[id].out_lane;
  }
  /// The out-lane that feeds an in-lane, and the in-lane (or lane of a host) that an out-lane
  /// feeds.
  Index other_end(Index lane) const {
    const Index port = layout.port_of(lane);
    return (ports[port].peer << layout.lane_bits) + layout.lane_in_port(lane);
  }
  /// The in-lane that holds an out-lane of a switch; nothing where it is idle.
  Index holder(Index out_lane) const {
    const Index o = layout.port_of(out_lane);
    const SwitchPort& port = ports[o];
    if ((port.idle & bit_at(layout.lane_in_port(out_lane))) != 0) return nothing;
    if (out[out_lane].holder == no_holder) return nothing;  // a host without room closed it
    return ((o - port.number) << layout.lane_bits) + out[out_lane].holder;
  }
  static constexpr std::uint16_t no_holder = 0xFFFF;

  /// The lanes a packet may take at an out-port.
  std::uint64_t allowed(const Head& head, Lane lane_class, const SwitchPort& port) const {
    const bool any = port.to_host && layout.model.host_lanes;
    return layout.lanes_for(head, any ? layout.data_lanes : layout.class_lanes[lane_class]);
  }
  bool has_room(std::int32_t credits_there, std::uint32_t flits) const {
    return !layout.cut_through || layout.stop_go ||
           credits_there >= static_cast<std::int32_t>(flits);
  }
  /// The lanes of out-port `o` that the front packet of an in-lane may have now.
  template <bool plain = false>
  WEFT_HOT std::uint64_t offer(const InLane& lane, const SwitchPort& port, Index o) const {
    if constexpr (plain)
      return port.idle & (port.to_host ? layout.data_lanes : layout.class_lanes[lane.lane_class]);
    const std::uint64_t idle = port.idle | (whole_packets ? sent_lane(port) : 0);
    std::uint64_t result = idle & allowed(lane.head, lane.lane_class, port);
    if (!layout.cut_through) return result;
    for (std::uint64_t left = result; left != 0; left &= left - 1) {
      const Index out_lane = (o << layout.lane_bits) + lowest(left);
      const bool room = whole_packets ? room_from(out_lane, lane.head.flits) == now
                                      : has_room(out[out_lane].credits, lane.head.flits);
      if (!room) result &= ~(left & (~left + 1));
    }
    return result;
  }
  /// Where packets are handled as a whole: the first cycle in which there is room for so many flits
  /// behind an out-lane; never: not before more credits begin to come.
  Cycle room_from(Index out_lane, std::uint32_t flits) const {
    const PacketOutLane& lane = packet_out[out_lane];
    const auto spare = static_cast<std::int64_t>(lane.credits) - std::int64_t{flits};
    if (spare < 0) return never;
    const Cycle to_come = lane.last > now ? lane.last - now : 0;
    return static_cast<Cycle>(spare) >= to_come ? now : lane.last - static_cast<Cycle>(spare);
  }

  /// Where packets are handled as a whole: the lane of an out-port, if there is one, whose packet
  /// has left since the port was looked at; that is idle, too.
  std::uint64_t sent_lane(const SwitchPort& port) const {
    const bool ended = port.sending != SwitchPort::no_lane && port.free_at <= now;
    return ended ? bit_at(port.sending) : 0;
  }
  WEFT_HOT void end_sent_packet(SwitchPort& port) const {
    if (port.free_at > now) return;
    port.idle |= sent_lane(port);
    port.sending = SwitchPort::no_lane;
  }
  /// What the pipeline for whole packets notes late, or elsewhere.
  void settle_packets();
  /// Counts a packet whose last flit leaves before cycle `at`.
  PacketEnds& ends_at(Cycle at) {
    PacketEnds& result = ends[at & (ends.size() - 1)];
    if (result.at != at) result = {at};
    return result;
  }

  /// An in-lane (or branch) waits for a lane of an out-port.
  WEFT_HOT void request_lane(Index who, Index o) {
    SwitchPort& port = ports[o];
    next_waiting[who] = port.waiting;
    port.waiting = who;
    if (!port.requested) request_allocation(port, o);
  }
  WEFT_HOT void request_allocation(SwitchPort& port, Index o) {
    port.requested = true;
    requested[port.block].add(o);
  }
  /// It does not any more; returns whether it did.
  bool withdraw_request(Index who, Index o);
  /// What may be given to those who wait has changed.
  template <bool plain = false>
  WEFT_HOT void retry(SwitchPort& port, Index o) {
    if (port.waiting != nothing && !port.requested) request_allocation(port, o);
    if (!plain && choices != nullptr) wake_choosers(o);
  }
  template <bool plain = false>
  WEFT_HOT void release_lane(SwitchPort& port, Index o, Index lane) {
    port.idle |= bit_at(lane);
    retry<plain>(port, o);
  }
  /// The last flit of a packet has gone over an out-lane: it is free for another, unless it leads
  /// to a host without room for one. A lane that is free or taken has a buffer of the host's.
  template <bool plain = false>
  WEFT_HOT void end_packet(SwitchPort& port, Index o, Index lane) {
    if (plain || !port.to_host || receive_buffers.empty()) {
      release_lane<plain>(port, o, lane);
      return;
    }
    ReceiveBuffers& buffers = receive_buffers[ports[port.peer].home];
    if (buffers.room > 0) {
      --buffers.room;
      release_lane(port, o, lane);
    } else {
      out[(o << layout.lane_bits) + lane].holder = no_holder;
      buffers.closed |= bit_at(lane);
    }
  }
  /// A host has a buffer free again.
  void release_buffer(Index host);

  WEFT_HOT void add_sender(Index from, Index out_lane, const SwitchPort& port) {
    senders[port.block].add(SendRequest(from, out_lane));
  }
  void withdraw_sender(Index from, const SwitchPort& port);

  /// Flits in the buffer of an in-lane.
  std::uint64_t buffered(Index lane) const;
  template <class Visit>
  void each_segment(const InLane& lane, Visit visit) const {
    if (lane.last == nothing) return;
    for (Index id = segments[lane.last].next;; id = segments[id].next) {
      visit(segments[id]);
      if (id == lane.last) return;
    }
  }
  /// None of the features that templates with `plain` leave out: see PlainFeatures.
  bool is_plain() const {
    return !layout.stop_go && !layout.cut_through && layout.model.host_lanes &&
           layout.control_shift == 0 && endless_hosts && !observed && receive_buffers.empty() &&
           !layout.options.departures;
  }

  /// Queues a packet behind the front one.
  void append(InLane& lane, const Head& head, std::uint8_t flags, Cycle came = 0) {
    Index id = free_segment_;
    if (id == nothing) {
      id = static_cast<Index>(segments.size());
      segments.emplace_back();
    } else {
      free_segment_ = segments[id].next;
    }
    Index first = id;
    if (lane.last != nothing) {
      first = segments[lane.last].next;
      segments[lane.last].next = id;
    }
    segments[id] = {head, first, 1, flags, came};
    lane.last = id;
  }
  /// The front packet has left: the one behind it comes to the front.
  template <bool plain = false>
  WEFT_HOT void next_front(InLane& lane, Index id, const SwitchPort& port) {
    next_front_at<plain>(lane, id, port, now + 1);
  }
  /// The same; `after` is the cycle after that in which the last flit has left.
  template <bool plain = false>
  WEFT_HOT void next_front_at(InLane& lane, Index id, const SwitchPort& port, Cycle after) {
    if (lane.last == nothing) {
      lane.left_at = after;
      lane.have = 0;
      lane.flags = 0;
      lane.stage = Stage::idle;
      return;
    }
    const Cycle came = take_segment(lane);
    lane.stage = Stage::routing;
    if (!plain && observed) came_to_front(lane, id);
    if (!plain && whole_packets) {
      arrived[id] = came;
      lane.flags |= InLane::late;
    }
    if (plain || !layout.store_and_forward || lane.has(InLane::ended))
      routed.push(after + layout.head_delay, port.block, id);
  }
  /// A packet has come to the front of an in-lane.
  void came_to_front(const InLane& lane, Index id) {
    if (!since.empty()) since[id] = now;
    audit.came_to_front(id, lane.head.packet);
  }
  /// Flits of the front packet leave the buffer.
  void leave_buffer(Index id, std::uint32_t flits) {
    if (flits == 0) return;
    audit.left += flits;
    if (layout.stop_go) {
      flits_left(id, flits);
      return;
    }
    for (std::uint32_t i = 0; i < flits; ++i) signal(id, 0);
  }
  /// Makes the first packet of the queue (there is one) the front packet; returns
  /// QueuedPacket::arrived.
  Cycle take_segment(InLane& lane) {
    const Index taken = segments[lane.last].next;
    const QueuedPacket& segment = segments[taken];
    lane.head = segment.head;
    lane.have = segment.have;
    lane.flags = segment.flags;
    const Cycle came = segment.arrived;
    if (taken == lane.last) {
      lane.last = nothing;
    } else {
      segments[lane.last].next = segment.next;
      __builtin_prefetch(&segments[segment.next]);  // deep buffers are more than the cache holds
    }
    segments[taken].next = free_segment_;
    free_segment_ = taken;
    return came;
  }
  /// Lane allocation looks at the front packet after the head delay from `when` on.
  void request_after(Index id, Cycle when) {
    routed.push(when + layout.head_delay, ports[layout.port_of(id)].block, id);
  }

  /// Stop and go: flits come to a buffer and leave it, and the sender learns where they cross a
  /// threshold.
  void flit_came(Index id) {
    if (++fill[id] == stop) signal(id, stop_signal);
  }
  void flits_left(Index id, std::uint32_t flits) {
    const std::uint32_t before = fill[id];
    fill[id] = static_cast<std::uint16_t>(before - flits);
    if (before > go && before - flits <= go) signal(id, go_signal);
  }
  /// Sends something back from an in-lane: a credit, or a signal.
  void signal(Index id, Index what) {
    const SwitchPort& port = ports[layout.port_of(id)];
    credits.push(now + port.back, port.peer_block, other_end(id) | what);
  }
  /// A packet that has its out-lane may start, or go on: there are a flit and a credit.
  bool can_send(const InLane& lane, Index out_lane) const {
    return lane.have > 0 && out[out_lane].credits > 0;
  }

 private:
  void wake_choosers(Index o);
  void connect();
  void set_delays();
  void make_lists();
  void set_flow_control();
  void set_thresholds();
  void add_feature_arrays();

  Index free_segment_ = nothing;
};

}  // namespace weft::sim
