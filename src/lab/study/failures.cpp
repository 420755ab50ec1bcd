// SPDX-License-Identifier: Apache-2.0
// Running a study of failures: tables are repaired where that can be done (plan/repair), and else
// routed anew by their engine. Those of a file have none, and else remain as they are.
#include "lab/study/failures.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <tuple>

#include "base/rng.hpp"
#include "base/words.hpp"
#include "fabric/short_names.hpp"
#include "fabric/without.hpp"
#include "lab/cluster/waiting.hpp"
#include "lab/study/studied_fabrics.hpp"
#include "plan/check/deadlock.hpp"
#include "plan/check/matchings.hpp"
#include "plan/check/survey.hpp"
#include "plan/repair/matching_flows.hpp"
#include "plan/repair/repair.hpp"

namespace weft {
namespace {

constexpr std::uint64_t usual_sample = 1000;

int matchings_per_failure(const Fabric& fabric) {
  constexpr std::size_t routes = 40'000;
  return static_cast<int>(
      std::clamp<std::size_t>(routes / std::max<std::size_t>(1, fabric.host_count()), 4, 100));
}

/// A link or a switch by its number: links first.
Removal part_numbered(const Fabric& fabric, std::size_t number) {
  Removal out;
  if (number < fabric.link_count())
    out.links.insert(LinkId(number));
  else
    out.switches.insert(SwitchId(number - fabric.link_count()));
  return out;
}

Removal both(Removal a, const Removal& b) {
  a.links.insert(b.links.begin(), b.links.end());
  a.switches.insert(b.switches.begin(), b.switches.end());
  return a;
}

/// All failures of the plan, or a random sample without repetition.
std::vector<Removal> failures_of(const Fabric& fabric, const FailurePlan& plan) {
  const std::size_t parts = fabric.link_count() + fabric.switch_count();
  const std::uint64_t all =
      plan.at_once == 1 ? parts
                        : std::uint64_t{parts} * (parts - std::min<std::size_t>(1, parts)) / 2;
  const std::uint64_t wanted = plan.sample > 0     ? plan.sample
                               : plan.at_once == 1 ? all
                                                   : usual_sample;
  std::vector<Removal> out;
  const auto pair = [&](std::size_t a, std::size_t b) {
    return both(part_numbered(fabric, a), part_numbered(fabric, b));
  };
  if (wanted >= all) {
    for (std::size_t a = 0; a < parts; ++a)
      if (plan.at_once == 1)
        out.push_back(part_numbered(fabric, a));
      else
        for (std::size_t b = a + 1; b < parts; ++b) out.push_back(pair(a, b));
    return out;
  }
  Rng rng(plan.seed);
  std::set<std::pair<std::size_t, std::size_t>> chosen;
  while (chosen.size() < wanted) {
    const auto a = static_cast<std::size_t>(rng.below(parts));
    const auto b = plan.at_once == 1 ? a : static_cast<std::size_t>(rng.below(parts));
    if (plan.at_once == 2 && a == b) continue;
    chosen.insert(std::minmax(a, b));
  }
  for (const auto& [a, b] : chosen) out.push_back(pair(a, b));
  return out;
}

/// Entries of choice tables that differ, in the phases that lead to hosts.
std::uint64_t changed_choices(const Fabric& whole, const Tables& before, const Remainder& rest,
                              const Tables& after) {
  const auto& was = std::get<ChoiceTables>(before.paths);
  const auto& is = std::get<ChoiceTables>(after.paths);
  std::set<std::pair<ColumnId, ColumnId>> seen;
  std::uint64_t out = 0;
  const std::size_t phases = std::min(was.phases.size(), is.phases.size());
  for (HostId h : whole.hosts())
    for (std::size_t p = 0; rest.hosts[h].valid() && p < phases; ++p) {
      const auto phase = static_cast<PhaseId>(p);
      if (was.phases[p].to_intermediate || is.phases[p].to_intermediate) continue;
      const ColumnId a = column_of(before, was, phase, h);
      const ColumnId b = column_of(after, is, phase, rest.hosts[h]);
      if (!a.valid() || !b.valid() || !seen.insert({a, b}).second) continue;
      for (SwitchId s : whole.switches())
        if (rest.switches[s].valid())
          out += was.same_choices(was.next[a][s.index()], is, is.next[b][rest.switches[s].index()])
                     ? 0
                     : 1;
    }
  return out;
}

/// Entries, or source routes, that differ between the tables of a fabric and those of what remains
/// of it; hosts that share a column in both count once.
std::uint64_t changed_entries(const Fabric& whole, const Tables& before, const Remainder& rest,
                              const Tables& after) {
  const bool leaves_choices = std::holds_alternative<ChoiceTables>(before.paths);
  if (before.paths.index() == after.paths.index() && leaves_choices)
    return changed_choices(whole, before, rest, after);
  const auto entry = [](const Tables& tables, ColumnId c, SwitchId s) {
    if (const auto* next = std::get_if<DestinationTables>(&tables.paths)) {
      const PortNumber& port = (*next)[c][s.index()];
      return std::span<const PortNumber>(&port, 1);
    }
    return std::get<SourceRoutes>(tables.paths).route(c, s).value_or(std::span<const PortNumber>{});
  };
  std::set<std::pair<ColumnId, ColumnId>> seen;
  std::uint64_t out = 0;
  for (HostId h : whole.hosts()) {
    if (!rest.hosts[h].valid()) continue;
    const ColumnId a = before.to_host[h];
    const ColumnId b = after.to_host[rest.hosts[h]];
    if (!a.valid() || !b.valid() || !seen.insert({a, b}).second) continue;
    for (SwitchId s : whole.switches()) {
      if (!rest.switches[s].valid()) continue;
      const auto was = entry(before, a, s);
      const auto is = entry(after, b, rest.switches[s]);
      out += std::equal(was.begin(), was.end(), is.begin(), is.end()) ? 0 : 1;
    }
  }
  return out;
}

std::uint64_t square(std::uint64_t n) { return n * n; }

/// One engine's tables on one fabric, or those of a file, failure after failure.
class FailureTrial {
 public:
  /// Without an engine they are those of a file.
  FailureTrial(const Fabric& fabric, const Tables& tables, std::optional<std::string> engine,
               const FailureStudy& study)
      : fabric_(fabric),
        short_names_(with_short_names(fabric)),
        tables_(tables),
        engine_(std::move(engine)),
        plan_(study.plan),
        waiting_(waiting_in(study.cluster.model)),
        matchings_(matchings_per_failure(fabric)) {
    judge(fabric_, tables_, whole_);
    if ((plan_.anew && engine_) || !TableRepair::serves(fabric_, tables_)) return;
    repair_ = std::make_unique<TableRepair>(fabric_, tables_);
    flows_ = std::make_unique<MatchingFlows>(fabric_, tables_, matchings_, plan_.seed);
  }

  int matchings() const { return matchings_; }
  const FailureRow& whole() const { return whole_; }

  FailureRow operator()(const Removal& failure) {
    FailureRow row;
    row.failed = to_text(short_names_, failure);
    for (HostId h : fabric_.hosts()) row.hosts_gone += failure.takes(fabric_, h) ? 1 : 0;
    if (repair_ && repaired(failure, row)) return row;
    if (engine_)
      anew(failure, row);
    else
      as_they_are(failure, row);
    return row;
  }

 private:
  /// Checks everything.
  void judge(const Fabric& fabric, const Tables& tables, FailureRow& row) const {
    const Survey seen = survey(fabric, tables);
    row.pairs_lost = seen.pairs - seen.reached;
    row.mean_hops = seen.mean_hops();
    row.most_hops = seen.most_hops;
    row.bisection_share = bisection_of_computers(fabric, tables);
    row.certified = is_certified(fabric, tables);
  }

  bool is_certified(const Fabric& fabric, const Tables& tables) const {
    return std::holds_alternative<Certificate>(deadlock(fabric, tables, waiting_));
  }

  /// Aggregation nodes and routers have routes, but no programs.
  double bisection_of_computers(const Fabric& fabric, const Tables& tables) const {
    const std::optional<Remainder> computers = only_computers(fabric);
    if (!computers) return effective_bisection(fabric, tables, matchings_, plan_.seed).mean;
    return effective_bisection(computers->fabric, tables_without(tables, fabric, *computers),
                               matchings_, plan_.seed)
        .mean;
  }

  /// False when repaired tables would lose pairs that are still joined by links, and an engine may
  /// find more.
  bool repaired(const Removal& failure, FailureRow& row) {
    const RepairResult result = (*repair_)(failure, engine_.has_value());
    if (!result.complete && engine_) return false;
    row.rerouted = Rerouted::broken;
    row.pairs_lost = square(fabric_.host_count() - row.hosts_gone) - result.reached;
    row.mean_hops = result.reached == 0
                        ? 0
                        : static_cast<double>(result.hop_sum) / static_cast<double>(result.reached);
    row.most_hops = result.most_hops;
    row.changed_entries = result.changed_entries;
    const auto judge_deadlock = [&](const Fabric& fabric, const Tables& tables) {
      row.certified = repair_->certified() || is_certified(fabric, tables);
    };
    if (failure.switches.empty()) {
      row.bisection_share = flows_->mean(repair_->tables(), repair_->changed_columns());
      judge_deadlock(fabric_, repair_->tables());
    } else {
      const Remainder rest = without(fabric_, failure);
      const Tables tables = tables_without(repair_->tables(), fabric_, rest);
      row.bisection_share = bisection_of_computers(rest.fabric, tables);
      judge_deadlock(rest.fabric, tables);
    }
    return true;
  }

  void anew(const Removal& failure, FailureRow& row) const {
    const Remainder rest = without(fabric_, failure);
    row.rerouted = Rerouted::everything;
    const Routed routed = route_or_refuse(rest.fabric, *engine_);
    if (const auto* refused = std::get_if<Refused>(&routed)) {
      row.refused = refused->why;
      return;
    }
    const auto& tables = std::get<Tables>(routed);
    judge(rest.fabric, tables, row);
    row.changed_entries = changed_entries(fabric_, tables_, rest, tables);
  }

  void as_they_are(const Removal& failure, FailureRow& row) const {
    const Remainder rest = without(fabric_, failure);
    judge(rest.fabric, tables_without(tables_, fabric_, rest), row);
  }

  const Fabric& fabric_;
  const Fabric short_names_;
  const Tables& tables_;
  std::optional<std::string> engine_;
  const FailurePlan& plan_;
  WaitKind waiting_;
  int matchings_;
  FailureRow whole_{};
  std::unique_ptr<TableRepair> repair_{};
  std::unique_ptr<MatchingFlows> flows_{};  ///< where there is a repair_
};

/// No tables at all first, then by pairs lost (those of hosts that are gone with their switch
/// come after, as every switch with hosts has them), deadlock, bandwidth, length of routes and
/// work.
bool worse(const FailureRow& a, const FailureRow& b) {
  const auto key = [](const FailureRow& row) {
    return std::tuple(!row.refused, row.pairs_lost == 0 ? 0 : -static_cast<double>(row.pairs_lost),
                      row.certified, row.bisection_share, -static_cast<double>(row.hosts_gone),
                      -static_cast<double>(row.most_hops),
                      -static_cast<double>(row.changed_entries));
  };
  return key(a) < key(b);
}

/// Multicast groups and further LIDs are not repaired. Returns what was left out, in words.
std::string leave_out_others(Tables& tables) {
  std::vector<std::string> out;
  if (!tables.groups.empty())
    out.push_back(counted(tables.groups.size(), "multicast group", "multicast groups"));
  if (!tables.further.empty())
    out.push_back(counted(tables.further.size(), "further LID", "further LIDs"));
  tables.groups.clear();
  tables.further.clear();
  return fmt::format("{}", fmt::join(out, ", "));
}

FailureGroup group_of(const Fabric& fabric, const std::string& topology,
                      const std::string& engine) {
  FailureGroup out;
  out.topology = topology;
  out.engine = engine;
  out.fabric = fabric.name();
  out.switches = fabric.switch_count();
  out.hosts = fabric.host_count();
  out.links = fabric.link_count();
  return out;
}

/// Of one engine, whose group has been begun.
void try_failures(FailureGroup& out, const Fabric& fabric, const Contender& contender,
                  Routed routed, const std::vector<Removal>& failures, const FailureStudy& study,
                  const Progress& progress) {
  if (const auto* refused = std::get_if<Refused>(&routed)) {
    out.whole.refused = refused->why;
    return;
  }
  auto& tables = std::get<Tables>(routed);
  out.levels_unknown = are_levels_unknown(tables);
  if (!contender.is_engine()) out.left_out = leave_out_others(tables);
  FailureTrial trial(fabric, tables,
                     contender.is_engine() ? std::optional(contender.engine) : std::nullopt, study);
  out.matchings = trial.matchings();
  out.whole = trial.whole();
  out.rows.reserve(failures.size());
  for (const Removal& failure : failures) {
    out.rows.push_back(trial(failure));
    progress(out.rows.size(), failures.size(),
             out.topology + " " + out.engine + " without " + out.rows.back().failed);
  }
  std::stable_sort(out.rows.begin(), out.rows.end(), worse);
}

}  // namespace

FailureStudy run_failures(const Cluster& cluster, const FailurePlan& plan,
                          const Progress& progress) {
  if (plan.at_once < 1 || plan.at_once > 2)
    throw Error("failures={}: 1 tries all single failures, 2 a sample of double ones",
                plan.at_once);
  FailureStudy study{cluster, plan, {}};
  const std::vector<Fabric> fabrics = studied_fabrics(cluster);
  const std::vector<Contender> tried = contenders(cluster, fabrics, BrokenRoutes::move);
  for (const Contender& contender : tried)
    if (plan.anew && !contender.is_engine())
      throw Error("{}: tables of a file have no engine that would route anew", contender.engine);
  for (std::size_t i = 0; i < fabrics.size(); ++i) {
    const std::string& topology = cluster.topologies[i];
    const std::vector<Removal> failures = failures_of(fabrics[i], plan);
    for (const Contender& contender : tried) {
      progress(0, failures.size(), topology + " " + contender.engine);
      Routed routed = contender.is_engine() ? route_or_refuse(fabrics[i], contender.engine)
                                            : contender.from_file[i];
      FailureGroup& group =
          study.groups.emplace_back(group_of(fabrics[i], topology, contender.engine));
      try_failures(group, fabrics[i], contender, std::move(routed), failures, study, progress);
    }
  }
  return study;
}

}  // namespace weft
