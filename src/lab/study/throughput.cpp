// SPDX-License-Identifier: Apache-2.0
// Simulations at full load and below.
#include "lab/study/throughput.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/words.hpp"
#include "lab/simulate/experiment.hpp"
#include "lab/study/steady_load.hpp"
#include "sim/timing.hpp"
#include "sim/traffic/traffic.hpp"

namespace weft {
namespace {

/// Full load on these switches, of any pattern. `round_trip`: of the longest link, in cycles.
SimulationSpec full_load(const std::string& switches, std::uint64_t seed,
                         std::uint64_t round_trip) {
  SimulationSpec spec;
  spec.fabric = spec.tables = "studied";  // they are there already
  spec.switches = switches;
  spec.load = "1";
  spec.packet = fmt::format("{}", throughput_packet);
  // Queues fill, and tell the switches before them, in some round trips.
  const std::uint64_t cycles = 2000 + 20 * round_trip;
  spec.warmup = spec.cycles = fmt::format("{}", cycles);
  spec.seed = fmt::format("{}", seed);
  return spec;
}

/// Why the hosts of a fabric cannot send in a pattern; empty: they can.
std::string misfit(const Fabric& fabric, const Spec& traffic) {
  try {
    sim::make_pattern(fabric, traffic);
    return "";
  } catch (const Error& error) {
    std::string_view why = error.what();
    take_prefix(why, traffic.name + ": ");
    return std::string(why);
  }
}

/// Simulations of one pattern, with progress: `begin` of all patterns is done before, and this one
/// is `part` of them.
class PatternRuns {
 public:
  PatternRuns(double begin, double part, const ShareProgress& progress)
      : begin_(begin), part_(part), progress_(progress) {}

  SimulationResult operator()(const SimulationExperiment& experiment) {
    SimulationOptions options;
    const SimulationSpec& spec = experiment.request.spec;
    if (progress_)
      options.progress = [&](std::optional<double> share, const std::string&) {
        // How far a drain has come is not known.
        const double done = (done_ + share.value_or(0)) / std::max(done_ + 1, usual);
        reported_ = std::max(reported_, begin_ + part_ * done);
        progress_(reported_, fmt::format("{} at load {}", spec.traffic, spec.load));
      };
    SimulationResult result = simulate(experiment, options);
    ++done_;
    return result;
  }

 private:
  static constexpr double usual = 6;  ///< how many there are
  double begin_, part_, done_ = 0, reported_ = 0;
  const ShareProgress& progress_;
};

/// Switches and tables that do not go together are a row of the study, not its end.
Throughput throughput_of(const SimulationExperiment& full, PatternRuns run) {
  try {
    const SimulationResult result = run(full);
    if (result.outcome == SimulationOutcome::deadlocked) return {.deadlocked = true};
    const SteadyLoad steady = highest_steady_load(full, result, std::ref(run));
    return {.saturation = steady.load, .accepted = result.accepted, .most = steady.most_accepted};
  } catch (const Error& error) {
    return {.not_measured = error.what()};
  }
}

}  // namespace

void require_throughput(const ThroughputPlan& plan, const std::string& switches) {
  SimulationSpec spec = full_load(switches, plan.seed, 0);
  for (const std::string& traffic : plan.traffic) {
    spec.traffic = traffic;
    const SimulationRequest request = request_of(spec);
    if (!request.uses_load() || request.has_matrix())
      throw Error(
          "{}: hosts do not offer a load; a traffic pattern is needed, see weft list traffic",
          traffic);
  }
}

std::vector<Throughput> throughputs(const SharedNetwork& network, const ThroughputPlan& plan,
                                    const std::string& switches, const ShareProgress& progress) {
  const sim::SwitchModel model = sim::model_from(switches);
  const int lanes = network->tables().lane_count;
  if (lanes > model.lane_limit())
    return {plan.traffic.size(),
            {.not_measured = fmt::format("the tables use {}, the switches have {}",
                                         counted(lanes, "lane", "lanes"), model.lane_limit())}};
  const sim::Timing timing(network->fabric(), model);
  SimulationSpec spec = full_load(switches, plan.seed, timing.longest_loop());
  std::vector<Throughput> out;
  const double part = 1 / static_cast<double>(plan.traffic.size());
  for (const std::string& traffic : plan.traffic) {
    spec.traffic = traffic;
    SimulationExperiment experiment;
    experiment.request = request_of(spec);
    experiment.kept = network;
    const std::string why = misfit(network->fabric(), experiment.request.traffic);
    const double begin = part * static_cast<double>(out.size());
    out.push_back(why.empty() ? throughput_of(experiment, {begin, part, progress})
                              : Throughput{.not_measured = why});
  }
  return out;
}

}  // namespace weft
