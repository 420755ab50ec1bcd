// SPDX-License-Identifier: Apache-2.0
// rhinet2: Koibuchi, Watanabe, Otsuka and Amano, Performance Evaluation of Deterministic Routings,
// Multicasts, and Topologies on RHiNET-2 Cluster. Four numbers calibrate clusters/rhinet2.toml; all
// others are predicted. Topology A is a reconstruction, B a surrogate with the published path
// statistics. The NAS benchmarks are not part of it.
#include "papers/parts/rhinet2.hpp"

#include <algorithm>

#include "papers/rows.hpp"

namespace weft::papers {
namespace {

struct Rhinet2Row {
  Experiment experiment;
  Section (*run)(const rhinet::Context&);
  /// What of the study it needs.
  rhinet::Runs (*needs)(const rhinet::Study&) = [](const rhinet::Study&) { return rhinet::Runs(); };
};

const std::vector<Rhinet2Row>& rhinet2_rows() {
  static const std::vector<Rhinet2Row> all{
      {{"table1", "path hops of six routings on four topologies"}, rhinet::table1},
      {{"table3", "path hops and bisection of five topologies"}, rhinet::table3},
      {{"fig5", "bandwidth by routing, 32 hosts, PUSH and ack-wait"},
       rhinet::fig5,
       rhinet::fig5_runs},
      {{"fig6", "two hosts: bandwidth and barrier by distance"}, rhinet::fig6, rhinet::fig6_runs},
      {{"fig7", "low port first against well distributed routes"}, rhinet::fig7, rhinet::fig7_runs},
      {{"fig8", "bandwidth under MPI"}, rhinet::fig8, rhinet::fig8_runs},
      {{"fig9", "bandwidth by topology"}, rhinet::fig9, rhinet::fig9_runs},
      {{"fig10", "buffers, link speed and acknowledgment protocol"},
       rhinet::fig10,
       rhinet::fig10_runs},
      {{"table4", "barrier in random order by routing; the order with the largest difference"},
       rhinet::table4,
       rhinet::table4_runs},
      {{"table9", "barrier by order and routing, topology A"}, rhinet::table9, rhinet::table9_runs},
      {{"table10", "barrier by order and routing, topology B (surrogate) and mesh"},
       rhinet::table10,
       rhinet::table10_runs},
      {{"table11", "barrier by order with 16 or 32 hosts"}, rhinet::table11, rhinet::table11_runs},
      {{"table12", "broadcast of 512 B by order, cut-through and store-and-forward"},
       rhinet::table12,
       rhinet::table12_runs},
      {{"table13", "barrier by topology"}, rhinet::table13, rhinet::table13_runs},
      {{"claims", "what sections IV.B and IV.C conclude from the barriers"},
       rhinet::claims,
       rhinet::claims_runs},
      {{"simstudy", "open-loop throughput of random networks (IV.G)"},
       rhinet::simstudy,
       rhinet::simstudy_runs},
  };
  return all;
}

std::vector<std::pair<std::string, std::string>> declared(const Cluster& cluster) {
  std::vector<std::pair<std::string, std::string>> out{{"switches", cluster.model},
                                                       {"nic", cluster.nic}};
  for (const Param& param : rhinet::study_params()) {
    const auto given = cluster.paper.find(std::string(param.name));
    out.emplace_back(param.name,
                     given == cluster.paper.end() ? std::string(param.fallback) : given->second);
  }
  return out;
}

}  // namespace

std::vector<Experiment> rhinet2_experiments() {
  std::vector<Experiment> out;
  for (const Rhinet2Row& row : rhinet2_rows()) out.push_back(row.experiment);
  return out;
}

Page rhinet2(const Lab& lab) {
  const Cluster cluster = find_cluster(lab.cluster);
  rhinet::Study study(lab, cluster);
  std::vector<const Rhinet2Row*> wanted;
  rhinet::Runs needed;
  for (const Rhinet2Row& row : rhinet2_rows()) {
    if (std::find(lab.experiments.begin(), lab.experiments.end(), row.experiment.name) ==
        lab.experiments.end())
      continue;
    wanted.push_back(&row);
    needed += row.needs(study);
  }
  study.prepare(needed);
  const std::vector<Stated> stated = stated_by("rhinet2");
  const rhinet::Context context{study, stated};
  Page page{.declared = declared(cluster), .seed = study.seed()};
  for (const Rhinet2Row* row : wanted) {
    page.sections.push_back(row->run(context));
    page.sections.back().about = row->experiment.about;
  }
  return page;
}

}  // namespace weft::papers
