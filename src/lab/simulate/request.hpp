// SPDX-License-Identifier: Apache-2.0
// The request for a simulation: fabric, tables, switches and traffic, first as text, then typed.
#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/params.hpp"
#include "lab/fields.hpp"
#include "sim/switch_model.hpp"
#include "sim/time.hpp"
#include "sim/workload/lengths.hpp"
#include "sim/workload/workload.hpp"

namespace weft {

/// What is simulated, every part as the user writes it; an empty part means its default.
struct SimulationSpec {
  std::string fabric;                ///< path or spec, as for weft route
  std::string tables;                ///< an engine such as "dor", or the path of a tables file
  std::string switches = "iq";       ///< sim/switch_model.hpp
  std::string traffic = "uniform";   ///< sim/traffic/traffic.hpp, or "file:path=trace.csv"
  std::string packet = "1";          ///< flits or bytes ("64B"), or a mix "1*0.8+16*0.2"
  std::string load = "0.1";          ///< open loop: flits per host and cycle, 0 < load <= 1
  std::string source = "bernoulli";  ///< when hosts create packets: source_rows()
  std::string reply = "0";      ///< flits or bytes that a packet is answered with; 0: no replies
  std::string window = "0";     ///< 0: open loop; n: n packets unacknowledged at most
  std::string ack = "1";        ///< closed loop: the acknowledgment's length; 0: it takes no time
  std::string urgent = "0";     ///< the share of packets with the higher priority
  std::string faults;           ///< sim/faults.hpp
  std::string without;          ///< fabric/without.hpp: what is taken out of the fabric
  std::string warmup = "auto";  ///< cycles, or until the means no longer drift
  std::string cycles = "auto";  ///< measured, or until the confidence interval is narrow
  std::string seed = "1";

  friend auto operator<=>(const SimulationSpec&, const SimulationSpec&) = default;
};

/// The same spec parsed into types. Fabric, tables and faults stay text until resolve() makes the
/// network.
struct SimulationRequest {
  SimulationSpec spec{};  ///< with every empty part replaced by its default
  sim::SwitchModel switches{};
  Spec traffic{};
  sim::Lengths lengths{"1", Bytes{8}};
  Chance load{}, urgent{};
  Spec source{};
  std::optional<sim::Bursts> bursts{};  ///< of on/off sources
  std::uint64_t batch = 0;              ///< packets of every host; 0: without end
  std::uint32_t reply = 0;              ///< flits
  std::uint32_t window = 0;
  std::uint32_t ack = 1;                         ///< flits
  std::optional<sim::Cycle> warmup{}, cycles{};  ///< none: "auto"
  std::uint64_t seed = 1;

  bool replays() const { return traffic.name == "file"; }
  bool has_matrix() const { return traffic.name == "matrix"; }
  /// Whether `load` says how much hosts send.
  bool uses_load() const;
  /// The highest load that its sources can offer.
  Chance most_load() const { return bursts ? bursts->peak : Chance(Chance::one); }
  std::uint32_t longest_packet() const;
};

/// What the field traffic takes: the patterns, and the trace of a file.
struct TrafficRow {
  std::string_view name, summary;
  std::vector<Param> params;
};
std::span<const TrafficRow> traffic_rows();
/// What the field source takes.
std::span<const TrafficRow> source_rows();

using SimulationField = Field<SimulationSpec, SimulationRequest>;
/// The fields, in the order of --help; sweeps vary the last one fastest, but the load before all.
const std::vector<SimulationField>& simulation_fields();

/// Fills what is empty with the first topology, the first engine and the switches of a cluster.
/// Throws Error.
void fill_from_cluster(SimulationSpec& spec, const std::string& path_or_name);
/// Throws Error that names the field when one is wrong, or is given although nothing uses it.
SimulationRequest request_of(const SimulationSpec& spec);
/// Whether two simulations differ in nothing but their load.
bool same_but_for_load(SimulationSpec a, const SimulationSpec& b);
/// Whether they differ in nothing but load, warm-up and cycles.
bool same_but_for_load_and_length(SimulationSpec a, const SimulationSpec& b);
/// The same request at another load.
SimulationRequest at_load(SimulationRequest request, const std::string& load);
/// The same request with another length.
SimulationRequest at_length(SimulationRequest request, sim::Cycle warmup, sim::Cycle cycles);

/// Whether the load says how much hosts send: not that of a trace, of rates, of a batch, or in a
/// closed loop.
bool uses_load(const SimulationSpec& spec);

/// The command that reproduces this result.
std::string command_of(const SimulationSpec& spec);

}  // namespace weft
