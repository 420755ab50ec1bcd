// SPDX-License-Identifier: Apache-2.0
// Running a sweep.
#include "lab/simulate/sweep.hpp"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>

#include "base/error.hpp"
#include "fabric/format/format.hpp"
#include "lab/parallel.hpp"
#include "lab/revision.hpp"
#include "lab/simulate/brackets.hpp"
#include "lab/simulate/seeds.hpp"

namespace weft {
namespace {

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

/// "load=0.1 seed=2": the values of a point that come from brackets.
std::string name_of(const SweepSpec& sweep, const SimulationSpec& point) {
  std::string out;
  for (const SimulationField& field : simulation_fields())
    if (point.*field.text != sweep.simulation.*field.text)
      out += fmt::format(" {}={}", field.name, point.*field.text);
  return out.empty() ? out : out.substr(1);
}

/// Simulates points for any thread; takes those that the journal has from it, and adds the others.
class PointRunner {
 public:
  PointRunner(const SweepSpec& spec, const Simulate& simulate, const SweepOptions& options,
              std::size_t all)
      : spec_(spec), simulate_(simulate), options_(options), all_(all) {
    if (options.journal != nullptr) done_ = options.journal->finished().size();
    report("");
  }

  /// A point that was not planned adds to the number of all when it is done, so that the share that
  /// is done never falls.
  SimulationResult operator()(const SimulationExperiment& point, bool planned = true) {
    const SimulationSpec& spec = point.request.spec;
    if (options_.journal != nullptr) {
      const Finished& before = options_.journal->finished();
      if (const auto found = before.find(spec); found != before.end()) return found->second;
    }
    SimulationResult result = simulate_(point);
    result.spec = spec;
    const std::lock_guard lock(mutex_);
    if (options_.journal != nullptr) options_.journal->add(result);
    ++done_;
    if (!planned) ++all_;
    report(name_of(spec_, spec));
    return result;
  }
  /// For progress: so many points that were planned are not needed.
  void plan_fewer(std::size_t points) {
    const std::lock_guard lock(mutex_);
    all_ -= points;
  }

 private:
  void report(const std::string& what) const {
    if (options_.progress) options_.progress(done_, all_, what);
  }
  const SweepSpec& spec_;
  const Simulate& simulate_;
  const SweepOptions& options_;
  std::mutex mutex_;  // guards what is below, the journal's file and progress
  std::size_t all_;
  std::size_t done_ = 0;
};

/// The rows of one combination: all loads tried.
std::vector<SweepRow> rows_to_saturation(const LoadSteps& steps, const SimulationExperiment& point,
                                         PointRunner& run) {
  std::size_t planned = steps.tries();
  SaturationPoint found = find_saturation(steps, point, [&](const SimulationExperiment& one) {
    const bool expected = planned > 0;
    if (expected) --planned;
    return run(one, expected);
  });
  run.plan_fewer(planned);
  std::vector<SweepRow> rows;
  for (SimulationResult& result : found.tried)
    rows.push_back({std::move(result), found.load, found.short_of_resolution});
  return rows;
}

std::size_t jobs_from(std::uint64_t wanted) {
  constexpr std::uint64_t most = 1024;
  if (wanted > most) throw Error("jobs={}: {} at most", wanted, most);
  return wanted > 0 ? wanted : std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace

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
  SweepIdentity out{{"weft", "sweep journal 1"}, {"revision", std::string(revision())}};
  for (const SimulationField& field : simulation_fields())
    out[field.name] = spec.simulation.*field.text;
  out["seeds"] = spec.seeds;
  out["saturation"] = spec.saturation ? spec.resolution : "no";
  std::set<std::string> values;
  for (const SimulationRequest& one : request.points)
    for (const SimulationField& field : simulation_fields()) values.insert(one.spec.*field.text);
  if (!spec.cluster.empty())
    out["cluster"] = fmt::format("{}: {}", spec.cluster, fmt::join(values, " "));
  for (const std::string& value : values) {
    constexpr std::string_view key = "path=";  // as in file:path=trace.csv
    const std::size_t at = value.find(key);
    const std::string rest = at == std::string::npos ? "" : value.substr(at + key.size());
    const std::string file = rest.empty() ? value : rest.substr(0, rest.find(','));
    std::error_code ignored;
    if (std::filesystem::is_regular_file(file, ignored))
      out["the content of " + file] = fmt::format("{:016x}", checksum(read_source(file).text));
  }
  return out;
}

std::vector<SweepRow> run_sweep(const SweepExperiment& sweep, const Simulate& simulate,
                                const SweepOptions& options) {
  const std::vector<SimulationExperiment>& points = sweep.points;
  const bool saturation = sweep.spec.saturation;
  const LoadSteps steps(sweep.spec.resolution);
  PointRunner run(sweep.spec, simulate, options, points.size() * (saturation ? steps.tries() : 1));
  try {
    std::vector<std::vector<SweepRow>> parts(points.size());
    in_parallel(points.size(), jobs_from(options.jobs), [&](std::size_t i) {
      parts[i] = saturation ? rows_to_saturation(steps, points[i], run)
                            : std::vector<SweepRow>{{run(points[i])}};
    });
    std::vector<SweepRow> rows;
    for (auto& part : parts) std::move(part.begin(), part.end(), std::back_inserter(rows));
    return rows;
  } catch (const Error&) {
    if (options.journal != nullptr && options.journal->empty()) options.journal->remove();
    throw;
  }
}

}  // namespace weft
