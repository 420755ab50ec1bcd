// SPDX-License-Identifier: Apache-2.0
// Sources that draw alike are followed together to every intermediate destination.
#include "plan/check/choice/intermediate_hops.hpp"

#include <algorithm>

namespace weft {
namespace {

/// A second or so.
constexpr std::size_t most_pair_steps = 300'000'000;

bool have_decisions(const ChoiceTables& choices) {
  return std::any_of(choices.phases.begin(), choices.phases.end(),
                     [](const Phase& phase) { return phase.detour.has_value(); });
}

}  // namespace

IntermediateHops::IntermediateHops(const Fabric& fabric, const Tables& tables, ChoiceRoutes& routes)
    : fabric_(fabric),
      routes_(routes),
      draws_(fabric, std::get<ChoiceTables>(tables.paths)),
      some_decide_(have_decisions(std::get<ChoiceTables>(tables.paths))),
      // At their last switch packets take no detour, though they may draw anything.
      by_switch_(some_decide_ && draws_.groups() == 1),
      groups_(by_switch_ ? fabric.switch_count() : draws_.groups()),
      detours_(groups_) {
  const std::size_t steps = std::max<std::size_t>(1, fabric.channel_count() + groups_) * groups_;
  by_pair_ = draws_.count() > 0 && steps <= most_pair_steps / draws_.count();
  if (by_pair_) arrivals_.resize(draws_.count());
}

bool IntermediateHops::may_exceed() const {
  if (draws_.count() == 0 || (by_pair_ && !some_decide_)) return false;
  if (!by_pair_) return groups_ > 1;
  const auto& detours = routes_.detours();
  return std::any_of(detours.begin(), detours.end(),
                     [](const ChoiceRoutes::Start& start) { return start.by.valid(); });
}

/// By group of the source.
std::vector<IntermediateHops::Hops> IntermediateHops::host_starts(std::size_t aim) const {
  std::vector<Hops> out(groups_);
  for (const auto& [by, source, lane, phase, level] : routes_.host_starts(aim))
    out[group(fabric_[source].on)].emplace(StartKey{by, source, lane, phase, level}, 0);
  return out;
}

/// The most channels before each position; `never` where none of these packets comes.
void IntermediateHops::lengthen(const Hops& starts, const ChoiceReach& reach) {
  before_.assign(routes_.positions().size(), never);
  const auto reach_after = [&](ChoiceRoutes::Index i, std::uint32_t hops) {
    before_[i] = before_[i] == never ? hops : std::max(before_[i], hops);
  };
  for (const auto& [start, hops] : starts) {
    const auto& [by, source, lane, phase, level] = start;
    const ChoiceRoutes::Index i = routes_.at({by, source, lane, phase, level});
    if (i != ChoiceRoutes::no_position) reach_after(i, hops);
  }
  for (const ChoiceRoutes::Index i : reach.order())
    if (before_[i] != never)
      for (const auto& hop : routes_.next_hops(routes_.positions()[i]))
        reach_after(hop.to, before_[i] + 1);
}

void IntermediateHops::look_at_decisions(std::size_t aim, const ChoiceReach& reach) {
  if (!by_pair_) return;
  const SwitchId last = fabric_[routes_.aims()[aim].hosts.front()].on;
  const std::vector<Hops> starts = host_starts(aim);
  for (std::size_t g = 0; g < groups_; ++g) {
    if (starts[g].empty()) continue;
    const HostId source = std::get<HostId>(starts[g].begin()->first);
    if (draws_.within_region(fabric_[source].on, last)) continue;
    lengthen(starts[g], reach);
    for (std::size_t i = 0; i < before_.size(); ++i) {
      const ChoiceRoutes::Position& position = routes_.positions()[i];
      if (before_[i] == never || !routes_.decides(position)) continue;
      const auto [by, from, lane, phase, level] = routes_.detour(position);
      std::uint32_t& most = detours_[g][{by, from, lane, phase, level}];
      most = std::max(most, before_[i]);
    }
  }
}

void IntermediateHops::look_at(std::size_t intermediate, const ChoiceReach& reach) {
  if (!by_pair_) return;
  std::vector<Hops> starts = host_starts(routes_.host_aims() + intermediate);
  auto& arrivals = arrivals_[intermediate];
  arrivals.resize(groups_);
  for (std::size_t g = 0; g < groups_; ++g) {
    some_start_away_ |= !starts[g].empty();
    for (const auto& [start, hops] : detours_[g]) starts[g].emplace(start, hops);
    if (starts[g].empty()) continue;
    lengthen(starts[g], reach);
    for (std::size_t i = 0; i < before_.size(); ++i) {
      const ChoiceRoutes::Position& p = routes_.positions()[i];
      if (before_[i] != never && p.arrives)
        arrivals[g].emplace_back(routes_.arrival({p.by, p.source, p.lane, p.phase, p.level}),
                                 before_[i]);
    }
  }
}

std::uint32_t IntermediateHops::most(HostId from, HostId to, const ChoiceReach& reach) const {
  const SwitchId first = fabric_[from].on, last = fabric_[to].on;
  if (!some_start_away_ && (first == last || draws_.within_region(first, last))) return 0;
  std::uint32_t out = 0;
  for (const std::size_t via : draws_.drawn(draws_.group(first), draws_.group(last)))
    for (const auto& [arrival, before] : arrivals_[via][group(first)]) {
      const ChoiceRoutes::Index i = routes_.at(routes_.arrivals()[arrival]);
      if (i != ChoiceRoutes::no_position) out = std::max(out, before + reach.most_hops(i));
    }
  return out;
}

}  // namespace weft
