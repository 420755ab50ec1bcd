// SPDX-License-Identifier: Apache-2.0
// matchings: effective bisection bandwidth over random matchings.
#include "plan/check/matchings.hpp"

#include <algorithm>
#include <vector>

#include "base/rng.hpp"
#include "plan/check/checks.hpp"

namespace weft {
namespace {

/// Host i of the first half and host i of the second send to each other.
std::vector<HostPair> across_the_cut(const std::vector<HostId>& order) {
  const std::size_t half = order.size() / 2;
  std::vector<HostPair> out;
  for (std::size_t i = 0; i < half; ++i) out.push_back({order[i], order[i + half]});
  for (std::size_t i = 0; i < half; ++i) out.push_back({order[i + half], order[i]});
  return out;
}

}  // namespace

int matchings_for(std::size_t hosts) {
  constexpr std::size_t pairs = 100'000;
  return static_cast<int>(
      std::clamp<std::size_t>(pairs / std::max<std::size_t>(1, hosts), 100, 1000));
}

MatchingBandwidth effective_bisection(const Fabric& fabric, const Tables& tables, int matchings,
                                      std::uint64_t seed) {
  if (fabric.host_count() < 2) return {1, 1};
  Rng rng(seed);
  PatternFlows flows(fabric, tables, fabric.host_count() * static_cast<std::size_t>(matchings));
  std::vector<HostId> order(fabric.host_count());
  for (HostId h : fabric.hosts()) order[h.index()] = h;
  MatchingBandwidth out{0, 1};
  for (int i = 0; i < matchings; ++i) {
    rng.shuffle(order);
    const std::vector<HostPair> pairs = across_the_cut(order);
    flows.send(pairs);
    const double mean = flows.mean_share();
    out.mean += mean / matchings;
    out.least = std::min(out.least, mean);
    out.pairs += pairs.size();
    out.lost += flows.lost();
    out.routes.add(flows.routes(), static_cast<std::size_t>(i));
  }
  out.cuts_loops = flows.cuts_loops();
  return out;
}

Finding check_matchings(const Subject& subject) {
  constexpr int matchings_when_large = 10;
  const std::size_t hosts = subject.fabric.host_count();
  // A pair with choices may pass any switch, or be sent to any first.
  const auto* choices = std::get_if<ChoiceTables>(&subject.tables.paths);
  const std::size_t most = subject.survey.may_go_round                     ? 1'000
                           : choices != nullptr && choices->have_detours() ? 50'000
                           : leave_choices(subject.tables)                 ? 1'000'000
                                                                           : ~std::size_t{0};
  const bool large = hosts > 4096 || hosts * subject.fabric.switch_count() > most;
  const int count = large ? matchings_when_large : matchings_for(hosts);
  const auto found = effective_bisection(subject.fabric, subject.tables, count, 1);
  Finding finding{
      "matchings", Verdict::measured,
      fmt::format("{:.1f} % of a host's link on average over {} random matchings, {:.1f} % in "
                  "the worst",
                  100 * found.mean, count, 100 * found.least)};
  if (found.lost != 0)
    finding.summary +=
        fmt::format("; {} of {} pairs are not reached and count 0", found.lost, found.pairs);
  finding.summary += loops_text(found.cuts_loops);
  finding.numbers = {{"mean", found.mean},
                     {"least", found.least},
                     {"matchings", count},
                     {"pairs", static_cast<double>(found.pairs)},
                     {"lost", static_cast<double>(found.lost)}};
  if (found.cuts_loops) finding.numbers.emplace("cuts_loops", 1);
  add_hot_links(finding, subject,
                {found.routes.most, found.routes.mean(), ", in one matching", {}});
  return finding;
}

}  // namespace weft
