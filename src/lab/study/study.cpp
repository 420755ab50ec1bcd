// SPDX-License-Identifier: Apache-2.0
// Running a study.
#include "lab/study/study.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "fabric/short_names.hpp"
#include "fabric/without.hpp"
#include "lab/cluster/find_file.hpp"
#include "lab/cluster/waiting.hpp"
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

void judge_deadlock(const Fabric& fabric, const Tables& tables, WaitKind waiting, StudyRow& row) {
  const DeadlockVerdict verdict = deadlock(fabric, tables, waiting);
  if (const auto* certificate = std::get_if<Certificate>(&verdict)) {
    const auto wrong = verify(fabric, tables, *certificate);
    invariant(!wrong, "the verifier contradicts a certificate of the search");
    row.certified = true;
    row.some_choice = certificate->proof != Proof::every_choice;
  } else if (const auto* cycle = std::get_if<DependencyCycle>(&verdict)) {
    row.cycle = cycle->waits.size();
    row.levels_unknown = are_levels_unknown(tables);
  } else if (const auto* blocked = std::get_if<BlockedPackets>(&verdict)) {
    row.cycle = blocked->packets.size();
  } else if (std::holds_alternative<NotJudged>(verdict)) {
    row.not_judged = true;
  } else {
    row.refused = std::get<Refused>(verdict).why;
  }
}

StudyRow row_of(const Fabric& fabric, const std::string& topology, const std::string& engine) {
  StudyRow row;
  row.topology = topology;
  row.engine = engine;
  row.fabric = fabric.name();
  row.switches = fabric.switch_count();
  row.hosts = fabric.host_count();
  row.links = fabric.link_count();
  return row;
}

/// Adds to a row what traffic between computers meets.
void measure(const Fabric& fabric, const Tables& tables, const Survey& seen, const Study& study,
             StudyRow& row) {
  const LinkLoad load = link_load(fabric, seen);
  row.hosts = fabric.host_count();
  row.mean_hops = seen.mean_hops();
  row.most_hops = seen.most_hops;
  row.lanes = tables.lane_count;
  row.enough_lanes = tables.lane_count <= study.cluster.lanes;
  row.most_load = static_cast<std::uint64_t>(std::ceil(load.most));
  row.mean_load = load.mean;
  row.busiest = ShortNames(fabric).in(place(fabric, load.busiest));
  row.bisection_share =
      effective_bisection(fabric, tables, matchings_for(fabric.host_count()), study.throughput.seed)
          .mean;
  if (!study.throughput.traffic.empty())
    row.throughput = throughputs(std::make_shared<const ResolvedNetwork>(fabric, tables),
                                 study.throughput, study.cluster.model);
}

/// Adds to a row what the tables are worth, or why there are none.
void judge(const Fabric& fabric, const Routed& routed, const Study& study, StudyRow& row) {
  if (const auto* refused = std::get_if<Refused>(&routed)) {
    row.refused = refused->why;
    return;
  }
  const auto& tables = std::get<Tables>(routed);
  const Survey seen = survey(fabric, tables);
  row.complete = seen.complete();
  judge_deadlock(fabric, tables, waiting_in(study.cluster.model), row);
  const std::optional<Remainder> computers = only_computers(fabric);
  if (!computers) return measure(fabric, tables, seen, study, row);
  const Tables left = tables_without(tables, fabric, *computers);
  measure(computers->fabric, left, survey(computers->fabric, left), study, row);
}

StudyRow study_engine(const Fabric& fabric, const std::string& topology, const std::string& engine,
                      const Study& study) {
  StudyRow row = row_of(fabric, topology, engine);
  const double start = cpu_milliseconds();
  const Routed routed = route_or_refuse(fabric, engine);
  row.milliseconds = cpu_milliseconds() - start;
  judge(fabric, routed, study, row);
  return row;
}

StudyRow study_file(const Fabric& fabric, const std::string& topology, const Contender& file,
                    std::size_t index, const Study& study) {
  StudyRow row = row_of(fabric, topology, file.engine);
  judge(fabric, file.from_file[index], study, row);
  return row;
}

}  // namespace

Study run_study(const Cluster& cluster, const ThroughputPlan& throughput,
                const Progress& progress) {
  require_throughput(throughput, cluster.model);
  Study study{cluster, throughput};
  const std::vector<Fabric> fabrics = studied_fabrics(cluster);
  const std::vector<Contender> compared = contenders(cluster, fabrics, BrokenRoutes::stay);
  const std::size_t all = fabrics.size() * compared.size();
  for (std::size_t i = 0; i < fabrics.size(); ++i)
    for (const Contender& each : compared) {
      const std::string& topology = cluster.topologies[i];
      progress(study.rows.size(), all, topology + " " + each.engine);
      study.rows.push_back(each.is_engine() ? study_engine(fabrics[i], topology, each.engine, study)
                                            : study_file(fabrics[i], topology, each, i, study));
    }
  progress(all, all, "");
  return study;
}

}  // namespace weft
