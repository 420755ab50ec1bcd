// SPDX-License-Identifier: Apache-2.0
// Section 5 of the InfiniBand mesh paper: its three remarks, judged case by case.
#include "papers/ibamesh/experiments.hpp"
#include "papers/ibamesh/verdicts.hpp"
#include "papers/runner/expected.hpp"

namespace weft::papers::ibamesh {
namespace {

constexpr std::array<int, 3> source_shares{0, 40, 100}, group_shares{10, 40, 100};

struct NamedCase {
  std::string_view name;
  TrafficCase what;
};
constexpr std::array<NamedCase, 3> published{
    {{"one-source", one_source}, {"multi-source", multi_source}, {"all-source", all_source}}};

/// Speed-ups with one lane, by sources and groups.
Sheet speed_ups(const IbameshStudy& study, std::int64_t size) {
  Sheet sheet{fmt::format("speed-up-{}B", size),
              fmt::format("speed-up at {} B with one lane (and by serialisation alone), sources by "
                          "size of the group",
                          size),
              {"sources"}};
  for (const int group : group_shares) sheet.columns.push_back(fmt::format("{} %", group));
  for (const int sources : source_shares) {
    std::vector<Cell> row{sources == 0 ? std::string("1") : fmt::format("{} %", sources)};
    for (const int group : group_shares) {
      const TrafficCase what{sources, group};
      row.emplace_back(fmt::format("{} ({})",
                                   human_readable(study.speed_up({what, size, 0, Scheme::unicast})),
                                   human_readable(serialised_speed_up(study, what))));
    }
    sheet.rows.push_back(std::move(row));
  }
  return sheet;
}

/// Judges a remark over the published cases: where it holds, and why not elsewhere.
template <class Judge>
Judged in_all_cases(Judge judge) {
  std::string holds, fails;
  for (const NamedCase& named : published) {
    const Judged judged = judge(named.what);
    if (judged.holds)
      holds += fmt::format("{}{}", holds.empty() ? "" : ", ", named.name);
    else
      fails += fmt::format("; not for {}: {}", named.name, judged.because);
  }
  return {fails.empty(), fmt::format("for {}{}", holds.empty() ? "none" : holds, fails)};
}

/// Remark 2: more sources, and larger groups, one at a time and as in the published cases.
void answer_growth(Answers& answers, const IbameshStudy& study) {
  const auto answer = [&](const std::string& id, const TrafficCase& first,
                          const TrafficCase& second) {
    const Judged judged = more_speed_up(study, first, second);
    answers.claim(id, judged.holds, judged.because);
  };
  for (const int sources : source_shares) {
    const std::string id = fmt::format("2/group/{}", sources == 0 ? 1 : sources);
    answer(id + "/10-40", {sources, 10}, {sources, 40});
    answer(id + "/40-100", {sources, 40}, {sources, 100});
  }
  for (const int group : group_shares) {
    const std::string id = fmt::format("2/sources/{}", group);
    answer(id + "/1-40", {0, group}, {40, group});
    answer(id + "/40-100", {40, group}, {100, group});
  }
  answer("2/cases/one-multi", one_source, multi_source);
  answer("2/cases/multi-all", multi_source, all_source);
}

}  // namespace

std::vector<MulticastRun> remark_runs(const IbameshStudy& study) {
  std::vector<MulticastRun> out;
  for (const NamedCase& named : published)
    for (const MulticastRun& run : study.runs(named.what)) out.push_back(run);
  for (const int sources : source_shares)
    for (const int group : group_shares)
      for (const std::int64_t size : {study.smallest(), study.largest()})
        for (const Scheme scheme : {Scheme::unicast, Scheme::multicast})
          out.push_back({{sources, group}, size, 0, scheme});
  return out;
}

Section remarks(const IbameshContext& context) {
  const IbameshStudy& study = context.study;
  Answers answers(context.stated, "remarks");
  const auto answer = [&](std::string_view id, const auto& judge) {
    const Judged judged = in_all_cases(judge);
    answers.claim(id, judged.holds, judged.because);
  };
  answer("1", [&](const TrafficCase& what) { return multicast_wins(study, what); });
  answer("2/size", [&](const TrafficCase& what) { return grows_with_size(study, what); });
  answer_growth(answers, study);
  answer("3/lanes", [&](const TrafficCase& what) { return lanes_help(study, what); });
  answer("3/free-unicast",
         [&](const TrafficCase& what) { return free_beats_tied(study, what, Scheme::unicast); });
  answer("3/free-multicast",
         [&](const TrafficCase& what) { return free_beats_tied(study, what, Scheme::multicast); });
  return {.id = "remarks",
          .about = {},
          .sheets = {speed_ups(study, study.smallest()), speed_ups(study, study.largest())},
          .answers = std::move(answers).done()};
}

}  // namespace weft::papers::ibamesh
