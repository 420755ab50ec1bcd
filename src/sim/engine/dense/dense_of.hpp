// SPDX-License-Identifier: Apache-2.0
// DenseOf: the cycle of a dense network, for known numbers of ports, lanes and words of a block.
// Flits move in words; so are lanes given to packets (lanes_of.hpp). One by one, packets come to
// the front of a lane and are routed, and pass from switch to switch (packets_of.hpp). NICs choose
// packets and their lanes one by one, and send flits in words (nics_of.hpp).
#pragma once
#include <algorithm>
#include <bit>
#include <type_traits>

#include "sim/engine/dense/dense.hpp"
#include "sim/engine/dense/words.hpp"
#include "sim/engine/lane_shares.hpp"

namespace weft::sim {

template <Index fixed_ports, Index fixed_lanes, Index wide>
class DenseOf : public Dense {
 public:
  DenseOf(State& state, Sizes sizes)
      : Dense(state, {sizes.ports, sizes.lanes, wide, together}), at_{sizes} {
    for (Index i = 0; i < lanes() * lane_bits(); ++i)
      for (Index j = 0; j < wide; ++j)
        lane_bit_[at_.digits(lane_bits(), {0, i / lane_bits(), 0}) + i % lane_bits() * span + j] =
            (i / lane_bits() >> i % lane_bits() & 1) != 0 ? ~Word{0} : 0;
  }

  void take_arrivals() override {
    comes_ = state_.now + 1;
    for (Index block = 0; block < blocks_; ++block) {
      take_credits(block);
      if (!plain_) take_flits(block);
    }
    for (const Index port : host_ports_) credit_nics(port / ports(), port % ports());
  }

  bool serve() override {
    const std::uint64_t before = state_.totals.flit_hops;
    allocates_ = state_.now + 1;
    state_.active.filter_words([this](Index first, Word hosts) {
      return plain_ ? begin_plain(first, hosts) : begin_packets(first, hosts);
    });
    for (const Index port : host_ports_) inject(port / ports(), port % ports());
    for (Index block = 0; block < blocks_; ++block)
      plain_ ? serve_block<true>(block) : serve_block<false>(block);
    return state_.totals.flit_hops > before;
  }

 private:
  using W = typename Vector<wide>::Type;
  /// Lanes that are handled at once are a group of `span` words.
  static constexpr Index together = Layout<fixed_ports, fixed_lanes, wide>::fixed_together;
  static constexpr Index span = together * wide;
  using G = typename Vector<span>::Type;
  static constexpr Index most_ports = fixed_ports == 0 ? 64 : fixed_ports;
  static constexpr Index most_lanes = fixed_ports == 0 ? 64 : fixed_lanes;
  static constexpr Index most_slots = fixed_ports == 0 ? 64 : fixed_ports * fixed_lanes;
  static constexpr Index most_lane_bits = 6;
  static constexpr W zero{};

  Index ports() const { return at_.ports(); }
  Index lanes() const { return at_.lanes(); }
  Index groups() const { return lanes() / together; }  ///< of a port
  /// Bits of the number of a lane.
  static constexpr Index known_lane_bits = std::bit_width(fixed_lanes == 0 ? 0U : fixed_lanes - 1U);
  Index lane_bits() const { return fixed_lanes == 0 ? lane_bits_ : known_lane_bits; }
  /// The first word of a block among those by slot.
  std::size_t first_word(Index block) const { return std::size_t{block} * at_.slots() * wide; }

  /// Of one slot, or of a group from it on.
  template <class Some, class Visit>
  [[gnu::always_inline]] void each(Index block, Index slot, Some who, Visit visit) {
    for (Index i = 0; i < sizeof(Some) / 8; ++i)
      for (Word left = part(who, i); left != 0; left &= left - 1)
        visit(Place{block, slot + i / wide, i % wide * 64 + lowest(left)});
  }

  template <bool plain>
  void serve_block(Index block) {
    const bool some = request<plain>(block);
    allocate_lanes(block);
    if (!some) return;
    allocate_crossbars<plain>(block);
    send_flits<plain>(block);
    clear_up<plain>(block);
    if constexpr (plain)
      pass_on_plain(block);
    else
      pass_on(block);
  }

  void take_credits(Index block) {
    const std::size_t first = first_word(block);
    const Index width = count_bits_;
    Word* due = credited_.at(state_.now) + first;
    Word* credits = &credits_[first * width];
    Word* open = &open_[first];
    G opened{};
    for (Index i = 0; i < ports() * groups(); ++i) {
      const G come = load<G>(due), was_open = load<G>(open);
      store(due, G{});
      store(open, was_open | come);
      add(credits, come, width);
      opened |= come & ~was_open;
      due += span;
      open += span;
      credits += width * span;
    }
    if (any(opened)) make_room(block);
  }

  void take_flits(Index block) {
    const std::size_t first = first_word(block);
    const Index width = count_bits_;
    Word* due = arrivals_.at(state_.now) + first;
    Word* count = &count_[first * width];
    const Word* head = &head_[first];
    Word* filled = &filled_[first];
    Word* fresh = fresh_;
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
    begin_fresh(block);
  }

  /// Which in-lanes have a flit to send to which out-port. (In plain networks who has room has
  /// one.)
  template <bool plain>
  bool request(Index block) {
    const std::size_t first = first_word(block);
    G ready[most_slots], some{};
    for (Index i = 0; i < ports() * groups(); ++i) {
      ready[i] = load<G>(&room_[first + i * span]);
      if (!plain) ready[i] &= load<G>(&filled_[first + i * span]);
      some |= ready[i];
    }
    if (!any(some)) return false;
    const Word* out_of = &out_of_[first * ports()];
    Word* asking = asking_;
    for (Index o = 0; o < ports(); ++o)
      for (Index p = 0; p < ports(); ++p) {
        G all{};
        for (Index i = 0; i < groups(); ++i, out_of += span, asking += span) {
          const G asks = load<G>(out_of) & ready[p * groups() + i];
          store(asking, asks);
          all |= asks;
        }
        request_[o * ports() + p] = gather<W>(all);
      }
    return true;
  }

  /// Every out-port grants one in-port, every in-port accepts one out-port and chooses the lane.
  template <bool plain>
  void allocate_crossbars(Index block) {
    const Index row = ports() * wide;
    Word* const grant_turn = &grant_turn_[std::size_t{block} * ports() * row];
    Word* const accept_turn = &accept_turn_[std::size_t{block} * ports() * row];
    Word* const lane_turn = &lane_turn_[first_word(block)];
    const Word* const lane_of = lane_of_.data() + first_word(block) * lane_bits();
    W granted[most_ports * most_ports];
    for (Index o = 0; o < ports(); ++o)
      first_of(&request_[o * ports()], grant_turn + o * row, &granted[o * ports()], ports());
    for (Index i = 0; i < ports() * lane_bits(); ++i) lane_sent_[i] = zero;
    for (Index p = 0; p < ports(); ++p) {
      W column[most_ports], taken[most_ports], asking[most_lanes], leaving[most_lanes];
      G asks[most_lanes] = {};
      for (Index o = 0; o < ports(); ++o) column[o] = granted[o * ports() + p];
      first_of(column, accept_turn + p * row, taken, ports());
      move_turn(taken, accept_turn + p * row, ports());
      for (Index o = 0; o < ports(); ++o) {
        accepted_[o * ports() + p] = taken[o];
        for (Index i = 0; i < groups(); ++i)
          asks[i] |=
              load<G>(&asking_[((o * ports() + p) * groups() + i) * span]) & spread<G>(taken[o]);
      }
      std::memcpy(asking, asks, lanes() * sizeof(W));
      first_of(asking, lane_turn + p * lanes() * wide, leaving, lanes());
      move_turn(leaving, lane_turn + p * lanes() * wide, lanes());
      for (Index v = 0; v < lanes(); ++v) store(&leaving_[(p * lanes() + v) * wide], leaving[v]);
      find_ends<plain>(block, p);
      for (Index b = 0; b < lane_bits(); ++b) {
        G lane{};
        for (Index i = 0; i < groups(); ++i)
          lane |= load<G>(&leaving_[(p * groups() + i) * span]) &
                  load<G>(lane_of + ((p * groups() + i) * lane_bits() + b) * span);
        const W bit = gather<W>(lane);
        lane_left_[p * lane_bits() + b] = bit;
        for (Index o = 0; o < ports(); ++o) lane_sent_[o * lane_bits() + b] |= bit & taken[o];
      }
    }
    for (Index o = 0; o < ports(); ++o)
      move_turn(&accepted_[o * ports()], grant_turn + o * row, ports());
  }

  /// Which of the flits that leave in-port `p` are tails. (In plain networks all of them are.)
  template <bool plain>
  void find_ends(Index block, Index p) {
    G ending{};
    for (Index i = p * groups(); i < (p + 1) * groups(); ++i) {
      G ends = load<G>(&leaving_[i * span]);
      if constexpr (!plain) {
        const Word* const left = left_.data() + (first_word(block) + i * span) * left_bits_;
        if (left_bits_ > 0) ends &= ~some_of<G>(left, left_bits_);
        store(&ends_[i * span], ends);
      }
      ending |= ends;
    }
    ending_[p] = gather<W>(ending);
  }

  /// Flits leave by the lanes their packets have; tails give them back.
  template <bool plain>
  void send_flits(Index block) {
    for (Index p = 0; p < ports(); ++p) full_[p] = zero;
    for (Index o = 0; o < ports(); ++o) {
      W sends = zero, tails = zero;
      for (Index p = 0; p < ports(); ++p) {
        sends |= accepted_[o * ports() + p];
        if (!plain) tails |= accepted_[o * ports() + p] & ending_[p];
      }
      if (plain) tails = sends;
      state_.totals.flit_hops += count(sends);
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
        store(&idle_[word], load<G>(&idle_[word]) | (flits & spread<G>(tails)));
        store(&flits_of[i * span], flits);
        last |= flits & ~open;
      }
      if (plain) continue;
      send(onward_, {block, o}, flits_of, arrivals_);
      const W none = gather<W>(last);
      for (Index p = 0; p < ports(); ++p) full_[p] |= accepted_[o * ports() + p] & none;
    }
  }

  /// Flits have left their buffers.
  template <bool plain>
  void clear_up(Index block) {
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
    }
  }

  struct PortOf {
    Index block, port;
  };
  /// What leaves the lanes of a port arrives where it leads to.
  void send(const Hops& hops, PortOf from, const Word* what, Later& later) {
    using Part = std::conditional_t<wide == 1, G, Word>;
    constexpr Index step = sizeof(Part) / 8 * wide;
    const Index* first = &hops.first[(from.block * ports() + from.port) * wide];
    for (Index i = 0; i < wide; ++i, ++first)
      for (Index h = first[0]; h < first[1]; ++h) {
        const Hop& hop = hops.all[h];
        Word* const to = later.at(state_.now + hop.delay) + hop.to;
        for (Index v = 0; v < lanes() * wide; v += step)
          store(to + v, load<Part>(to + v) |
                            rotate(load<Part>(what + v + i) & spread<Part>(hop.from), hop.rotate));
      }
  }

  Index lane_at(const Place& at) const { return first_lane_[at_.home(at)] + at.slot; }
  Index line_at(const Place& at) const { return static_cast<Index>(at_.line(at)) * Knots::apart; }

  // NICs (nics_of.hpp).
  Word begin_packets(Index first_host, Word hosts);
  bool fits(const Entry& entry, Index v, Index flits) const;
  bool begin_long(Index host, Index packet);
  void inject(Index block, Index p);
  void end_injection(const Place& at);
  void credit_nics(Index block, Index p);
  void wake_nic(const Place& at);

  // Lanes (lanes_of.hpp).
  /// In-lanes that ask for a lane of an out-port.
  struct Asking {
    W one = zero, several = zero;  ///< there is one or more; or two or more
    W again = zero;                ///< where it is one: its last lane was there, too,
    W lane[most_lane_bits] = {};   ///< and was this
  };
  /// What was taken at an out-port, by one for each switch; open: the lane has room.
  struct Taken {
    Word who[wide], open[wide], lane[most_lane_bits * wide];
  };
  void allocate_lanes(Index block);
  Asking who_asks(Index block, Index o);
  void narrow(PortOf of, const W& several, W* offers) const;
  void take_lanes(Index block, Index o, W* offers, const Asking& asking);
  void give_lanes(Index block);
  /// In-lanes of a switch, and lanes of an out-port.
  struct Contest {
    std::uint64_t asking, idle;
  };
  /// The words of a block that change when packets are given lanes.
  struct Giving {
    Word *wanted, *later;  ///< in this cycle, and in the next
    Word *out_of, *lane_of, *idle, *open, *sending, *room;
  };
  Giving giving_in(Index block);
  void share_lanes(Index block, const W* contests);
  void share_port(const Giving& giving, const Place& at, Index o);
  void share_among_two(const Giving& giving, const Place& at, Index o, Contest contest);
  std::uint64_t offer_lanes(Place at, Index o, Contest contest);
  std::uint64_t offer(const Place& at, Index o, std::uint64_t idle) const;
  Index accept_lane(const Giving& giving, const Place& at, Index o, std::uint64_t granted);
  void give_lane(const Giving& giving, const Place& at, Index o, std::uint64_t granted);
  void make_room(Index block);

  // Packets (packets_of.hpp).
  void begin_fresh(Index block);
  void pass_on(Index block);
  void to_front(Place at, Cycle when);
  Index way_on(Place at, Index packet, Cycle when);
  void route(const Place& at, Cycle when) override;

  // Packets of plain networks (plain_of.hpp).
  /// All that it takes to handle them.
  struct Hand {
    const Exit* exits;
    Knot* knots;
    const std::uint8_t* ways;
    std::uint32_t arrives;  ///< when packets that leave now are at the other end,
    Word* asks;             ///< and who asks for lanes when they are routed
    Knot& operator[](Index knot) const { return Knots::at(knots, knot); }
  };
  Hand at_hand(Cycle flight);
  Word begin_plain(Index first_host, Word hosts);
  /// Packets that leave an in-port for switches; their lanes here, and those that they have taken.
  struct Going {
    Word who;
    Index slot, place;  ///< of lane 0; see Uncovered
    Knot* lines;
    const Exit* exits;
    Word from[most_lane_bits], to[most_lane_bits];
  };
  Uncovered* move_on(const Hand& hand, const Going& going, Uncovered* uncovered);
  void pass_on_plain(Index block);
  Uncovered* eject_plain(PortOf of, const Hand& hand, const W* from, Uncovered* uncovered);
  /// The number that has these words for bits.
  static Index number_at(const Word* bits, Index width, Index bit) {
    Index out = 0;
    for (Index b = 0; b < width; ++b) out |= static_cast<Index>(bits[b] >> bit & 1) << b;
    return out;
  }
  void join_line(const Hand& hand, const Exit& exit, Index lane, Index knot);
  Index leave_line(const Hand& hand, Knot& line, std::size_t place, Uncovered*& uncovered);

  const Layout<fixed_ports, fixed_lanes, wide> at_;
  LaneShares shares_;
  // Of one block, in one cycle.
  Word lane_bit_[most_lanes * most_lane_bits * wide];  ///< the bits of the numbers of lanes
  Word asking_[most_slots * most_ports * wide];        ///< by out-port and in-lane
  W request_[most_ports * most_ports];                 ///< by out-port and in-port
  W accepted_[most_ports * most_ports];
  Taken taken_[most_ports];
  // By in-lane: the head of its front packet has come; flits, heads and tails leave it.
  Word fresh_[most_slots * wide], leaving_[most_slots * wide];
  Word heads_[most_slots * wide], ends_[most_slots * wide];
  W ending_[most_ports];                      ///< by in-port: a tail leaves it
  W lane_sent_[most_ports * most_lane_bits];  ///< by out-port: the lane of what it sends
  W lane_left_[most_ports * most_lane_bits];  ///< by in-port: the lane of what leaves it
  W full_[most_ports];                        ///< by in-port: its flit took the last credit
};

}  // namespace weft::sim

#include "sim/engine/dense/lanes_of.hpp"
#include "sim/engine/dense/nics_of.hpp"
#include "sim/engine/dense/packets_of.hpp"
#include "sim/engine/dense/plain_of.hpp"
