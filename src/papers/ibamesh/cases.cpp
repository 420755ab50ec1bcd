// SPDX-License-Identifier: Apache-2.0
// Section 4 of the InfiniBand mesh paper: one, some and all hosts send, every size and lane
// setting.
#include <array>

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
                          to_text(run.scheme), study.microseconds(run),
                          static_cast<std::int64_t>(result.deliveries),
                          static_cast<std::int64_t>(result.flit_hops)});
  }
  return sheet;
}

/// What the paper says of the cases; of one source not the last.
struct CaseStatement {
  const char* id;
  Judge judge;
};
constexpr std::array<CaseStatement, 6> case_statements{
    {{"multicast-faster", multicast_wins},
     {"grows-with-size", grows_with_size},
     {"free-unicast", free_unicast_when_small},
     {"free-multicast", free_multicast_when_small},
     {"alike-when-large", alike_when_large},
     {"lanes-help", lanes_help}}};

/// Whether the same statements hold for both.
Cases similar(const JudgedTraffic& first, const JudgedTraffic& second) {
  Cases out;
  for (const CaseStatement& statement : case_statements) {
    Cases of_first, of_second;
    statement.judge(first, of_first);
    statement.judge(second, of_second);
    out.add(of_first.hold() == of_second.hold(), statement.id);
  }
  return out;
}

}  // namespace

Section simulated_case(const IbameshContext& context, const std::string& name,
                       const TrafficCase& what) {
  const JudgedTraffic traffic{context.study, what};
  Answers answers(context.stated, name);
  for (const CaseStatement& statement : case_statements) {
    if (what == one_source && statement.judge == lanes_help) continue;
    Cases cases;
    const std::string because = statement.judge(traffic, cases);
    answers.claim(statement.id, cases, because);
  }
  Cases cases;
  if (what == one_source) {
    const std::string because = no_congestion(traffic, cases);
    answers.claim("no-congestion", cases, because);
  } else if (what == all_source) {
    const std::string because = slower(traffic, multi_source, cases);
    answers.claim("slower", cases, because);
    answers.claim("similar", similar(traffic, {context.study, multi_source}),
                  "cases are the statements above, alike where they hold for both or for neither");
  }
  return {.id = name,
          .about = {},
          .sheets = {times(context.study, name, what), all_runs(context.study, name, what)},
          .answers = std::move(answers).done(),
          .figures = case_figures(context.study, what)};
}

}  // namespace weft::papers::ibamesh
