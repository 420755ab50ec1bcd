// SPDX-License-Identifier: Apache-2.0
// Running a sweep.
#include "lab/simulate/sweep.hpp"

#include <charconv>
#include <set>

#include "base/error.hpp"
#include "lab/simulate/look_ahead.hpp"
#include "lab/simulate/seeds.hpp"
#include "lab/sweep/brackets.hpp"
#include "lab/sweep/identity.hpp"

namespace weft {
namespace {

/// In the identity, in place of a resolution.
const std::string no_search = "no";

/// Throws Error for fields that contradict each other.
void require_consistent(const SweepSpec& spec) {
  const LoadSteps checked(spec.resolution);
  const SimulationSpec& wanted = spec.simulation;
  if (wanted.fabric == "-" || wanted.tables == "-")
    throw Error("a sweep that was cut short reads its files again: none can be standard input");
  if (!spec.saturation && spec.resolution != SweepSpec{}.resolution)
    throw Error("resolution={}: only a search for saturation has one: --saturation",
                spec.resolution);
  if (spec.saturation && wanted.load != SimulationSpec{}.load)
    throw Error("load={}: towards saturation the load is what is looked for", wanted.load);
  if (spec.saturation && wanted.window != SimulationSpec{}.window)
    throw Error("window={}: in a closed loop there is no load whose saturation could be found",
                wanted.window);
  if (spec.seeds != SweepSpec{}.seeds && wanted.seed.find('[') != std::string::npos)
    throw Error("seed={}: --seeds takes those from one seed on", wanted.seed);
  if (spec.saturation && spec.seeds != SweepSpec{}.seeds)
    throw Error("seeds={}: a search for saturation has one; --seed '[1..{}]' searches with each",
                spec.seeds, spec.seeds);
}

using SimulationRunner = PointRunner<SimulationExperiment, SimulationResult>;

/// What the searches for saturation of a sweep have in common.
struct SaturationSearches {
  const LoadSteps& steps;
  SimulationRunner& run;
  LookAhead& ahead;
};

/// The rows of one combination: all loads tried.
std::vector<SweepRow> rows_to_saturation(const SimulationExperiment& point,
                                         const SaturationSearches& with) {
  SimulationRunner& run = with.run;
  std::size_t planned = with.steps.tries();
  const auto simulate = [&](const SimulationExperiment& one) {
    const bool expected = planned > 0;
    if (expected) --planned;
    return run(one.request.spec, one, expected);
  };
  const auto foresee = [&](const SimulationExperiment& needed,
                           std::vector<SimulationExperiment> others) {
    const auto known = [&](const SimulationExperiment& one) {
      return run.known(one.request.spec) != nullptr;
    };
    if (known(needed)) return;
    std::erase_if(others, known);
    with.ahead.begin(needed, others);
  };
  SaturationPoint found = find_saturation(with.steps, point, simulate, foresee);
  run.plan_fewer(planned);
  std::vector<SweepRow> rows;
  for (SimulationResult& result : found.tried)
    rows.push_back({std::move(result), found.load, found.short_of_resolution});
  return rows;
}

/// The spec with equal numbers, such as 0.2 and 0.20, written alike; names of files stay.
SimulationSpec by_value(SimulationSpec spec) {
  for (const SimulationField& field : simulation_fields()) {
    std::string& value = spec.*field.text;
    if (field.text == &SimulationSpec::fabric || field.text == &SimulationSpec::tables ||
        value.find_first_of(".e") == std::string::npos)
      continue;
    double number = 0;
    const char* end = value.data() + value.size();
    const auto [rest, problem] = std::from_chars(value.data(), end, number);
    if (problem == std::errc() && rest == end) value = fmt::format("{}", number);
  }
  return spec;
}

}  // namespace

std::vector<SimulationSpec> expand(const SimulationSpec& spec) {
  std::vector<SimulationSpec> all = expand_fields(spec, simulation_fields(), &SimulationSpec::load);
  std::set<SimulationSpec> seen;
  std::erase_if(all, [&](const SimulationSpec& one) { return !seen.insert(by_value(one)).second; });
  return all;
}

SweepRequest request_of(const SweepSpec& spec) {
  require_consistent(spec);
  SweepRequest out{spec, seeds_from(spec.seeds), {}};
  const std::vector<SimulationSpec> combinations = expand(spec.simulation);
  if (combinations.size() * out.seeds > most_points)
    throw Error("seeds={}: more than {} points; a sweep has so many at most", spec.seeds,
                most_points);
  for (SimulationSpec point : combinations) {
    if (!spec.cluster.empty()) fill_from_cluster(point, spec.cluster);
    for (SimulationRequest& request : with_seeds(request_of(point), out.seeds))
      out.points.push_back(std::move(request));
  }
  return out;
}

SweepExperiment resolve(const SweepRequest& request, const SetUpProgress& progress) {
  return {request.spec, resolve_all(request.points, progress)};
}

SweepIdentity identity_of(const SweepRequest& request) {
  const SweepSpec& spec = request.spec;
  SweepIdentity out = begin_identity("sweep");
  add_fields(out, spec.simulation, simulation_fields());
  out["seeds"] = spec.seeds;
  out["saturation"] = spec.saturation ? spec.resolution : no_search;
  out["cluster"] = spec.cluster;
  const std::set<std::string> values = values_of_points(request.points, simulation_fields());
  if (!spec.cluster.empty()) out["values"] = fmt::format("{}", fmt::join(values, " "));
  add_contents(out, values);
  return out;
}

SweepSpec sweep_spec_of(const SweepIdentity& identity) {
  SweepSpec out;
  fill_fields(identity, out.simulation, simulation_fields());
  out.cluster = value_in(identity, "cluster");
  out.seeds = value_in(identity, "seeds");
  const std::string resolution = value_in(identity, "saturation");
  out.saturation = resolution != no_search;
  if (out.saturation) out.resolution = resolution;
  return out;
}

SweepRequest part_of(const SweepRequest& request, const Shard& shard) {
  return {request.spec, request.seeds, points_of(shard, request.points)};
}

std::vector<SweepRow> run_sweep(const SweepExperiment& sweep, const Simulate& simulate,
                                const SweepOptions& options) {
  const std::vector<SimulationExperiment>& points = sweep.points;
  const bool saturation = sweep.spec.saturation;
  const LoadSteps steps(sweep.spec.resolution);
  const auto name = [&](const SimulationSpec& point) {
    return point_name(sweep.spec.simulation, point, simulation_fields());
  };
  LookAhead ahead(simulate, saturation ? jobs_from(options.jobs) : 1);
  SimulationRunner run(std::ref(ahead), name, options,
                       points.size() * (saturation ? steps.tries() : 1));
  std::vector<std::vector<SweepRow>> parts(points.size());
  run_points(points.size(), options, [&](std::size_t i) {
    parts[i] = saturation ? rows_to_saturation(points[i], {steps, run, ahead})
                          : std::vector<SweepRow>{{run(points[i].request.spec, points[i])}};
  });
  std::vector<SweepRow> rows;
  for (auto& part : parts) std::move(part.begin(), part.end(), std::back_inserter(rows));
  return rows;
}

}  // namespace weft
