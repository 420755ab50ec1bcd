// SPDX-License-Identifier: Apache-2.0
// Simulating: what the user wrote becomes a network and a workload, and what was measured a result.
#include "lab/simulation.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "lab/cluster.hpp"
#include "lab/field_text.hpp"
#include "sim/workload/measurement.hpp"

namespace weft {
namespace {

/// Every empty part replaced by its default.
Simulation filled(Simulation simulation) {
  static const Simulation defaults;
  for (const SimulationField& field : simulation_fields())
    if ((simulation.*field.value).empty()) simulation.*field.value = defaults.*field.value;
  if (simulation.fabric.empty()) throw Error("a simulation needs a fabric");
  if (simulation.tables.empty()) throw Error("a simulation needs tables");
  return simulation;
}

/// Cycles, or none for "auto".
std::optional<sim::Cycle> cycles_of(std::string_view name, const std::string& text,
                                    sim::Cycle least) {
  constexpr sim::Cycle most = sim::Cycle{1} << 40;
  if (text == "auto") return std::nullopt;
  sim::Cycle value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc() || rest != end || value < least || value > most)
    reject(name, text, fmt::format("cycles from {} to {}, or auto", least, most));
  return value;
}

Chance load_of(const Simulation& simulation) {
  const Chance load = parsed("load", simulation.load, chance_from);
  if (load.parts() == 0) reject("load", simulation.load, "it has to be above 0");
  return load;
}

/// Throws Error for a field that is not as usual and that nobody would heed.
void require_heeded(const Simulation& simulation) {
  constexpr std::array not_of_traces{&Simulation::load,   &Simulation::window, &Simulation::ack,
                                     &Simulation::urgent, &Simulation::warmup, &Simulation::cycles};
  static const Simulation usual;
  if (simulation.window != usual.window && simulation.load != usual.load)
    reject("load", simulation.load,
           "with a window hosts send when acknowledgments come, at no load of their own");
  if (!is_trace(simulation)) return;
  for (const SimulationField& field : simulation_fields())
    if (std::find(not_of_traces.begin(), not_of_traces.end(), field.value) != not_of_traces.end() &&
        simulation.*field.value != usual.*field.value)
      reject(field.name, simulation.*field.value,
             "a trace has none: its messages say what is sent and when, and it is run to its end");
}

/// The parts of a simulation, read and checked, before anything is built.
struct Parts {
  explicit Parts(const Simulation& simulation)
      : model(sim::model_from(simulation.switches)),
        lengths(parsed("packet", simulation.packet,
                       [&](const std::string& text) { return sim::Lengths(text, model.flit); })),
        load(load_of(simulation)),
        window(static_cast<std::uint32_t>(
            whole<std::uint64_t>("window", simulation.window, 0, 1U << 24))),
        ack(parsed("ack", simulation.ack,
                   [&](const std::string& text) {
                     return text == "0" ? 0 : sim::flits_from(text, model.flit);
                   })),
        urgent(parsed("urgent", simulation.urgent, chance_from)),
        seed(whole<std::uint64_t>("seed", simulation.seed, 0, ~std::uint64_t{0})),
        warmup(cycles_of("warmup", simulation.warmup, 0)),
        cycles(cycles_of("cycles", simulation.cycles, 1)) {
    require_heeded(simulation);
  }

  std::uint32_t longest_packet() const {
    return window == 0 ? lengths.longest() : std::max(lengths.longest(), ack);
  }

  sim::SwitchModel model;
  sim::Lengths lengths;
  Chance load;
  std::uint32_t window, ack;
  Chance urgent;
  std::uint64_t seed;
  std::optional<sim::Cycle> warmup, cycles;
};

constexpr std::array file_params{Param{"path", "", "source,destination,size,time"}};

std::unique_ptr<sim::Workload> replayed(const Spec& spec, const Parts& parts,
                                        const sim::Network& network, sim::Meter& meter) {
  const Params params(spec, file_params);
  if (params.text("path").empty()) params.reject("path", "a file is needed");
  if (parts.lengths.mixed())
    throw Error("{}: messages of a file are cut into packets of one length, not a mix", spec.name);
  const sim::TraceUnits units{parts.model.flit, network.cycle(), network.tables().groups};
  return sim::replay(read_trace(read_input(params.text("path")), network.fabric(), units),
                     parts.lengths.longest(), meter);
}

std::unique_ptr<sim::Workload> workload_of(const Simulation& simulation, const Parts& parts,
                                           const sim::Network& network, sim::Meter& meter) {
  if (is_trace(simulation)) return replayed(Spec::parse(simulation.traffic), parts, network, meter);
  sim::Demand demand{sim::make_pattern(network.fabric(), simulation.traffic), parts.lengths,
                     parts.urgent, parts.seed};
  if (parts.window == 0) return sim::open_loop(std::move(demand), parts.load, meter);
  return sim::closed_loop(std::move(demand), {parts.window, parts.ack}, meter);
}

double ratio(std::uint64_t part, std::uint64_t whole, std::size_t times = 1) {
  if (whole == 0 || times == 0) return 0;
  return static_cast<double>(part) / (static_cast<double>(whole) * static_cast<double>(times));
}

std::pair<std::string, std::string> ends_of(const Fabric& fabric, const sim::LaneUse& use) {
  if (use.channel.valid()) {
    const ChannelId c = use.channel;
    return {fmt::format("{}:{}", fabric[fabric.from(c)].name, fabric.out_port(c)),
            fmt::format("{}:{}", fabric[fabric.to(c)].name, fabric.in_port(c))};
  }
  const Host& host = fabric[use.host];
  std::pair ends{host.name, fmt::format("{}:{}", fabric[host.on].name, host.port)};
  if (use.to_host) std::swap(ends.first, ends.second);
  return ends;
}

bool same_link(const sim::LaneUse& a, const sim::LaneUse& b) {
  return a.channel == b.channel && a.host == b.host && a.to_host == b.to_host;
}

/// The lanes of one link stand together.
void fill_links(const Fabric& fabric, const sim::Measured& measured, bool all,
                SimulationResult& out) {
  std::uint64_t sum = 0, most = 0;
  for (std::size_t i = 0; i < measured.use.size();) {
    const sim::LaneUse& first = measured.use[i];
    const auto [from, to] = all ? ends_of(fabric, first) : std::pair<std::string, std::string>();
    std::size_t end = i;
    std::uint64_t flits = 0;
    for (; end < measured.use.size() && same_link(first, measured.use[end]); ++end)
      flits += measured.use[end].flits;
    if (all) out.links.push_back({from, to, -1, ratio(flits, measured.cycles)});
    for (; i < end; ++i)
      if (all)
        out.links.push_back(
            {from, to, measured.use[i].lane, ratio(measured.use[i].flits, measured.cycles)});
    if (!first.channel.valid()) continue;
    sum += flits;
    if (flits <= most) continue;
    most = flits;
    const auto ends = ends_of(fabric, first);
    out.busiest = ends.first + " > " + ends.second;
  }
  out.mean_link = ratio(sum, measured.cycles, fabric.channel_count());
  out.most_link = ratio(most, measured.cycles);
}

PriorityLatency latency_of(const sim::Histogram& packets) {
  const auto quantile = [&](unsigned per_mille) {
    return static_cast<double>(packets.quantile(per_mille));
  };
  return {packets.count(),
          packets.mean(),
          quantile(500),
          quantile(950),
          quantile(990),
          quantile(999),
          static_cast<double>(packets.most())};
}

void fill_sample(const sim::Meter& meter, const sim::Measured& measured, SimulationResult& out) {
  const sim::Meter::Sample& sample = meter.sample();
  const std::uint64_t sent = meter.at_close().sent - meter.at_open().sent;
  if (measured.conclusion == sim::Conclusion::saturated && sample.begin == sample.opened &&
      4 * sample.delivered() < sent)
    return;  // the few that came through are not like the others
  sim::Histogram latencies = sample.normal;
  latencies += sample.urgent;
  const PriorityLatency all = latency_of(latencies);
  if (sample.urgent.count() > 0) {
    out.urgent = latency_of(sample.urgent);
    out.normal = latency_of(sample.normal);
  }
  out.packets = all.packets;
  out.mean = all.mean;
  // Of a workload that ends every packet is measured: its mean is known.
  out.half_width = measured.conclusion == sim::Conclusion::complete
                       ? std::numeric_limits<double>::quiet_NaN()
                       : sample.batches.half_width(measured.cycles).value_or(out.mean);
  out.network_mean = ratio(sample.network_latency, out.packets);
  out.hops = ratio(sample.hops, out.packets);
  out.p50 = all.p50;
  out.p95 = all.p95;
  out.p99 = all.p99;
  out.p999 = all.p999;
  out.most = all.most;
}

void fill_totals(const sim::Network& network, const sim::Meter& meter, SimulationResult& out) {
  const sim::Totals& totals = network.totals();
  out.cycles = network.now();
  out.sent = totals.sent;
  out.delivered = totals.delivered;
  out.lost = totals.lost;
  out.inside = totals.sent - totals.delivered - totals.lost;
  for (const auto& [why, count] : meter.lost_why()) out.lost_why.emplace(to_text(why), count);
  out.flit_hops = totals.flit_hops;
  out.cycle_ns = static_cast<double>(network.cycle().count()) / 1000;
  out.explanation = network.explanation();
}

Outcome outcome_of(sim::Conclusion conclusion) {
  switch (conclusion) {
    case sim::Conclusion::steady:
      return Outcome::steady;
    case sim::Conclusion::saturated:
      return Outcome::saturated;
    case sim::Conclusion::complete:
      return Outcome::complete;
    case sim::Conclusion::deadlocked:
      return Outcome::deadlocked;
  }
  invariant(false, "a conclusion without an outcome");
  return {};
}

/// Where it takes place.
struct Ground {
  explicit Ground(const Simulation& simulation)
      : fabric(find_fabric(simulation.fabric)), tables(find_tables(fabric, simulation.tables)) {
    if (fabric.host_count() == 0) throw Error("{}: the fabric has no hosts", simulation.fabric);
    require_fit(fabric, tables);
  }
  Fabric fabric;
  Tables tables;
};

sim::Network network_of(const Ground& ground, const Simulation& simulation, const Parts& parts,
                        bool check) {
  sim::NetworkOptions options;
  options.faults = sim::faults_from(ground.fabric, simulation.faults);
  options.check = check;
  options.seed = parts.seed;
  options.longest_packet = parts.longest_packet();
  return {ground.fabric, ground.tables, parts.model, options};
}

}  // namespace

void require_sound(const std::vector<Simulation>& points) {
  std::optional<Ground> ground;
  std::optional<Simulation> before;
  for (const Simulation& point : points) {
    const Simulation simulation = filled(point);
    const Parts parts(simulation);
    Simulation at_same_load = simulation;
    if (before) at_same_load.load = before->load;
    if (before == at_same_load) continue;
    if (!before || before->fabric != simulation.fabric || before->tables != simulation.tables)
      ground.emplace(simulation);
    const sim::Network network = network_of(*ground, simulation, parts, false);
    sim::Meter meter(ground->fabric.host_count());
    workload_of(simulation, parts, network, meter);
    before = simulation;
  }
}

SimulationResult simulate(const Simulation& given, const SimulationOptions& options) {
  const Simulation simulation = filled(given);
  const Parts parts(simulation);
  const Ground ground(simulation);
  const Fabric& fabric = ground.fabric;
  sim::Network network = network_of(ground, simulation, parts, options.check);
  sim::Meter meter(fabric.host_count());
  const auto workload = workload_of(simulation, parts, network, meter);
  sim::MeasurementPlan plan{parts.warmup, parts.cycles, {}};
  if (options.progress)
    plan.progress = [&](double part, std::string_view what) {
      options.progress(part, std::string(what));
    };
  const sim::Measured measured = sim::measure(network, *workload, meter, plan);

  SimulationResult out;
  out.simulation = simulation;
  out.outcome = outcome_of(measured.conclusion);
  out.offered = ratio(measured.flits_sent, measured.cycles, fabric.host_count());
  out.accepted = ratio(measured.flits_delivered, measured.cycles, fabric.host_count());
  const auto [least, most] =
      std::minmax_element(measured.flits_of.begin(), measured.flits_of.end());
  out.least_host = ratio(*least, measured.cycles);
  out.most_host = ratio(*most, measured.cycles);
  out.warmup = measured.warmup;
  out.measured = measured.cycles;
  fill_sample(meter, measured, out);
  fill_links(fabric, measured, options.links, out);
  fill_totals(network, meter, out);
  return out;
}

}  // namespace weft
