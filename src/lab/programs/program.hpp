// SPDX-License-Identifier: Apache-2.0
// Host programs by name: functions from parameters and a setting to a coroutine for each rank. One
// file per program, one row per file.
#pragma once
#include <cstdint>
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

/// How long the iterations of every rank took.
class Laps {
 public:
  explicit Laps(int ranks) : ranks_(static_cast<std::size_t>(ranks)) {}
  /// Makes room for so many iterations.
  void expect(std::size_t iterations) { slowest_.resize(iterations); }
  void add(comm::Rank rank, std::size_t iteration, Duration time);

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
  std::vector<Sum> ranks_;
  std::vector<Duration> slowest_{};
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
