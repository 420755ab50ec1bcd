// SPDX-License-Identifier: Apache-2.0
// load: routes over each link when every host sends to every other. The busiest link bounds what
// uniform traffic can get.
#include "plan/check/load.hpp"

#include <algorithm>
#include <cmath>

#include "base/words.hpp"
#include "plan/check/checks.hpp"

namespace weft {

LinkLoad link_load(const Fabric& fabric, const Survey& survey) {
  return link_load(fabric, survey.load);
}

LinkLoad link_load(const Fabric& fabric, const IdVector<ChannelId, double>& loads) {
  LinkLoad out;
  double sum = 0;
  double squares = 0;
  for (ChannelId c : fabric.channels()) {
    const double load = loads[c];
    if (!out.busiest.valid() || load > out.most) {
      out.most = load;
      out.busiest = c;
    }
    sum += load;
    squares += load * load;
    out.unused += load == 0 ? 1 : 0;
  }
  const auto channels = static_cast<double>(fabric.channel_count());
  if (channels == 0) return out;
  out.mean = sum / channels;
  out.deviation = std::sqrt(std::max(0.0, squares / channels - out.mean * out.mean));
  return out;
}

namespace {

/// The largest load, in whole routes.
std::uint64_t most_routes(const Survey& survey) {
  double most = 0;
  for (const double load : survey.load) most = std::max(most, load);
  return static_cast<std::uint64_t>(std::ceil(most));
}

}  // namespace

std::string routes_text(double routes) {
  return routes == std::floor(routes)
             ? counted(static_cast<std::uint64_t>(routes), "route", "routes")
             : fmt::format("{:.2f} routes", routes);
}

std::vector<std::size_t> load_histogram(const Survey& survey, std::size_t bins) {
  const std::uint64_t most = most_routes(survey);
  std::vector<std::size_t> counts(bins, 0);
  for (const double load : survey.load)
    ++counts[static_cast<std::size_t>(load) * bins / (most + 1)];
  return counts;
}

Finding check_load(const Subject& subject) {
  const Fabric& fabric = subject.fabric;
  Finding finding{"load", Verdict::measured, "the fabric has no links between switches"};
  const LinkLoad load = link_load(fabric, subject.survey);
  finding.numbers = {{"maximum", load.most},
                     {"mean", load.mean},
                     {"deviation", load.deviation},
                     {"unused", static_cast<double>(load.unused)}};
  if (!load.busiest.valid()) return finding;
  finding.summary = fmt::format(
      "busiest link {} port {} (to {}) carries {}; {:.1f} on average, deviation {:.1f}{}",
      fabric[fabric.from(load.busiest)].name, fabric.out_port(load.busiest),
      fabric[fabric.to(load.busiest)].name, routes_text(load.most), load.mean, load.deviation,
      estimate_text(fabric, subject.survey.sampled_sources));
  if (subject.survey.sampled_sources > 0)
    finding.numbers.emplace("sampled_sources", static_cast<double>(subject.survey.sampled_sources));
  if (!subject.survey.detour_load.empty()) {
    const LinkLoad away = link_load(fabric, subject.survey.detour_load);
    finding.summary += fmt::format(
        "; if all packets take detours, {} port {} (to {}) carries {}; {:.1f} on average{}",
        fabric[fabric.from(away.busiest)].name, fabric.out_port(away.busiest),
        fabric[fabric.to(away.busiest)].name, routes_text(away.most), away.mean,
        estimate_text(fabric, subject.survey.sampled_detour_sources));
    if (subject.survey.sampled_detour_sources > 0)
      finding.numbers.emplace("sampled_detour_sources",
                              static_cast<double>(subject.survey.sampled_detour_sources));
    finding.numbers.emplace("maximum_with_detours", away.most);
    finding.numbers.emplace("mean_with_detours", away.mean);
  }
  finding.summary += loops_text(subject.survey.cuts_loops);
  if (subject.survey.cuts_loops) finding.numbers.emplace("cuts_loops", 1);
  constexpr std::size_t bins = 8;
  const auto histogram = load_histogram(subject.survey, bins);
  const std::uint64_t most = most_routes(subject.survey);
  for (std::size_t i = 0; i < bins; ++i) {
    const std::uint64_t from = (i * (most + 1) + bins - 1) / bins;
    const std::uint64_t below = ((i + 1) * (most + 1) + bins - 1) / bins;
    if (below > from && histogram[i] > 0)
      finding.details.push_back(
          fmt::format("{:>8} to {:<8} {:>6} links", from, below - 1, histogram[i]));
  }
  add_hot_links(finding, subject, {subject.survey.load, load.mean, {}, {}});
  return finding;
}

}  // namespace weft
