// SPDX-License-Identifier: Apache-2.0
// shifts: routes over the links when all hosts send to the host k further on.
#include "plan/check/shifts.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/rng.hpp"
#include "base/words.hpp"
#include "plan/check/checks.hpp"
#include "plan/check/load.hpp"

namespace weft {
namespace {

std::vector<std::size_t> chosen_shifts(std::size_t all, std::size_t most) {
  std::vector<std::size_t> out(all);
  std::iota(out.begin(), out.end(), std::size_t{1});
  if (all <= most) return out;
  Rng(1).shuffle(out);
  out.resize(most);
  std::sort(out.begin(), out.end());
  return out;
}

/// As many as take some tenths of a second.
std::size_t affordable_shifts(const Subject& subject) {
  constexpr double most_steps = 1.5e7;
  const Survey& seen = subject.survey;
  const auto switches = static_cast<double>(subject.fabric.switch_count());
  double steps = seen.mean_hops() * static_cast<double>(seen.reached);
  for (const LostPairs& group : seen.lost)
    steps += static_cast<double>(group.pairs) *
             (group.place.end == RouteEnd::loop ? switches : seen.mean_hops());
  // A pair with choices may pass any switch.
  if (leave_choices(subject.tables)) steps = 30 * switches * static_cast<double>(seen.pairs);
  const auto hosts = static_cast<double>(subject.fabric.host_count());
  constexpr std::size_t fewest = 4;
  return std::max(fewest, static_cast<std::size_t>(most_steps * hosts / std::max(steps, 1.0)));
}

}  // namespace

ShiftLoads shift_loads(const Fabric& fabric, const Tables& tables, std::size_t most_shifts) {
  const std::size_t hosts = fabric.host_count();
  ShiftLoads out;
  if (hosts < 2) return out;
  out.all = hosts - 1;
  PatternFlows flows(fabric, tables, hosts * std::min(out.all, most_shifts));
  std::vector<HostPair> pairs(hosts);
  for (const std::size_t shift : chosen_shifts(out.all, most_shifts)) {
    for (HostId h : fabric.hosts()) pairs[h.index()] = {h, HostId((h.index() + shift) % hosts)};
    flows.send(pairs);
    out.routes.add(flows.routes(), shift);
  }
  out.cuts_loops = flows.cuts_loops();
  return out;
}

Finding check_shifts(const Subject& subject) {
  const Fabric& fabric = subject.fabric;
  Finding finding{"shifts", Verdict::measured, "the fabric has no links between switches"};
  if (fabric.channel_count() == 0) return finding;
  const ShiftLoads found = shift_loads(fabric, subject.tables, affordable_shifts(subject));
  const LinkPeaks& routes = found.routes;
  const std::vector<ChannelId> worst = hot_channels(routes.most, 1);
  if (worst.empty()) {
    finding.summary = "no link between switches carries any routes";
    return finding;
  }
  const ChannelId busiest = worst.front();
  const std::string tried = routes.patterns == found.all
                                ? counted(found.all, "shift", "shifts")
                                : fmt::format("{} of {} shifts", routes.patterns, found.all);
  finding.summary = fmt::format(
      "busiest link {} port {} (to {}) carries {} in the shift by {}; {:.1f} on average over {}",
      fabric[fabric.from(busiest)].name, fabric.out_port(busiest), fabric[fabric.to(busiest)].name,
      routes_text(routes.most[busiest]), routes.pattern[busiest], routes.mean(), tried);
  finding.summary += loops_text(found.cuts_loops);
  finding.numbers = {{"maximum", routes.most[busiest]},
                     {"shift", static_cast<double>(routes.pattern[busiest])},
                     {"mean", routes.mean()},
                     {"shifts", static_cast<double>(routes.patterns)}};
  if (found.cuts_loops) finding.numbers.emplace("cuts_loops", 1);
  add_hot_links(finding, subject, {routes.most, routes.mean(), {}, routes.pattern});
  return finding;
}

}  // namespace weft
