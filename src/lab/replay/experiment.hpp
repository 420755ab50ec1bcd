// SPDX-License-Identifier: Apache-2.0
// A replay of traces on a machine: times of ranks and what they were spent on, the critical path,
// and the load of links.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lab/path/critical_path.hpp"
#include "lab/path/rank_log.hpp"
#include "lab/path/watched_world.hpp"
#include "lab/replay/link_times.hpp"
#include "lab/replay/request.hpp"
#include "run/simulated/world.hpp"
#include "trace/trace.hpp"

namespace weft {

/// A replay that is ready to run; the network may be shared with others.
struct ReplayExperiment {
  ReplaySpec spec{};  ///< what the result says was replayed
  Machine machine{};
  trace::CollectiveAlgorithms algorithms{};
  std::vector<trace::Trace> jobs{};
  std::vector<HostId> places{};  ///< of all ranks, job after job
  std::vector<double> scales{};  ///< of compute times, by job
  sim::Faults faults{};
  Duration until = sim::Kernel::never;
  std::uint64_t seed = 1;
};
/// Reads and checks the traces and places their ranks. Throws Error when one is wrong, or does not
/// fit.
ReplayExperiment resolve(const ReplayRequest& request, Networks& networks);

/// The traces of a replay, which experiments may share. Throws Error.
std::vector<trace::Trace> read_jobs(const ReplaySpec& spec);
/// The same as resolve() above, of these jobs on the machine that was requested.
ReplayExperiment resolve(const ReplayRequest& request, const Machine& machine,
                         std::vector<trace::Trace> jobs);

/// What a replay is to find out besides times.
struct ReplayOptions {
  bool path = false;          ///< the critical path
  bool steps = false;         ///< its steps
  bool links = false;         ///< the load of links over time
  bool record = false;        ///< when operations were posted and completed, and collectives
  RecordWindow window{};      ///< of operations, and of the path's steps
  bool ideal = false;         ///< the time on an ideal network
  std::uint64_t threads = 1;  ///< that move the network; 0: as many as gain
  sim::ThreadUse thread_use = sim::ThreadUse::where_faster;
  bool alone = false;  ///< of several jobs: the time of each by itself
  /// Hears how many calls of how many have begun, from time to time.
  std::function<void(std::uint64_t begun, std::uint64_t all)> progress{};
};

struct JobResult {
  std::string trace{};
  int ranks = 0;
  bool has_finished = false;
  /// Of the section that the program times, by its slowest rank; without one of the whole run. Of a
  /// job that has not finished: until the end of the run.
  Duration time{};
  Duration ideal{}, alone{};         ///< 0 where it was not asked for
  std::vector<RankItems> by_rank{};  ///< of that section
  RankItems mean() const;            ///< over ranks
};

/// A collective of a rank, of those of all jobs.
struct CollectiveRecord {
  comm::Rank rank = 0;
  trace::CallKind kind{};
  comm::Time begin{}, end{};
};

/// From the first rank that begins the section that programs time to the last that ends it.
struct TimedSection {
  comm::Time begin{}, end{};
};

/// Messages of the critical path that pass a link between switches.
struct LinkOnPath {
  ChannelId channel{};
  PairOnPath messages{};
};

struct ReplayResult {
  ReplaySpec spec{};
  std::string refusal{};  ///< why it was not run, in a sweep
  run::WorldEnd ended{};
  Duration time{};            ///< of the whole run, virtual
  std::string explanation{};  ///< unless finished: which calls have not ended
  std::vector<JobResult> jobs{};
  std::vector<HostId> places{};  ///< of all ranks
  /// Of the job and rank that took longest, of those that have finished; ranks as in the trace.
  std::optional<PathTotals> path{};
  std::size_t path_job = 0;  ///< whose it is
  /// Of the path, from its begin on: all of them, or as many as are kept; ranks of all jobs.
  std::vector<PathStep> path_steps{};
  std::vector<LinkOnPath> path_links{};  ///< the longest time first
  LinkTimes links{};
  std::uint64_t messages = 0;                   ///< transfers between or within hosts
  std::uint64_t packets = 0;                    ///< acknowledgments included
  std::uint64_t flit_hops = 0;                  ///< flits through switches
  std::vector<run::OperationRecord> records{};  ///< ranks and peers of all jobs
  std::uint64_t records_left_out = 0;           ///< of operations after those
  std::vector<CollectiveRecord> collectives{};  ///< in the order in which they ended
  std::optional<TimedSection> timed{};          ///< of a single job, if it times one

  bool refused() const { return !refusal.empty(); }
  bool finished() const { return !refused() && ended == run::WorldEnd::finished; }
  Duration longest() const;  ///< time of the job that takes longest
};

/// Throws Error, with rank, call and line, for a call that cannot be made. A program that deadlocks
/// is a result like any other.
ReplayResult run_replay(const ReplayExperiment& experiment, const ReplayOptions& options = {});

}  // namespace weft
