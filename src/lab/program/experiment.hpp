// SPDX-License-Identifier: Apache-2.0
// A run of a host program: the machine and program in, times out.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/path/path_step.hpp"
#include "lab/path/watched_world.hpp"
#include "lab/program/request.hpp"

namespace weft {

/// How a program is run on a machine.
struct ProgramOptions {
  std::vector<HostId> hosts{};  ///< in the order of ranks; empty: all of the fabric
  int ranks_per_host = 1;
  std::uint64_t seed = 1;
  std::vector<comm::ScheduledSend> schedule{};  ///< for algorithm=schedule
  sim::Faults faults{};
  Duration until = sim::Kernel::never;
  std::uint64_t threads = 1;  ///< that move the network; 0: as many as gain
  sim::ThreadUse thread_use = sim::ThreadUse::where_faster;
  bool record = false;    ///< the times at which operations were posted and completed
  bool path = false;      ///< the steps of the critical path
  RecordWindow window{};  ///< with the path: which operations, and steps
};

/// A program that is ready to run; the network may be shared with others.
struct ProgramExperiment {
  ProgramSpec spec{};  ///< what the result says was run
  Machine machine{};
  ProgramChoice program{};
  ProgramOptions options{};

  int ranks() const;  ///< on all hosts
};
/// Throws Error when there is no such network, host or link.
ProgramExperiment resolve(const ProgramRequest& request, Networks& networks);
/// The same on the machine that was requested.
ProgramExperiment resolve(const ProgramRequest& request, const Machine& machine);

/// How much of the time a part of the hosts was busy: 0 to 1.
struct PartUse {
  std::string part;
  double mean = 0, most = 0;  ///< of all hosts (processors: of all ranks), and of the busiest
};

struct ProgramResult {
  ProgramSpec spec;       ///< with every part filled in
  std::string refusal{};  ///< why it was not run, in a sweep
  run::WorldEnd ended{};
  int ranks = 0;                                  ///< on all hosts
  Duration time{};                                ///< of the whole run, virtual
  std::vector<comm::PendingOperation> pending{};  ///< unless finished: what had not completed
  std::string explanation{};                      ///< the same, human-readable

  std::uint64_t iterations = 0;
  Times iteration{};              ///< over all iterations of all ranks
  Times rank_means{};             ///< over ranks: the mean of each over its iterations
  Times slowest{};                ///< over iterations: the time of the slowest rank
  std::vector<Times> by_rank{};   ///< over the iterations of each rank
  std::vector<Figure> figures{};  ///< what else the program measured
  std::vector<PartUse> parts{};
  std::vector<std::pair<std::string, std::uint64_t>> counters{};  ///< what else the NICs count
  std::uint64_t messages = 0;   ///< transfers between or within hosts
  std::uint64_t packets = 0;    ///< acknowledgments included
  std::uint64_t flit_hops = 0;  ///< flits through switches
  std::vector<run::OperationRecord> records{};
  std::uint64_t records_left_out = 0;  ///< of operations after those
  /// Of the critical path of the whole run, to the rank that finishes last: all of them, or as many
  /// as are kept. None unless the run has finished, or if ranks wait for anything but messages.
  std::vector<PathStep> path_steps{};

  bool refused() const { return !refusal.empty(); }
  bool finished() const { return !refused() && ended == run::WorldEnd::finished; }
};

/// What the program measured under this name, which it has: otherwise it is a bug.
double figure_of(const ProgramResult& result, std::string_view name);

/// Throws Error for parts that do not fit together. A run that gets stuck is a result like any
/// other.
ProgramResult run_program(const ProgramExperiment& experiment, const Laps::Watcher& watcher = {});
/// The same for a program such as "barrier:algorithm=shio" on an existing machine.
ProgramResult run_program(const Machine& machine, std::string_view program,
                          const ProgramOptions& options = {});
/// The same for a spec as the user writes it; with `networks`, those are shared.
ProgramResult run_program(const ProgramSpec& spec);
ProgramResult run_program(const ProgramSpec& spec, Networks& networks);

std::string_view to_text(run::WorldEnd ended);

}  // namespace weft
