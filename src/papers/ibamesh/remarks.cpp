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
              fmt::format("speed-up at {} B with one lane, and by serialisation alone; sources by "
                          "size of the group",
                          size),
              {"sources"}};
  for (const int group : group_shares) {
    sheet.columns.push_back(fmt::format("{} %", group));
    sheet.columns.push_back(fmt::format("{} % serialised", group));
  }
  for (const int sources : source_shares) {
    std::vector<Cell> row{sources == 0 ? std::string("1") : fmt::format("{} %", sources)};
    for (const int group : group_shares) {
      const TrafficCase what{sources, group};
      row.emplace_back(study.speed_up({what, size, 0, Scheme::unicast}));
      row.emplace_back(serialised_speed_up(study, what));
    }
    sheet.rows.push_back(std::move(row));
  }
  return sheet;
}

/// Judges a remark on the published cases, and says why it fails where it does.
void answer_of_all(Answers& answers, const IbameshStudy& study, std::string_view id, Judge judge) {
  Cases cases;
  std::string because;
  for (const NamedCase& named : published) {
    const std::size_t failed = cases.all() - cases.held();
    const std::string why = judge({study, named.what, std::string(named.name)}, cases);
    if (cases.all() - cases.held() > failed)
      because += fmt::format("{}{}: {}", because.empty() ? "" : "; ", named.name, why);
  }
  answers.claim(id, cases, because);
}

/// Remark 2: more sources, and larger groups, one at a time and as in the published cases.
void answer_growth(Answers& answers, const IbameshStudy& study) {
  const auto answer = [&](const std::string& id, const TrafficCase& first,
                          const TrafficCase& second) {
    Cases cases;
    const std::string because = more_speed_up({study, first}, second, cases);
    answers.claim(id, cases, because);
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
  for (const int sources : source_shares)
    for (const int group : group_shares)
      for (const MulticastRun& run : study.runs({sources, group})) out.push_back(run);
  return out;
}

Section remarks(const IbameshContext& context) {
  const IbameshStudy& study = context.study;
  Answers answers(context.stated, "remarks");
  answer_of_all(answers, study, "1", multicast_wins);
  answer_of_all(answers, study, "2/size", grows_with_size);
  answer_growth(answers, study);
  answer_of_all(answers, study, "3/lanes", lanes_help);
  answer_of_all(answers, study, "3/free-unicast", free_unicast);
  answer_of_all(answers, study, "3/free-multicast", free_multicast);
  return {.id = "remarks",
          .about = {},
          .sheets = {speed_ups(study, study.smallest()), speed_ups(study, study.largest())},
          .answers = std::move(answers).done()};
}

}  // namespace weft::papers::ibamesh
