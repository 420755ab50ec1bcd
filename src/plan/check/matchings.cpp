// SPDX-License-Identifier: Apache-2.0
// matchings: effective bisection bandwidth over random matchings.
#include "plan/check/matchings.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/rng.hpp"
#include "fabric/route_set.hpp"
#include "plan/check/checks.hpp"

namespace weft {
namespace {

/// The parts of a pair's flow that channels carry; nullopt when it does not arrive.
class FlowShares {
 public:
  FlowShares(const Fabric& fabric, const Tables& tables) : walk_(fabric, tables) {
    if (leave_choices(tables)) route_set_.emplace(fabric, tables);
  }
  struct ChannelShare {
    ChannelId channel;
    double part;
  };
  std::optional<std::vector<ChannelShare>> operator()(HostId from, HostId to) {
    std::vector<ChannelShare> out;
    if (route_set_) return spread(from, to);
    const Walk& w = walk_(from, to);
    if (w.end != RouteEnd::reached) return std::nullopt;
    for (const Hop& hop : w.hops) out.push_back({hop.channel, 1});
    return out;
  }

 private:
  std::optional<std::vector<ChannelShare>> spread(HostId from, HostId to) {
    route_set_->aim(to);
    const RouteSet::Index start = route_set_->start(from);
    if (start == RouteSet::no_node) return std::nullopt;
    route_set_->explore();
    if ((*route_set_)[start].end != RouteEnd::reached) return std::nullopt;
    std::vector<ChannelShare> out;
    std::vector<double> flow(route_set_->order().size(), 0);
    flow[start] = 1;
    for (const RouteSet::Index node : route_set_->order())
      for (const RouteSet::NextHop& hop : route_set_->next_hops((*route_set_)[node])) {
        out.push_back({hop.by, flow[node] / (*route_set_)[node].choices});
        flow[hop.to] += out.back().part;
      }
    return out;
  }

  Walker walk_;
  std::optional<RouteSet> route_set_;
};

/// Mean share of one matching; both directions of a pair send at once.
double one_matching(const Fabric& fabric, FlowShares& flows_of, const std::vector<HostId>& order,
                    std::vector<double>& flows) {
  std::fill(flows.begin(), flows.end(), 0);
  const std::size_t half = order.size() / 2;
  const auto partner = [&](std::size_t i) { return order[i < half ? i + half : i - half]; };
  std::vector<std::optional<std::vector<FlowShares::ChannelShare>>> routes(2 * half);
  for (std::size_t i = 0; i < 2 * half; ++i) {
    routes[i] = flows_of(order[i], partner(i));
    if (routes[i])
      for (const auto& [channel, part] : *routes[i]) flows[channel.index()] += part;
  }
  double sum = 0;
  for (std::size_t i = 0; i < routes.size(); ++i) {
    if (!routes[i]) continue;
    const auto own = static_cast<double>(fabric[order[i]].wire.speed.bits_per_second);
    double share =
        std::min(own, static_cast<double>(fabric[partner(i)].wire.speed.bits_per_second));
    for (const auto& [channel, part] : *routes[i])
      share = std::min(share, static_cast<double>(fabric.wire(channel).speed.bits_per_second) /
                                  flows[channel.index()]);
    sum += share / own;
  }
  return sum / static_cast<double>(routes.size());
}

}  // namespace

MatchingBandwidth effective_bisection(const Fabric& fabric, const Tables& tables, int matchings,
                                      std::uint64_t seed) {
  if (fabric.host_count() < 2) return {1, 1};
  Rng rng(seed);
  FlowShares flows_of(fabric, tables);
  std::vector<HostId> order(fabric.host_count());
  for (HostId h : fabric.hosts()) order[h.index()] = h;
  std::vector<double> flows(fabric.channel_count());
  MatchingBandwidth out{0, 1};
  for (int i = 0; i < matchings; ++i) {
    rng.shuffle(order);
    const double mean = one_matching(fabric, flows_of, order, flows);
    out.mean += mean / matchings;
    out.least = std::min(out.least, mean);
  }
  return out;
}

Finding check_matchings(const Subject& subject) {
  constexpr int matchings = 100;
  constexpr int matchings_when_large = 10;
  const std::size_t hosts = subject.fabric.host_count();
  // A pair with choices may pass any switch.
  const std::size_t most = leave_choices(subject.tables) ? 1'000'000 : ~std::size_t{0};
  const bool large = hosts > 4096 || hosts * subject.fabric.switch_count() > most;
  const int count = large ? matchings_when_large : matchings;
  const auto found = effective_bisection(subject.fabric, subject.tables, count, 1);
  return {"matchings",
          Verdict::measured,
          fmt::format("{:.1f} % of a host's link on average over {} random matchings, {:.1f} % in "
                      "the worst",
                      100 * found.mean, count, 100 * found.least),
          {},
          {{"mean", found.mean}, {"least", found.least}, {"matchings", count}}};
}

}  // namespace weft
