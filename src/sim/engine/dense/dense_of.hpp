// SPDX-License-Identifier: Apache-2.0
// DenseOf: the cycle of a dense network, for known numbers of ports, lanes and words of a block.
// Flits move in words; packets come to the front of a lane, are routed, are given a lane of their
// out-port, and their heads and tails pass from switch to switch one by one.
#pragma once
#include <bit>

#include "sim/engine/dense/dense.hpp"
#include "sim/engine/dense/words.hpp"
#include "sim/engine/lane_shares.hpp"

namespace weft::sim {

template <Index fixed_ports, Index fixed_lanes, Index wide>
class DenseOf final : public Dense {
 public:
  DenseOf(State& state, Sizes sizes) : Dense(state, sizes), at_{sizes} {}

  void take_arrivals() override {
    for (Index block = 0; block < blocks_; ++block) {
      take_credits(block);
      take_flits(block);
      take_wants(block);
    }
    for (const Index port : host_ports_) credit_nics(port / ports(), port % ports());
  }

  bool serve() override {
    const std::uint64_t before = state_.totals.flit_hops;
    for (const Index port : host_ports_) inject(port / ports(), port % ports());
    for (Index block = 0; block < blocks_; ++block) {
      const bool some = request(block);
      allocate_lanes(block);
      if (!some) continue;
      allocate_crossbars(block);
      send_flits(block);
      clear_up(block);
    }
    return state_.totals.flit_hops > before;
  }

 private:
  using W = typename Vector<wide>::Type;
  static constexpr Index most_ports = fixed_ports == 0 ? 64 : fixed_ports;
  static constexpr Index most_lanes = fixed_ports == 0 ? 64 : fixed_lanes;
  static constexpr Index most_slots = fixed_ports == 0 ? 64 : fixed_ports * fixed_lanes;
  static constexpr Index most_slot_bits = 6;
  static constexpr W zero{};

  Index ports() const { return at_.ports(); }
  Index lanes() const { return at_.lanes(); }
  /// Bits of the number of a lane.
  static constexpr Index known_lane_bits = std::bit_width(fixed_lanes == 0 ? 0U : fixed_lanes - 1U);
  Index lane_bits() const { return fixed_lanes == 0 ? lane_bits_ : known_lane_bits; }
  /// The first word of a block among those by slot.
  std::size_t first_word(Index block) const { return std::size_t{block} * at_.slots() * wide; }

  template <class Visit>
  void each(Index block, Index slot, W who, Visit visit) {
    for (Index i = 0; i < wide; ++i)
      for (Word left = part(who, i); left != 0; left &= left - 1)
        visit(Place{block, slot, i * 64 + lowest(left)});
  }

  void take_credits(Index block) {
    const std::size_t first = first_word(block);
    const Index width = count_bits_;
    Word* due = credited_.at(state_.now) + first;
    Word* credits = &credits_[first * width];
    Word* open = &open_[first];
    for (Index slot = 0; slot < at_.slots(); ++slot) {
      const W come = load<W>(due), none = come & ~load<W>(open);
      store(due, zero);
      store(open, load<W>(open) | come);
      add(credits, come, width);
      due += wide;
      open += wide;
      credits += width * wide;
      if (any(none)) each(block, slot, none, [this](const Place& at) { make_room(at); });
    }
  }

  void take_flits(Index block) {
    const std::size_t first = first_word(block);
    const Index width = count_bits_;
    Word* due = arrivals_.at(state_.now) + first;
    Word* count = &count_[first * width];
    Word* empty = &empty_[first];
    Word* filled = &filled_[first];
    for (Index slot = 0; slot < at_.slots(); ++slot) {
      const W flits = load<W>(due), fresh = flits & load<W>(empty);
      store(due, zero);
      store(filled, load<W>(filled) | flits);
      add(count, flits, width);
      if (any(fresh)) {
        store(empty, load<W>(empty) & ~flits);
        each(block, slot, fresh,
             [this](const Place& at) { to_front(at, lane_at(at), state_.now); });
      }
      due += wide;
      empty += wide;
      filled += wide;
      count += width * wide;
    }
  }

  void take_wants(Index block) {
    const std::size_t first = first_word(block) * ports();
    Word* due = wanted_.at(state_.now) + first;
    Word* wants = &wants_[first];
    for (Index i = 0; i < ports() * at_.slots(); ++i, due += wide, wants += wide) {
      store(wants, load<W>(wants) | load<W>(due));
      store(due, zero);
    }
  }

  void credit_nics(Index block, Index p) {
    const Index width = count_bits_;
    for (Index slot = p * lanes(); slot < (p + 1) * lanes(); ++slot) {
      const std::size_t i = first_word(block) + slot * wide;
      Word* const due = credited_.at(state_.now) + empty_.size() + i;
      Word* const credits = &nic_credits_[i * width];
      const W come = load<W>(due);
      const W helps = state_.cut_through ? come : come & ~some_of<W>(credits, width);
      store(due, zero);
      add(credits, come, width);
      if (any(helps)) each(block, slot, helps, [this](const Place& at) { wake_nic(at); });
    }
  }

  /// NICs on port `p` send flits of the packets they have begun.
  void inject(Index block, Index p) {
    for (Index slot = p * lanes(); slot < (p + 1) * lanes(); ++slot) {
      const std::size_t i = first_word(block) + slot * wide;
      Word* const credits = &nic_credits_[i * count_bits_];
      const W flits = load<W>(&nic_[i]) & some_of<W>(credits, count_bits_);
      if (!any(flits)) continue;
      Word* const left = nic_left_.data() + i * left_bits_;
      const W tails = left_bits_ == 0 ? flits : flits & ~some_of<W>(left, left_bits_);
      subtract(credits, flits, count_bits_);
      subtract(left, flits & ~tails, left_bits_);
      store(&nic_[i], load<W>(&nic_[i]) & ~tails);
      state_.totals.flits_injected += count(flits);
      send(from_nic_, {block, p, slot - p * lanes()}, flits, arrivals_);
      if (any(tails)) each(block, slot, tails, [this](const Place& at) { end_injection(at); });
    }
  }

  /// Which in-lanes have a flit to send to which out-port.
  bool request(Index block) {
    const std::size_t first = first_word(block);
    W ready[most_slots], some = zero;
    for (Index slot = 0; slot < at_.slots(); ++slot) {
      ready[slot] = load<W>(&filled_[first + slot * wide]) & load<W>(&room_[first + slot * wide]);
      some |= ready[slot];
    }
    if (!any(some)) return false;
    const Word* senders = &senders_[first * ports()];
    W* asking = asking_;
    for (Index o = 0; o < ports(); ++o)
      for (Index p = 0; p < ports(); ++p) {
        W all = zero;
        for (Index v = 0; v < lanes(); ++v, senders += wide) {
          *asking = load<W>(senders) & ready[p * lanes() + v];
          all |= *asking++;
        }
        request_[o * ports() + p] = all;
      }
    return true;
  }

  /// Every out-port looks for packets that want a lane of it. Most often there is only one.
  void allocate_lanes(Index block) {
    const Word* wants = &wants_[first_word(block) * ports()];
    for (Index o = 0; o < ports(); ++o) {
      W one = zero, several = zero, which[most_slot_bits] = {};  // its slot
      for (Index slot = 0; slot < at_.slots(); ++slot, wants += wide) {
        const W want = load<W>(wants);
        several |= one & want;
        one |= want;
        for (Index b = 0; b < most_slot_bits; ++b)
          if ((slot >> b & 1) != 0) which[b] |= want;
      }
      const W idle = load<W>(&has_idle_[at_.port({block, 0, 0}, o)]);
      several &= idle;
      one &= idle & ~several;
      for (Index i = 0; i < wide; ++i) {
        for (Word left = part(one, i); left != 0; left &= left - 1) {
          Place at{block, 0, i * 64 + lowest(left)};
          for (Index b = 0; b < most_slot_bits; ++b)
            at.slot |= static_cast<Index>(part(which[b], i) >> (at.bit % 64) & 1) << b;
          allocate_alone(at, o);
        }
        for (Word left = part(several, i); left != 0; left &= left - 1)
          allocate_among({block, 0, i * 64 + lowest(left)}, o);
      }
    }
  }

  /// Every out-port grants one in-port, every in-port accepts one out-port and chooses the lane.
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
      W column[most_ports], taken[most_ports], asking[most_lanes];
      for (Index o = 0; o < ports(); ++o) column[o] = granted[o * ports() + p];
      first_of(column, accept_turn + p * row, taken, ports());
      move_turn(taken, accept_turn + p * row, ports());
      asking[0] = zero;
      for (Index v = 1; v < lanes(); ++v) asking[v] = zero;
      for (Index o = 0; o < ports(); ++o) {
        accepted_[o * ports() + p] = taken[o];
        for (Index v = 0; v < lanes(); ++v)
          asking[v] |= asking_[(o * ports() + p) * lanes() + v] & taken[o];
      }
      W* const leaving = &leaving_[p * lanes()];
      first_of(asking, lane_turn + p * lanes() * wide, leaving, lanes());
      move_turn(leaving, lane_turn + p * lanes() * wide, lanes());
      for (Index b = 0; b < lane_bits(); ++b) {
        W bit = zero;
        for (Index v = 0; v < lanes(); ++v)
          bit |= leaving[v] & load<W>(lane_of + ((p * lanes() + v) * lane_bits() + b) * wide);
        for (Index o = 0; o < ports(); ++o) lane_sent_[o * lane_bits() + b] |= bit & taken[o];
      }
    }
    for (Index o = 0; o < ports(); ++o)
      move_turn(&accepted_[o * ports()], grant_turn + o * row, ports());
  }

  /// Flits leave by the lanes their packets have.
  void send_flits(Index block) {
    for (Index p = 0; p < ports(); ++p) full_[p] = zero;
    for (Index o = 0; o < ports(); ++o) {
      W sends = zero, last = zero;
      for (Index p = 0; p < ports(); ++p) sends |= accepted_[o * ports() + p];
      state_.totals.flit_hops += count(sends);
      const W limited = ~load<W>(&to_host_[at_.port({block, 0, 0}, o)]);
      for (Index v = 0; v < lanes(); ++v) {
        W flits = sends;
        for (Index b = 0; b < lane_bits(); ++b) {
          const W bit = lane_sent_[o * lane_bits() + b];
          flits &= (v >> b & 1) != 0 ? bit : ~bit;
        }
        const std::size_t i = first_word(block) + (o * lanes() + v) * wide;
        const W open =
            subtract(&credits_[i * count_bits_], flits & limited, count_bits_) | ~limited;
        store(&open_[i], open);
        last |= flits & ~open;
        send(onward_, {block, o, v}, flits, arrivals_);
      }
      for (Index p = 0; p < ports(); ++p) full_[p] |= accepted_[o * ports() + p] & last;
    }
  }

  /// Flits have left their buffers.
  void clear_up(Index block) {
    for (Index p = 0; p < ports(); ++p)
      for (Index v = 0; v < lanes(); ++v) {
        const Index slot = p * lanes() + v;
        const std::size_t i = first_word(block) + slot * wide;
        const W flits = leaving_[slot];
        store(&room_[i], load<W>(&room_[i]) & ~(flits & full_[p]));
        send(backward_, {block, p, v}, flits, credited_);
        Word* const left = left_.data() + i * left_bits_;
        const W tails = left_bits_ == 0 ? flits : flits & ~some_of<W>(left, left_bits_);
        const W head = load<W>(&head_[i]), heads = flits & head;
        store(&head_[i], head & ~flits);
        subtract(left, flits & ~tails, left_bits_);
        const W filled = subtract(&count_[i * count_bits_], flits, count_bits_);
        store(&filled_[i], filled);
        for (Index k = 0; k < wide; ++k)
          if ((part(heads, k) | part(tails, k)) != 0)
            move_packets({block, slot, k, part(heads, k), part(tails, k), part(filled, k)});
      }
  }

  struct PortLane {
    Index block, port, lane;
  };
  /// What leaves a lane of a port arrives where it leads to.
  void send(const Hops& hops, PortLane from, W what, Later& later) {
    const Index* first = &hops.first[(from.block * ports() + from.port) * wide];
    for (Index i = 0; i < wide; ++i, ++first) {
      const bool few = first[1] - first[0] <= 4;
      for (Index h = first[0]; h < first[1]; ++h) {
        const Hop& hop = hops.all[h];
        if (const Word some = part(what, i) & hop.from; few || some != 0)
          later.at(state_.now + hop.delay)[hop.to + from.lane * wide] |=
              std::rotl(some, hop.rotate);
      }
    }
  }

  /// The last flit of a packet has left its NIC.
  void end_injection(const Place& at) {
    const Index out_lane = state_.in[lane_at(at)].upstream;
    const Index host = state_.out[out_lane].holder;
    Nic& nic = state_.nics[host];
    state_.out[out_lane].sent += state_.slots[nic.packet].packet.flits;
    nic.packet = nothing;
    if (nic.first != nothing) state_.active.insert(host);
  }
  /// A credit has come that may let it begin a packet.
  void wake_nic(const Place& at) {
    state_.active.insert(state_.out[state_.in[lane_at(at)].upstream].holder);
  }
  void make_room(const Place& at) {
    const Index holder = state_.out[lane_at(at)].holder;
    if (holder == nothing) return;
    const Place back = at_.place(state_.in[holder]);
    room_[at_.word(back)] |= back.mask();
  }
  Index lane_at(const Place& at) const { return first_lane_[at_.home(at)] + at.slot; }

  /// The front packet's head is in the buffer.
  void to_front(const Place& at, Index id, Cycle when) {
    head_[at_.word(at)] |= at.mask();
    if (left_bits_ > 0)
      at_.set(left_, left_bits_, at, state_.slots[state_.in[id].packet].packet.flits - 1);
    route(at, id, when + state_.head_delay);
  }

  void route(const Place& at, Index id, Cycle when) override {
    InLane& lane = state_.in[id];
    Slot& slot = state_.slots[lane.packet];
    const Index home = at_.home(at);
    Index out_port = nowhere;
    if (!ways_.empty()) {
      out_port = ways_[slot.packet.to.index() * state_.switches.size() + home];
    } else {
      const auto in_port = static_cast<PortNumber>(at.slot / lanes() + 1);
      const Steering::Way way = state_.steering(home, in_port, slot);
      if (state_.leads_on(state_.switches[home], way, slot.packet.to)) {
        out_port = way.port - 1U;
        slot.lane_class = lane.lane_class = way.lane_class;
      }
    }
    if (out_port == nowhere || slot.hops == most_hops_) {
      lane.stage = Stage::routing;  // it cannot go on, which is not for this path
      state_.wants.push(when, id);
      return;
    }
    ++slot.hops;
    wanted_.at(when)[at_.pair(at, out_port)] |= at.mask();
  }

  /// The lanes of an out-port that a packet may have now.
  std::uint64_t offer(const Place& at, Index o, Index port) const {
    std::uint64_t out = idle_[port];
    if (!one_class_) out &= state_.allowed(state_.in[lane_at(at)], port);
    if (!state_.cut_through || (to_host_[at_.port(at, o)] & at.mask()) != 0) return out;
    const std::uint32_t flits = state_.slots[state_.in[lane_at(at)].packet].packet.flits;
    for (std::uint64_t left = out; left != 0; left &= left - 1)
      if (at_.number(credits_, count_bits_, {at.block, o * lanes() + lowest(left), at.bit}) < flits)
        out &= ~(left & (~left + 1));
    return out;
  }
  void allocate_alone(const Place& at, Index o) {
    if (const std::uint64_t lanes = offer(at, o, first_port_[at_.home(at)] + o); lanes != 0)
      give_lane(at, o, lanes);
  }
  void allocate_among(Place at, Index o) {
    const Index port = first_port_[at_.home(at)] + o;
    std::uint64_t asking = 0;
    for (at.slot = 0; at.slot < at_.slots(); ++at.slot) {
      if ((wants_[at_.pair(at, o)] & at.mask()) == 0) continue;
      shares_.offered[at.slot] = offer(at, o, port);
      if (shares_.offered[at.slot] != 0) asking |= std::uint64_t{1} << at.slot;
    }
    const OutLane* const out = &state_.out[port * lanes()];
    shares_.share(asking, [out](Index v) { return out[v].turn; });
    for (; asking != 0; asking &= asking - 1) {
      at.slot = lowest(asking);
      if (shares_.granted[at.slot] != 0) give_lane(at, o, shares_.granted[at.slot]);
    }
  }

  /// The packet accepts one of the lanes.
  void give_lane(const Place& at, Index o, std::uint64_t granted) {
    const Index home = at_.home(at), id = first_lane_[home] + at.slot, port = first_port_[home] + o;
    const Index v = accept_lane(granted, o * lanes(), lanes(), state_.lane_turn[id]);
    const Word mask = at.mask();
    InLane& lane = state_.in[id];
    OutLane& out = state_.out[port * lanes() + v];
    out.turn = after(at.slot, at_.slots());
    out.holder = id;
    lane.out = port * lanes() + v;
    lane.port = static_cast<std::uint16_t>(o);
    const std::uint64_t idle = idle_[port] & ~(std::uint64_t{1} << v);
    idle_[port] = idle;
    if (idle == 0) has_idle_[at_.port(at, o)] &= ~mask;
    const std::size_t pair = at_.pair(at, o);
    wants_[pair] &= ~mask;
    senders_[pair] |= mask;
    at_.set(lane_of_, lane_bits(), at, v);
    room_[at_.word(at)] |= mask & open_[at_.word({at.block, o * lanes() + v, at.bit})];
  }

  /// Of an in-lane in one cycle: heads and tails that leave, and where other flits stay behind.
  struct Leaving {
    Index block, slot, part;
    Word heads, tails, filled;
  };
  /// Heads go to the queues of their next lanes; tails give back their lanes and uncover the
  /// packets behind them.
  void move_packets(const Leaving& leaving) {
    const std::size_t word = at_.word({leaving.block, leaving.slot, leaving.part * 64});
    empty_[word] |= leaving.tails & ~leaving.filled;
    room_[word] &= ~leaving.tails;
    for (Word ends = leaving.heads | leaving.tails; ends != 0; ends &= ends - 1) {
      const Place at{leaving.block, leaving.slot, leaving.part * 64 + lowest(ends)};
      const Word mask = ends & (~ends + 1);
      const Index id = lane_at(at);
      InLane& lane = state_.in[id];
      OutLane& out = state_.out[lane.out];
      const bool to_switch = out.target < state_.switch_lanes;
      if ((leaving.heads & mask) != 0 && to_switch) queue(out.target, lane.packet);
      if ((leaving.tails & mask) == 0) continue;
      const Index port = first_port_[at_.home(at)] + lane.port;
      if (!to_switch)
        state_.ejections.push(state_.now + state_.ports[port].flight, {out.target, lane.packet});
      out.holder = nothing;
      out.sent += left_bits_ == 0 ? 1 : state_.slots[lane.packet].packet.flits;
      idle_[port] |= std::uint64_t{1} << (lane.out - port * lanes());
      has_idle_[at_.port(at, lane.port)] |= mask;
      senders_[at_.pair(at, lane.port)] &= ~mask;
      lane.packet =
          (lane.flags & InLane::queue) == 0 ? nothing : state_.take_segment(lane, id).packet;
      if ((leaving.filled & mask) != 0) to_front(at, id, state_.now + 1);
    }
  }

  const Layout<fixed_ports, fixed_lanes, wide> at_;
  LaneShares shares_;
  // Of one block, in one cycle.
  W asking_[most_slots * most_ports];   ///< by out-port and in-lane
  W request_[most_ports * most_ports];  ///< by out-port and in-port
  W accepted_[most_ports * most_ports];
  W leaving_[most_slots];
  W lane_sent_[most_ports * 6];  ///< by out-port: the lane of what it sends
  W full_[most_ports];           ///< by in-port: its flit took the last credit
};

}  // namespace weft::sim
