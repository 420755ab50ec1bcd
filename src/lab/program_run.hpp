// SPDX-License-Identifier: Apache-2.0
// A run of a host program: machine and program in, times out.
#pragma once
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/programs/program.hpp"

namespace weft {

/// What is run, every part as the user writes it; an empty part is the cluster's, or its default.
struct ProgramRun {
  std::string program{};    ///< such as "barrier:algorithm=shio,iterations=1000"
  std::string cluster{};    ///< a cluster file or the name of one
  std::string topology{};   ///< path or spec; otherwise the cluster's first
  std::string engine{};     ///< or a file of tables; otherwise the cluster's first
  std::string switches{};   ///< sim/switch_model.hpp
  std::string nic{};        ///< sim/nics/nic.hpp
  std::string library{};    ///< comm/library.hpp
  std::string hosts{};      ///< so many of the fabric's, or names with commas between them
  std::string ranks = "1";  ///< on each host
  std::string faults{};     ///< sim/faults.hpp; none without it
  std::string until{};      ///< the run is cut short at this virtual time
  std::string seed = "1";
  friend auto operator<=>(const ProgramRun&, const ProgramRun&) = default;
};

struct ProgramRunField {
  std::string name;  ///< "hosts", … as in --hosts
  std::string ProgramRun::*value;
  std::string help;
};
/// In the order of the help.
const std::vector<ProgramRunField>& program_run_fields();

/// Beside what a user can write.
struct ProgramOptions {
  std::vector<HostId> hosts{};  ///< in the order of ranks; empty: all of the fabric
  int ranks_per_host = 1;
  std::uint64_t seed = 1;
  std::vector<comm::Hop> schedule{};  ///< for algorithm=schedule
  sim::Faults faults{};
  Duration until = sim::Kernel::never;
  bool record = false;  ///< keep when every operation was posted and completed
};

/// How much of the time a part of the hosts was busy: 0 to 1.
struct PartUse {
  std::string part;
  double mean = 0, most = 0;  ///< of all hosts (processors: of all ranks), and of the busiest
};

struct ProgramResult {
  ProgramRun run;  ///< with every part filled in
  run::Ended ended{};
  Duration time{};                       ///< of the whole run, virtual
  std::vector<comm::Pending> pending{};  ///< unless finished: what had not ended
  std::string explanation{};             ///< the same in words

  std::uint64_t iterations = 0;
  Times iteration{};              ///< over all iterations of all ranks
  Times rank_means{};             ///< over ranks: the mean of each over its iterations
  Times slowest{};                ///< over iterations: the time of the slowest rank
  std::vector<Times> by_rank{};   ///< over the iterations of each rank
  std::vector<Figure> figures{};  ///< what else the program found out
  std::vector<PartUse> parts{};
  std::vector<std::pair<std::string, std::uint64_t>> counters{};  ///< what else the NICs count
  std::uint64_t messages = 0;   ///< transfers between or within hosts
  std::uint64_t packets = 0;    ///< acknowledgments included
  std::uint64_t flit_hops = 0;  ///< flits through switches
  std::vector<run::Record> records{};
};

/// Runs a program such as "barrier:algorithm=shio". Throws Error for what does not go together. A
/// run that gets stuck is a result like any other.
ProgramResult run_program(const Machine& machine, std::string_view program,
                          const ProgramOptions& options = {});
ProgramResult run_program(const ProgramRun& run, bool record = false);

/// The machine of a run, and its parts as specs.
Machine machine_of(ProgramRun& run);
/// The machine of specs, without a cluster.
Machine make_machine(const std::string& topology, const std::string& engine,
                     const std::string& switches, const std::string& nic);

std::string_view to_text(run::Ended ended);
/// What a shell must be told to get this result again.
std::string command_of(const ProgramRun& run);

}  // namespace weft
