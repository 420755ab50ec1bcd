// SPDX-License-Identifier: Apache-2.0
// What a dense network can be, and when it pays.
#include "sim/engine/dense/dense.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace weft::sim {

std::unique_ptr<Dense> make_dense(State& state) {
  constexpr Cycle longest_delay = 500;  // of a link, in words
  Cycle longest = 0;
  for (const Port& port : state.ports) longest = std::max<Cycle>({longest, port.flight, port.back});
  if (!state.fast || state.store_and_forward || state.stop_go || !state.endless_hosts ||
      !state.intakes.empty() || !state.choices.empty() || state.options.departures ||
      longest > longest_delay)
    return nullptr;
  Sizes sizes{.lanes = state.lanes};
  for (const SwitchState& at : state.switches) sizes.ports = std::max(sizes.ports, at.ports);
  sizes.wide = state.switches.size() <= 64 ? 1 : state.switches.size() <= 128 ? 2 : 4;
  if (sizes.wide == 1) return make_dense_of<1>(state, sizes);
  return sizes.wide == 2 ? make_dense_of<2>(state, sizes) : make_dense_of<4>(state, sizes);
}

Dense::Dense(State& state, Sizes sizes)
    : state_(state), at_{sizes}, lane_bits_(static_cast<Index>(std::bit_width(sizes.lanes - 1))) {
  const auto switches = static_cast<Index>(state.switches.size());
  blocks_ = (switches + 64 * sizes.wide - 1) / (64 * sizes.wide);
  most_hops_ = 4 * switches + 4;
  alike_ = links_alike();
  any_idle_ = state.class_lanes.size() == 1 && state.control_shift == 0 && !state.cut_through;
}

bool Dense::pays(std::uint64_t hops, Cycle cycles) const {
  // In steps on a word, as measured: those of a cycle, and what a flit-hop by events costs more.
  const std::uint64_t ports = at_.ports(), lanes = at_.lanes();
  const std::uint64_t steps = ports * ports * (5 * lanes + 10) + 40 * ports * lanes;
  const std::uint64_t saved = looks_plain() && made_for({at_.ports(), at_.lanes()}) ? 130 : 50;
  return hops * saved > blocks_ * at_.wide() * steps * cycles;
}

bool Dense::lacks_room() const {
  if (state_.cut_through) return true;  // packets wait for room before they have a lane
  Word stopped = 0;
  for (std::size_t i = 0; i < sending_.size(); ++i) stopped |= sending_[i] & ~room_[i];
  return stopped != 0;
}

bool Dense::looks_plain() const {
  return state_.options.longest_packet == 1 && any_idle_ && alike_ &&
         state_.steering.by_destination();
}

Index Dense::knot_for(Index packet) {
  if (plain_) {
    have_knots();
    return knot_of(packet);
  }
  if (free_knot_ != nothing) return std::exchange(free_knot_, knots_[free_knot_].next);
  more_knots(knots_.all.size() + 1);
  return static_cast<Index>(knots_.all.size() - 1) * Knots::apart;
}

void Dense::more_knots(std::size_t count) {
  invariant(count < nothing / Knots::apart, "too many packets at once");
  knots_.all.resize(count);
}

void Dense::queue(Index line, Index packet) {
  const Index knot = knot_for(packet);
  Knot& all = knots_[line];
  Knot& before = all.next == nothing ? all : knots_[all.last];
  before.next = all.last = knot;
  knots_[knot] = {};
  if (plain_) {
    const std::size_t row = state_.slots[packet].packet.to.index() * state_.switches.size();
    knots_[knot].row = static_cast<Index>(row);
    before.port = ways_[row + at_.home(at_.place_of(line / Knots::apart))];
  } else {
    knots_[knot].packet = packet;
  }
}

void Dense::pop(Index line) {
  const Index knot = knots_[line].next;
  knots_[line].next = knots_[knot].next;
  if (plain_) return;
  knots_[knot].next = free_knot_;
  free_knot_ = knot;
}

}  // namespace weft::sim
