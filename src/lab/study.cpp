// SPDX-License-Identifier: Apache-2.0
// Running a study.
#include "lab/study.hpp"

#include <ctime>

#include "plan/check/deadlock.hpp"
#include "plan/check/load.hpp"
#include "plan/check/matchings.hpp"
#include "plan/check/survey.hpp"
#include "plan/route/route.hpp"

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
  } else if (const auto* cycle = std::get_if<Cycle>(&verdict)) {
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
  row.switches = fabric.switch_count();
  row.hosts = fabric.host_count();
  row.links = fabric.link_count();
  const double start = cpu_milliseconds();
  const Routed routed = route(fabric, engine);
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
  row.most_load = load.most;
  row.mean_load = load.mean;
  row.busiest = place(fabric, load.busiest);
  row.bisection_share = effective_bisection(fabric, tables, matchings, study.seed).mean;
  judge_deadlock(fabric, tables, row);
  return row;
}

}  // namespace

Study run_study(const Cluster& cluster, std::uint64_t seed, const Progress& progress) {
  Study study{cluster, seed, {}};
  for (const std::string& engine : cluster.engines)
    find_row(engines(), "routing engine", Spec::parse(engine).name);
  const std::size_t all = cluster.topologies.size() * cluster.engines.size();
  for (const std::string& topology : cluster.topologies) {
    const Fabric fabric = find_fabric(topology, &cluster);
    for (const std::string& engine : cluster.engines) {
      progress(study.rows.size(), all, topology + " " + engine);
      study.rows.push_back(study_one(fabric, topology, engine, study));
    }
  }
  progress(all, all, "");
  return study;
}

}  // namespace weft
