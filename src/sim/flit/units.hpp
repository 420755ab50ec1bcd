// SPDX-License-Identifier: Apache-2.0
// Units: the input units, output units and links of all switches and NICs, in flat arrays, and the
// elementary steps that the stages of the pipeline share. Flits are not objects: a buffer knows how
// many flits of which packets it holds. The names follow Dally and Towles, chapters 16 and 17.
#pragma once
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "sim/flit/audit.hpp"
#include "sim/flit/delay_line.hpp"
#include "sim/flit/layout.hpp"
#include "sim/flit/records.hpp"
#include "sim/flit/round_robin.hpp"
#include "sim/flit/shared_array.hpp"
#include "sim/flit/work_set.hpp"

namespace weft::sim {

class Choices;

/// The end of the window that a cycle is in: windows are the same whatever has been done before, so
/// that it does not matter when a network changes its path, or is parted.
inline Cycle window_end(Cycle now, Cycle lookahead) { return (now / lookahead + 1) * lookahead; }

class Units {
 public:
  explicit Units(const Layout& layout);
  /// The units of a part (parts/) of the network: what is on links, and what hosts do, is its own.
  explicit Units(Units& whole);
  /// Of a part: from now on, the arrays of the whole are its arrays, too.
  void share(Units& whole);
  /// What others have sent to the first so many blocks (NICs are the last one) is handed out with
  /// what these have sent.
  void join(const std::vector<const Units*>& others, Index blocks_of_all);
  /// Others have taken what was due for these blocks in some cycles.
  void forget(Cycle from, Cycle until, const std::vector<std::uint64_t>& blocks_of_others);

  const Layout& layout;
  PacketPool packets;
  SharedArray<SwitchPort> ports;
  SharedArray<InLane> in;
  SharedArray<OutLane> out;
  HugeVector<QueuedPacket> segments;
  SharedArray<Index> last_queued;  ///< by in-lane, where its queue is not empty
  /// By in-lane, then branch: see SwitchPort::waiting. (Where there are branches, each part has its
  /// own.)
  SharedArray<Index> next_waiting;
  SharedArray<RequestList<Index>> requested;      ///< by block: out-ports whose lanes are allocated
  SharedArray<RequestList<SendRequest>> senders;  ///< by block
  WorkSet active;                                 ///< hosts that inject
  std::vector<std::uint64_t> own_blocks;          ///< a bit for each block of these switches
  /// Where Phases looks at queues of other switches, and packets are plain; by block: flits that
  /// have left for out-ports (2 * port + 1), and credits that have come back (2 * port), since
  /// then. (Without a limit: the credits of a packet that is lost come all at once.)
  SharedArray<std::vector<Index>> moved;
  bool moved_is_new = false;  ///< what has moved before is not in it

  DelayLine<HeadArrival> heads;
  DelayLine<Arrival> bodies;
  DelayLine<Ejection> ejections;
  DelayLine<Index> credits;  ///< out-lanes, or signals; those of NICs are a block of their own
  DelayLine<Index> routed;   ///< in-lanes whose front packets request lanes
  Cycle head_lead = 0;       ///< cycles that heads are received late: when they have been routed
  Cycle lookahead = 1;       ///< cycles before anything that a switch does is seen elsewhere
  /// The same of other switches, and for how long parts go on by themselves: not for a cycle more
  /// where the network is small.
  Cycle shortest_link = 1, window = 1;
  std::uint32_t stop = 0, go = 0;  ///< flits in a buffer that send stop and go (stop_go)
  bool endless_hosts = false;      ///< hosts take flits faster than buffers could fill
  bool whole_packets = false;      ///< packets are handled as a whole
  bool observed = false;           ///< packets' coming to the front is noted
  bool large = false;              ///< more than the cache holds: prefetching pays

  // Only where packets are handled as a whole.
  DelayLine<PacketCredits> packet_credits;
  DelayLine<Index> releases;              ///< ports whose link or input is free, and awaited
  DelayLine<Index> retries;               ///< out-ports, or NICs, that have room for a packet
  DelayLine<Index> drained;               ///< in-lanes where the last flit of a lost packet comes
  SharedArray<PacketOutLane> packet_out;  ///< instead of `out`
  SharedArray<std::uint32_t> arrived;     ///< by in-lane: when its front packet, or last one, came
  std::vector<PacketEnds> ends;           ///< by cycle
  // Only where a feature needs them.
  SharedArray<std::uint64_t> interval, free_at;  ///< by port, in 1/65536 cycles: slower links
  SharedArray<Index> held_out, held_in;  ///< by port: the in-lane that has it for a whole packet
  SharedArray<Cycle> since;              ///< by in-lane: when its front packet came to the front
  SharedArray<std::uint16_t> fill;       ///< by in-lane: flits in the buffer (stop/go)
  SharedArray<ReceiveBuffers> receive_buffers;  ///< by host
  SharedArray<std::uint8_t> dead, mended;       ///< by port: whether its link has failed, or had
  SharedArray<std::uint8_t> failed;             ///< by switch: whether it has

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
    return layout.lane_sets[layout.lane_set(head, lane_class, port.to_host)];
  }
  bool has_room(std::int32_t credits_there, std::uint32_t flits) const {
    return !layout.cut_through || layout.stop_go ||
           credits_there >= static_cast<std::int32_t>(flits);
  }
  /// Whether a NIC may begin a packet on a lane.
  bool may_begin(std::int32_t credits_there, std::uint32_t flits) const {
    return has_room(credits_there, flits) &&
           (!layout.empty_lanes || credits_there == static_cast<std::int32_t>(layout.buffer));
  }
  /// Layout::lane_set() of a plain network. (No branch: it would be guessed wrong.)
  WEFT_HOT Index plain_set(Lane lane_class, const SwitchPort& port) const {
    const Index to_host = 0U - static_cast<Index>(port.to_host);
    return (layout.set_to_host & to_host) | (lane_class & ~to_host);
  }
  /// The lanes of out-port `o` that the front packet of an in-lane may have now.
  template <bool plain = false>
  WEFT_HOT std::uint64_t offer(const InLane& lane, const SwitchPort& port, Index o) const {
    if constexpr (plain) return port.idle & layout.lane_sets[plain_set(lane.lane_class, port)];
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
  /// Flits that have left for an out-port on these lanes, and whose credits have not come back:
  /// now, or before this cycle's.
  std::uint32_t used(Index o, std::uint64_t lanes, bool before_credits = false) const;
  /// The same where packets are moved flit by flit, by credits.
  WEFT_HOT std::uint32_t used_by_flits(Index o, std::uint64_t lanes) const {
    const OutLane* const lane = &out[o << layout.lane_bits];
    std::int64_t out_of_room = 0;
    for (Index v = 0; v < layout.lanes; ++v)  // without a branch
      out_of_room += (0 - static_cast<std::int64_t>(lanes >> v & 1)) &
                     (std::int64_t{layout.buffer} - lane[v].credits);
    return static_cast<std::uint32_t>(std::max<std::int64_t>(out_of_room, 0));
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
  /// Whether something on a link of these switches, or their hosts, is due.
  bool has_event(Cycle at) const {
    return bodies.any_at(at) || heads.any_at(at) || credits.any_at(at) || ejections.any_at(at) ||
           routed.any_at(at);
  }
  /// When something on a link, or a time that was noted, is due; never without any.
  Cycle next_event();
  /// Whether something is to be allocated in a block, without an event.
  bool has_requests(Index block) const {
    return !senders[block].empty() || !requested[block].empty() ||
           (choices != nullptr && has_choosers(block));
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
  template <bool plain = false, bool empty = !plain>
  WEFT_HOT void end_packet(SwitchPort& port, Index o, Index lane) {
    if (plain || !port.to_host || receive_buffers.empty()) {
      leave_lane<plain, empty>(port, o, lane);
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
  /// No packet has an out-lane any more. Where a lane to a switch holds one packet at a time
  /// (`empty`: this may be), it is free for another when the buffer behind it is empty.
  template <bool plain = false, bool empty = !plain>
  WEFT_HOT void leave_lane(SwitchPort& port, Index o, Index lane) {
    if (empty && layout.empty_lanes && !port.to_host) {
      out[(o << layout.lane_bits) + lane].holder = no_holder;
      release_empty<plain>(port, o, lane);
    } else {
      release_lane<plain>(port, o, lane);
    }
  }
  /// Returns whether it has become free.
  template <bool plain = false>
  WEFT_HOT bool release_empty(SwitchPort& port, Index o, Index lane) {
    const OutLane& closed = out[(o << layout.lane_bits) + lane];
    if ((port.idle & bit_at(lane)) != 0 || closed.holder != no_holder || (!plain && is_dead(o)) ||
        closed.credits != static_cast<std::int32_t>(layout.buffer))
      return false;
    release_lane<plain>(port, o, lane);
    return true;
  }
  /// A host has a buffer free again.
  void release_buffer(Index host);

  WEFT_HOT void add_sender(Index from, Index out_lane, const SwitchPort& port) {
    senders[port.block].add(SendRequest(from, out_lane));
  }
  void withdraw_sender(Index from, const SwitchPort& port);
  void count_moved(bool wanted);

  /// Flits in the buffer of an in-lane.
  std::uint64_t buffered(Index lane) const;
  template <class Visit>
  void each_segment(const InLane& lane, Visit visit) const {
    for (Index id = lane.first; id != nothing; id = segments[id].next) visit(segments[id]);
  }
  /// Of a queue that is not empty.
  QueuedPacket& last_segment(const InLane& lane) { return segments[last_queued[index_of(lane)]]; }
  Index index_of(const InLane& lane) const { return static_cast<Index>(&lane - in.data()); }
  /// None of the features that templates with `plain` leave out (see PlainFeatures), but perhaps
  /// lanes that hold one packet at a time.
  bool is_plain() const {
    return !layout.stop_go && !layout.cut_through && layout.model.host_lanes &&
           layout.control_shift == 0 && endless_hosts && !observed && receive_buffers.empty() &&
           !layout.options.departures;
  }

  /// Or others that templates leave out: see UnicastFeatures and LinkFeatures.
  bool needs_link_features() const {
    return layout.by_packet || layout.model.lane_inputs || layout.model.priorities ||
           !interval.empty();
  }
  bool needs_all_features() const {
    const NetworkOptions& options = layout.options;
    return !layout.tables.groups.empty() || options.faults.any() || options.check ||
           options.circuits || options.fault_sites || options.flit_departures;
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
    Index& last = last_queued[index_of(lane)];
    (lane.first == nothing ? lane.first : segments[last].next) = id;
    last = id;
    segments[id] = {head, nothing, static_cast<std::uint32_t>(came), 1, flags};
  }
  /// The packets behind the front one, and what is known of them, are in the segments of another
  /// part from now on.
  void move_queue(Index id, Units& to) {
    InLane& lane = in[id];
    Index segment = lane.first;
    if (segment == nothing) return;
    lane.first = nothing;
    while (segment != nothing) {
      const QueuedPacket queued = segments[segment];
      to.append(lane, queued.head, queued.flags, queued.arrived);
      to.last_segment(lane).have = queued.have;
      segments[segment].next = std::exchange(free_segment_, segment);
      segment = queued.next;
    }
  }
  /// The front packet has left: the one behind it comes to the front.
  template <bool plain = false>
  WEFT_HOT void next_front(InLane& lane, Index id, const SwitchPort& port) {
    next_front_at<plain>(lane, id, port, now + 1);
  }
  /// The same; `after` is the cycle after that in which the last flit has left.
  template <bool plain = false>
  WEFT_HOT void next_front_at(InLane& lane, Index id, const SwitchPort& port, Cycle after) {
    if (lane.first == nothing) {
      lane.left_at = after;
      lane.have = 0;
      lane.flags = 0;
      lane.stage = Stage::idle;
      return;
    }
    const std::uint32_t came = take_segment(lane);
    lane.stage = Stage::routing;
    if (!plain && observed) came_to_front(lane, id);
    if (!plain && whole_packets) arrived[id] = came;
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
  std::uint32_t take_segment(InLane& lane) {
    const Index taken = lane.first;
    QueuedPacket& segment = segments[taken];
    lane.head = segment.head;
    lane.have = segment.have;
    lane.flags = segment.flags;
    lane.first = segment.next;
    segment.next = std::exchange(free_segment_, taken);
    return segment.arrived;
  }
  /// The cycle of an arrival that was noted with its low bits.
  Cycle cycle_of(std::uint32_t arrived_at) const {
    return now - static_cast<std::uint32_t>(static_cast<std::uint32_t>(now) - arrived_at);
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
  bool has_choosers(Index block) const;
  void connect();
  void set_delays();
  void measure_links();
  void make_lines();
  void make_lists();
  void set_flow_control();
  void set_thresholds();
  void add_feature_arrays();

  Index free_segment_ = nothing;
  Cycle longest_flight_ = 0, longest_back_ = 0;
};

}  // namespace weft::sim
