// SPDX-License-Identifier: Apache-2.0
// What flows got of what they were promised.
#include <algorithm>
#include <cmath>

#include "lab/flows/experiment.hpp"

namespace weft {
namespace {

/// The packets that it takes to judge whether a promise is kept.
constexpr double enough_packets = 100;

double in_seconds(Duration time) { return static_cast<double>(time.count()) * 1e-12; }

double bin_rate(const FlowFound& flow, Duration interval) {
  return flow.packet_bytes / in_seconds(interval) / 1e6;
}

bool sends(const ScenarioResult& result, std::size_t flow, std::size_t bin) {
  const FlowFound& found = result.found.flows[flow];
  const Duration from = result.found.bin * static_cast<std::int64_t>(bin);
  return found.granted && from >= result.asked(flow).start && from < result.asked(flow).stop;
}

std::optional<double> mean_promise(const ScenarioResult& result, std::size_t flow,
                                   const FlowRate& rate) {
  const auto first = static_cast<std::size_t>(rate.from / result.found.bin);
  const auto last = static_cast<std::size_t>(rate.to / result.found.bin);
  double sum = 0;
  for (std::size_t bin = first; bin < last; ++bin) {
    const auto each = promised_in(result, flow, bin);
    if (!each) return std::nullopt;
    sum += *each;
  }
  return sum / static_cast<double>(last - first);
}

void take_worse(std::optional<PromiseKept>& worst, const std::optional<PromiseKept>& promise) {
  if (!promise) return;
  const bool worse =
      worst &&
      (promise->kept != worst->kept ? worst->kept : promise->rate.ratio() < worst->rate.ratio());
  if (!worst || worse) worst = promise;
}

/// Judges a promise; nothing for other flows, or when it is of fewer packets than `packets`.
std::optional<PromiseKept> judged(const ScenarioResult& result, std::size_t flow,
                                  const std::optional<FlowRate>& rate, double packets) {
  if (!rate || result.asked(flow).service != FlowService::promised) return std::nullopt;
  const double packet =
      result.found.flows[flow].packet_bytes / 1e6 / in_seconds(rate->to - rate->from);
  if (*rate->promised < packets * packet) return std::nullopt;
  return PromiseKept{flow, *rate, rate->measured + packet >= kept_share * *rate->promised};
}

}  // namespace

std::optional<double> promised_in(const ScenarioResult& result, std::size_t flow, std::size_t bin) {
  if (!sends(result, flow, bin)) return std::nullopt;
  const FlowPlan& asked = result.asked(flow);
  if (asked.service == FlowService::promised) return in_megabytes(asked.bandwidth);
  const Duration interval = result.found.flows[flow].interval[bin];
  if (asked.service == FlowService::free || interval.count() == 0) return std::nullopt;
  return bin_rate(result.found.flows[flow], interval);
}

std::optional<FlowRate> rate_between(const ScenarioResult& result, std::size_t flow, Duration from,
                                     Duration to) {
  const FlowFound& found = result.found.flows[flow];
  const Duration bin = result.found.bin;
  const Duration first = std::max({from, found.began, result.asked(flow).start});
  const Duration last = std::min({to, found.ended, result.asked(flow).stop});
  FlowRate rate;
  rate.from = (first + bin - Duration(1)) / bin * bin;
  rate.to = last / bin * bin;
  if (!found.granted || rate.from >= rate.to) return std::nullopt;
  rate.measured = sent_between(result.found, flow, rate.from, rate.to);
  rate.promised = mean_promise(result, flow, rate);
  return rate;
}

std::optional<FlowRate> rate_of(const ScenarioResult& result, std::size_t flow) {
  return rate_between(result, flow, Duration{0}, result.scenario.length);
}

std::vector<Duration> changes_of(const ScenarioResult& result) {
  std::vector<Duration> out{Duration{0}, result.scenario.length};
  for (std::size_t i = 0; i < result.found.flows.size(); ++i) {
    if (!result.found.flows[i].granted) continue;
    out.push_back(result.asked(i).start);
    out.push_back(result.asked(i).stop);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::optional<PromiseKept> worst_between(const ScenarioResult& result, Duration from, Duration to) {
  std::optional<PromiseKept> worst;
  for (std::size_t i = 0; i < result.found.flows.size(); ++i)
    take_worse(worst, judged(result, i, rate_between(result, i, from, to), enough_packets));
  return worst;
}

std::optional<PromiseKept> worst_promise(const ScenarioResult& result) {
  std::optional<PromiseKept> worst;
  for (std::size_t i = 0; i < result.found.flows.size(); ++i)
    take_worse(worst, judged(result, i, rate_of(result, i), 0));
  const std::vector<Duration> changes = changes_of(result);
  for (std::size_t at = 0; at + 1 < changes.size(); ++at)
    take_worse(worst, worst_between(result, changes[at], changes[at + 1]));
  return worst;
}

}  // namespace weft
