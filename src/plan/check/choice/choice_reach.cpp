// SPDX-License-Identifier: Apache-2.0
// Positions without loops, none of which fails, all arrive; only else are they searched backwards.
#include "plan/check/choice/choice_reach.hpp"

#include <algorithm>
#include <deque>

namespace weft {

void ChoiceReach::judge() {
  lost_.clear();
  arrives_.clear();
  sort();
  const auto& all = routes_.positions();
  may_go_round_ = order_.size() < all.size();
  const bool some_fail = std::any_of(all.begin(), all.end(), [](const auto& position) {
    return position.end != RouteEnd::reached;
  });
  if (some_fail || may_go_round_) find_lost();
}

/// Kahn (1962); positions on loops, or behind some, come last, in no order.
void ChoiceReach::sort() {
  const auto& all = routes_.positions();
  std::vector<std::uint32_t> waiting(all.size(), 0);
  for (const auto& position : all)
    for (const auto& hop : routes_.next_hops(position)) ++waiting[hop.to];
  order_.clear();
  for (Index i = 0; i < all.size(); ++i)
    if (waiting[i] == 0) order_.push_back(i);
  for (std::size_t i = 0; i < order_.size(); ++i)
    for (const auto& hop : routes_.next_hops(all[order_[i]]))
      if (--waiting[hop.to] == 0) order_.push_back(hop.to);
  most_hops_.assign(all.size(), 0);
  for (std::size_t i = order_.size(); i-- > 0;)
    for (const auto& hop : routes_.next_hops(all[order_[i]]))
      most_hops_[order_[i]] = std::max(most_hops_[order_[i]], most_hops_[hop.to] + 1);
}

std::vector<std::vector<ChoiceReach::Index>> ChoiceReach::before(bool preferred) const {
  const auto& all = routes_.positions();
  std::vector<std::vector<Index>> out(all.size());
  for (Index i = 0; i < all.size(); ++i)
    for (const auto& hop : preferred ? routes_.preferred(all[i]) : routes_.next_hops(all[i]))
      out[hop.to].push_back(i);
  return out;
}

/// Marks all positions that lead to marked ones.
void ChoiceReach::spread(std::vector<Index> todo, std::vector<bool>& marked, bool preferred) const {
  const auto sources = before(preferred);
  for (const Index i : todo) marked[i] = true;
  while (!todo.empty()) {
    const Index at = todo.back();
    todo.pop_back();
    for (const Index from : sources[at])
      if (!marked[from]) {
        marked[from] = true;
        todo.push_back(from);
      }
  }
}

void ChoiceReach::find_lost() {
  const auto& all = routes_.positions();
  std::vector<Index> ends, failing;
  for (Index i = 0; i < all.size(); ++i)
    if (all[i].delivers || all[i].arrives) ends.push_back(i);
  arrives_.assign(all.size(), false);
  spread(ends, arrives_, true);
  for (Index i = 0; i < all.size(); ++i)
    if (!arrives_[i] || all[i].end != RouteEnd::reached) failing.push_back(i);
  if (failing.empty()) return;
  lost_.assign(all.size(), false);
  spread(failing, lost_, false);
}

/// To the nearest position that fails, or from which packets go round; then once round.
Walk ChoiceReach::lost_route(Index start) const {
  const auto& all = routes_.positions();
  std::vector<Index> before(all.size(), ChoiceRoutes::no_position);
  std::vector<ChoiceRoutes::ChoiceHop> by(all.size());
  std::deque<Index> queue{start};
  Index at = start;
  for (; !queue.empty(); queue.pop_front()) {
    at = queue.front();
    if (all[at].end != RouteEnd::reached || !arrives_[at]) break;
    for (const auto& hop : routes_.next_hops(all[at])) {
      if (hop.to == start || before[hop.to] != ChoiceRoutes::no_position) continue;
      before[hop.to] = at;
      by[hop.to] = hop;
      queue.push_back(hop.to);
    }
  }
  Walk walk;
  for (Index i = at; i != start; i = before[i]) walk.hops.push_back({by[i].by, by[i].lane});
  std::reverse(walk.hops.begin(), walk.hops.end());
  std::vector<bool> seen(all.size(), false);
  while (all[at].end == RouteEnd::reached && !seen[at]) {
    seen[at] = true;
    const auto& hop = routes_.next_hops(all[at]).front();
    walk.hops.push_back({hop.by, hop.lane});
    at = hop.to;
  }
  walk.at = all[at].at;
  walk.end = all[at].end == RouteEnd::reached ? RouteEnd::loop : all[at].end;
  walk.port = all[at].port;
  return walk;
}

}  // namespace weft
