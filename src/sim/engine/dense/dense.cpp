// SPDX-License-Identifier: Apache-2.0
// What a dense network can be, and when it pays.
#include "sim/engine/dense/dense.hpp"

#include <algorithm>

#include "sim/engine/dense/dense_of.hpp"

namespace weft::sim {
namespace {

constexpr Cycle longest_delay = 500;  ///< of a link, in words

/// Whether there is code made for these numbers.
bool known(Sizes sizes) {
  return sizes.ports == 5 && (sizes.lanes == 1 || sizes.lanes == 2 || sizes.lanes == 4);
}

template <Index wide>
std::unique_ptr<Dense> make(State& state, Sizes sizes) {
  if (!known(sizes)) return std::make_unique<DenseOf<0, 0, wide>>(state, sizes);
  if (sizes.lanes == 1) return std::make_unique<DenseOf<5, 1, wide>>(state, sizes);
  if (sizes.lanes == 2) return std::make_unique<DenseOf<5, 2, wide>>(state, sizes);
  return std::make_unique<DenseOf<5, 4, wide>>(state, sizes);
}

}  // namespace

std::unique_ptr<Dense> make_dense(State& state) {
  Cycle longest = 0;
  for (const Port& port : state.ports) longest = std::max<Cycle>({longest, port.flight, port.back});
  if (!state.fast || state.store_and_forward || state.stop_go || !state.endless_hosts ||
      !state.intakes.empty() || !state.choices.empty() || state.options.departures ||
      longest > longest_delay)
    return nullptr;
  Sizes sizes{.lanes = state.lanes};
  for (const SwitchState& at : state.switches) sizes.ports = std::max(sizes.ports, at.ports);
  sizes.wide = state.switches.size() <= 64 ? 1 : state.switches.size() <= 128 ? 2 : 4;
  if (sizes.wide == 1) return make<1>(state, sizes);
  return sizes.wide == 2 ? make<2>(state, sizes) : make<4>(state, sizes);
}

Dense::Dense(State& state, Sizes sizes)
    : state_(state), at_{sizes}, lane_bits_(static_cast<Index>(std::bit_width(sizes.lanes - 1))) {
  const auto switches = static_cast<Index>(state.switches.size());
  blocks_ = (switches + 64 * sizes.wide - 1) / (64 * sizes.wide);
  most_hops_ = 4 * switches + 4;
  any_idle_ = state.class_lanes.size() == 1 && state.control_shift == 0 && !state.cut_through;
}

bool Dense::pays(std::uint64_t hops, Cycle cycles) const {
  // In steps on a word, as measured: those of a cycle, and what a flit-hop by events costs more.
  const std::uint64_t ports = at_.ports(), lanes = at_.lanes();
  const std::uint64_t steps = ports * ports * (5 * lanes + 10) + 40 * ports * lanes;
  const std::uint64_t saved = looks_plain() && known({at_.ports(), at_.lanes()}) ? 130 : 50;
  return hops * saved > blocks_ * at_.wide() * steps * cycles;
}

bool Dense::looks_plain() const {
  return state_.options.longest_packet == 1 && any_idle_ && state_.steering.by_destination();
}

void Dense::queue(Index id, Index packet) {
  Line& line = lines_[id];
  if (plain_) {
    if (trips_.size() < state_.slots.size()) trips_.resize(state_.slots.size());
    const auto to = static_cast<Index>(state_.slots[packet].packet.to.index());
    const std::size_t way = std::size_t{to} * state_.switches.size() + state_.in[id].home;
    trips_[packet] = {.to = to, .port = ways_[way]};
    (line.first == nothing ? line.first : trips_[line.last].next) = packet;
    line.last = packet;
    return;
  }
  Index node = free_node_;
  if (node == nothing) {
    node = static_cast<Index>(nodes_.size());
    nodes_.emplace_back();
  } else {
    free_node_ = nodes_[node].next;
  }
  nodes_[node] = {packet, nothing};
  (line.first == nothing ? line.first : nodes_[line.last].next) = node;
  line.last = node;
}

void Dense::pop(Line& line) {
  const Index node = line.first;
  line.first = plain_ ? trips_[node].next : nodes_[node].next;
  if (plain_) return;
  nodes_[node].next = free_node_;
  free_node_ = node;
}

}  // namespace weft::sim
