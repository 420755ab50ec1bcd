// SPDX-License-Identifier: Apache-2.0
// ibamesh: Zhou, Liu and Chung, Hardware Supported Multicast in 2-D Mesh InfiniBand Networks. No
// absolute number is published: tables are compared exactly, statements are judged case by case,
// and what the paper leaves open is declared in clusters/ibamesh.toml.
#include "papers/parts/ibamesh.hpp"

#include <algorithm>

#include "papers/parts/expected.hpp"
#include "papers/rows.hpp"

namespace weft::papers {
namespace {

struct IbameshRow {
  Experiment experiment;
  Section (*run)(const iba::Context&);
  /// What of the study it needs.
  std::vector<iba::Run> (*needs)(const iba::Study&) = [](const iba::Study&) {
    return std::vector<iba::Run>();
  };
};

const std::vector<IbameshRow>& ibamesh_rows() {
  static const std::vector<IbameshRow> all{
      {{"lids", "node addresses (3.1)"}, iba::lids},
      {{"lft", "forwarding tables and the five paths of figure 5 (3.2, 3.3.1, 3.3.2)"},
       iba::forwarding},
      {{"mft", "multicast forwarding table of figure 7, by union (3.3.2)"},
       iba::multicast_forwarding},
      {{"vl-a", "figure 6(a): one lane"},
       [](const iba::Context& c) { return lane_setting(c, "a"); }},
      {{"vl-b", "figure 6(b): two lanes by service level: any idle one"},
       [](const iba::Context& c) { return lane_setting(c, "b"); }},
      {{"vl-c", "figure 6(c): two lanes tied to ports"},
       [](const iba::Context& c) { return lane_setting(c, "c"); }},
      {{"vl-d", "figure 6(d): four lanes: any idle one"},
       [](const iba::Context& c) { return lane_setting(c, "d"); }},
      {{"vl-e", "figure 6(e): four lanes tied to ports"},
       [](const iba::Context& c) { return lane_setting(c, "e"); }},
      {{"deadlock", "four messages around a square, without and with XY (figures 1 and 2)"},
       iba::deadlocks},
      {{"one-source", "one host to all, by multicast and by unicast (figures 8 to 10)"},
       [](const iba::Context& c) { return simulated_case(c, "one-source", iba::one_source); },
       [](const iba::Study& s) { return s.runs(iba::one_source); }},
      {{"multi-source", "40 % of the hosts to 40 % of them (figures 11 to 13)"},
       [](const iba::Context& c) { return simulated_case(c, "multi-source", iba::multi_source); },
       [](const iba::Study& s) { return s.runs(iba::multi_source); }},
      {{"all-source", "all hosts to all (figures 14 to 16)"},
       [](const iba::Context& c) { return simulated_case(c, "all-source", iba::all_source); },
       [](const iba::Study& s) {
         std::vector<iba::Run> out = s.runs(iba::all_source);
         for (const iba::Run& run : s.runs(iba::multi_source)) out.push_back(run);
         return out;
       }},
      {{"remarks", "the three remarks of the conclusions, case by case (5)"},
       iba::remarks,
       iba::remark_runs},
  };
  return all;
}

std::vector<std::pair<std::string, std::string>> declared(const Cluster& cluster,
                                                          const iba::Study& study) {
  std::vector<std::pair<std::string, std::string>> out{{"mesh", study.fabric().name()},
                                                       {"switches", cluster.model}};
  for (const Param& param : iba::study_params()) {
    const auto given = cluster.paper.find(std::string(param.name));
    out.emplace_back(param.name,
                     given == cluster.paper.end() ? std::string(param.fallback) : given->second);
  }
  return out;
}

}  // namespace

std::vector<Experiment> ibamesh_experiments() {
  std::vector<Experiment> out;
  for (const IbameshRow& row : ibamesh_rows()) out.push_back(row.experiment);
  return out;
}

Page ibamesh(const Lab& lab) {
  const Cluster cluster = find_cluster(lab.cluster);
  iba::Study study(lab, cluster);
  std::vector<const IbameshRow*> wanted;
  std::vector<iba::Run> needed;
  for (const IbameshRow& row : ibamesh_rows()) {
    if (std::find(lab.experiments.begin(), lab.experiments.end(), row.experiment.name) ==
        lab.experiments.end())
      continue;
    wanted.push_back(&row);
    for (const iba::Run& run : row.needs(study)) needed.push_back(run);
  }
  study.prepare(needed);
  const iba::Context context{lab, cluster, study, stated_by("ibamesh")};
  Page page{.declared = declared(cluster, study), .seed = study.seed()};
  for (const IbameshRow* row : wanted) {
    page.sections.push_back(row->run(context));
    page.sections.back().about = row->experiment.about;
  }
  return page;
}

}  // namespace weft::papers
