// SPDX-License-Identifier: Apache-2.0
// A simulation: fabric, tables, switches and traffic in, latency and throughput out.
#pragma once
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/// What is simulated, every part as the user writes it; an empty part stands for its default.
/// `simulation_fields()` names them all, so that sweeps and reports treat them alike.
struct Simulation {
  std::string fabric;               ///< path or spec, as for weft route
  std::string tables;               ///< an engine such as "dor", or the path of a tables file
  std::string switches = "iq";      ///< sim/switch_model.hpp
  std::string traffic = "uniform";  ///< sim/traffic/traffic.hpp, or "file:path=trace.csv"
  std::string packet = "1";         ///< flits or bytes ("64B"), or a mix "1*0.8+16*0.2"
  std::string load = "0.1";         ///< open loop: flits per host and cycle, 0 < load <= 1
  std::string window = "0";         ///< 0: open loop; n: n packets unacknowledged at most
  std::string ack = "1";        ///< closed loop: the acknowledgment's length; 0: it takes no time
  std::string urgent = "0";     ///< the share of packets with the higher priority
  std::string faults;           ///< sim/faults.hpp
  std::string warmup = "auto";  ///< cycles, or until the means no longer drift
  std::string cycles = "auto";  ///< measured, or until the confidence interval is narrow
  std::string seed = "1";

  friend auto operator<=>(const Simulation&, const Simulation&) = default;
};

struct SimulationField {
  std::string name;  ///< "fabric", "load", … as in --load
  std::string Simulation::*value;
  std::string help;
};
/// In the order of the help; sweeps vary the last one fastest, but the load before all.
const std::vector<SimulationField>& simulation_fields();

/// Whether its traffic is a trace, which says itself when what is sent.
bool is_trace(const Simulation& simulation);

enum class Outcome {
  steady,      ///< queues do not grow: what is sent arrives, or is lost where something fails
  saturated,   ///< more is sent than the network carries: they grow, and latencies with them
  complete,    ///< a finite workload (file, all-to-all once) was carried to its end
  deadlocked,  ///< see `explanation`
};
std::string to_text(Outcome);
/// The inverse of to_text. Throws Error.
Outcome outcome_from(std::string_view text);

struct LinkUse {
  std::string from, to;  ///< "s0:3" or a host's name
  int lane = 0;          ///< -1: all lanes of the link together
  double use = 0;        ///< flits per cycle in the measured time
};

/// Of the measured packets with one of the two priorities.
struct PriorityLatency {
  std::uint64_t packets = 0;
  double mean = 0, p50 = 0, p95 = 0, p99 = 0, p999 = 0, most = 0;  ///< cycles
};

struct SimulationResult {
  Simulation simulation;
  Outcome outcome = Outcome::steady;
  double offered = 0, accepted = 0;      ///< flits per host and cycle
  double least_host = 0, most_host = 0;  ///< accepted, of single sources
  double mean = 0, half_width = 0;       ///< latency and its 95 % confidence interval, cycles;
                                         ///< no interval (NaN) where all packets are measured
  double network_mean = 0;               ///< from leaving the NIC
  double p50 = 0, p95 = 0, p99 = 0, p999 = 0, most = 0;
  PriorityLatency urgent{}, normal{};      ///< where urgent packets were measured
  double hops = 0;                         ///< switches, mean
  double mean_link = 0, most_link = 0;     ///< use of links between switches
  std::string busiest;                     ///< "s0:3 > s1:4"
  std::uint64_t warmup = 0, measured = 0;  ///< cycles
  std::uint64_t cycles = 0;                ///< simulated in all
  std::uint64_t packets = 0;               ///< measured
  std::uint64_t sent = 0, delivered = 0, lost = 0, inside = 0;
  std::map<std::string, std::uint64_t> lost_why{};
  std::uint64_t flit_hops = 0;
  double cycle_ns = 0;           ///< length of a cycle
  std::vector<LinkUse> links{};  ///< per link and lane, where asked for
  std::string explanation;       ///< of a deadlock
};

struct SimulationOptions {
  bool check = false;
  bool links = false;  ///< fill SimulationResult::links
  /// Told now and then: how far it is (0 to 1) and in what.
  std::function<void(double, const std::string&)> progress{};
};

/// Throws Error when something in one of them is wrong. Quick: only what neighbours do not share is
/// made anew, and nothing is run.
void require_sound(const std::vector<Simulation>& points);

/// Throws Error when something in it is wrong.
SimulationResult simulate(const Simulation& simulation, const SimulationOptions& options = {});

}  // namespace weft
