// SPDX-License-Identifier: Apache-2.0
// matchings: effective bisection bandwidth over random matchings.
#include "plan/check/matchings.hpp"

#include <algorithm>
#include <vector>

#include "base/rng.hpp"
#include "fabric/walk.hpp"
#include "plan/check/rows.hpp"

namespace weft {
namespace {

/// Mean share of one matching; both directions of a pair send at once.
double one_matching(const Fabric& fabric, Walker& walk, const std::vector<HostId>& order,
                    std::vector<std::uint32_t>& flows) {
  std::fill(flows.begin(), flows.end(), 0);
  const std::size_t half = order.size() / 2;
  const auto partner = [&](std::size_t i) { return order[i < half ? i + half : i - half]; };
  std::vector<std::vector<Hop>> routes(2 * half);
  std::vector<bool> arrives(2 * half, false);
  for (std::size_t i = 0; i < 2 * half; ++i) {
    const Walk& w = walk(order[i], partner(i));
    arrives[i] = w.end == Arrival::reached;
    if (!arrives[i]) continue;
    routes[i] = w.hops;
    for (const Hop& hop : routes[i]) ++flows[hop.channel.index()];
  }
  double sum = 0;
  for (std::size_t i = 0; i < routes.size(); ++i) {
    const auto own = static_cast<double>(fabric[order[i]].wire.speed.bits_per_second);
    if (!arrives[i]) continue;
    double share =
        std::min(own, static_cast<double>(fabric[partner(i)].wire.speed.bits_per_second));
    for (const Hop& hop : routes[i])
      share = std::min(share, static_cast<double>(fabric.wire(hop.channel).speed.bits_per_second) /
                                  flows[hop.channel.index()]);
    sum += share / own;
  }
  return sum / static_cast<double>(routes.size());
}

}  // namespace

MatchingBandwidth effective_bisection(const Fabric& fabric, const Tables& tables, int matchings,
                                      std::uint64_t seed) {
  if (fabric.host_count() < 2) return {1, 1};
  Rng rng(seed);
  Walker walk(fabric, tables);
  std::vector<HostId> order(fabric.host_count());
  for (HostId h : fabric.hosts()) order[h.index()] = h;
  std::vector<std::uint32_t> flows(fabric.channel_count());
  MatchingBandwidth out{0, 1};
  for (int i = 0; i < matchings; ++i) {
    rng.shuffle(order);
    const double mean = one_matching(fabric, walk, order, flows);
    out.mean += mean / matchings;
    out.least = std::min(out.least, mean);
  }
  return out;
}

Finding check_matchings(const Subject& subject) {
  constexpr int matchings = 100;
  constexpr int matchings_when_large = 10;
  const int count = subject.fabric.host_count() > 4096 ? matchings_when_large : matchings;
  const auto found = effective_bisection(subject.fabric, subject.tables, count, 1);
  return {"matchings",
          Verdict::told,
          fmt::format("{:.1f} % of a host's link on average over {} random matchings, {:.1f} % in "
                      "the worst",
                      100 * found.mean, count, 100 * found.least),
          {},
          {{"mean", found.mean}, {"least", found.least}, {"matchings", count}}};
}

}  // namespace weft
