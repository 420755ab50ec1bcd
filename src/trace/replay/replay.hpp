// SPDX-License-Identifier: Apache-2.0
// The replay of a trace: every rank is a host program over an Endpoint that makes the calls of the
// trace as MPI defines them. Messages are unbacked: their sizes count, not their contents. Several
// jobs may run side by side in one world.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "comm/endpoint.hpp"
#include "comm/task.hpp"
#include "trace/replay/algorithms.hpp"
#include "trace/trace.hpp"

namespace weft::trace {

/// Where a rank is in its trace; filled in as it goes on.
struct RankProgress {
  CallKind kind{};                       ///< of the call that began last
  std::uint64_t line = 0;                ///< of that call
  std::atomic<std::uint64_t> calls = 0;  ///< that have begun; others look at it
  /// Of a graph: kinds and lines of the calls that have begun and not ended, in their order.
  std::map<std::uint64_t, std::pair<CallKind, std::uint64_t>> open{};
  Duration computed{};         ///< by its processor, in all
  Duration computed_beside{};  ///< time in which its other streams computed
  bool has_ended = false;

  /// The calls that have begun and not ended, as far as place_of() needs them.
  std::vector<Call> open_calls() const;
};

/// A trace that is replayed; it and what it refers to must outlive the replay.
class ReplayJob {
 public:
  struct Setup {
    int number = 0;             ///< among the jobs of a world
    comm::Rank first_rank = 0;  ///< of the job's ranks in the world, which are consecutive
    double compute_scale = 1;
    /// Called by a rank of the job (its number in the trace) where the section that the program
    /// times begins and ends.
    std::function<void(Rank, bool begins)> section{};
    /// Called when a rank of the job has ended a collective.
    std::function<void(Rank, CallKind, comm::Time begun)> collective{};
  };
  ReplayJob(const Trace& trace, const CollectiveAlgorithms& algorithms, Setup setup);

  /// The program of one rank of the world, which belongs to this job. Throws Error, with rank, call
  /// and line, for a call that cannot be made.
  comm::Task run(comm::Endpoint& endpoint);

  const Trace& trace() const { return trace_; }
  const CollectiveAlgorithms& algorithms() const { return algorithms_; }
  const Setup& setup() const { return setup_; }
  RankProgress& progress(Rank rank) { return progress_[static_cast<std::size_t>(rank)]; }
  /// The scaled time of a compute call. Throws Error where it is too long.
  Duration scaled(Duration time) const;
  /// The same on the processor of a rank, to whose progress it is added.
  Duration add_compute(Rank rank, Duration time);
  void ended_collective(Rank rank, CallKind kind, comm::Time begun) const {
    if (setup_.collective) setup_.collective(rank, kind, begun);
  }

  using Members = std::shared_ptr<const std::vector<comm::Rank>>;
  /// A communicator, shared by those who know it.
  struct ReplayedGroup {
    std::uint64_t number = 0;  ///< among those of the job, from 1 for the world
    Members members{};         ///< as ranks of the world
  };
  ReplayedGroup group_of(std::int32_t communicator, const std::vector<Rank>& in_trace);

 private:
  const Trace& trace_;
  const CollectiveAlgorithms& algorithms_;
  Setup setup_;
  std::vector<RankProgress> progress_;
  std::mutex making_groups_;  ///< ranks may be on several threads
  std::unordered_map<std::int32_t, ReplayedGroup> groups_;
};

}  // namespace weft::trace
