// SPDX-License-Identifier: Apache-2.0
// Numbering a network.
#include "sim/flit/layout.hpp"

#include <algorithm>
#include <bit>

#include "base/error.hpp"
#include "fabric/group_walk.hpp"
#include "sim/flit/units.hpp"

namespace weft::sim {
namespace {

Index lanes_of(const Tables& tables, const SwitchModel& model) {
  const int lanes = model.lanes == 0 ? tables.lane_count : model.lanes;
  require_lanes(tables, model);
  if (!model.control) return static_cast<Index>(lanes);
  if (2 * lanes > most_lanes)
    throw Error("{}: {} lanes and as many control lanes; {} are the most in all", model.spec, lanes,
                most_lanes);
  return static_cast<Index>(2 * lanes);
}

}  // namespace

void require_lanes(const Tables& tables, const SwitchModel& model) {
  if (model.lane_limit() < tables.lane_count)
    throw Error("the tables ({}) use {} lanes, the switches ({}) have {}", tables.engine,
                tables.lane_count, model.spec, model.lane_limit());
}

Layout::Layout(const Fabric& fabric_in, const Tables& tables_in, const SwitchModel& model_in,
               const NetworkOptions& options_in)
    : fabric(fabric_in),
      tables(tables_in),
      model(model_in),
      options(options_in),
      timing(fabric, model),
      lanes(lanes_of(tables, model)),
      lane_bits(static_cast<Index>(std::bit_width(lanes - 1))),
      ends(fabric) {
  if (options.longest_packet > most_packet_flits)
    throw Error("a packet of {} flits is too long: {} are the most", options.longest_packet,
                most_packet_flits);
  options.review = std::max<Cycle>(options.review, 1);
  cut_through = model.switching != Switching::wormhole;
  store_and_forward = model.switching == Switching::store_and_forward;
  stop_go = model.flow == FlowControl::stop_go;
  empty_lanes = model.reuse == LaneReuse::empty;
  by_packet = model.multiplex == Multiplex::packet;
  whole_copies = std::any_of(tables.groups.begin(), tables.groups.end(),
                             [](const Group& group) { return !group.root; });
  const bool rooted = std::any_of(tables.groups.begin(), tables.groups.end(),
                                  [](const Group& group) { return group.root.has_value(); });
  // A packet that has a link to itself would keep others' copies from theirs, in any order.
  if (rooted && by_packet)
    throw Error("{}: groups with a root need links that lanes share flit by flit", model.spec);
  buffer = timing.buffer(options.longest_packet, cut_through || whole_copies);
  if ((cut_through || whole_copies) && options.longest_packet > buffer)
    throw Error("{}: a buffer of {} flits cannot hold a packet of {}{}", model.spec, buffer,
                options.longest_packet,
                cut_through ? "; buffer=auto does, and switching=wormhole can do with less"
                            : ", which multicast needs");
  const StageCycles stages = timing.stages(SwitchId(0));
  lane_at_once = stages.lane == 0;
  head_delay = stages.route + stages.lane - (lane_at_once ? 0 : 1);
  number_ports();
  share_out_lanes();
  out_ports = PortTable(fabric, tables, ends);
}

bool Layout::can_part() const {
  return options.threads > 1 && !options.check && !options.circuits && !options.fault_sites &&
         !options.flit_departures && options.faults.glitches.empty() &&
         std::all_of(tables.groups.begin(), tables.groups.end(),
                     [this](const Group& group) { return is_tree(fabric, group); });
}

void Layout::number_ports() {
  std::uint64_t ports = 0;
  for (SwitchId s : fabric.switches()) {
    const Index count = fabric[s].ports;
    switches.push_back({static_cast<Index>(ports), count});
    ports += count;
    if ((ports + fabric.host_count()) << lane_bits > Arrival::lane_mask ||
        std::uint64_t{count} << lane_bits > 0xFFFF)
      throw Error("{}: more ports and lanes than can be simulated", fabric.name());
  }
  switch_ports = static_cast<Index>(ports);
  all_ports = static_cast<Index>(ports + fabric.host_count());
  most_hops =
      static_cast<std::uint32_t>(std::min<std::size_t>(4 * switches.size() + 4, most_counted_hops));
  // A block's arrays fit a cache. Packets that are handled as a whole to the end hold their links
  // for long, so that a cycle touches few of them.
  const std::size_t bytes =
      (sizeof(SwitchPort) + ((sizeof(InLane) + sizeof(OutLane)) << lane_bits)) * ports /
      std::max<std::size_t>(switches.size(), 1);
  const bool whole_to_the_end = packets_are_whole() && !options.faults.any();
  const std::size_t touched = whole_to_the_end ? (4 + options.longest_packet) << 17U : 1U << 16U;
  while (bytes << block_bits < touched) ++block_bits;
  const auto count = [this] {
    const std::size_t whole = (switches.size() + (std::size_t{1} << block_bits) - 1) >> block_bits;
    return std::max<Index>(1, static_cast<Index>(whole));
  };
  fits_cache = count() == 1;
  // Threads share blocks out among them.
  constexpr Index for_each_thread = 8;
  if (can_part())
    while (block_bits > 0 && count() < for_each_thread * options.threads) --block_bits;
  blocks = count();
}

void Layout::share_out_lanes() {
  all_lanes = lanes == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << lanes) - 1;
  const auto classes = static_cast<Index>(tables.lane_count);
  if (model.control) control_shift = lanes / 2;
  const Index count = lanes - control_shift;
  data_lanes = all_lanes >> control_shift;
  for (Index c = 0; c < classes; ++c) {
    std::uint64_t mask = 0;
    for (Index v = c * count / classes; v < (c + 1) * count / classes; ++v)
      mask |= std::uint64_t{1} << v;
    class_lanes.push_back(mask);
  }
  set_to_host = static_cast<std::uint8_t>(classes);
  lane_sets = class_lanes;
  lane_sets.push_back(data_lanes);
  for (Index i = 0; control_shift != 0 && i <= set_to_host; ++i)
    lane_sets.push_back(lane_sets[i] << control_shift);
}

}  // namespace weft::sim
