// SPDX-License-Identifier: Apache-2.0
// The request for a replay of traces: traces, machine and placement, first as text, then typed.
#pragma once
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/cluster/machine.hpp"
#include "lab/fields.hpp"
#include "trace/replay/algorithms.hpp"

namespace weft {

/// What is replayed, every part as the user writes it; an empty part is the cluster's, or its
/// default.
struct ReplaySpec {
  std::vector<std::string> traces{};       ///< files; several: jobs side by side
  std::vector<std::string> collectives{};  ///< "allreduce=ring"
  std::string cluster{};                   ///< a cluster file or the name of one
  std::string topology{};                  ///< path or spec; otherwise the cluster's first
  std::string engine{};                    ///< or a file of tables; otherwise the cluster's first
  std::string switches{};                  ///< sim/switch_model.hpp
  std::string nic{};                       ///< sim/nics/nic.hpp
  std::string library{};                   ///< comm/library.hpp
  std::string hosts{};      ///< that may be used: how many, or names with commas between them
  std::string ranks = "1";  ///< on each host
  std::string placement = "by_switch";
  std::string scale = "1";  ///< factor of compute times, or the time they are calibrated to
  std::string groups{};     ///< process groups of Chakra traces
  std::string faults{};
  std::string until{};
  std::string seed = "1";
  friend auto operator<=>(const ReplaySpec&, const ReplaySpec&) = default;
};

/// The same spec parsed into types. Hosts and faults stay text until resolve() has the fabric.
struct ReplayRequest {
  ReplaySpec spec{};  ///< with every part of the machine filled in
  MachineRequest machine{};
  trace::CollectiveAlgorithms algorithms{};
  int ranks_per_host = 1;
  double scale = 1;
  Duration compute_time{};  ///< to which compute times are calibrated, instead of `scale`
  Duration until = sim::Kernel::never;
  std::uint64_t seed = 1;
};

using ReplayField = Field<ReplaySpec, ReplayRequest>;
/// The fields but traces and collectives, in the order of --help.
const std::vector<ReplayField>& replay_fields();

/// Throws Error that names the field when one is wrong.
ReplayRequest request_of(const ReplaySpec& spec);

/// The command that reproduces this result.
std::string command_of(const ReplaySpec& spec);

}  // namespace weft
