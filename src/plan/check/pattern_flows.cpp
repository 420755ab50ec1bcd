// SPDX-License-Identifier: Apache-2.0
// Hosts that send at once, each to one other.
#include "plan/check/pattern_flows.hpp"

#include <algorithm>
#include <utility>

namespace weft {

PatternFlows::PatternFlows(const Fabric& fabric, const Tables& tables, std::size_t pairs)
    : fabric_(fabric), walk_(fabric, tables), parts_(fabric.channel_count(), 0) {
  if (std::holds_alternative<ChoiceTables>(tables.paths))
    choices_.emplace(fabric, tables, pairs);
  else if (leave_choices(tables))
    route_set_.emplace(fabric, tables);
}

void PatternFlows::send(std::span<const HostPair> pairs) {
  flows_.clear();
  shares_.clear();
  lost_ = 0;
  routes_.assign(fabric_.channel_count(), 0);
  for (const HostPair& pair : pairs) {
    const bool arrives = choices_ ? choose(pair) : route_set_ ? spread(pair) : follow(pair);
    lost_ += arrives ? 0 : 1;
    flows_.push_back({pair, arrives, shares_.size()});
  }
  for (const auto& [channel, part] : shares_) routes_[channel] += part;
}

bool PatternFlows::follow(HostPair pair) {
  const Walk& walk = walk_(pair.from, pair.to);
  const std::size_t begin = shares_.size();
  for (const Hop& hop : walk.hops) {
    const auto is_same = [&](const ChannelShare& share) { return share.channel == hop.channel; };
    const auto first = shares_.begin() + static_cast<std::ptrdiff_t>(begin);
    if (walk.end == RouteEnd::loop && std::any_of(first, shares_.end(), is_same)) break;
    shares_.push_back({hop.channel, 1});
  }
  return walk.end == RouteEnd::reached;
}

bool PatternFlows::spread(HostPair pair) {
  route_set_->aim(pair.to);
  const RouteSet::Index start = route_set_->start(pair.from);
  if (start == RouteSet::no_node) return false;
  route_set_->explore();
  std::vector<double> flow(route_set_->order().size(), 0);
  flow[start] = 1;
  for (const RouteSet::Index node : route_set_->order())
    for (const RouteSet::NextHop& hop : route_set_->next_hops((*route_set_)[node])) {
      shares_.push_back({hop.by, flow[node] / (*route_set_)[node].choices});
      flow[hop.to] += shares_.back().part;
    }
  return (*route_set_)[start].end == RouteEnd::reached;
}

bool PatternFlows::choose(HostPair pair) {
  const std::size_t begin = shares_.size();
  const bool arrives = choices_->spread(pair.from, pair.to, [&](ChannelId channel, double part) {
    if (parts_[channel] == 0) shares_.push_back({channel, 0});
    parts_[channel] += part;
  });
  for (std::size_t i = begin; i < shares_.size(); ++i)
    shares_[i].part = std::exchange(parts_[shares_[i].channel], 0);
  return arrives;
}

double PatternFlows::share(const PairFlow& flow, std::size_t begin) const {
  const auto speed = [](const Wire& wire) {
    return static_cast<double>(wire.speed.bits_per_second);
  };
  const double own = speed(fabric_[flow.pair.from].wire);
  double share = std::min(own, speed(fabric_[flow.pair.to].wire));
  for (std::size_t i = begin; i < flow.end; ++i)
    share = std::min(share, speed(fabric_.wire(shares_[i].channel)) / routes_[shares_[i].channel]);
  return share / own;
}

double PatternFlows::mean_share() const {
  double sum = 0;
  std::size_t begin = 0;
  for (const PairFlow& flow : flows_) {
    if (flow.arrives) sum += share(flow, begin);
    begin = flow.end;
  }
  return flows_.empty() ? 1 : sum / static_cast<double>(flows_.size());
}

void LinkPeaks::add(const IdVector<ChannelId, double>& routes, std::size_t number) {
  if (patterns++ == 0) {
    most.assign(routes.size(), 0);
    pattern.assign(routes.size(), number);
  }
  for (ChannelId c : routes.ids()) {
    sum += routes[c];
    if (routes[c] <= most[c]) continue;
    most[c] = routes[c];
    pattern[c] = number;
  }
}

double LinkPeaks::mean() const {
  const std::size_t all = most.size() * patterns;
  return all == 0 ? 0 : sum / static_cast<double>(all);
}

}  // namespace weft
