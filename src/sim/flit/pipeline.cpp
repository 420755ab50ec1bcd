// SPDX-License-Identifier: Apache-2.0
// The cycle, for each set of features.
#include "sim/flit/pipeline.hpp"

#include "sim/flit/allocate.hpp"
#include "sim/flit/receive.hpp"
#include "sim/flit/route_choices.hpp"
#include "sim/flit/route_groups.hpp"
#include "sim/flit/traverse.hpp"
#include "sim/flit/whole_packets.hpp"

namespace weft::sim {
namespace {

template <class Features, class SingleFlit>
std::unique_ptr<AnyPipeline> make_plain_pipeline(const PipelineUnits& of) {
  if (of.units.layout.heads_come_routed()) return std::make_unique<Pipeline<SingleFlit>>(of);
  return std::make_unique<Pipeline<Features>>(of);
}

}  // namespace

std::unique_ptr<AnyPipeline> make_pipeline(const PipelineUnits& of) {
  const Units& units = of.units;
  if (units.whole_packets) return std::make_unique<Pipeline<WholePacketFeatures>>(of);
  if (units.needs_all_features()) return std::make_unique<Pipeline<AllFeatures>>(of);
  if (units.needs_link_features()) return std::make_unique<Pipeline<LinkFeatures>>(of);
  if (!units.is_plain()) return std::make_unique<Pipeline<UnicastFeatures>>(of);
  if (units.layout.empty_lanes || of.phases.looks_at_paths())
    return make_plain_pipeline<WatchedFeatures, SingleFlitWatchedFeatures>(of);
  if (of.choices.allowed())
    return make_plain_pipeline<ChoiceFeatures, SingleFlitChoiceFeatures>(of);
  return make_plain_pipeline<PlainFeatures, SingleFlitFeatures>(of);
}

template <class Features>
Pipeline<Features>::Pipeline(const PipelineUnits& of)
    : u_(of.units),
      layout_(of.units.layout),
      routing_(of.routing),
      b_(of.branches),
      choices_(of.choices),
      phases_(of.phases),
      injection_(of.injection),
      failures_(of.failures),
      reports_(of.reports),
      ports_(u_.ports.data()),
      in_(u_.in.data()),
      out_(u_.out.data()),
      packet_out_(u_.packet_out.data()),
      lane_bits_(layout_.lane_bits),
      lane_mask_((std::size_t{1} << layout_.lane_bits) - 1),
      one_route_(routing_.by_destination()),
      choice_tables_(phases_.any()),
      lane_classes_(static_cast<Index>(layout_.class_lanes.size())),
      most_hops_(layout_.most_hops),
      sent_(Features::all && layout_.options.circuits ? u_.in.size() : 0, 0),
      ejected_(layout_.fabric.host_count()),
      ejecting_(layout_.fabric.host_count()) {
  arrivals_.make(u_.in.size() + 1);
  routed_.make(u_.in.size() + 1);
  if constexpr (Features::choices) {
    choosers_.make(u_.in.size());
  }
  if constexpr (Features::whole) woken_.make(u_.in.size() + 1);
  u_.count_moved(Features::plain && Features::watched && phases_.looks_at_paths());
}

template <class Features>
void Pipeline<Features>::inject() {
  if constexpr (Features::whole) {
    receive_packet_credits(layout_.blocks);
    u_.retries.take(
        u_.now, layout_.blocks, [this](Index p) { u_.active.insert(p - layout_.switch_ports); },
        [this](Index p) { __builtin_prefetch(&injection_.nics[p - layout_.switch_ports]); });
  } else {
    u_.credits.take(u_.now, layout_.blocks, [this](Index signal) { receive_nic_signal(signal); });
  }
  u_.active.filter_words([this](Index first, std::uint64_t hosts) {
    if (u_.large) prefetch_nics(first, hosts);
    std::uint64_t more = hosts;
    for (std::uint64_t left = hosts; left != 0; left &= left - 1) {
      const Index host = first + lowest(left);
      bool again = false;
      if constexpr (Features::whole)
        again = inject_packet(host);
      else
        again = inject(host);
      if (!again) more &= ~(left & (~left + 1));
    }
    return more;
  });
}

/// What hosts need that inject, so that it comes for all of them at once.
template <class Features>
void Pipeline<Features>::prefetch_nics(Index first, std::uint64_t hosts) const {
  for (std::uint64_t left = hosts; left != 0; left &= left - 1) {
    const Index host = first + lowest(left), port = layout_.switch_ports + host;
    const Nic& nic = injection_.nics[host];
    __builtin_prefetch(&ports_[port]);
    if constexpr (Features::whole)
      __builtin_prefetch(&packet_out_[first_lane(port) + lane_in_port(nic.lane + 1)]);
    else
      __builtin_prefetch(&out_[first_lane(port)]);
    if (nic.first != nothing) __builtin_prefetch(&u_.packets[nic.first]);
  }
}

/// Of 64 blocks: those that have something to do from `begin` on, before `end`.
template <class Features>
std::uint64_t Pipeline<Features>::blocks_with_work(Index word, Cycle begin, Cycle end) const {
  if (layout_.blocks == 1) return 1;  // it mostly has
  const std::uint64_t own = u_.own_blocks[word];
  std::uint64_t out = 0;
  for (Cycle at = begin; at < end; ++at) {
    out |= u_.heads.all_due(at, word) | u_.routed.due(at, word);
    if constexpr (Features::whole)
      out |= u_.packet_credits.all_due(at, word) | u_.releases.due(at, word) |
             u_.drained.due(at, word) | u_.retries.due(at, word);
    else
      out |= u_.credits.all_due(at, word) | u_.bodies.all_due(at, word);
  }
  out &= own;
  for (std::uint64_t left = own & ~out; left != 0; left &= left - 1)
    if (u_.has_requests(word * 64 + lowest(left))) out |= left & (~left + 1);
  return out;
}

template <class Features>
void Pipeline<Features>::run_switches(const Cycle end) {
  const Cycle begin = u_.now;
  for (Index word = 0; word * 64 < layout_.blocks; ++word)
    for (std::uint64_t left = blocks_with_work(word, begin, end); left != 0; left &= left - 1)
      for (u_.now = begin; u_.now < end; ++u_.now) step(word * 64 + lowest(left));
  u_.now = end;
}

template <class Features>
void Pipeline<Features>::step(Index block) {
  receive(block);
  route(block);
  if constexpr (Features::choices)
    if (choices_.commits() && choices_.allowed() && !choices_.empty(block)) commit_ports(block);
  if (!routed_.empty()) {
    for (const SendRequest& request : routed_) request_lane(request.from(), request.out_lane());
    routed_.end_at(routed_.begin());
  }
  std::size_t senders = u_.senders[block].size();
  allocate_lanes(block);
  if (layout_.lane_at_once) senders = u_.senders[block].size();
  if (senders == 0) return;
  if constexpr (Features::whole)
    allocate_links(block, senders);
  else
    allocate_crossbars(block, senders);
}

template class Pipeline<SingleFlitFeatures>;
template class Pipeline<PlainFeatures>;
template class Pipeline<ChoiceFeatures>;
template class Pipeline<SingleFlitChoiceFeatures>;
template class Pipeline<WatchedFeatures>;
template class Pipeline<SingleFlitWatchedFeatures>;
template class Pipeline<UnicastFeatures>;
template class Pipeline<LinkFeatures>;
template class Pipeline<WholePacketFeatures>;
template class Pipeline<AllFeatures>;

}  // namespace weft::sim
