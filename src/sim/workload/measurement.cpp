// SPDX-License-Identifier: Apache-2.0
// Warm-up, sample and drain, and how saturation is recognised.
#include "sim/workload/measurement.hpp"

#include <algorithm>

#include "sim/measure/backlog.hpp"
#include "sim/measure/mark.hpp"
#include "sim/workload/planned_share.hpp"

namespace weft::sim {
namespace {

constexpr Cycle shortest = 1024;                               ///< warm-up, and sample
constexpr std::uint64_t enough_packets = 50'000;               ///< for the sample's p999
constexpr std::uint64_t warmup_work = std::uint64_t{1} << 25;  ///< switch traversals at most
constexpr std::uint64_t sample_work = std::uint64_t{1} << 26;
constexpr Cycle longest = Cycle{1} << 44;

/// The loads as small whole numbers, at least 1 for every host that sends.
IdVector<HostId, std::uint64_t> shares_of(const IdVector<HostId, Chance>& loads) {
  IdVector<HostId, std::uint64_t> out(loads.size());
  for (const HostId host : loads.ids())
    out[host] = (loads[host].parts() >> 53) + (loads[host].parts() > 0 ? 1 : 0);
  return out;
}

class Measurement {
 public:
  Measurement(Network& network, Workload& workload, Meter& meter, const MeasurementPlan& plan)
      : network_(network),
        workload_(workload),
        meter_(meter),
        plan_(plan),
        irregular_(workload.burstiness()),
        shares_(shares_of(workload.loads())) {}

  Measured run() {
    workload_.start(network_);
    if (workload_.ends()) {
      carry();
    } else if (warm_up()) {
      if (take_sample() && !saturated_) drain();
    }
    return conclude();
  }

 private:
  /// Runs up to a cycle; returns whether it got there, or else the network has stopped for good.
  bool advance(Cycle until, std::string_view what) {
    const Cycle piece = std::max<Cycle>((until - network_.now()) / 16, 1);
    while (network_.now() < until) {
      report(what);
      ended_ = network_.run(workload_, std::min(until, network_.now() + piece));
      if (ended_ != NetworkEnd::in_time) return false;
    }
    return true;
  }
  void report(std::string_view what) const {
    if (!plan_.progress) return;
    if (workload_.ends() || drains_)
      plan_.progress(std::nullopt, fmt::format("cycle {}: {}", network_.now(), what));
    else
      plan_.progress(share_.at(network_.now()), what);
  }
  /// The whole is planned to end after a warm-up up to this cycle, and a sample as long or longer.
  void plan_from_warmup(Cycle end) {
    const Cycle sample = plan_.cycles.value_or(std::max(shortest, end));
    const bool certain = (plan_.warmup || expected_work(end) > warmup_work) &&
                         (plan_.cycles || expected_work(sample) > sample_work);
    share_.plan(network_.now(), end + sample, certain);
  }
  void plan_from_sample(Cycle begin, Cycle length) {
    share_.plan(network_.now(), begin + length,
                plan_.cycles || expected_work(length) > sample_work);
  }
  /// Of so many cycles, if they are like those before.
  double expected_work(Cycle cycles) const {
    return network_.now() == 0 ? 0
                               : static_cast<double>(work()) / static_cast<double>(network_.now()) *
                                     static_cast<double>(cycles);
  }
  /// Switch traversals; lost packets count, as they may be lost before the first one.
  std::uint64_t work() const { return network_.totals().flit_hops + 64 * network_.totals().lost; }
  Mark mark() const {
    return {network_.now(), meter_.counts(), network_.totals().waiting + workload_.kept(),
            irregular_.dispersion};
  }

  /// A finite workload: all of it is the sample.
  void carry() {
    open();
    for (Cycle until = shortest; advance(until, "carrying");) until += until / 2;
    close();
  }

  bool warm_up() {
    const bool given = plan_.warmup.has_value();
    const Cycle end = plan_.warmup.value_or(never);
    plan_from_warmup(plan_.warmup.value_or(shortest));
    if (!advance(std::min(shortest / 2, end), "warm-up")) return false;
    int grown = 0;
    for (Mark a = mark(); a.at > 0 && a.at <= end / 2;) {
      plan_from_warmup(plan_.warmup.value_or(a.at * 2));
      if (!advance(a.at + a.at / 2, "warm-up")) return false;
      const Mark b = mark();
      if (!advance(a.at * 2, "warm-up")) return false;
      const Mark c = mark();
      if (!given && settled(a, b, c)) return true;
      grown = clearly_growing(a, b, c) ? grown + 1 : 0;
      saturated_ = grown >= (given ? 1 : 2);
      if (!given && (saturated_ || work() > warmup_work || c.at > longest)) return true;
      a = c;
    }
    return advance(end, "warm-up");
  }

  bool take_sample() {
    open();
    const Cycle begin = network_.now();
    Cycle length = plan_.cycles.value_or(std::max(shortest, begin));
    const std::uint64_t before = work();
    const Mark& a = mark_at_open_;
    plan_from_sample(begin, length);
    if (!advance(begin + length / 2, "measuring")) return close();
    int grown = 0;
    for (Mark b = mark();; b = mark(), length *= 2) {
      plan_from_sample(begin, length);
      if (!advance(begin + length, "measuring")) return close();
      const Mark c = mark();
      const bool behind = a_source_falls_behind();
      const bool grows = growing(a, b, c) || filling(a, b, c, 10) || behind;
      grown = grows ? grown + 1 : 0;
      const bool last = plan_.cycles || length > longest || work() - before > sample_work;
      saturated_ = saturated_ || grown == 2 || (grows && last);
      if (saturated_ || last || (!grows && known(length) && !in_doubt())) return close();
    }
  }
  BacklogGrowth backlog_growth() const {
    return {backlogs_at_open_,
            BacklogSnapshot(meter_),
            {meter_.longest() + irregular_.burst, irregular_.dispersion, &shares_}};
  }
  bool a_source_falls_behind() {
    if (!workload_.offers_load()) return false;
    const BacklogGrowth growth = backlog_growth();
    out_.worst = growth.worst();
    return growth.falls_behind(++looks_);
  }
  bool in_doubt() const { return workload_.offers_load() && backlog_growth().in_doubt(looks_ + 1); }
  bool known(Cycle length) const {
    const Meter::Sample& sample = meter_.sample();
    if (sample.delivered() == 0) return sample.lost >= enough_packets;
    return sample.delivered() + sample.lost >= enough_packets &&
           sample.batches.within_one_percent(length - 1);  // the last batch is not complete
  }

  /// Runs until all packets of the sample have arrived and no source is in doubt; at the limit the
  /// backlogs decide, those of the measured time and of the drain together. The drain is several
  /// times as long as the sample: buffers that still fill then are not about to be full.
  void drain() {
    const Cycle end = network_.now(), piece = std::max<Cycle>(out_.cycles / 64, 64);
    const Mark mark_at_close = mark();
    const Cycle limit = end + 4 * out_.cycles + 4 * shortest;
    const std::string what = fmt::format("draining, up to {} at most", limit);
    drains_ = true;
    while (network_.now() < limit) {
      if (meter_.outstanding() == 0 && !in_doubt()) return;
      if (!advance(network_.now() + piece, what)) return;
    }
    saturated_ = meter_.outstanding() > 0 || a_source_falls_behind() ||
                 growing(mark_at_open_, mark_at_close, mark()) ||
                 filling(mark_at_open_, mark_at_close, mark(), 3);
  }

  void open() {
    out_.warmup = network_.now();
    // In an overloaded network hardly any packet that is created now gets through.
    if (saturated_)
      meter_.open_for_all(network_.now());
    else
      meter_.open(network_.now());
    out_.flits_of = meter_.flits_of();
    out_.flits_sent_of = meter_.flits_sent_of();
    mark_at_open_ = mark();
    backlogs_at_open_ = BacklogSnapshot(meter_);
    out_.use = network_.lane_use();
  }
  /// Ends the measured time; returns whether the network still runs.
  bool close() {
    const bool runs = ended_ == NetworkEnd::in_time;
    // A complete workload ended with its last packet.
    const Cycle now =
        ended_ == NetworkEnd::quiet ? std::max(meter_.last(), out_.warmup) : network_.now();
    meter_.close(runs ? now : never);
    out_.cycles = std::max<Cycle>(now - out_.warmup, 1);
    const std::vector<LaneUse> use = network_.lane_use();
    invariant(use.size() == out_.use.size(), "the lanes of a network changed");
    for (std::size_t i = 0; i < use.size(); ++i)
      out_.use[i].flits = use[i].flits - out_.use[i].flits;
    out_.flits_sent = meter_.at_close().flits_sent - meter_.at_open().flits_sent;
    count_delivered();
    return runs;
  }
  /// A packet counts when its last flit arrives, but most flits of a long one arrive before; so the
  /// links of hosts, which count flits, show how many arrived in the measured time.
  void count_delivered() {
    const Meter::PacketCounts &from = meter_.at_open(), &to = meter_.at_close();
    std::uint64_t arrived = 0;
    IdVector<HostId, std::uint64_t> left(out_.flits_of.size());
    for (const LaneUse& use : out_.use) {
      if (!use.host.valid()) continue;
      (use.to_host ? arrived : left[use.host]) += use.flits;
    }
    const std::uint64_t aside = to.flits_aside - from.flits_aside;
    out_.flits_delivered = ended_ == NetworkEnd::quiet  // nothing is under way any more
                               ? to.flits_delivered - from.flits_delivered
                               : arrived - std::min(aside, arrived);
    for (HostId host : left.ids()) {
      out_.flits_of[host] = std::min(meter_.flits_of()[host] - out_.flits_of[host], left[host]);
      out_.flits_sent_of[host] = meter_.flits_sent_of()[host] - out_.flits_sent_of[host];
    }
  }

  Measured conclude() {
    if (ended_ == NetworkEnd::in_time && network_.deadlocked()) ended_ = NetworkEnd::deadlocked;
    if (out_.cycles == 0) {  // it stopped in the warm-up
      open();
      close();
      out_.cycles = 0;
    }
    out_.conclusion = ended_ == NetworkEnd::deadlocked ? Conclusion::deadlocked
                      : ended_ == NetworkEnd::quiet    ? Conclusion::complete
                      : saturated_                     ? Conclusion::saturated
                                                       : Conclusion::steady;
    out_.kept = workload_.kept();
    return std::move(out_);
  }

  Network& network_;
  Workload& workload_;
  Meter& meter_;
  const MeasurementPlan& plan_;
  const Burstiness irregular_;
  const IdVector<HostId, std::uint64_t> shares_;  ///< of hosts in the load; empty: all alike
  Measured out_{};
  Mark mark_at_open_{};
  BacklogSnapshot backlogs_at_open_{};
  unsigned looks_ = 0;  ///< at the backlogs
  PlannedShare share_{};
  bool drains_ = false;
  NetworkEnd ended_ = NetworkEnd::in_time;
  bool saturated_ = false;
};

}  // namespace

Measured measure(Network& network, Workload& workload, Meter& meter, const MeasurementPlan& plan) {
  return Measurement(network, workload, meter, plan).run();
}

}  // namespace weft::sim
