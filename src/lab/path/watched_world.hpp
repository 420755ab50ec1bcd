// SPDX-License-Identifier: Apache-2.0
// A simulated world, and what its ranks spend their time on: their counts at any time, their
// operations, and the critical path.
#pragma once
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "lab/cluster/machine.hpp"
#include "lab/path/critical_path.hpp"
#include "lab/path/rank_log.hpp"
#include "run/simulated/world.hpp"
#include "sim/booked_work.hpp"

namespace weft {

/// How long a rank was asked to compute, in all: by its processor and beside it.
struct ComputeAsked {
  Duration by_processor{}, beside{};
};

/// Which operations are recorded: of those that complete from some time on, the first ones.
struct RecordWindow {
  comm::Time from{};
  std::size_t most = std::numeric_limits<std::size_t>::max();
};

struct WatchOptions {
  bool path = false;      ///< the critical path
  bool steps = false;     ///< its steps, from that time on
  bool record = false;    ///< when operations were posted and completed
  RecordWindow window{};  ///< of records, and of steps
  /// What the program of a rank has asked for until now; without it, all that the rank spends.
  std::function<ComputeAsked(comm::Rank)> asked{};
  std::function<void()> begun{};  ///< is called when an operation has begun
};

class WatchedWorld final : private comm::OperationLog {
 public:
  /// The machine and the tables must outlive it. Throws Error when they do not fit the options.
  WatchedWorld(const Machine& machine, const Tables& tables, run::WorldOptions world,
               WatchOptions watch);
  WatchedWorld(const WatchedWorld&) = delete;
  WatchedWorld& operator=(const WatchedWorld&) = delete;

  run::World& world() { return world_; }
  RankCounts counts(comm::Rank rank);
  /// Null unless it is wanted.
  CriticalPath* path() { return path_ ? &*path_ : nullptr; }
  /// Whether the path knows what ended every wait: ranks have only sent and received messages.
  bool knows_causes() const { return knows_causes_; }
  /// Those that have not ended last until the end of the run.
  std::vector<run::OperationRecord> take_records(const run::WorldResult& ended);
  /// Operations that completed after those that are recorded.
  std::uint64_t left_out() const { return left_out_; }

 private:
  /// The program's own work: as it asks for it, and as it is done.
  struct ComputeWork {
    ComputeAsked asked{};
    sim::BookedWork compute{}, beside{};
  };

  Duration work_done(comm::Rank rank);
  void book_compute(const comm::Op& op, comm::Rank rank);
  bool is_idle(comm::Rank rank);
  void note_step(comm::Rank rank);

  void begun(const comm::Op& op, comm::Rank rank, comm::Time at) override;
  void completed(const comm::Op& op, comm::Rank rank, comm::Time at) override;
  void resumed(const comm::Op& op, comm::Rank rank, comm::Time at) override;
  void step_left(const comm::MessageStep& step, comm::Time at) override;
  void step_arrived(const comm::MessageStep& step, comm::Time at) override;

  WatchOptions watch_;
  run::World world_;
  std::vector<ComputeWork> work_;
  RankWaits waits_;
  std::optional<CriticalPath> path_;
  bool knows_causes_ = true;
  std::vector<run::OperationRecord> records_;
  std::uint64_t left_out_ = 0;
};

}  // namespace weft
