// SPDX-License-Identifier: Apache-2.0
// The result of a simulation as one flat row.
#include "lab/simulate/result_row.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

/// Converts single values by their type; nlohmann writes the shortest digits that read back the
/// same.
template <class Result>
struct Put {
  const Result& from;
  Json operator()(double Result::*value) const {
    return std::isfinite(from.*value) ? Json(from.*value) : Json(nullptr);
  }
  Json operator()(std::uint64_t Result::*value) const { return from.*value; }
  Json operator()(std::string Result::*value) const { return from.*value; }
};

template <class Result>
struct Take {
  const Json& from;
  Result& to;
  void operator()(double Result::*value) const {
    to.*value = from.is_null() ? std::numeric_limits<double>::quiet_NaN() : from.get<double>();
  }
  void operator()(std::uint64_t Result::*value) const {
    if (!from.is_number_unsigned()) throw Error("\"{}\" is no count", from.dump());
    to.*value = from.get<std::uint64_t>();
  }
  void operator()(std::string Result::*value) const { from.get_to(to.*value); }
};

struct PriorityField {
  std::string name;  ///< after "urgent_" or "normal_"
  std::variant<double PriorityLatency::*, std::uint64_t PriorityLatency::*> value;
};
const std::vector<PriorityField>& priority_fields() {
  using P = PriorityLatency;
  static const std::vector<PriorityField> fields{
      {"packets", &P::packets},      {"latency_mean", &P::mean}, {"latency_p50", &P::p50},
      {"latency_p95", &P::p95},      {"latency_p99", &P::p99},   {"latency_p999", &P::p999},
      {"latency_maximum", &P::most},
  };
  return fields;
}

struct PriorityColumns {
  std::string prefix;
  PriorityLatency SimulationResult::*latency;
};
const std::vector<PriorityColumns>& priorities() {
  static const std::vector<PriorityColumns> both{{"urgent_", &SimulationResult::urgent},
                                                 {"normal_", &SimulationResult::normal}};
  return both;
}
const std::vector<PriorityColumns>& answers() {
  static const std::vector<PriorityColumns> both{{"reply_", &SimulationResult::reply},
                                                 {"round_trip_", &SimulationResult::round_trip}};
  return both;
}

/// Only where there were packets of the first kind.
void put_kinds(const std::vector<PriorityColumns>& kinds, const SimulationResult& result,
               Json& row) {
  if ((result.*kinds.front().latency).packets == 0) return;
  for (const auto& [prefix, latency] : kinds)
    for (const PriorityField& field : priority_fields()) {
      const bool known = (result.*latency).packets > 0 || field.name == "packets";
      row[prefix + field.name] =
          known ? std::visit(Put<PriorityLatency>{result.*latency}, field.value) : Json(nullptr);
    }
}

void take_kinds(const std::vector<PriorityColumns>& kinds, const Json& row,
                SimulationResult& result) {
  if (!row.contains(kinds.front().prefix + "packets")) return;
  for (const auto& [prefix, latency] : kinds)
    for (const PriorityField& field : priority_fields())
      std::visit(Take<PriorityLatency>{row.at(prefix + field.name), result.*latency}, field.value);
}

}  // namespace

const std::vector<ResultField>& result_fields() {
  using R = SimulationResult;
  static const std::vector<ResultField> fields{
      {"offered", &R::offered, "flits per host and cycle that the hosts sent"},
      {"accepted", &R::accepted, "flits per host and cycle that arrived"},
      {"accepted_least", &R::least_host,
       "flits per host and cycle from the source that got least through"},
      {"accepted_median", &R::median_host, "flits per host and cycle from the median source"},
      {"accepted_most", &R::most_host,
       "flits per host and cycle from the source that got most through"},
      {"worst_host", &R::worst_host, "the source that fell behind most; open loop only"},
      {"worst_host_offered", &R::worst_offered, "flits per cycle that it sent"},
      {"worst_host_accepted", &R::worst_accepted, "flits per cycle that arrived from it"},
      {"latency_mean", &R::mean, "cycles from the creation of a packet to its last flit's arrival",
       true},
      {"latency_half_width", &R::half_width,
       "cycles: half of the 95 % confidence interval of the mean", true},
      {"network_latency_mean", &R::network_mean, "cycles from leaving the NIC to the arrival",
       true},
      {"latency_p50", &R::p50, "cycles that half of the packets took at most", true},
      {"latency_p95", &R::p95, "cycles, 95 % of the packets", true},
      {"latency_p99", &R::p99, "cycles, 99 % of the packets", true},
      {"latency_p999", &R::p999, "cycles, 99.9 % of the packets", true},
      {"latency_maximum", &R::most, "cycles that the slowest packet took", true},
      {"hops_mean", &R::hops, "switches on the route, mean over packets", true},
      {"link_use_mean", &R::mean_link,
       "flits per cycle on a link between switches, mean over directions"},
      {"link_use_p10", &R::link_p10, "flits per cycle that a tenth of them carries at most"},
      {"link_use_p50", &R::link_p50, "flits per cycle, half of them"},
      {"link_use_p90", &R::link_p90, "flits per cycle, 90 % of them"},
      {"link_use_maximum", &R::most_link, "flits per cycle on the busiest"},
      {"busiest_link", &R::busiest, "its ends, switch and port"},
      {"warmup_cycles", &R::warmup, "cycles before measuring"},
      {"measured_cycles", &R::measured, "cycles in which measured packets were created"},
      {"simulated_cycles", &R::cycles, "cycles in all"},
      {"measured_packets", &R::packets, "packets that the latencies are of"},
      {"packets_sent", &R::sent, "packets in all; the next three are parts of them"},
      {"packets_delivered", &R::delivered, "packets that arrived"},
      {"packets_lost", &R::lost, "packets reported lost; lost_why says why"},
      {"packets_inside", &R::inside,
       "packets under way when the simulation ended, or waiting at their hosts"},
      {"flit_hops", &R::flit_hops, "flits through switches in all, the simulator's work"},
      {"cycle_ns", &R::cycle_ns, "ns: length of a cycle"},
  };
  return fields;
}

Json row_of(const SimulationResult& result) {
  Json row = Json::object();
  for (const SimulationField& field : simulation_fields())
    row[field.name] = result.spec.*field.text;
  row["outcome"] = to_text(result.outcome);
  for (const ResultField& field : result_fields()) {
    row[field.name] = std::visit(Put<SimulationResult>{result}, field.value);
    if (field.of_packets && result.packets == 0) row[field.name] = nullptr;
  }
  put_kinds(priorities(), result, row);
  put_kinds(answers(), result, row);
  row["lost_why"] = Json(result.lost_why);
  row["explanation"] = result.explanation;
  return row;
}

std::vector<std::pair<std::string, std::string>> described_columns() {
  std::vector<std::pair<std::string, std::string>> out;
  for (const SimulationField& field : simulation_fields()) out.emplace_back(field.name, field.help);
  out.emplace_back("outcome",
                   "steady: every source keeps up; saturated: one falls behind; complete: a finite "
                   "workload was carried to its end; deadlocked");
  for (const ResultField& field : result_fields()) out.emplace_back(field.name, field.help);
  for (const auto& [prefix, latency] : priorities())
    for (const PriorityField& field : priority_fields())
      out.emplace_back(prefix + field.name,
                       fmt::format("as {}, of {}packets alone; where urgent packets were measured",
                                   field.name == "packets" ? "measured_packets" : field.name,
                                   prefix == "urgent_" ? "urgent " : "other "));
  out.emplace_back("lost_why",
                   "packets lost, by reason: no route, loop, link down, switch down, corrupted");
  return out;
}

SimulationResult result_from(const Json& row) {
  SimulationResult result;
  try {
    for (const SimulationField& field : simulation_fields())
      row.at(field.name).get_to(result.spec.*field.text);
    result.outcome = outcome_from(row.at("outcome").get<std::string>());
    for (const ResultField& field : result_fields())
      std::visit(Take<SimulationResult>{row.at(field.name), result}, field.value);
    take_kinds(priorities(), row, result);
    take_kinds(answers(), row, result);
    row.at("lost_why").get_to(result.lost_why);
    row.at("explanation").get_to(result.explanation);
  } catch (const Json::exception& error) {
    throw Error("{}", error.what());
  }
  return result;
}

std::string entry_text(const SimulationResult& result) {
  return row_of(result).dump(-1, ' ', false, Json::error_handler_t::replace);
}

void read_entry(std::string_view text, SimulationResult& out) {
  const Json row = Json::parse(text, nullptr, false);
  if (!row.is_object()) throw Error("no row of a simulation");
  out = result_from(row);
}

}  // namespace weft
