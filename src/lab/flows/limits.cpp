// SPDX-License-Identifier: Apache-2.0
// Measuring what hosts can carry: flows between three or four hosts on one switch.
#include "lab/flows/limits.hpp"

#include <algorithm>

#include "fabric/builder.hpp"
#include "lab/flows/flows.hpp"

namespace weft {
namespace {

constexpr std::chrono::milliseconds warm_up(20), length(120);

/// The hosts of a machine on one switch, with the links they have.
Machine on_one_switch(const Machine& machine) {
  if (machine.nic.schedule != sim::Schedule::by_rate)
    throw Error("{}: this NIC has no rate control", machine.nic.spec);
  FabricBuilder builder("four hosts on one switch");
  const SwitchId all = builder.add_switch({.name = "s0"});
  for (int i = 0; i < 4; ++i)
    builder.add_host(
        {.name = fmt::format("h{}", i), .on = all, .wire = machine.fabric()[HostId(0)].wire});
  Fabric fabric = std::move(builder).build();
  Tables tables = find_tables(fabric, "updown");
  return {std::make_shared<const ResolvedNetwork>(std::move(fabric), std::move(tables)),
          machine.switches,
          machine.nic,
          {}};
}

FlowPlan flow(std::size_t from, std::size_t to, Duration interval) {
  FlowPlan plan;
  plan.name = "flow";
  plan.from = HostId(from);
  plan.to = HostId(to);
  plan.service = FlowService::paced;
  plan.interval = interval;
  plan.stop = length;
  return plan;
}

/// MB/s of every flow once they run.
std::vector<double> achieved(const Machine& machine, const std::vector<FlowPlan>& flows) {
  FlowsPlan plan;
  plan.flows = flows;
  const FlowsFound found = run_flows(machine, plan);
  std::vector<double> out;
  for (std::size_t i = 0; i < flows.size(); ++i)
    out.push_back(sent_between(found, i, warm_up, length));
  return out;
}

Bandwidth bandwidth(double megabytes_per_second) {
  return {static_cast<std::int64_t>(megabytes_per_second * 8e6)};
}

/// Numbers of ticks in (low, high]; low is not fine, high is, or is the last that counts.
struct TickRange {
  std::int64_t low, high;
};

/// A part of the range that has the least fine number, found by doubling steps from a guess in it.
template <class Fine>
TickRange near(TickRange range, std::int64_t guess, Fine fine) {
  std::int64_t step = std::max<std::int64_t>(1, guess / 16);
  if (fine(guess)) {
    range.high = guess;
    for (; range.high - step > range.low; step *= 2) {
      if (!fine(range.high - step)) return {range.high - step, range.high};
      range.high -= step;
    }
    return range;
  }
  range.low = guess;
  for (; range.low + step < range.high; step *= 2) {
    if (fine(range.low + step)) return {range.low, range.low + step};
    range.low += step;
  }
  return range;
}

/// The least number of ticks in (low, high] for which `fine` holds; it does for high.
template <class Fine>
std::int64_t least_ticks(TickRange range, Fine fine) {
  auto [low, high] = range;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (fine(middle) ? high : low) = middle;
  }
  return high;
}

/// A packet more or less at the ends of the measurement is no loss.
constexpr double as_good = 0.998;

}  // namespace

Peak measure_peak(const Machine& machine) {
  const Machine bench = on_one_switch(machine);
  const Duration tick = bench.nic.tick;
  const double most = achieved(bench, {flow(0, 1, Duration{0})}).front();
  const auto packet = Bytes{bench.nic.mtu.count} / bandwidth(most);
  const std::int64_t about = packet / tick;
  const auto slower = [&](std::int64_t ticks) {
    return achieved(bench, {flow(0, 1, tick * ticks)}).front() < as_good * most;
  };
  const std::int64_t held =
      least_ticks(near({about / 2, 2 * about + 2}, about + 1, slower), slower);
  // The interval is known exactly, so B_max is a packet every T.
  const Duration per_packet = tick * (held - 1);
  const auto bits = static_cast<double>(bench.nic.mtu.count * 8);
  return {{static_cast<std::int64_t>(bits / (static_cast<double>(per_packet.count()) * 1e-12))},
          per_packet};
}

comm::qos::CurvePoint measure_trade(const Machine& machine, Duration interval, const Peak& peak) {
  if (interval.count() == 0) return {{0}, peak.bandwidth};
  const Machine bench = on_one_switch(machine);
  const Duration tick = bench.nic.tick;
  const double alone = achieved(bench, {flow(0, 1, interval)}).front();
  std::vector<double> found;
  const auto unharmed = [&](std::int64_t ticks) {
    const auto both = achieved(bench, {flow(0, 1, interval), flow(1, 2, tick * ticks)});
    if (both[0] < as_good * alone) return false;
    found = both;
    return true;
  };
  const std::int64_t least = std::max<std::int64_t>(1, peak.per_packet / tick) - 1;
  const std::int64_t most = 64 * (least + 1);
  // Packets that take the NIC equally long in both directions leave this interval.
  const auto left = static_cast<double>(peak.per_packet.count()) /
                    std::max(0.01, 1 - static_cast<double>(peak.per_packet.count()) /
                                           static_cast<double>(interval.count()));
  const auto guess = static_cast<std::int64_t>(left / static_cast<double>(tick.count()));
  const TickRange range = near({least, most}, std::clamp(guess, least + 1, most - 1), unharmed);
  if (range.high == most && !unharmed(most)) return {bandwidth(alone), {0}};
  least_ticks(range, unharmed);
  return {bandwidth(found[0]), bandwidth(found[1])};
}

Bandwidth measure_shared(const Machine& machine) {
  const Machine bench = on_one_switch(machine);
  double sum = 0;
  for (const double each :
       achieved(bench, {flow(0, 1, Duration{0}), flow(0, 2, Duration{0}), flow(0, 3, Duration{0})}))
    sum += each;
  return bandwidth(sum);
}

std::vector<Duration> trade_intervals(const Machine& machine, const Peak& peak) {
  std::vector<Duration> out;
  for (const double times : {16.0, 8.0, 4.0, 3.0, 2.0, 1.5, 1.25, 1.1})
    out.push_back(
        machine.nic.tick *
        static_cast<std::int64_t>(static_cast<double>(peak.per_packet / machine.nic.tick) * times));
  return out;
}

comm::qos::Limits limits_from(const Peak& peak, const std::vector<comm::qos::CurvePoint>& trade,
                              Bandwidth capacity) {
  const double most = in_megabytes(capacity), scale = most / in_megabytes(peak.bandwidth);
  comm::qos::Limits limits{peak.per_packet, peak.bandwidth, {}};
  limits.curve.push_back({{0}, bandwidth(most)});
  double least = most;
  for (const comm::qos::CurvePoint& point : trade) {
    least = std::min(least, scale * in_megabytes(point.outgoing));
    limits.curve.push_back({bandwidth(scale * in_megabytes(point.incoming)), bandwidth(least)});
  }
  limits.curve.push_back({bandwidth(most), {0}});
  return limits;
}

comm::qos::Limits measure_limits(const Machine& machine, std::optional<Bandwidth> capacity) {
  const Peak peak = measure_peak(machine);
  std::vector<comm::qos::CurvePoint> trade;
  for (const Duration interval : trade_intervals(machine, peak))
    trade.push_back(measure_trade(machine, interval, peak));
  return limits_from(
      peak, trade, capacity ? *capacity : bandwidth(0.97 * in_megabytes(measure_shared(machine))));
}

}  // namespace weft
