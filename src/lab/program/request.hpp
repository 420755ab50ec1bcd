// SPDX-License-Identifier: Apache-2.0
// The request for a run of a host program: machine and program, first as text, then typed.
#pragma once
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/cluster/machine.hpp"
#include "lab/fields.hpp"
#include "lab/programs/program.hpp"

namespace weft {

/// What is run, every part as the user writes it; an empty part is the cluster's, or its default.
struct ProgramSpec {
  std::string program{};    ///< such as "barrier:algorithm=shio,iterations=1000"
  std::string cluster{};    ///< a cluster file or the name of one
  std::string topology{};   ///< path or spec; otherwise the cluster's first
  std::string engine{};     ///< or a file of tables; otherwise the cluster's first
  std::string switches{};   ///< sim/switch_model.hpp
  std::string nic{};        ///< sim/nics/nic.hpp
  std::string library{};    ///< comm/library.hpp
  std::string hosts{};      ///< how many of the fabric's, or names with commas between them
  std::string ranks = "1";  ///< on each host
  std::string faults{};     ///< sim/faults.hpp; none without it
  std::string until{};      ///< the run is cut short at this virtual time
  std::string seed = "1";
  friend auto operator<=>(const ProgramSpec&, const ProgramSpec&) = default;
};

/// A row of the catalogue with its parameters.
struct ProgramChoice {
  const ProgramRow* row = nullptr;
  Params params{Spec{}, {}};
};
/// "barrier:algorithm=shio". Throws Error.
ProgramChoice program_from(std::string_view text);

/// The same spec parsed into types. Hosts and faults stay text until resolve() has the fabric.
struct ProgramRequest {
  ProgramSpec spec{};  ///< with every part of the machine filled in
  MachineRequest machine{};
  ProgramChoice program{};
  int ranks_per_host = 1;
  Duration until = sim::Kernel::never;
  std::uint64_t seed = 1;
};

using ProgramField = Field<ProgramSpec, ProgramRequest>;
/// The fields, in the order of --help.
const std::vector<ProgramField>& program_fields();

/// Throws Error that names the field when one is wrong.
ProgramRequest request_of(const ProgramSpec& spec);

/// The command that reproduces this result.
std::string command_of(const ProgramSpec& spec);

}  // namespace weft
