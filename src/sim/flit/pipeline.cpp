// SPDX-License-Identifier: Apache-2.0
// The cycle, for each set of features.
#include "sim/flit/pipeline.hpp"

#include "sim/flit/allocate.hpp"
#include "sim/flit/receive.hpp"
#include "sim/flit/traverse.hpp"
#include "sim/flit/whole_packets.hpp"

namespace weft::sim {

template <class Features>
Pipeline<Features>::Pipeline(const PipelineUnits& of)
    : u_(of.units),
      layout_(of.units.layout),
      routing_(of.routing),
      b_(of.branches),
      choices_(of.choices),
      injection_(of.injection),
      failures_(of.failures),
      reports_(of.reports),
      ports_(u_.ports.data()),
      in_(u_.in.data()),
      out_(u_.out.data()),
      lane_bits_(layout_.lane_bits),
      lane_mask_((std::size_t{1} << layout_.lane_bits) - 1),
      one_route_(routing_.by_destination()),
      sent_(Features::all && layout_.options.circuits ? u_.in.size() : 0, 0),
      ejected_(layout_.fabric.host_count()),
      ejecting_(layout_.fabric.host_count()) {
  routed_.make(u_.in.size() + 1);
}

template <class Features>
void Pipeline<Features>::step() {
  if constexpr (Features::whole) {
    receive_packet_credits(layout_.blocks);
    u_.retries.take(u_.now, layout_.blocks, [this](Index p) { u_.active.insert(ports_[p].home); });
    u_.active.filter([this](Index host) { return inject_packet(host); });
  } else {
    u_.credits.take(u_.now, layout_.blocks, [this](Index signal) { receive_nic_signal(signal); });
    u_.active.filter([this](Index host) { return inject(host); });
  }
  for (Index block = 0; block < layout_.blocks; ++block) {
    receive(block);
    u_.routed.take(
        u_.now, block, [this](Index id) { route(id, in_[id], in_[id].head); },
        [this](Index id) {
          if (!u_.large) return;
          __builtin_prefetch(&in_[id]);
          __builtin_prefetch(&ports_[port_of(id)]);
        });
    if (!routed_.empty()) {
      for (const SendRequest& request : routed_)
        u_.request_lane(request.from(), request.out_lane());
      routed_.end_at(routed_.begin());
    }
    const std::size_t senders = u_.senders[block].size();
    allocate_lanes(block);
    if (senders != 0) allocate_crossbars(block, senders);
  }
  if constexpr (Features::all)
    if (reports_.has_fault_sites()) reports_.report_fault_sites();
}

template class Pipeline<SingleFlitFeatures>;
template class Pipeline<PlainFeatures>;
template class Pipeline<UnicastFeatures>;
template class Pipeline<LinkFeatures>;
template class Pipeline<WholePacketFeatures>;
template class Pipeline<AllFeatures>;

}  // namespace weft::sim
