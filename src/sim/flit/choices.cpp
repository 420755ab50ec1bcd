// SPDX-License-Identifier: Apache-2.0
// Choosing among ports, and waiting for them.
#include "sim/flit/choices.hpp"

#include <algorithm>
#include <bit>

namespace weft::sim {

Choices::Choices(Choices& whole, Units& units)
    : units_(units),
      routing_(whole.routing_),
      policy_(whole.policy_),
      sets_(whole.sets_),
      first_lane_(whole.first_lane_),
      room_(whole.room_),
      most_room_(whole.most_room_) {
  set_.share(whole.set_);
  at_.share(whole.at_);
  waiting_.share(whole.waiting_);
  choosing_.share(whole.choosing_);
  flows_.share(whole.flows_);
  if (allowed() && !commits()) units_.choices = this;
}

void Choices::allow() {
  if (allowed()) return;
  add_groups();
  const Layout& layout = units_.layout;
  set_.assign(units_.in.size(), 0);
  Index words = 0;
  for (const SwitchPorts& at : layout.switches) {
    const Index mask_words = ((at.count << layout.lane_bits) + 63) / 64;
    at_.push_back({at.count, 0, mask_words, words});
    words += at.count * mask_words;
  }
  waiting_.assign(words, 0);
  if (policy_.takes == Preferred::flows) flows_.assign(layout.switches.size(), {});
  for (const std::uint64_t lanes : layout.lane_sets)
    room_.push_back(static_cast<std::uint64_t>(std::popcount(lanes)) * layout.buffer);
  most_room_ = *std::max_element(room_.begin(), room_.end());
  for (Index block = 0; block < layout.blocks; ++block) {
    const auto first_of = [&](std::size_t switches) {
      return (switches < layout.switches.size() ? layout.switches[switches].first
                                                : layout.switch_ports)
             << layout.lane_bits;
    };
    const Index first = first_of(std::size_t{block} << layout.block_bits);
    first_lane_.push_back(first);
    choosing_.push_back(WorkSet(first_of((block + std::size_t{1}) << layout.block_bits) - first));
  }
  if (!commits()) units_.choices = this;  // otherwise nobody waits for several ports
}

Choices::AwaitedPorts Choices::wait(Index id) {
  const Index in = units_.layout.port_of(id), number = units_.ports[in].number;
  const ChoosingSwitch& at = at_[units_.ports[in].home];
  const Index own = id - ((in - number) << units_.layout.lane_bits);
  AwaitedPorts out;
  each_port(id, [&](Index o, const RouteStep& hop) {
    if (units_.is_dead(o)) {
      out.dead_port = o;
      return;
    }
    out.alive = true;
    waiting_[at.masks + (hop.port - 1U) * at.mask_words + own / 64] |= bit_at(own);
    units_.ports[o].awaited |= SwitchPort::a_lane;
  });
  return out;
}

template <class Visit>
void Choices::each_waiting(Index o, Visit visit) const {
  const SwitchPort& port = units_.ports[o];
  const ChoosingSwitch& at = at_[port.home];
  const Index first = (o - port.number) << units_.layout.lane_bits;
  for (Index w = 0; w < at.mask_words; ++w)
    for (std::uint64_t bits = waiting_[at.masks + port.number * at.mask_words + w]; bits != 0;
         bits &= bits - 1)
      if (const Index id = first + w * 64 + lowest(bits); waits(id))  // it may have found another
        visit(id);
}

void Choices::wake_all(Index o) {
  each_waiting(o, [this](Index id) { again(id); });
  SwitchPort& port = units_.ports[o];
  const ChoosingSwitch& at = at_[port.home];
  port.awaited &= static_cast<std::uint8_t>(~SwitchPort::a_lane);
  std::fill_n(&waiting_[at.masks + port.number * at.mask_words], at.mask_words, 0);
}

std::vector<Index> Choices::waiting_at(Index o) const {
  std::vector<Index> out;
  each_waiting(o, [&](Index id) { out.push_back(id); });
  return out;
}

void Units::wake_choosers(Index o) { choices->wake(o); }
bool Units::has_choosers(Index block) const { return !choices->empty(block); }

}  // namespace weft::sim
