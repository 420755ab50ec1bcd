// SPDX-License-Identifier: Apache-2.0
// Resolving and running simulations: a request becomes a network and a workload.
#include "lab/simulate/experiment.hpp"

#include <optional>
#include <tuple>

#include "base/catalog.hpp"
#include "lab/cluster/physics.hpp"
#include "lab/simulate/measured_result.hpp"

namespace weft {
namespace {

sim::Trace trace_of(const SimulationRequest& request, const sim::Network& network) {
  const Params params(request.traffic, find_row(traffic_rows(), "traffic", "file").params);
  if (params.text("path").empty()) params.reject("path", "a file is needed");
  if (request.lengths.mixed())
    throw Error("{}: messages of a file are cut into packets of one length, not a mix",
                request.traffic.name);
  const sim::TraceUnits units{request.switches.flit, network.cycle(), network.tables().groups};
  sim::Trace trace = read_trace(read_input(params.text("path")), network.fabric(), units);
  if (trace.empty())
    throw Error("{}: there is no message; a line is source,destination,size,time",
                params.text("path"));
  return trace;
}

std::unique_ptr<sim::Workload> workload_of(const SimulationExperiment& experiment,
                                           const sim::Network& network, sim::Meter& meter) {
  const SimulationRequest& request = experiment.request;
  if (request.replays())
    return sim::replay(experiment.trace ? *experiment.trace : trace_of(request, network),
                       request.lengths.longest(), meter);
  sim::Demand demand{sim::make_pattern(network.fabric(), request.traffic), request.lengths,
                     request.urgent, request.seed};
  if (request.window == 0) return sim::open_loop(std::move(demand), request.load, meter);
  return sim::closed_loop(std::move(demand), {request.window, request.ack}, meter);
}

sim::Network network_of(const SimulationExperiment& experiment, const ResolvedNetwork& on,
                        bool check) {
  sim::NetworkOptions options;
  options.faults = experiment.faults;
  options.check = check;
  options.seed = experiment.request.seed;
  options.longest_packet = experiment.request.longest_packet();
  return {on.fabric(), on.tables(), experiment.request.switches, options};
}

/// The last step of the set-up, for progress lines.
std::string switches_text(const SimulationSpec& spec) {
  return fmt::format("switches {} of {}", spec.switches, spec.fabric);
}

/// Resolves and checks points of a sweep, one after the other.
class PointResolver {
 public:
  explicit PointResolver(const SetUpProgress& progress)
      : progress_(progress), networks_(std::make_shared<Networks>(progress)) {}

  SimulationExperiment operator()(const SimulationRequest& request) {
    if (before_ && same_but_for_load(request.spec, before_->request.spec))
      return {request, networks_, before_->faults, before_->trace, {}};
    SimulationExperiment point = resolve(request, networks_);
    const SharedNetwork on = point.network();
    if (progress_) progress_(switches_text(request.spec));
    const sim::Network network = network_of(point, *on, false);
    if (request.replays()) point.trace = trace(point, network);
    sim::Meter meter(on->fabric().host_count());
    workload_of(point, network, meter);
    before_ = point;
    return point;
  }

 private:
  using TraceKey = std::tuple<std::string, NetworkSpec, Bytes, Duration>;

  std::shared_ptr<const sim::Trace> trace(const SimulationExperiment& point,
                                          const sim::Network& network) {
    const SimulationRequest& request = point.request;
    auto& read = traces_[{request.spec.traffic, point.network_spec(), request.switches.flit,
                          network.cycle()}];
    if (!read) read = std::make_shared<const sim::Trace>(trace_of(request, network));
    return read;
  }

  const SetUpProgress& progress_;
  std::shared_ptr<Networks> networks_;
  std::map<TraceKey, std::shared_ptr<const sim::Trace>> traces_;
  std::optional<SimulationExperiment> before_;
};

}  // namespace

SimulationExperiment resolve(SimulationRequest request, std::shared_ptr<Networks> networks) {
  SimulationExperiment out{std::move(request), std::move(networks), {}, {}, {}};
  out.faults = sim::faults_from(out.network()->fabric(), out.request.spec.faults);
  return out;
}

std::vector<SimulationExperiment> resolve_all(const std::vector<SimulationRequest>& requests,
                                              const SetUpProgress& progress) {
  PointResolver resolver(progress);
  std::vector<SimulationExperiment> out;
  out.reserve(requests.size());
  for (const SimulationRequest& request : requests) out.push_back(resolver(request));
  return out;
}

std::vector<std::string> warnings_about(const SimulationExperiment& experiment) {
  return warnings_about(experiment.network()->fabric(), experiment.request.switches,
                        experiment.request.longest_packet());
}

SimulationResult simulate(const SimulationExperiment& experiment,
                          const SimulationOptions& options) {
  const SharedNetwork on = experiment.network();
  if (options.progress) options.progress(std::nullopt, switches_text(experiment.request.spec));
  sim::Network network = network_of(experiment, *on, options.check);
  sim::Meter meter(on->fabric().host_count());
  const auto workload = workload_of(experiment, network, meter);
  sim::MeasurementPlan plan{experiment.request.warmup, experiment.request.cycles, {}};
  if (options.progress)
    plan.progress = [&](std::optional<double> share, std::string_view what) {
      options.progress(share, std::string(what));
    };
  std::optional<ProcessorCounters> counters;
  if (options.profile) counters.emplace();
  const sim::Measured measured = sim::measure(network, *workload, meter, plan);
  const auto counts = counters ? counters->read() : std::nullopt;
  SimulationResult result =
      result_of(experiment.request.spec, {network, meter, measured}, options.links);
  if (options.profile) result.profile = {network.paths_used(), counts};
  return result;
}

SimulationResult simulate(const SimulationSpec& spec, const SimulationOptions& options) {
  SetUpProgress progress;
  if (options.progress)
    progress = [&](const std::string& what) { options.progress(std::nullopt, what); };
  return simulate(resolve(request_of(spec), std::make_shared<Networks>(progress)), options);
}

}  // namespace weft
