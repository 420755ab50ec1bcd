// SPDX-License-Identifier: Apache-2.0
// The result of a simulation: latency, throughput and what became of the packets.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/processor_counters.hpp"
#include "lab/simulate/request.hpp"
#include "sim/measure/histogram.hpp"
#include "sim/network.hpp"

namespace weft {

enum class SimulationOutcome {
  steady,      ///< every source keeps up: what it sends arrives, or is lost where something fails
  saturated,   ///< a source falls behind: its queue grows, and the latencies of its packets
  complete,    ///< a finite workload (file, all-to-all once) was carried to its end
  deadlocked,  ///< see `explanation`
};
std::string to_text(SimulationOutcome);
/// The inverse of to_text. Throws Error.
SimulationOutcome outcome_from(std::string_view text);

struct LinkUse {
  std::string from, to;  ///< "s0:3" or a host's name
  int lane = 0;          ///< -1: all lanes of the link together
  double use = 0;        ///< flits per cycle in the measured time
  ChannelId channel{};   ///< none: a link of a host
};

/// Latency of one kind of measured packets: of a priority, or replies.
struct PriorityLatency {
  std::uint64_t packets = 0;
  double mean = 0, p50 = 0, p95 = 0, p99 = 0, p999 = 0, most = 0;  ///< cycles
};

/// Where the processor time of a simulation went, where asked for. Not the same in every run.
struct SimulationProfile {
  std::vector<sim::PathUse> paths{};
  std::optional<ProcessorCounts> counts{};  ///< where the system lets programs read counters
};

struct SimulationResult {
  SimulationSpec spec;
  SimulationOutcome outcome = SimulationOutcome::steady;
  double offered = 0, accepted = 0;                       ///< flits per host and cycle
  double least_host = 0, median_host = 0, most_host = 0;  ///< accepted, of single sources
  std::string worst_host;  ///< the source that falls behind most; open loop only
  double worst_offered = 0, worst_accepted = 0;  ///< of that source; NaN where there is none
  double mean = 0, half_width = 0;  ///< latency and its 95 % confidence interval, cycles;
                                    ///< no interval (NaN) where all packets are measured
  double network_mean = 0;          ///< from leaving the NIC
  double p50 = 0, p95 = 0, p99 = 0, p999 = 0, most = 0;
  PriorityLatency urgent{}, normal{};     ///< where urgent packets were measured
  PriorityLatency reply{}, round_trip{};  ///< where packets were answered
  double hops = 0;                        ///< switches, mean
  double mean_link = 0, most_link = 0;    ///< use of links between switches
  double link_p10 = 0, link_p50 = 0, link_p90 = 0;
  std::string busiest;                     ///< "s0:3 > s1:4"
  std::uint64_t warmup = 0, measured = 0;  ///< cycles
  std::uint64_t cycles = 0;                ///< simulated in all
  std::uint64_t packets = 0;               ///< measured
  std::uint64_t sent = 0, delivered = 0, lost = 0, inside = 0;
  std::map<std::string, std::uint64_t> lost_why{};
  std::uint64_t flit_hops = 0;
  double cycle_ns = 0;                        ///< length of a cycle
  std::vector<LinkUse> links{};               ///< per link and lane, where asked for
  std::string explanation;                    ///< of a deadlock
  std::optional<sim::Histogram> latencies{};  ///< of the measured packets, where asked for
  std::optional<SimulationProfile> profile{};
};

}  // namespace weft
