// SPDX-License-Identifier: Apache-2.0
// Running a sweep.
#include "lab/sweep.hpp"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>

#include "base/decimal.hpp"
#include "base/error.hpp"
#include "fabric/format/format.hpp"
#include "lab/brackets.hpp"
#include "lab/parallel.hpp"
#include "lab/revision.hpp"

namespace weft {
namespace {

/// Loads k * resolution with 1 <= k <= count.
struct LoadSteps {
  Decimal step;
  std::int64_t count = 0;

  explicit LoadSteps(const std::string& resolution) {
    const auto parsed = Decimal::parse(resolution);
    if (parsed) step = *parsed;
    const std::int64_t one = Decimal{1, 0}.with_places(step.places).units;
    if (step.units <= 0 || 2 * step.units > one)
      throw Error("resolution={}: a number such as 0.005 is needed, 0.5 at most", resolution);
    count = one / step.units;
  }
  std::string load(std::int64_t k) const { return Decimal{k * step.units, step.places}.text(); }
  /// Simulations of one bisection, at most.
  std::size_t tries() const {
    std::size_t out = 0;
    for (std::int64_t left = count; left > 0; left /= 2) ++out;
    return out;
  }
};

/// Throws Error for all that can be wrong with a request before any simulation.
std::vector<Simulation> combinations(const SweepRequest& request) {
  const LoadSteps checked(request.resolution);
  const Simulation& wanted = request.simulation;
  if (wanted.fabric == "-" || wanted.tables == "-")
    throw Error("a sweep reads its files for every point: none can be standard input");
  if (request.saturation && wanted.load != Simulation{}.load)
    throw Error("load={}: towards saturation the load is what is looked for", wanted.load);
  if (request.saturation && wanted.window != Simulation{}.window)
    throw Error("window={}: in a closed loop there is no load whose saturation could be found",
                wanted.window);
  return expand(wanted);
}

/// "load=0.1 seed=2": the values that brackets stand for.
std::string name_of(const SweepRequest& request, const Simulation& point) {
  std::string out;
  for (const SimulationField& field : simulation_fields())
    if (point.*field.value != request.simulation.*field.value)
      out += fmt::format(" {}={}", field.name, point.*field.value);
  return out.empty() ? out : out.substr(1);
}

/// Simulates points for any thread: those of the journal not again, the others into it.
class Runner {
 public:
  Runner(const SweepRequest& request, const Simulate& simulate, const SweepOptions& options,
         std::size_t all)
      : request_(request), simulate_(simulate), options_(options), all_(all) {
    if (options.journal != nullptr) done_ = options.journal->finished().size();
    tell("");
  }

  SimulationResult operator()(const Simulation& point) {
    if (options_.journal != nullptr) {
      const Finished& before = options_.journal->finished();
      if (const auto found = before.find(point); found != before.end()) return found->second;
    }
    SimulationResult result = simulate_(point);
    result.simulation = point;
    const std::lock_guard lock(mutex_);
    if (options_.journal != nullptr) options_.journal->add(result);
    ++done_;
    tell(name_of(request_, point));
    return result;
  }
  /// Points that were planned and turned out not to be needed.
  void skip(std::size_t points) {
    const std::lock_guard lock(mutex_);
    done_ += points;
  }

 private:
  void tell(const std::string& what) const {
    if (options_.progress) options_.progress(done_, all_, what);
  }
  const SweepRequest& request_;
  const Simulate& simulate_;
  const SweepOptions& options_;
  std::size_t all_;
  std::mutex mutex_;  // guards what is below, the journal's file and progress
  std::size_t done_ = 0;
};

/// Bisection: a load is taken to be steady when a higher one is.
std::vector<SweepRow> approach(const LoadSteps& steps, Simulation point, Runner& run) {
  std::map<std::int64_t, SimulationResult> tried;
  std::int64_t steady = 0;
  std::int64_t over = steps.count + 1;
  while (over - steady > 1) {
    const std::int64_t middle = steady + (over - steady) / 2;
    point.load = steps.load(middle);
    const auto& result = tried.emplace(middle, run(point)).first->second;
    if (result.outcome == Outcome::complete)
      throw Error("traffic={}: it comes to an end; only endless traffic has a saturation point",
                  point.traffic);
    (result.outcome == Outcome::steady ? steady : over) = middle;
  }
  run.skip(steps.tries() - tried.size());
  std::vector<SweepRow> rows;
  rows.reserve(tried.size());
  for (auto& [k, result] : tried) rows.push_back({std::move(result), steps.load(steady)});
  return rows;
}

std::size_t jobs_from(std::uint64_t wanted) {
  constexpr std::uint64_t most = 1024;
  if (wanted > most) throw Error("jobs={}: {} at most", wanted, most);
  return wanted > 0 ? wanted : std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace

SweepIdentity identity_of(const SweepRequest& request) {
  SweepIdentity out{{"weft", "sweep journal 1"}, {"revision", std::string(revision())}};
  for (const SimulationField& field : simulation_fields())
    out[field.name] = request.simulation.*field.value;
  out["saturation"] = request.saturation ? request.resolution : "no";
  std::set<std::string> values;
  for (const Simulation& one : combinations(request))
    for (const SimulationField& field : simulation_fields()) values.insert(one.*field.value);
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

std::vector<SweepRow> run_sweep(const SweepRequest& request, const Simulate& simulate,
                                const SweepOptions& options) {
  const std::vector<Simulation> points = combinations(request);
  const LoadSteps steps(request.resolution);
  Runner run(request, simulate, options, points.size() * (request.saturation ? steps.tries() : 1));
  try {
    std::vector<std::vector<SweepRow>> parts(points.size());
    in_parallel(points.size(), jobs_from(options.jobs), [&](std::size_t i) {
      parts[i] = request.saturation ? approach(steps, points[i], run)
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
