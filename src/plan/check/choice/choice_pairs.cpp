// SPDX-License-Identifier: Apache-2.0
// To intermediate destinations first, then to the host.
#include "plan/check/choice/choice_pairs.hpp"

#include <algorithm>

namespace weft {

ChoicePairs::ChoicePairs(const Fabric& fabric, const Tables& tables, std::size_t pairs)
    : fabric_(fabric),
      choices_(std::get<ChoiceTables>(tables.paths)),
      routes_(fabric, tables, ChoiceRoutes::FollowedLids::first),
      reach_(routes_),
      draws_(fabric, choices_),
      limit_(LoopLimit::for_groups(pairs * (1 + std::min(most_taken, draws_.count())))) {}

std::vector<ChoicePairs::Weighted> ChoicePairs::send(std::size_t aim,
                                                     const std::vector<Weighted>& starts) {
  std::vector<ChoiceRoutes::Start> begin;
  for (const Weighted& start : starts) begin.push_back(start.first);
  routes_.explore(aim, begin);
  reach_.judge();
  at_.assign(routes_.positions().size(), 0);
  for (const auto& [start, part] : starts) {
    const ChoiceRoutes::Index i = routes_.at(start);
    at_[i] += part;
    arrives_ = arrives_ && !reach_.is_lost(i);
  }
  split_equally(routes_, reach_, at_, limit_, *visit_);
  std::vector<Weighted> out;
  for (std::size_t i = 0; i < at_.size(); ++i) {
    const ChoiceRoutes::Position& p = routes_.positions()[i];
    if (p.arrives && at_[i] > 0)
      out.push_back({{p.by, p.source, p.lane, p.phase, p.level}, at_[i]});
  }
  return out;
}

std::vector<ChoicePairs::Weighted> ChoicePairs::by_intermediates(HostId from, HostId to,
                                                                 std::vector<Weighted> starts) {
  const auto drawn = draws_.drawn(draws_.group(fabric_[from].on), draws_.group(fabric_[to].on));
  const std::size_t taken = std::min(most_taken, drawn.size());
  for (Weighted& start : starts) start.second /= static_cast<double>(taken);
  std::vector<Weighted> out;
  for (std::size_t i = 0; i < taken; ++i) {
    const std::size_t place = from.index() + to.index() + i * drawn.size() / taken;
    for (const Weighted& more : send(routes_.host_aims() + drawn[place % drawn.size()], starts))
      out.push_back(more);
  }
  return out;
}

bool ChoicePairs::spread(HostId from, HostId to,
                         const std::function<void(ChannelId, double)>& visit) {
  const std::size_t aim = routes_.aim_of(to);
  if (aim == ChoiceRoutes::no_aim) return false;
  visit_ = &visit;
  arrives_ = true;
  const double phases =
      choices_.start_rule == StartRule::level ? 1 : static_cast<double>(choices_.starts.size());
  std::vector<Weighted> direct, away;
  for (const auto& start : routes_.host_starts(aim, from)) direct.push_back({start, 1 / phases});
  if (draws_.count() > 0)
    for (const auto& start : routes_.host_starts(routes_.host_aims(), from))
      away.push_back({start, 1 / phases});
  if (!away.empty())
    for (const Weighted& more : by_intermediates(from, to, away)) direct.push_back(more);
  send(aim, direct);
  return arrives_;
}

}  // namespace weft
