// SPDX-License-Identifier: Apache-2.0
// Several seeds of a simulation as one row.
#include "lab/simulate/seeds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/student.hpp"
#include "lab/simulate/result_row.hpp"

namespace weft {
namespace {

using SeedRows = std::span<const SweepRow>;

/// The mean over the seeds that have this value, as a number and of measured packets.
MeanOfValues mean_of(SeedRows rows, double SimulationResult::*value, bool of_packets) {
  std::vector<double> values;
  for (const SweepRow& row : rows)
    if (std::isfinite(row.result.*value) && (!of_packets || row.result.packets > 0))
      values.push_back(row.result.*value);
  return MeanOfValues(values);
}

/// Sums and means of the fields that are numbers.
void fill_numbers(SeedRows rows, SimulationResult& out) {
  for (const ResultField& field : result_fields()) {
    if (const auto* value = std::get_if<double SimulationResult::*>(&field.value))
      out.*(*value) = mean_of(rows, *value, field.of_packets).mean;
    if (const auto* value = std::get_if<std::uint64_t SimulationResult::*>(&field.value)) {
      out.*(*value) = 0;
      for (const SweepRow& row : rows) out.*(*value) += row.result.*(*value);
    }
  }
}

void fill_priority(SeedRows rows, PriorityLatency SimulationResult::*priority,
                   SimulationResult& out) {
  using P = PriorityLatency;
  P all;
  std::uint64_t seeds = 0;
  for (const SweepRow& row : rows) {
    const P& one = row.result.*priority;
    if (one.packets == 0) continue;
    ++seeds;
    all.packets += one.packets;
    for (const auto value : {&P::mean, &P::p50, &P::p95, &P::p99, &P::p999})
      all.*value += one.*value;
    all.most = std::max(all.most, one.most);
  }
  for (const auto value : {&P::mean, &P::p50, &P::p95, &P::p99, &P::p999})
    if (seeds > 0) all.*value /= static_cast<double>(seeds);
  out.*priority = all;
}

/// Of all seeds: the slowest packet, the sources that got least and most through, the source that
/// fell behind most, the busiest link.
void fill_extremes(SeedRows rows, SimulationResult& out) {
  const auto behind = [](const SimulationResult& one) {
    const double flits = one.worst_offered - one.worst_accepted;
    return std::isfinite(flits) ? flits : -std::numeric_limits<double>::infinity();
  };
  const SimulationResult *busiest = &rows[0].result, *worst = busiest;
  out.most = 0;
  for (const SweepRow& row : rows) {
    const SimulationResult& one = row.result;
    if (one.packets > 0) out.most = std::max(out.most, one.most);
    out.least_host = std::min(out.least_host, one.least_host);
    out.most_host = std::max(out.most_host, one.most_host);
    if (one.most_link > busiest->most_link) busiest = &one;
    if (behind(one) > behind(*worst)) worst = &one;
  }
  out.busiest = busiest->busiest;
  out.worst_host = worst->worst_host;
  out.worst_offered = worst->worst_offered;
  out.worst_accepted = worst->worst_accepted;
}

void fill_lists(SeedRows rows, SimulationResult& out) {
  out.lost_why.clear();
  for (const SweepRow& row : rows)
    for (const auto& [why, count] : row.result.lost_why) out.lost_why[why] += count;
  for (const SweepRow& row : rows.subspan(1))
    if (out.latencies) *out.latencies += *row.result.latencies;
  for (std::size_t i = 0; i < out.links.size(); ++i) {
    double sum = 0;
    for (const SweepRow& row : rows) sum += row.result.links[i].use;
    out.links[i].use = sum / static_cast<double>(rows.size());
  }
}

/// How bad it is.
int badness(SimulationOutcome outcome) {
  switch (outcome) {
    case SimulationOutcome::deadlocked:
      return 2;
    case SimulationOutcome::saturated:
      return 1;
    case SimulationOutcome::steady:
    case SimulationOutcome::complete:
      return 0;
  }
  return 0;
}

SweepRow row_over(SeedRows rows) {
  const auto worst =
      std::max_element(rows.begin(), rows.end(), [](const SweepRow& a, const SweepRow& b) {
        return badness(a.result.outcome) < badness(b.result.outcome);
      });
  SweepRow row = rows[0];
  SimulationResult& out = row.result;
  out.outcome = worst->result.outcome;
  out.explanation = worst->result.explanation;
  fill_numbers(rows, out);
  fill_extremes(rows, out);
  fill_priority(rows, &SimulationResult::urgent, out);
  fill_priority(rows, &SimulationResult::normal, out);
  fill_lists(rows, out);
  out.half_width = mean_of(rows, &SimulationResult::mean, true).half_width;
  row.seeds = {rows.size(), 0, mean_of(rows, &SimulationResult::accepted, false).half_width};
  for (const SweepRow& one : rows)
    row.seeds->same_outcome += one.result.outcome == out.outcome ? 1 : 0;
  return row;
}

}  // namespace

std::uint64_t seeds_from(const std::string& text) {
  constexpr std::uint64_t most = 10'000;
  return whole<std::uint64_t>("seeds", text, 1, most);
}

std::vector<SimulationRequest> with_seeds(const SimulationRequest& request, std::uint64_t seeds) {
  if (request.seed > std::numeric_limits<std::uint64_t>::max() - (seeds - 1))
    reject("seed", request.spec.seed, fmt::format("there are no {} seeds from this one on", seeds));
  std::vector<SimulationRequest> out(seeds, request);
  for (std::uint64_t i = 1; i < seeds; ++i) {
    out[i].seed += i;
    out[i].spec.seed = std::to_string(out[i].seed);
  }
  return out;
}

std::vector<SweepRow> over_seeds(std::vector<SweepRow> rows, std::uint64_t seeds) {
  if (seeds == 1) return rows;
  std::vector<SweepRow> out;
  for (std::size_t i = 0; i + seeds <= rows.size(); i += seeds)
    out.push_back(row_over(SeedRows(rows).subspan(i, seeds)));
  return out;
}

}  // namespace weft
