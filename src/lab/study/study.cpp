// SPDX-License-Identifier: Apache-2.0
// Running a study.
#include "lab/study/study.hpp"

#include <algorithm>
#include <array>
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

void add(const Certificate& certificate, StudyRow& row) {
  const bool every = certificate.proof == Proof::every_choice;
  row.verdict = every ? StudyVerdict::every_choice : StudyVerdict::some_choice;
  if (every) row.judged_for = "all switches";
}
void add(const DependencyCycle& cycle, StudyRow& row) {
  row.verdict = StudyVerdict::cycle;
  row.cycle = cycle.waits.size();
}
void add(const BlockedPackets& blocked, StudyRow& row) {
  row.verdict = StudyVerdict::blocked;
  row.cycle = blocked.packets.size();
}
void add(const NotJudged& not_judged, StudyRow& row) { row.why_unknown = not_judged.why; }
void add(const Refused& refused, StudyRow& row) { row.refused = refused.why; }

void judge_deadlock(const ResolvedNetwork& network, WaitKind waiting, StudyRow& row) {
  const Fabric& fabric = network.fabric();
  const Tables& tables = network.tables();
  const DeadlockVerdict& verdict = network.deadlock_verdict(waiting);
  if (const auto* certificate = std::get_if<Certificate>(&verdict))
    invariant(!verify(fabric, tables, *certificate),
              "the verifier contradicts a certificate of the search");
  row.judged_for = network.leaves_choices() ? fmt::format("switches {}", switches_text(waiting))
                                            : "all switches";
  std::visit([&](const auto& found) { add(found, row); }, verdict);
  if (row.verdict != StudyVerdict::cycle || !are_levels_unknown(tables)) return;
  row.verdict = StudyVerdict::unknown;  // a cycle proves nothing then
  row.levels_unknown = true;
  row.why_unknown =
      "the service levels are not known; if all packets travel on one lane, it can deadlock";
}

/// What is done of a row, among others.
class RowProgress {
 public:
  RowProgress(const ShareProgress& progress, std::size_t before, std::size_t all, std::string row)
      : progress_(progress),
        begin_(static_cast<double>(before) / static_cast<double>(all)),
        part_(1 / static_cast<double>(all)),
        row_(std::move(row)) {}
  void operator()(double share, const std::string& what) const {
    progress_(begin_ + part_ * share, row_ + ": " + what);
  }

 private:
  const ShareProgress& progress_;
  double begin_, part_;
  std::string row_;
};

/// From where on the stages of a row take its time, about.
struct Stages {
  double proof, matchings, throughput;
};
Stages stages_of(const Study& study) {
  return study.throughput.traffic.empty() ? Stages{0.2, 0.7, 1} : Stages{0.05, 0.15, 0.2};
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
void measure(const SharedNetwork& network, const Survey& seen, const Study& study,
             const RowProgress& progress, StudyRow& row) {
  const Stages stages = stages_of(study);
  progress(stages.matchings, "matchings");
  const Fabric& fabric = network->fabric();
  const Tables& tables = network->tables();
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
  if (study.throughput.traffic.empty()) return;
  row.throughput = throughputs(network, study.throughput, study.cluster.model,
                               [&](double share, const std::string& what) {
                                 progress(std::lerp(stages.throughput, 1, share), what);
                               });
}

/// Adds to a row what the tables are worth, or why there are none.
void judge(const Fabric& fabric, Routed routed, const Study& study, const RowProgress& progress,
           StudyRow& row) {
  if (const auto* refused = std::get_if<Refused>(&routed)) {
    row.refused = refused->why;
    return;
  }
  progress(stages_of(study).proof, "proof");
  // The fabric outlives the network.
  const std::shared_ptr<const Fabric> borrowed(std::shared_ptr<void>(), &fabric);
  const auto network =
      std::make_shared<const ResolvedNetwork>(borrowed, std::get<Tables>(std::move(routed)));
  const Survey seen = survey(fabric, network->tables());
  row.complete = seen.complete();
  judge_deadlock(*network, waiting_in(study.cluster.model), row);
  const std::optional<Remainder> computers = only_computers(fabric);
  if (!computers) return measure(network, seen, study, progress, row);
  const auto left = std::make_shared<const ResolvedNetwork>(
      computers->fabric, tables_without(network->tables(), fabric, *computers));
  measure(left, survey(left->fabric(), left->tables()), study, progress, row);
}

StudyRow study_one(const Fabric& fabric, std::size_t index, const Contender& contender,
                   const Study& study, const RowProgress& progress) {
  StudyRow row = row_of(fabric, study.cluster.topologies[index], contender.engine);
  progress(0, "tables");
  if (!contender.is_engine()) {
    judge(fabric, contender.from_file[index], study, progress, row);
    return row;
  }
  const double start = cpu_milliseconds();
  Routed routed = route_or_refuse(fabric, contender.engine);
  row.milliseconds = cpu_milliseconds() - start;
  judge(fabric, std::move(routed), study, progress, row);
  return row;
}

}  // namespace

std::string_view to_text(StudyVerdict verdict) {
  static constexpr std::array<std::string_view, 5> texts{"every choice", "some choice", "circle",
                                                         "blocked", "unknown"};
  return texts.at(static_cast<std::size_t>(verdict));
}

Study run_study(const Cluster& cluster, const ThroughputPlan& throughput,
                const ShareProgress& progress) {
  require_throughput(throughput, cluster.model);
  Study study{cluster, throughput};
  const std::vector<Fabric> fabrics = studied_fabrics(cluster);
  const std::vector<Contender> compared = contenders(cluster, fabrics, BrokenRoutes::stay);
  const std::size_t all = fabrics.size() * compared.size();
  for (std::size_t i = 0; i < fabrics.size(); ++i)
    for (const Contender& each : compared)
      study.rows.push_back(
          study_one(fabrics[i], i, each, study,
                    {progress, study.rows.size(), all, cluster.topologies[i] + " " + each.engine}));
  progress(1, "");
  return study;
}

}  // namespace weft
