// SPDX-License-Identifier: Apache-2.0
// Host programs by name: functions from parameters and a setting to a coroutine for each rank. One
// file per program, one row per file.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/catalog.hpp"
#include "comm/coll/coll.hpp"
#include "lab/cluster/machine.hpp"
#include "run/simulated/world.hpp"

namespace weft {

/// Least, mean and most of some times.
struct Times {
  Duration mean{}, least{}, most{};
  friend bool operator==(const Times&, const Times&) = default;
};

/// How long the iterations of every rank took, and how many there are. Ranks of different hosts may
/// be on several threads, where they are apart.
class Laps {
 public:
  /// Hears of every iteration that a rank has ended as the first one; of how many, if known.
  using Watcher = std::function<void(std::size_t ended, std::optional<std::size_t> all)>;

  explicit Laps(int ranks, Watcher watcher = {})
      : ranks_(static_cast<std::size_t>(ranks)), watcher_(std::move(watcher)) {}
  /// There are so many iterations.
  void expect(std::size_t iterations) { slowest_.resize(iterations); }
  /// There are as many as it takes until the mean is known to one percent, with a confidence of
  /// 95 %: 12 at least, and 1,000 at most.
  void expect_until_steady();
  /// Whether there is an iteration of this number, counted from 0 and without the warm-up: all
  /// ranks get the same answer.
  bool goes_on(std::size_t iteration);
  void add(comm::Rank rank, std::size_t iteration, Duration time);
  /// Nothing keeps ranks within an iteration of each other.
  void let_ranks_run_ahead() { in_step_ = false; }
  /// Whether ranks know by messages only whether there is another iteration: what it depends on was
  /// before the last messages.
  bool ranks_are_apart() const { return !until_steady_ || in_step_; }

  /// Times of one rank; of all ranks; of the ranks' means; of each iteration's slowest rank.
  Times of(comm::Rank rank) const;
  Times all() const;
  Times means() const;
  Times slowest() const;
  std::size_t iterations() const { return slowest_.size(); }
  int ranks() const { return static_cast<int>(ranks_.size()); }

 private:
  struct Sum {
    std::int64_t count = 0;
    Duration sum{}, least = Duration::max(), most{};
    void add(Duration time);
    void add(const Sum& other);
    Times times() const;
  };
  bool is_steady() const;
  void tell(std::size_t iteration);

  std::vector<Sum> ranks_;
  Watcher watcher_;
  std::mutex mutex_;  ///< of what all ranks change
  bool until_steady_ = false, in_step_ = true, is_over_ = false;
  std::atomic<std::size_t> ended_ = 0;  ///< iterations, by the fastest rank
  std::vector<Duration> slowest_{};     ///< by iteration; until steady: of those that have begun
};

/// Where a program runs.
struct ProgramSetting {
  const Machine& machine;
  std::vector<HostId> hosts;  ///< in the order of ranks
  int ranks_per_host = 1;
  std::uint64_t seed = 1;
  std::span<const comm::ScheduledSend> schedule{};  ///< for collectives that follow a given one

  int ranks() const { return static_cast<int>(hosts.size()) * ranks_per_host; }
};

/// Something a program measures beside its times: "bandwidth", 94.2, "MB/s".
struct Figure {
  std::string name;
  double value = 0;
  std::string unit;
};

struct Prepared {
  run::Program program;
  std::optional<Tables> tables{};  ///< the machine's with groups added, if needed
  std::vector<Figure> (*figures)(const Params&, const Laps&) = nullptr;  ///< computed at the end
};

using ProgramRow = Row<Prepared(const Params&, const ProgramSetting&, Laps&)>;
std::span<const ProgramRow> programs();

}  // namespace weft
