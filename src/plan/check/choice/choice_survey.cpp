// SPDX-License-Identifier: Apache-2.0
// Intermediate destinations are looked at before hosts: a packet that may be lost there may be lost
// wherever it goes.
#include "plan/check/choice/choice_survey.hpp"

#include <algorithm>

namespace weft {

ChoiceSurvey::ChoiceSurvey(const Fabric& fabric, const Tables& tables, ChoiceRoutes& routes)
    : routes_(routes), reach_(routes), by_intermediates_(fabric, tables, routes) {
  const auto& phases = std::get<ChoiceTables>(tables.paths).phases;
  some_decide_ = std::any_of(phases.begin(), phases.end(),
                             [](const Phase& phase) { return phase.detour.has_value(); });
}

bool ChoiceSurvey::run(const std::function<void(const SurveyedPairs&)>& visit) {
  if (some_decide_) look_at_detours();
  look_at_intermediates();
  for (std::size_t aim = 0; aim < routes_.host_aims(); ++aim) look_at_hosts(aim, visit);
  return may_go_round_;
}

/// The most channels before each position, over those that packets start at.
void ChoiceSurvey::lengthen(std::size_t aim, std::map<JointKey, std::uint32_t>& ends) {
  const auto& all = routes_.positions();
  const bool to_hosts = !routes_.aims()[aim].hosts.empty();
  std::vector<std::uint32_t> before(all.size(), 0);
  if (!to_hosts)
    for (const auto& [start, hops] : detours_) {
      const auto& [by, source, lane, phase, level] = start;
      const auto i = routes_.at({by, source, lane, phase, level});
      if (i != ChoiceRoutes::no_position) before[i] = std::max(before[i], hops);
    }
  for (const ChoiceRoutes::Index i : reach_.order()) {
    const ChoiceRoutes::Position& p = all[i];
    for (const auto& hop : routes_.next_hops(p))
      before[hop.to] = std::max(before[hop.to], before[i] + 1);
    ChoiceRoutes::Start end{p.by, p.source, p.lane, p.phase, p.level};
    if (to_hosts ? !routes_.decides(p) : !p.arrives) continue;
    if (to_hosts) end = routes_.detour(p);
    std::uint32_t& most = ends[key(end)];
    most = std::max(most, before[i]);
  }
}

void ChoiceSurvey::look_at_detours() {
  for (std::size_t aim = 0; aim < routes_.host_aims(); ++aim) {
    routes_.explore(aim, routes_.host_starts(aim));
    reach_.judge();
    lengthen(aim, detours_);
    by_intermediates_.look_at_decisions(aim, reach_);
  }
}

void ChoiceSurvey::look_at_intermediates() {
  for (std::size_t aim = routes_.host_aims(); aim < routes_.aims().size(); ++aim) {
    routes_.explore(aim);
    reach_.judge();
    may_go_round_ |= reach_.may_go_round();
    lengthen(aim, arrivals_);
    by_intermediates_.look_at(aim - routes_.host_aims(), reach_);
    for (const ChoiceRoutes::Start& start : routes_.host_starts(aim)) {
      some_start_away_ = true;
      const auto i = routes_.at(start);
      if (reach_.is_lost(i)) lost_away_.try_emplace(key(start), reach_.lost_route(i));
    }
    for (const ChoiceRoutes::Start& start : routes_.detours())
      if (const auto i = routes_.at(start); !lost_detour_ && reach_.is_lost(i))
        lost_detour_ = reach_.lost_route(i);
  }
}

void ChoiceSurvey::look_at_hosts(std::size_t aim,
                                 const std::function<void(const SurveyedPairs&)>& visit) {
  routes_.explore(aim);
  reach_.judge();
  may_go_round_ |= reach_.may_go_round();
  std::optional<Walk> lost_arrival;
  std::uint32_t most_by_arrival = 0;
  for (const ChoiceRoutes::Start& start : routes_.arrivals()) {
    const auto i = routes_.at(start);
    const auto before = arrivals_.find(key(start));
    most_by_arrival = std::max(
        most_by_arrival, reach_.most_hops(i) + (before == arrivals_.end() ? 0 : before->second));
    if (!lost_arrival && reach_.is_lost(i)) lost_arrival = reach_.lost_route(i);
  }
  const auto most_away = [&](HostId source) {
    return by_intermediates_.by_pair()
               ? by_intermediates_.most(source, routes_.aims()[aim].hosts.front(), reach_)
               : most_by_arrival;
  };
  const auto starts = routes_.host_starts(aim);
  // By source: all phases in which its packets start, and those that they may come to.
  std::map<HostId, SurveyedPairs> pairs;
  std::map<HostId, Walk> lost;
  const auto lose = [&](HostId source, const std::optional<Walk>& walk) {
    if (walk) lost.try_emplace(source, *walk);
  };
  const auto see = [&](const ChoiceRoutes::Start& start, std::uint32_t hops) {
    SurveyedPairs& seen =
        pairs
            .try_emplace(start.source, SurveyedPairs{start.source, routes_.hosts_at(start),
                                                     routes_.aims()[aim].hosts, 0, nullptr})
            .first->second;
    seen.most_hops = std::max(seen.most_hops, hops);
  };
  for (const ChoiceRoutes::Start& start : starts) {
    const auto i = routes_.at(start);
    see(start, std::max(reach_.most_hops(i), some_decide_ ? most_away(start.source) : 0));
    if (reach_.is_lost(i)) lose(start.source, reach_.lost_route(i));
    if (!some_decide_) continue;
    lose(start.source, lost_detour_);
    lose(start.source, lost_arrival);
  }
  if (some_start_away_)
    for (const ChoiceRoutes::Start& start : routes_.host_starts(routes_.host_aims())) {
      see(start, most_away(start.source));
      const auto away = lost_away_.find(key(start));
      if (away != lost_away_.end()) lose(start.source, away->second);
      lose(start.source, lost_arrival);
    }
  for (auto& [source, seen] : pairs) {
    const auto walk = lost.find(source);
    if (walk != lost.end()) seen.lost = &walk->second;
    visit(seen);
  }
}

}  // namespace weft
