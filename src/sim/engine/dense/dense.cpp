// SPDX-License-Identifier: Apache-2.0
// What a dense network can be, and when it pays; its NICs.
#include "sim/engine/dense/dense.hpp"

#include <algorithm>

#include "sim/engine/dense/dense_of.hpp"

namespace weft::sim {
namespace {

constexpr Cycle longest_delay = 500;  ///< of a link, in words

template <Index wide>
std::unique_ptr<Dense> make(State& state, Sizes sizes) {
  if (sizes.ports == 5 && sizes.lanes == 1)
    return std::make_unique<DenseOf<5, 1, wide>>(state, sizes);
  if (sizes.ports == 5 && sizes.lanes == 2)
    return std::make_unique<DenseOf<5, 2, wide>>(state, sizes);
  if (sizes.ports == 5 && sizes.lanes == 4)
    return std::make_unique<DenseOf<5, 4, wide>>(state, sizes);
  return std::make_unique<DenseOf<0, 0, wide>>(state, sizes);
}

}  // namespace

std::unique_ptr<Dense> make_dense(State& state) {
  Cycle longest = 0;
  for (const Port& port : state.ports) longest = std::max<Cycle>({longest, port.flight, port.back});
  if (!state.fast || state.store_and_forward || state.stop_go || !state.endless_hosts ||
      !state.intakes.empty() || state.options.departures || longest > longest_delay)
    return nullptr;
  Sizes sizes{.lanes = state.lanes};
  for (const SwitchState& at : state.switches) sizes.ports = std::max(sizes.ports, at.ports);
  sizes.wide = state.switches.size() <= 64 ? 1 : state.switches.size() <= 128 ? 2 : 4;
  if (sizes.wide == 1) return make<1>(state, sizes);
  return sizes.wide == 2 ? make<2>(state, sizes) : make<4>(state, sizes);
}

Dense::Dense(State& state, Sizes sizes) : state_(state), at_{sizes} {
  const auto switches = static_cast<Index>(state.switches.size());
  blocks_ = (switches + 64 * sizes.wide - 1) / (64 * sizes.wide);
  most_hops_ = 4 * switches + 4;
}

bool Dense::pays(std::uint64_t hops, Cycle cycles) const {
  // In steps on a word, as measured: those of a cycle, and what a flit-hop by events costs more.
  const std::uint64_t ports = at_.ports(), lanes = at_.lanes();
  const std::uint64_t steps = ports * ports * (5 * lanes + 10) + 40 * ports * lanes;
  constexpr std::uint64_t saved = 50;
  return hops * saved > blocks_ * at_.wide() * steps * cycles;
}

std::uint32_t Dense::nic_credits(Index out_lane) const {
  return at_.number(nic_credits_, count_bits_, place(state_.out[out_lane].target));
}

void Dense::begin_packet(Index host) {
  const Nic& nic = state_.nics[host];
  const Index target = state_.out[nic.out].target;
  const Place at = place(target);
  nic_[at_.word(at)] |= at.mask();
  at_.set(nic_left_, left_bits_, at, nic.left - 1);
  queue(target, nic.packet);
}

}  // namespace weft::sim
