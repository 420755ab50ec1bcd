// SPDX-License-Identifier: Apache-2.0
// Turns the counts of a meter into the result of a simulation.
#include "lab/simulate/measured_result.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"

namespace weft {
namespace {

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

/// The value that this share of the values does not exceed; 0 where there are none.
std::uint64_t quantile(std::vector<std::uint64_t>& values, std::size_t percent) {
  if (values.empty()) return 0;
  const std::size_t place = (values.size() * percent + 99) / 100;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(place, 1) - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// The lanes of one link are next to each other in `measured.use`.
void fill_links(const Fabric& fabric, const sim::Measured& measured, bool all,
                SimulationResult& out) {
  std::uint64_t sum = 0, most = 0;
  std::vector<std::uint64_t> between_switches;
  for (std::size_t i = 0; i < measured.use.size();) {
    const sim::LaneUse& first = measured.use[i];
    const auto [from, to] = all ? ends_of(fabric, first) : std::pair<std::string, std::string>();
    std::size_t end = i;
    std::uint64_t flits = 0;
    for (; end < measured.use.size() && same_link(first, measured.use[end]); ++end)
      flits += measured.use[end].flits;
    if (all) out.links.push_back({from, to, -1, ratio(flits, measured.cycles), first.channel});
    for (; i < end; ++i)
      if (all)
        out.links.push_back({from, to, measured.use[i].lane,
                             ratio(measured.use[i].flits, measured.cycles), first.channel});
    if (!first.channel.valid()) continue;
    sum += flits;
    between_switches.push_back(flits);
    if (flits <= most) continue;
    most = flits;
    const auto ends = ends_of(fabric, first);
    out.busiest = ends.first + " > " + ends.second;
  }
  out.mean_link = ratio(sum, measured.cycles, fabric.channel_count());
  out.most_link = ratio(most, measured.cycles);
  out.link_p10 = ratio(quantile(between_switches, 10), measured.cycles);
  out.link_p50 = ratio(quantile(between_switches, 50), measured.cycles);
  out.link_p90 = ratio(quantile(between_switches, 90), measured.cycles);
}

void fill_worst(const Fabric& fabric, const sim::Measured& measured, SimulationResult& out) {
  const HostId worst = measured.worst;
  out.worst_offered = out.worst_accepted = std::numeric_limits<double>::quiet_NaN();
  if (!worst.valid() || measured.cycles == 0) return;
  out.worst_host = fabric[worst].name;
  out.worst_offered = ratio(measured.flits_sent_of[worst], measured.cycles);
  out.worst_accepted = ratio(measured.flits_of[worst], measured.cycles);
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
    return;  // the few that arrived are not like the others
  sim::Histogram latencies = sample.normal;
  latencies += sample.urgent;
  const PriorityLatency all = latency_of(latencies);
  if (sample.urgent.count() > 0) {
    out.urgent = latency_of(sample.urgent);
    out.normal = latency_of(sample.normal);
  }
  out.reply = latency_of(sample.replies);
  out.round_trip = latency_of(sample.round_trips);
  out.packets = all.packets;
  out.mean = all.mean;
  // Every packet of a workload that ends is measured: its mean has no error.
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

void fill_totals(const MeasuredRun& run, SimulationResult& out) {
  const sim::Network& network = run.network;
  const sim::Totals& totals = network.totals();
  out.cycles = network.now();
  out.sent = totals.sent + run.measured.kept;
  out.delivered = totals.delivered;
  out.lost = totals.lost;
  out.inside = out.sent - totals.delivered - totals.lost;
  for (const auto& [why, count] : run.meter.lost_why()) out.lost_why.emplace(to_text(why), count);
  out.flit_hops = totals.flit_hops;
  out.cycle_ns = static_cast<double>(network.cycle().count()) / 1000;
  out.explanation = network.explanation();
}

SimulationOutcome outcome_of(sim::Conclusion conclusion) {
  switch (conclusion) {
    case sim::Conclusion::steady:
      return SimulationOutcome::steady;
    case sim::Conclusion::saturated:
      return SimulationOutcome::saturated;
    case sim::Conclusion::complete:
      return SimulationOutcome::complete;
    case sim::Conclusion::deadlocked:
      return SimulationOutcome::deadlocked;
  }
  invariant(false, "a conclusion without an outcome");
  return {};
}

}  // namespace

SimulationResult result_of(const SimulationSpec& spec, const MeasuredRun& run,
                           const ResultDetails& details) {
  const sim::Measured& measured = run.measured;
  const Fabric& fabric = run.network.fabric();
  SimulationResult out;
  out.spec = spec;
  out.outcome = outcome_of(measured.conclusion);
  out.offered = ratio(measured.flits_sent, measured.cycles, fabric.host_count());
  out.accepted = ratio(measured.flits_delivered, measured.cycles, fabric.host_count());
  std::vector<std::uint64_t> by_host = measured.flits_of.items();
  const auto [least, most] = std::minmax_element(by_host.begin(), by_host.end());
  out.least_host = ratio(*least, measured.cycles);
  out.most_host = ratio(*most, measured.cycles);
  out.median_host = ratio(quantile(by_host, 50), measured.cycles);
  fill_worst(fabric, measured, out);
  out.warmup = measured.warmup;
  out.measured = measured.cycles;
  fill_sample(run.meter, measured, out);
  fill_links(fabric, measured, details.links, out);
  if (details.latencies) {
    out.latencies = run.meter.sample().normal;
    *out.latencies += run.meter.sample().urgent;
  }
  fill_totals(run, out);
  return out;
}

}  // namespace weft
