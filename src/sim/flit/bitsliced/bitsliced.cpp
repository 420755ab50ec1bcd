// SPDX-License-Identifier: Apache-2.0
// What a bit-sliced network can be, and when it pays.
#include "sim/flit/bitsliced/bitsliced.hpp"

#include <algorithm>
#include <bit>

namespace weft::sim {

namespace {

/// Whether choices are such that words know all that they depend on.
bool fits_words(const PipelineUnits& of) {
  return of.phases.any() && !of.phases.reads_queues() && !of.choices.commits() &&
         of.choices.take_first() && of.choices.sets().are_sound() && !of.routing.has_levels() &&
         of.units.layout.control_shift == 0;
}

}  // namespace

std::unique_ptr<BitSliced> make_bit_sliced(const PipelineUnits& of) {
  constexpr Cycle longest_delay = 500;  // of a link, in words
  constexpr Index most_switch_lanes = 64;
  const Units& units = of.units;
  const Layout& layout = units.layout;
  Cycle longest = 0;
  for (const SwitchPort& port : units.ports)
    longest = std::max<Cycle>({longest, port.flight, port.back});
  SliceSizes sizes{.lanes = layout.lanes};
  for (const SwitchPorts& at : layout.switches) sizes.ports = std::max(sizes.ports, at.count);
  if (layout.lane_at_once || layout.store_and_forward || layout.stop_go || !units.endless_hosts ||
      !units.receive_buffers.empty() || layout.options.departures || longest > longest_delay ||
      sizes.ports * sizes.lanes > most_switch_lanes)
    return nullptr;
  if (of.choices.allowed() && !fits_words(of)) return nullptr;
  const std::size_t switches = layout.switches.size();
  const auto make = switches <= 64    ? make_bit_sliced_of<1>
                    : switches <= 128 ? make_bit_sliced_of<2>
                                      : make_bit_sliced_of<4>;
  return make(of, sizes);
}

BitSliced::BitSliced(const PipelineUnits& of, SliceSizes sizes)
    : units_(of.units),
      layout_(of.units.layout),
      routing_(of.routing),
      choices_(of.choices),
      phases_(of.phases),
      injection_(of.injection),
      at_{sizes},
      lane_bits_(static_cast<Index>(std::bit_width(sizes.lanes - 1))) {
  const auto switches = static_cast<Index>(layout_.switches.size());
  blocks_ = (switches + 64 * sizes.wide - 1) / (64 * sizes.wide);
  for (Index block = 0; block < blocks_; ++block) own_blocks_.push_back(block);
  equal_links_ = has_equal_links();
  const bool simple = layout_.control_shift == 0 && !layout_.cut_through;
  any_idle_lane_ = simple && layout_.class_lanes.size() == 1;
  plain_classes_ = simple && layout_.options.longest_packet == 1 && layout_.model.host_lanes &&
                   routing_.by_turns();
  plain_phases_ = simple && layout_.options.longest_packet == 1 && layout_.model.host_lanes &&
                  phases_.never_choose();
  set_bits_ = static_cast<Index>(std::bit_width(layout_.lane_sets.size() - 1));
}

double BitSliced::time_estimate(std::uint64_t hops, Cycle cycles) const {
  // In steps on a word, as measured: those of a cycle, and what a flit-hop by events costs more.
  const std::uint64_t ports = at_.ports(), lanes = at_.lanes();
  const std::uint64_t steps = ports * ports * (5 * lanes + 10) + 40 * ports * lanes;
  const std::uint64_t saved = looks_plain() && made_for({at_.ports(), at_.lanes()}) ? 40 : 25;
  const std::uint64_t words = std::uint64_t{blocks_} * at_.wide();
  return static_cast<double>(words * steps * cycles) / static_cast<double>(hops * saved + 1);
}

bool BitSliced::lacks_room() const {
  // Packets wait for room, or for an empty buffer, before they have a lane.
  if (layout_.cut_through || layout_.empty_lanes) return true;
  Word stopped = 0;
  for (std::size_t i = 0; i < sending_.size(); ++i) stopped |= sending_[i] & ~room_[i];
  return stopped != 0;
}

bool BitSliced::looks_plain() const {
  return layout_.options.longest_packet == 1 && equal_links_ && !layout_.empty_lanes &&
         ((any_idle_lane_ && routing_.by_destination()) || plain_classes_ || plain_phases_);
}

}  // namespace weft::sim
