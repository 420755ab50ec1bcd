// SPDX-License-Identifier: Apache-2.0
// Running a study on machines with other constants.
#include "papers/perturbation.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <set>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/rng.hpp"
#include "lab/parallel.hpp"
#include "papers/catalog.hpp"
#include "papers/runner/constants.hpp"
#include "papers/runner/expected.hpp"

namespace weft::papers {
namespace {

namespace fs = std::filesystem;

/// The paper's machines, and the names of their constants that are scaled.
struct ScaledMachines {
  std::vector<std::pair<std::string, Cluster>> files{};  ///< by name; the first is the study's
  std::set<std::string> assumed{}, calibrated{};
};

ScaledMachines machines_of(const Paper& paper) {
  ScaledMachines out;
  out.files.emplace_back(paper.cluster, find_cluster(std::string(paper.cluster)));
  for (const std::string_view name : paper.further_clusters)
    out.files.emplace_back(name, find_cluster(std::string(name)));
  const ConstantOrigins origins = origins_of(paper.name);
  for (const auto& [name, cluster] : out.files)
    for (const MachineConstant& constant : constants_of(cluster)) {
      const std::string own = fmt::format("{}:{}", name, constant.name);
      const bool apart = origins.contains(own);
      const auto found = origins.find(apart ? own : constant.name);
      const ConstantOrigin origin =
          found == origins.end() ? ConstantOrigin::assumed : found->second;
      const std::string& scaled_name = apart ? own : constant.name;
      if (origin == ConstantOrigin::assumed) out.assumed.insert(scaled_name);
      if (origin == ConstantOrigin::calibrated) out.calibrated.insert(scaled_name);
    }
  return out;
}

/// Evenly distributed on a logarithmic scale.
std::map<std::string, double> draw_factors(const ScaledMachines& machines, Rng& rng) {
  std::set<std::string> names = machines.assumed;
  names.insert(machines.calibrated.begin(), machines.calibrated.end());
  std::map<std::string, double> out;
  for (const std::string& name : names)
    out[name] = std::exp((2 * rng.unit() - 1) * std::log(largest_factor));
  return out;
}

/// The factors of a file: those of all files, and its own.
std::map<std::string, double> factors_of(const std::string& file,
                                         const std::map<std::string, double>& factors) {
  std::map<std::string, double> out;
  for (const auto& [name, factor] : factors)
    if (const std::size_t colon = name.find(':'); colon == std::string::npos)
      out.emplace(name, factor);
    else if (name.substr(0, colon) == file)
      out[name.substr(colon + 1)] = factor;
  return out;
}

/// Writes the machines of a run; the result is the path of the study's.
std::string write_machines(const fs::path& folder, const ScaledMachines& machines,
                           const std::map<std::string, double>& factors) {
  fs::create_directories(folder);
  const auto path = [&](const std::string& name) { return (folder / (name + ".toml")).string(); };
  for (const auto& [name, cluster] : machines.files) {
    const std::string text = to_toml(with_factors(cluster, factors_of(name, factors)));
    write_file(path(name), [&](std::ostream& out) { out << text; });
  }
  return path(machines.files.front().first);
}

void take_verdicts(const Page& page, PerturbedRun& run) {
  for (const Section& section : page.sections)
    for (const Comparison& answer : section.answers)
      if (answer.stated.kind == StatementKind::claim) run.verdicts[answer.stated.id] = answer.holds;
}

/// All experiments together; nothing is judged where one cannot run.
void judge_all(std::string_view request, const Lab& lab, PerturbedRun& run) {
  try {
    take_verdicts(reproduce(request, lab), run);
  } catch (const Error& error) {
    run.problem = error.what();
  }
}

/// One by one, those that can run.
void judge_each(std::string_view request, Lab lab, PerturbedRun& run) {
  run.problem.clear();
  for (const std::string& experiment : std::vector<std::string>(lab.experiments)) {
    lab.experiments = {experiment};
    try {
      take_verdicts(reproduce(request, lab), run);
    } catch (const Error& error) {
      if (run.problem.empty()) run.problem = fmt::format("{}: {}", experiment, error.what());
    }
  }
}

/// The experiments that have claims.
std::vector<std::string> with_claims(const PaperRequest& wanted) {
  std::vector<std::string> out;
  const std::vector<Stated> stated = stated_by(wanted.paper->name);
  for (const std::string& experiment : wanted.experiments)
    if (std::any_of(stated.begin(), stated.end(), [&](const Stated& each) {
          return each.kind == StatementKind::claim && each.id.starts_with(experiment + "/");
        }))
      out.push_back(experiment);
  return out;
}

/// Draws machines until there is one on which all experiments work: some cannot, as their buffers
/// hold no packet.
void run_once(std::string_view request, Lab lab, const ScaledMachines& machines,
              const std::string& folder, PerturbedRun& run) {
  constexpr std::size_t most_draws = 20;
  Rng rng(run.seed);
  do {
    if (run.draws > 0) run.rejected = run.problem;
    run.problem.clear();
    run.verdicts.clear();
    run.factors = draw_factors(machines, rng);
    lab.cluster =
        write_machines(fs::path(folder) / std::to_string(run.seed), machines, run.factors);
    judge_all(request, lab, run);
    ++run.draws;
  } while (!run.problem.empty() && run.draws < most_draws);
  if (!run.problem.empty()) judge_each(request, lab, run);
  if (run.verdicts.empty())
    throw Error("{}: none of {} machines of seed {} works; the last one: {}", request, run.draws,
                run.seed, run.problem);
}

/// How many standard errors the logarithms of a constant's factors are apart in the runs in which a
/// claim fails and in those in which it holds.
double errors_apart(const std::vector<PerturbedRun>& runs, const std::string& claim,
                    const std::string& constant) {
  double count[2] = {}, sum[2] = {}, squares = 0;
  for (const PerturbedRun& run : runs) {
    const auto verdict = run.verdicts.find(claim);
    if (verdict == run.verdicts.end()) continue;
    const double logarithm = std::log(run.factors.at(constant));
    count[verdict->second] += 1;
    sum[verdict->second] += logarithm;
    squares += logarithm * logarithm;
  }
  const double failed = sum[0] / count[0], held = sum[1] / count[1];
  const double within = squares - sum[0] * failed - sum[1] * held;
  const double variance = within / (count[0] + count[1] - 2);
  return (failed - held) / std::sqrt(variance * (1 / count[0] + 1 / count[1]));
}

/// The constant that differs most between the runs in which a claim holds and fails, where chance
/// alone would hardly make it so: one time in a thousand, and there are dozens of constants.
std::string depends_on(const std::vector<PerturbedRun>& runs, const PerturbedClaim& claim) {
  if (claim.ran < 6) return "";
  double most = 3.29 + 12 / static_cast<double>(claim.ran - 2);  // Student's t for 0.001, about
  std::string out;
  for (const auto& [name, unused] : runs.front().factors) {
    const double apart = errors_apart(runs, claim.id, name);
    if (!(std::abs(apart) > most)) continue;
    most = std::abs(apart);
    out = fmt::format("fails where {} is {}", name, apart > 0 ? "large" : "small");
  }
  return out;
}

std::vector<PerturbedClaim> claims_of(const Page& usual, const std::vector<PerturbedRun>& runs) {
  std::vector<PerturbedClaim> out;
  for (const Section& section : usual.sections)
    for (const Comparison& answer : section.answers) {
      if (answer.stated.kind != StatementKind::claim) continue;
      PerturbedClaim claim{answer.stated.id, answer.stated.says, answer.holds};
      for (const PerturbedRun& run : runs)
        if (const auto verdict = run.verdicts.find(claim.id); verdict != run.verdicts.end()) {
          ++claim.ran;
          claim.held += verdict->second ? 1 : 0;
        }
      if (claim.flips()) claim.depends = depends_on(runs, claim);
      out.push_back(std::move(claim));
    }
  return out;
}

}  // namespace

Perturbation perturb(std::string_view request, const Lab& lab, const PerturbationPlan& plan) {
  const PaperRequest wanted = find_request(request, true);
  Lab quick = lab;
  quick.quick = true;
  quick.experiments = with_claims(wanted);
  if (quick.experiments.empty()) throw Error("{}: it has no claims that could flip", request);
  const ScaledMachines machines = machines_of(*wanted.paper);
  const Page usual = reproduce(request, quick);
  Perturbation out{std::string(request), std::string(wanted.paper->summary), machines.assumed,
                   machines.calibrated};
  out.runs.resize(plan.runs);
  quick.progress = [](double, const std::string&) {};
  quick.threads = 1;
  std::mutex mutex;
  std::size_t done = 0;
  in_parallel(plan.runs, lab.threads, [&](std::size_t i) {
    PerturbedRun& run = out.runs[i];
    run.seed = plan.first_seed + i;
    run_once(request, quick, machines, plan.folder, run);
    const std::lock_guard lock(mutex);
    lab.progress(static_cast<double>(++done) / static_cast<double>(plan.runs),
                 fmt::format("{} of {} runs", done, plan.runs));
  });
  out.claims = claims_of(usual, out.runs);
  return out;
}

}  // namespace weft::papers
