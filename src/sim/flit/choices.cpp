// SPDX-License-Identifier: Apache-2.0
// Choosing among ports.
#include "sim/flit/choices.hpp"

#include <algorithm>

namespace weft::sim {

void Choices::allow() {
  if (allowed()) return;
  const Layout& layout = units_.layout;
  tags_.assign(units_.in.size(), no_port);
  Index words = 0;
  for (const SwitchPorts& at : layout.switches) {
    const Index mask_words = ((at.count << layout.lane_bits) + 63) / 64;
    switches_.push_back({at.count, 0, mask_words, words});
    words += at.count * mask_words;
    row_ = std::max(row_, at.count + 2);
  }
  waiting_.assign(words, 0);
  for (Index block = 0; block < layout.blocks; ++block) {
    const auto first_of = [&](std::size_t switches) {
      return (switches < layout.switches.size() ? layout.switches[switches].first
                                                : layout.switch_ports)
             << layout.lane_bits;
    };
    const Index first = first_of(std::size_t{block} << layout.block_bits);
    first_lane_.push_back(first);
    choosing_.emplace_back(first_of((block + std::size_t{1}) << layout.block_bits) - first);
  }
  units_.choices = this;
}

/// Those up to a tag.
void Choices::add_groups(PortNumber last) {
  for (; groups_ <= last - Index{first_link_group}; ++groups_) {
    std::vector<PortNumber> ports;
    for (const PortNumber port :
         routing_.ports(static_cast<PortNumber>(first_link_group + groups_)))
      if (port + Index{1} < row_) ports.push_back(port);  // some switch has it
    std::sort(ports.begin(), ports.end());
    for (Index turn = 0; turn + 1 < row_; ++turn) {
      const auto next = std::upper_bound(ports.begin(), ports.end(), turn);
      const PortNumber port = ports.empty() ? 1 : next == ports.end() ? ports.front() : *next;
      next_ports_.push_back(static_cast<std::uint16_t>(port - 1));
    }
    next_ports_.push_back(static_cast<std::uint16_t>(ports.size()));
  }
}

Choices::AwaitedPorts Choices::wait(Index id) {
  const Index in = units_.layout.port_of(id), number = units_.ports[in].number;
  const ChoosingSwitch& at = switches_[units_.ports[in].home];
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
  const ChoosingSwitch& at = switches_[port.home];
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
  const ChoosingSwitch& at = switches_[port.home];
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
