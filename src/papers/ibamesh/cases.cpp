// SPDX-License-Identifier: Apache-2.0
// Section 4 of the InfiniBand mesh paper: one, some and all hosts send, every size and lane
// setting.
#include <algorithm>

#include "papers/ibamesh/experiments.hpp"
#include "papers/ibamesh/verdicts.hpp"
#include "papers/runner/expected.hpp"

namespace weft::papers::ibamesh {
namespace {

Sheet times(const IbameshStudy& study, const std::string& name, const TrafficCase& what) {
  Sheet sheet{name,
              fmt::format("{}: completion in us by unicast and by multicast, and the speed-up",
                          to_text(what)),
              {"bytes"}};
  for (const char* part : {"uni", "multi", "gain"})
    for (const LaneSetting& setting : lane_settings)
      sheet.columns.push_back(fmt::format("{}-{}", part, setting.name));
  for (const std::int64_t size : study.sizes()) {
    std::vector<Cell> row{size};
    for (const Scheme scheme : {Scheme::unicast, Scheme::multicast})
      for (std::size_t s = 0; s < lane_settings.size(); ++s)
        row.emplace_back(study.microseconds({what, size, s, scheme}));
    for (std::size_t s = 0; s < lane_settings.size(); ++s)
      row.emplace_back(study.speed_up({what, size, s, Scheme::unicast}));
    sheet.rows.push_back(std::move(row));
  }
  return sheet;
}

/// Every run as it was given to the simulator.
Sheet all_runs(const IbameshStudy& study, const std::string& name, const TrafficCase& what) {
  Sheet sheet{name + "-runs",
              "every run",
              {"spec", "bytes", "setting", "scheme", "microseconds", "deliveries", "flit_hops"}};
  sheet.printed = false;
  for (const MulticastRun& run : study.runs(what)) {
    const BurstResult& result = study.at(run);
    sheet.rows.push_back({study.spec(run), run.size, std::string(lane_settings[run.setting].name),
                          std::string(run.scheme == Scheme::unicast ? "unicast" : "multicast"),
                          study.microseconds(run), static_cast<std::int64_t>(result.deliveries),
                          static_cast<std::int64_t>(result.flit_hops)});
  }
  return sheet;
}

/// Whether all runs of this case take longer than those of the other.
Judged slower(const IbameshStudy& study, const TrafficCase& what, const TrafficCase& other) {
  double least = 1e300, most = 0;
  for (MulticastRun run : study.runs(what)) {
    const double own = study.microseconds(run);
    run.what = other;
    least = std::min(least, own / study.microseconds(run));
    most = std::max(most, own / study.microseconds(run));
  }
  return {least > 1, fmt::format("{} to {} times the time of {}", human_readable(least),
                                 human_readable(most), to_text(other))};
}

}  // namespace

Section simulated_case(const IbameshContext& context, const std::string& name,
                       const TrafficCase& what) {
  const IbameshStudy& study = context.study;
  Answers answers(context.stated, name);
  const auto answer = [&](const char* id, const Judged& judged) {
    answers.claim(id, judged.holds, judged.because);
  };
  answer("multicast-faster", multicast_wins(study, what));
  answer("grows-with-size", grows_with_size(study, what));
  answer("free-unicast", free_beats_tied(study, what, Scheme::unicast));
  answer("free-multicast", free_beats_tied(study, what, Scheme::multicast));
  answer("alike-when-large", alike_when_large(study, what));
  if (what != one_source) answer("lanes-help", lanes_help(study, what));
  if (what == all_source) answer("slower", slower(study, what, multi_source));
  return {.id = name,
          .about = {},
          .sheets = {times(study, name, what), all_runs(study, name, what)},
          .answers = std::move(answers).done()};
}

}  // namespace weft::papers::ibamesh
