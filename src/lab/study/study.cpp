// SPDX-License-Identifier: Apache-2.0
// Running a study.
#include "lab/study/study.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "fabric/names.hpp"
#include "lab/cluster/memory.hpp"
#include "plan/check/deadlock.hpp"
#include "plan/check/load.hpp"
#include "plan/check/matchings.hpp"
#include "plan/check/survey.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
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

std::vector<Fabric> make_fabrics(const Cluster& cluster) {
  std::vector<Fabric> out;
  for (const std::string& topology : cluster.topologies) {
    out.push_back(find_fabric(topology, cluster.links));
    require_memory(out.back());
  }
  return out;
}

/// Throws Error for an engine that does not exist or does not take these parameters.
void try_engine(const std::string& engine, const std::vector<Fabric>& fabrics) {
  static const Fabric small = make_fabric("mesh:dims=2x2");
  try {
    route(small, engine);
  } catch (const Error&) {
    // The value may be the name of a switch that only some of the fabrics have.
    for (const auto& [key, value] : Spec::parse(engine).values)
      for (const Fabric& fabric : fabrics)
        if (find_switch_called(fabric, value)) return;
    throw;
  }
}

/// An engine that does not fit one fabric does not end the study of the others.
Routed route_or_refuse(const Fabric& fabric, const std::string& engine) {
  if (fabric.host_count() == 0)
    return Refused{"the fabric has no hosts; file:path=FILE,hosts=4 adds 4 to every switch"};
  try {
    return route(fabric, engine);
  } catch (const Error& error) {
    return Refused{error.what()};
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
  const std::vector<Fabric> fabrics = make_fabrics(cluster);
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
