// SPDX-License-Identifier: Apache-2.0
// Running a study.
#include "lab/study/study.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "lab/study/studied_fabrics.hpp"
#include "plan/check/deadlock.hpp"
#include "plan/check/load.hpp"
#include "plan/check/matchings.hpp"
#include "plan/check/survey.hpp"
#include "plan/verify/verify_text.hpp"

namespace weft {
namespace {

double cpu_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

std::string place(const Fabric& fabric, ChannelId c) {
  if (!c.valid()) return "-";
  return fmt::format("{}:{}", fabric[fabric.from(c)].name, fabric.out_port(c));
}

void judge_deadlock(const Fabric& fabric, const Tables& tables, StudyRow& row) {
  const DeadlockVerdict verdict = deadlock(fabric, tables);
  if (const auto* certificate = std::get_if<Certificate>(&verdict)) {
    const auto wrong = verify(fabric, tables, *certificate);
    invariant(!wrong, "the verifier contradicts a certificate of the search");
    row.certified = true;
  } else if (const auto* cycle = std::get_if<DependencyCycle>(&verdict)) {
    row.cycle = cycle->waits.size();
  } else {
    row.refused = std::get<Refused>(verdict).why;
  }
}

StudyRow study_one(const Fabric& fabric, const std::string& topology, const std::string& engine,
                   const Study& study) {
  constexpr int matchings = 100;
  StudyRow row;
  row.topology = topology;
  row.engine = engine;
  row.fabric = fabric.name();
  row.switches = fabric.switch_count();
  row.hosts = fabric.host_count();
  row.links = fabric.link_count();
  const double start = cpu_milliseconds();
  const Routed routed = route_or_refuse(fabric, engine);
  row.milliseconds = cpu_milliseconds() - start;
  if (const auto* refused = std::get_if<Refused>(&routed)) {
    row.refused = refused->why;
    return row;
  }
  const auto& tables = std::get<Tables>(routed);
  const Survey seen = survey(fabric, tables);
  const LinkLoad load = link_load(fabric, seen);
  row.complete = seen.complete();
  row.mean_hops = seen.mean_hops();
  row.most_hops = seen.most_hops;
  row.lanes = tables.lane_count;
  row.enough_lanes = tables.lane_count <= study.cluster.lanes;
  row.most_load = static_cast<std::uint64_t>(std::ceil(load.most));
  row.mean_load = load.mean;
  row.busiest = place(fabric, load.busiest);
  row.bisection_share = effective_bisection(fabric, tables, matchings, study.seed).mean;
  judge_deadlock(fabric, tables, row);
  return row;
}

}  // namespace

Study run_study(const Cluster& cluster, std::uint64_t seed, const Progress& progress) {
  Study study{cluster, seed, {}};
  const std::vector<Fabric> fabrics = studied_fabrics(cluster);
  for (const std::string& engine : cluster.engines) try_engine(engine, fabrics);
  const std::size_t all = fabrics.size() * cluster.engines.size();
  for (std::size_t i = 0; i < fabrics.size(); ++i)
    for (const std::string& engine : cluster.engines) {
      progress(study.rows.size(), all, cluster.topologies[i] + " " + engine);
      study.rows.push_back(study_one(fabrics[i], cluster.topologies[i], engine, study));
    }
  progress(all, all, "");
  return study;
}

}  // namespace weft
