// SPDX-License-Identifier: Apache-2.0
// Resolving and running simulations: a request becomes a network and a workload.
#include "lab/simulate/experiment.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

#include "base/catalog.hpp"
#include "base/decimal.hpp"
#include "lab/cluster/physics.hpp"
#include "lab/cluster/threads.hpp"
#include "lab/cluster/waiting.hpp"
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

Params matrix_params(const SimulationRequest& request) {
  Params params(request.traffic, find_row(traffic_rows(), "traffic", "matrix").params);
  if (params.text("path").empty()) params.reject("path", "a file is needed");
  return params;
}

sim::TrafficMatrix matrix_of(const SimulationRequest& request, const sim::Network& network) {
  const Params params = matrix_params(request);
  const sim::MatrixUnits units{params.text("unit"), request.switches.flit, network.cycle()};
  const Source source = read_input(params.text("path"));
  try {
    if (!units.weights() && units.unit != "flits") bandwidth_from("1" + units.unit);
  } catch (const Error&) {
    params.reject("unit", "weights, flits, or the unit of a rate such as Gb/s or MB/s");
  }
  return read_matrix(source, network.fabric(), units);
}

/// The factor of its rates.
double scale_of(const SimulationRequest& request) {
  const Params params = matrix_params(request);
  const std::string& text = params.text("scale");
  const auto scale = Decimal::parse(text);
  if (!scale || scale->units <= 0) params.reject("scale", "a number above 0 is needed");
  if (request.uses_load() && text != "1")
    params.reject("scale", "only rates are scaled; --load says how much weights stand for");
  return std::stod(text);
}

std::unique_ptr<sim::Pattern> pattern_of(const SimulationRequest& request,
                                         const sim::Network& network,
                                         const sim::TrafficMatrix* matrix) {
  const std::size_t hosts = network.fabric().host_count();
  auto pattern = matrix != nullptr ? matrix_pattern(*matrix, hosts)
                                   : sim::make_pattern(network.fabric(), request.traffic);
  return request.batch > 0 ? limited(std::move(pattern), hosts, request.batch) : std::move(pattern);
}

sim::OfferedLoad offered_load(const SimulationRequest& request, const sim::Network& network,
                              const sim::TrafficMatrix* matrix) {
  sim::OfferedLoad out(request.load);
  out.bursts = request.bursts;
  out.reply = request.reply;
  if (matrix == nullptr) return out;
  const double scale = scale_of(request);
  try {
    out.by_host = loads_of(*matrix, network.fabric(), request.load, scale);
  } catch (const Error& error) {
    throw Error("{}: {}", request.traffic.text(), error.what());
  }
  out.load =
      *std::max_element(out.by_host.begin(), out.by_host.end(),
                        [](const Chance& a, const Chance& b) { return a.parts() < b.parts(); });
  if (out.bursts && out.load.parts() > out.bursts->peak.parts())
    reject("source", request.spec.source,
           fmt::format("the busiest host of the matrix offers {:.4g}, more than a burst",
                       out.load.value()));
  return out;
}

std::unique_ptr<sim::Workload> workload_of(const SimulationExperiment& experiment,
                                           const sim::Network& network, sim::Meter& meter) {
  const SimulationRequest& request = experiment.request;
  if (request.replays())
    return sim::replay(experiment.trace ? *experiment.trace : trace_of(request, network),
                       request.lengths.longest(), meter);
  std::shared_ptr<const sim::TrafficMatrix> matrix = experiment.matrix;
  if (!matrix && request.has_matrix())
    matrix = std::make_shared<const sim::TrafficMatrix>(matrix_of(request, network));
  sim::Demand demand{pattern_of(request, network, matrix.get()), request.lengths, request.urgent,
                     request.seed};
  if (request.window > 0)
    return sim::closed_loop(
        std::move(demand),
        {request.window, request.reply > 0 ? request.reply : request.ack, request.reply > 0},
        meter);
  if (request.batch > 0) return sim::batch(std::move(demand), request.reply, meter);
  return sim::open_loop(std::move(demand), offered_load(request, network, matrix.get()), meter);
}

sim::Network network_of(const SimulationExperiment& experiment, const ResolvedNetwork& on,
                        const SimulationOptions& how = {}) {
  sim::NetworkOptions options;
  options.faults = experiment.faults;
  options.check = how.check;
  options.flit_departures = how.trace.wanted();
  options.seed = experiment.request.seed;
  options.longest_packet = experiment.request.longest_packet();
  const SimulationRequest& request = experiment.request;
  const bool at_once = request.window > 0 && request.reply == 0 && request.ack == 0;
  const bool answers = request.window > 0 || request.reply > 0;
  const bool may_lose = !std::holds_alternative<DestinationTables>(on.tables().paths);
  const bool one_driver =
      at_once || (answers && may_lose) || options.faults.any() || !on.tables().groups.empty();
  options.threads = threads_for(on.fabric(), how.threads,
                                one_driver ? HostsOn::one_thread : HostsOn::all_threads);
  options.thread_use = how.thread_use;
  return {on.fabric(), on.tables(), settled(experiment.request.switches, on), options};
}

/// The last step of the set-up, for progress lines.
std::string switches_text(const SimulationSpec& spec) {
  return fmt::format("switches {} of {}", spec.switches, spec.fabric);
}

/// Whether two simulations differ in nothing but load and seed.
bool same_network_and_traffic(SimulationSpec a, const SimulationSpec& b) {
  a.seed = b.seed;
  return same_but_for_load(std::move(a), b);
}

/// Resolves and checks points of a sweep, one after the other.
class PointResolver {
 public:
  explicit PointResolver(const SetUpProgress& progress)
      : progress_(progress), networks_(std::make_shared<Networks>(progress)) {}

  SimulationExperiment operator()(const SimulationRequest& request) {
    if (before_ && same_network_and_traffic(request.spec, before_->request.spec))
      return {request, networks_, before_->faults, before_->trace, before_->matrix, {}};
    SimulationExperiment point = resolve(request, networks_);
    const SharedNetwork on = point.network();
    if (progress_) progress_(switches_text(request.spec));
    const sim::Network network = network_of(point, *on);
    if (request.replays()) point.trace = shared(traces_, trace_of, point, network);
    if (request.has_matrix()) point.matrix = shared(matrices_, matrix_of, point, network);
    sim::Meter meter(on->fabric().host_count());
    workload_of(point, network, meter);
    before_ = point;
    return point;
  }

 private:
  /// What files are read for.
  using FileKey = std::tuple<std::string, NetworkSpec, Bytes, Duration>;
  template <class Content>
  using Files = std::map<FileKey, std::shared_ptr<const Content>>;

  /// The content of the file that the traffic names, read once.
  template <class Content, class Read>
  static std::shared_ptr<const Content> shared(Files<Content>& files, Read read,
                                               const SimulationExperiment& point,
                                               const sim::Network& network) {
    const SimulationRequest& request = point.request;
    auto& content =
        files[{request.spec.traffic, point.network_spec(), request.switches.flit, network.cycle()}];
    if (!content) content = std::make_shared<const Content>(read(request, network));
    return content;
  }

  const SetUpProgress& progress_;
  std::shared_ptr<Networks> networks_;
  Files<sim::Trace> traces_;
  Files<sim::TrafficMatrix> matrices_;
  std::optional<SimulationExperiment> before_;
};

}  // namespace

SimulationExperiment resolve(SimulationRequest request, std::shared_ptr<Networks> networks) {
  SimulationExperiment out{std::move(request), std::move(networks), {}, {}, {}, {}};
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
  const SharedNetwork network = experiment.network();
  std::vector<std::string> out = warnings_about(network->fabric(), experiment.request.switches,
                                                experiment.request.longest_packet());
  if (!network->leaves_choices()) return out;  // what deadlocks is the user's to see
  const auto deadlocks = warnings_about(*network, settled(experiment.request.switches, *network));
  out.insert(out.end(), deadlocks.begin(), deadlocks.end());
  return out;
}

SimulationResult simulate(const SimulationExperiment& experiment,
                          const SimulationOptions& options) {
  const SharedNetwork on = experiment.network();
  if (options.progress) options.progress(std::nullopt, switches_text(experiment.request.spec));
  sim::Network network = network_of(experiment, *on, options);
  sim::Meter meter(on->fabric().host_count());
  auto workload = workload_of(experiment, network, meter);
  if (options.trace.wanted()) workload = traced(std::move(workload), meter, options.trace);
  sim::MeasurementPlan plan{experiment.request.warmup, experiment.request.cycles, {}};
  if (options.progress)
    plan.progress = [&](std::optional<double> share, std::string_view what) {
      options.progress(share, std::string(what));
    };
  std::optional<ProcessorCounters> counters;
  if (options.profile) counters.emplace();
  const sim::Measured measured = sim::measure(network, *workload, meter, plan);
  const auto counts = counters ? counters->read() : std::nullopt;
  SimulationResult result = result_of(experiment.request.spec, {network, meter, measured},
                                      {options.links, options.latencies});
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
