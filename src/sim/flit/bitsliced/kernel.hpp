// SPDX-License-Identifier: Apache-2.0
// BitSlicedKernel: the cycle of a bit-sliced network, for known numbers of ports, lanes and words
// of a block. Here flits move, in words. So are crossbars allocated (crossbars.hpp) and lanes
// (allocate_lanes.hpp), unless packets contend for them. One by one, packets come to the front of a
// lane, are routed and pass from switch to switch: packets.hpp, and plain_packets.hpp for plain
// networks. NICs are in nics.hpp. make_kernel.hpp includes all of them.
#pragma once
#include <algorithm>
#include <bit>
#include <type_traits>

#include "sim/flit/bitsliced/bitsliced.hpp"
#include "sim/flit/bitsliced/lane_arbiter.hpp"
#include "sim/flit/bitsliced/words.hpp"

namespace weft::sim {

template <Index fixed_ports, Index fixed_lanes, Index wide>
class BitSlicedKernel : public BitSliced {
 public:
  BitSlicedKernel(const PipelineUnits& of, SliceSizes sizes)
      : BitSliced(of, {sizes.ports, sizes.lanes, wide, together}), at_{sizes} {
    for (Index i = 0; i < lanes() * lane_bits(); ++i)
      for (Index j = 0; j < wide; ++j)
        lane_bit_[at_.digits(lane_bits(), {0, i / lane_bits(), 0}) + i % lane_bits() * span + j] =
            (i / lane_bits() >> i % lane_bits() & 1) != 0 ? ~Word{0} : 0;
  }

  /// Of a part.
  BitSlicedKernel(BitSlicedKernel& whole, const PipelineUnits& of,
                  const std::vector<Index>& switches)
      : BitSliced(whole, of, switches), at_{whole.at_} {
    std::copy(std::begin(whole.lane_bit_), std::end(whole.lane_bit_), lane_bit_);
  }
  std::unique_ptr<BitSliced> make_part(const PipelineUnits& of,
                                       const std::vector<Index>& switches) override {
    return std::make_unique<BitSlicedKernel>(*this, of, switches);
  }

  void receive() override {
    if (!is_own_.empty()) receive_far_words();
    for (const Index block : own_blocks_) {
      receive_credits(block);
      if (!closed_.empty()) open_empty_lanes(block);
      if (!plain_) receive_flits(block);
    }
    for (const Index port : host_ports_) credit_nics(port / ports(), port % ports());
  }

  bool step() override {
    const std::uint64_t before = units_.totals.flit_hops;
    units_.active.filter_words([this](Index first, Word hosts) {
      if (!plain_) return begin_packets(first, hosts);
      if (plain_phases_) return begin_plain<PlainRoutes::by_phases>(first, hosts);
      return plain_classes_ ? begin_plain<PlainRoutes::by_turns>(first, hosts)
                            : begin_plain<PlainRoutes::by_table>(first, hosts);
    });
    for (const Index port : host_ports_) inject(port / ports(), port % ports());
    for (const Index block : own_blocks_)
      plain_ ? step_block<true>(block) : step_block<false>(block);
    return units_.totals.flit_hops > before;
  }

 private:
  using W = typename WordVector<wide>::Type;
  /// Lanes that are handled at once are a group of `span` words.
  static constexpr Index together = WordLayout<fixed_ports, fixed_lanes, wide>::fixed_together;
  static constexpr Index span = together * wide;
  using G = typename WordVector<span>::Type;
  static constexpr Index most_ports = fixed_ports == 0 ? 64 : fixed_ports;
  static constexpr Index most_lanes = fixed_ports == 0 ? 64 : fixed_lanes;
  static constexpr Index most_switch_lanes = fixed_ports == 0 ? 64 : fixed_ports * fixed_lanes;
  static constexpr Index most_lane_bits = 6;
  static constexpr W zero{};

  Index ports() const { return at_.ports(); }
  Index lanes() const { return at_.lanes(); }
  Index groups() const { return lanes() / together; }  ///< of a port
  /// Bits of the number of a lane.
  static constexpr Index known_lane_bits = std::bit_width(fixed_lanes == 0 ? 0U : fixed_lanes - 1U);
  Index lane_bits() const { return fixed_lanes == 0 ? lane_bits_ : known_lane_bits; }
  /// The first word of a block among those by lane.
  std::size_t first_word(Index block) const {
    return std::size_t{block} * at_.switch_lanes() * wide;
  }

  /// Visits the places of a lane, or of a group from it on.
  template <class Some, class Visit>
  [[gnu::always_inline]] void each(Index block, Index lane, Some who, Visit visit) {
    for (Index i = 0; i < sizeof(Some) / 8; ++i)
      for (Word left = part(who, i); left != 0; left &= left - 1)
        visit(LanePlace{block, lane + i / wide, i % wide * 64 + lowest(left)});
  }

  template <bool plain>
  void step_block(Index block) {
    const bool some = request<plain>(block);
    const bool chosen = !plain && phases_.any() && choose_ports(block);
    allocate_lanes(block);
    if (chosen) choose_again(block);
    if (!some) return;
    allocate_crossbars<plain>(block);
    send_flits<plain>(block);
    leave_buffers<plain>(block);
    if constexpr (!plain)
      advance_packets(block);
    else if (plain_phases_)
      advance_plain<PlainRoutes::by_phases>(block);
    else if (plain_classes_)
      advance_plain<PlainRoutes::by_turns>(block);
    else
      advance_plain<PlainRoutes::by_table>(block);
  }

  void receive_credits(Index block) {
    const std::size_t first = first_word(block);
    const Index width = count_bits_;
    Word* due = credited_.at(units_.now) + first;
    Word* credits = &credits_[first * width];
    Word* open = &open_[first];
    G opened{};
    for (Index i = 0; i < ports() * groups(); ++i) {
      const G arrived = load<G>(due), was_open = load<G>(open);
      store(due, G{});
      store(open, was_open | arrived);
      add(credits, arrived, width);
      opened |= arrived & ~was_open;
      due += span;
      open += span;
      credits += width * span;
    }
    if (any(opened)) make_room(block);
  }

  // Lanes that hold one packet at a time (empty_lanes.hpp).
  void open_empty_lanes(Index block);
  G idle_at_once(std::size_t word, G left, G limited);

  void receive_flits(Index block) {
    const std::size_t first = first_word(block);
    const Index width = count_bits_;
    Word* due = arrivals_.at(units_.now) + first;
    Word* count = &count_[first * width];
    const Word* head = &head_[first];
    Word* filled = &filled_[first];
    Word* fresh = arrived_heads_;
    for (Index i = 0; i < ports() * groups(); ++i) {
      const G flits = load<G>(due), before = load<G>(filled);
      store(fresh, flits & ~before & load<G>(head));
      store(due, G{});
      store(filled, before | flits);
      add(count, flits, width);
      due += span;
      head += span;
      filled += span;
      fresh += span;
      count += width * span;
    }
    route_arrived_heads(block);
  }

  // Crossbars (crossbars.hpp).
  template <bool plain>
  bool request(Index block);
  template <bool plain>
  void allocate_crossbars(Index block);
  template <bool plain>
  void find_ends(Index block, Index p);

  /// Flits leave by the lanes that their packets hold; tails release them.
  template <bool plain>
  void send_flits(Index block) {
    for (Index p = 0; p < ports(); ++p) full_[p] = zero;
    W released = zero;
    for (Index o = 0; o < ports(); ++o) {
      W sends = zero, tails = zero;
      for (Index p = 0; p < ports(); ++p) {
        sends |= accepted_[o * ports() + p];
        if (!plain) tails |= accepted_[o * ports() + p] & ending_[p];
      }
      if (plain) tails = sends;
      units_.totals.flit_hops += count(sends);
      const W limited = ~load<W>(&to_host_[at_.port({block, 0, 0}, o)]);
      Word flits_of[most_lanes * wide];
      G last{};
      for (Index i = 0; i < groups(); ++i) {
        G flits = spread<G>(sends);
        for (Index b = 0; b < lane_bits(); ++b)
          flits &= ~(spread<G>(lane_sent_[o * lane_bits() + b]) ^
                     load<G>(&lane_bit_[(i * lane_bits() + b) * span]));
        const std::size_t word = first_word(block) + (o * groups() + i) * span;
        const G open =
            subtract(&credits_[word * count_bits_], flits & spread<G>(limited), count_bits_) |
            ~spread<G>(limited);
        store(&open_[word], open);
        const G left = flits & spread<G>(tails);
        const G idle = plain ? left : idle_at_once(word, left, spread<G>(limited));
        store(&idle_[word], load<G>(&idle_[word]) | idle);
        store(&flits_of[i * span], flits);
        last |= flits & ~open;
      }
      if (plain) continue;
      released |= tails;
      send(onward_, {block, o}, flits_of, arrivals_);
      send_far(far_onward_, {block, o}, flits_of);
      const W none = gather<W>(last);
      for (Index p = 0; p < ports(); ++p) full_[p] |= accepted_[o * ports() + p] & none;
    }
    if (!plain && phases_.any()) store(&released_[std::size_t{block} * wide], released);
  }

  /// Flits leave their buffers, and credits go back.
  template <bool plain>
  void leave_buffers(Index block) {
    for (Index p = 0; p < ports(); ++p) {
      for (Index i = p * groups(); i < (p + 1) * groups(); ++i) {
        const std::size_t word = first_word(block) + i * span;
        const G flits = load<G>(&leaving_[i * span]);
        if constexpr (plain) {
          store(&room_[word], load<G>(&room_[word]) & ~flits);
          store(&sending_[word], load<G>(&sending_[word]) & ~flits);
          continue;
        }
        const G tails = load<G>(&ends_[i * span]);
        const G head = load<G>(&head_[word]), stop = (flits & spread<G>(full_[p])) | tails;
        store(&room_[word], load<G>(&room_[word]) & ~stop);
        store(&sending_[word], load<G>(&sending_[word]) & ~tails);
        store(&head_[word], (head & ~flits) | tails);
        store(&heads_[i * span], flits & head);
        subtract(left_.data() + word * left_bits_, flits & ~tails, left_bits_);
        store(&filled_[word], subtract(&count_[word * count_bits_], flits, count_bits_));
      }
      send(backward_, {block, p}, &leaving_[p * lanes() * wide], credited_);
      send_far(far_backward_, {block, p}, &leaving_[p * lanes() * wide]);
    }
  }

  struct BlockPort {
    Index block, port;
  };
  /// What leaves the lanes of a port will arrive where it leads to.
  void send(const WordShifts& shifts, BlockPort from, const Word* what, DelayedWords& later) {
    using Part = std::conditional_t<wide == 1, G, Word>;
    constexpr Index step = sizeof(Part) / 8 * wide;
    const Index* first = &shifts.first[(from.block * ports() + from.port) * wide];
    for (Index i = 0; i < wide; ++i, ++first)
      for (Index h = first[0]; h < first[1]; ++h) {
        const WordShift& shift = shifts.all[h];
        Word* const to = later.at(units_.now + shift.delay) + shift.to;
        for (Index v = 0; v < lanes() * wide; v += step)
          store(to + v,
                load<Part>(to + v) |
                    rotate(load<Part>(what + v + i) & spread<Part>(shift.from), shift.rotate));
      }
  }

  /// The same, in another part.
  void send_far(FarShifts& far, BlockPort from, const Word* what) {
    if (far.shifts.all.empty()) return;
    const Index* first = &far.shifts.first[(from.block * ports() + from.port) * wide];
    for (Index i = 0; i < wide; ++i, ++first)
      for (Index h = first[0]; h < first[1]; ++h) {
        const WordShift& shift = far.shifts.all[h];
        Word* const to = far.due.at(units_.now + shift.delay) + shift.to;
        for (Index v = 0; v < lanes(); ++v)
          to[v] |= rotate(what[v * wide + i] & shift.from, shift.rotate);
      }
  }

  Index queue_at(const LanePlace& at) const {
    return static_cast<Index>(at_.queue(at)) * LaneQueues::apart;
  }
  /// The lanes of its out-port that the front packet of a lane may have.
  std::uint64_t allowed_lanes(const LanePlace& at) const {
    return layout_.lane_sets[plain_ ? queues_[queue_at(at)].lane_class
                                    : at_.number(lane_set_, set_bits_, at)];
  }

  // NICs (nics.hpp).
  Word begin_packets(Index first_host, Word hosts);
  bool fits(const EntryLane& entry, Index v, Index flits) const;
  bool start_flits(Index host, Index packet);
  void inject(Index block, Index p);
  void end_injection(const LanePlace& at);
  Index host_at(const LanePlace& at) const {
    return link_targets_[at_.home(at) * ports() + at.lane / lanes()].home;
  }
  void credit_nics(Index block, Index p);
  void wake_nic(const LanePlace& at);

  // Lanes (allocate_lanes.hpp).
  /// In-lanes that request a lane of an out-port.
  struct LaneRequests {
    W one = zero, several = zero;  ///< there is one or more; there are two or more
    W again = zero;                ///< where it is one: its last lane was there, too,
    W lane[most_lane_bits] = {};   ///< and was this
  };
  /// The lanes of an out-port that were granted to one in-lane of each switch; open: the lane has
  /// room.
  struct LaneGrants {
    Word who[wide], open[wide], lane[most_lane_bits * wide];
  };
  void allocate_lanes(Index block);
  LaneRequests lane_requests(Index block, Index o);
  static constexpr Index most_lane_sets = 2 * (64 + 1);
  template <Index fixed_bits>
  void requests_by_set(BlockPort of, W* out);
  void keep_allowed(BlockPort of, const W& several, W* offers);
  void keep_roomy(BlockPort of, const W& several, W* offers);
  void grant_lone_requests(Index block, Index o, W* offers, const LaneRequests& requests);
  void record_grants(Index block);
  /// In-lanes of a switch, and lanes of an out-port.
  struct Contention {
    std::uint64_t requests, idle;
  };
  /// The words of a block that change when packets are given lanes.
  struct GrantView {
    Word *requested, *later;  ///< in this cycle, and in the next
    Word *out_of, *lane_of, *idle, *open, *sending, *room;
  };
  GrantView grant_view(Index block);
  void share_lanes(Index block, const W* contended);
  void share_port(const GrantView& view, const LanePlace& at, Index o);
  void share_one_lane(const GrantView& view, const LanePlace& at, Index o, Contention contention);
  void grant_alone(const GrantView& view, const LanePlace& at, Index o, Index lane);
  void ask_later(const GrantView& view, const LanePlace& at, Index o, Index lane);
  void share_among_two(const GrantView& view, const LanePlace& at, Index o, Contention contention);
  std::uint64_t offer_lanes(LanePlace at, Index o, Contention contention);
  std::uint64_t offer(const LanePlace& at, Index o, std::uint64_t idle) const;
  Index accept_lane(const GrantView& view, const LanePlace& at, Index o, std::uint64_t granted);
  void grant_lane(const GrantView& view, const LanePlace& at, Index o, std::uint64_t granted);
  void make_room(Index block);

  // Choices (choose_ports.hpp).
  bool choose_ports(Index block);
  bool take_port(const LanePlace& at);
  Index port_by_choices(const LanePlace& at, PacketNode& node, Cycle when);
  Index port_by_step(const LanePlace& at, PacketNode& node, Head head, const LaneChoice& only);
  void choose_again(Index block);

  // Packets (packets.hpp).
  void route_arrived_heads(Index block);
  void advance_packets(Index block);
  void to_front(LanePlace at, Cycle when);
  Index next_port(const LanePlace& at, PacketNode& node, Cycle when);
  Index routed_port(const LanePlace& at, PacketNode& node);
  Head head_of(const PacketNode& node) const {
    Head head{};
    head.packet = node.packet;
    head.to = static_cast<Index>(units_.packets[node.packet].packet.to.index());
    put_into(head, node.progress());
    return head;
  }
  Index note_route(const LanePlace& at, PacketNode& node, const Head& head, const RouteStep& hop);
  static constexpr Index one_of_several = nowhere - 1;
  void route(const LanePlace& at, Cycle when) override;

  // Packets of plain networks (plain_packets.hpp).
  /// All that packets need that leave in a cycle, in one place.
  struct DepartureContext {
    const LinkTarget* link_targets;
    PacketNode* nodes;
    const std::uint8_t* next_ports;
    const std::uint8_t* hops_to_go;
    const PhaseHop* phase_hops;
    const Index* first_ports;  ///< of switches
    const LaneTable& lane_table;
    Word* lane_set;
    Index set_bits;
    std::uint8_t set_to_host;
    std::uint32_t arrives;  ///< when packets that leave now are at the other end,
    Word* requested;        ///< and who requests lanes when they have been routed
    PacketNode& operator[](Index node) const { return LaneQueues::at(nodes, node); }
  };
  DepartureContext departure_context(Cycle arrival);
  template <PlainRoutes routes>
  void take_plain_joins(const std::vector<FarJoin>& joins);
  void take_joins(const std::vector<FarJoin>& joins) override;
  void allow(const DepartureContext& context, const LanePlace& at, Word mask, std::uint8_t set);
  template <PlainRoutes routes>
  Word begin_plain(Index first_host, Word hosts);
  /// Packets that leave an in-port for switches; their lanes here, and those that they have taken.
  struct Departures {
    Word who;
    Index lane, place;  ///< of lane 0 of the port; see NewHead
    PacketNode* queues;
    const LinkTarget* link_targets;
    Word from[most_lane_bits], to[most_lane_bits];
  };
  static PacketNode as_it_comes(const DepartureContext& context, Index node, Lane lane_class) {
    PacketNode out = context[node];
    out.arrives = context.arrives;
    out.lane_class = lane_class;
    return out;
  }
  template <PlainRoutes routes, bool parted>
  NewHead* forward(const DepartureContext& context, const Departures& departures,
                   NewHead* new_heads);
  template <PlainRoutes routes>
  void advance_plain(Index block);
  template <PlainRoutes routes>
  NewHead* eject_plain(BlockPort of, const DepartureContext& context, const W* from,
                       NewHead* new_heads);
  /// The number that has these words for bits.
  static Index number_at(const Word* bits, Index width, Index bit) {
    Index out = 0;
    for (Index b = 0; b < width; ++b) out |= static_cast<Index>(bits[b] >> bit & 1) << b;
    return out;
  }
  template <PlainRoutes routes>
  void join_queue(const DepartureContext& context, const LinkTarget& target, Index lane, Index node,
                  Lane lane_class);
  template <PlainRoutes routes>
  Index leave_queue(const DepartureContext& context, PacketNode& queue, std::size_t place,
                    NewHead*& new_heads);

  const WordLayout<fixed_ports, fixed_lanes, wide> at_;
  LaneArbiter arbiter_;
  // Of one block, in one cycle.
  Word lane_bit_[most_lanes * most_lane_bits * wide];  ///< the bits of the numbers of lanes
  Word crossbar_requests_[most_switch_lanes * most_ports * wide];  ///< by out-port and in-lane
  W port_requests_[most_ports * most_ports];                       ///< by out-port and in-port
  W accepted_[most_ports * most_ports];
  LaneGrants grants_[most_ports];
  Word contended_[most_switch_lanes * wide];  ///< by out-lane: idle, and several may have it
  // By in-lane: the head of its front packet has come; flits, heads and tails leave it.
  Word arrived_heads_[most_switch_lanes * wide], leaving_[most_switch_lanes * wide];
  Word heads_[most_switch_lanes * wide], ends_[most_switch_lanes * wide];
  W ending_[most_ports];                      ///< by in-port: a tail leaves it
  W lane_sent_[most_ports * most_lane_bits];  ///< by out-port: the lane of what it sends
  W lane_left_[most_ports * most_lane_bits];  ///< by in-port: the lane of what leaves it
  W full_[most_ports];                        ///< by in-port: its flit took the last credit
  Word took_[most_switch_lanes * wide];       ///< in-lanes whose packets have chosen a port
};

}  // namespace weft::sim
