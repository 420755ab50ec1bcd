// SPDX-License-Identifier: Apache-2.0
// The runs of the RHiNET-2 study: barriers, broadcasts and bandwidth on its topologies with its
// routings, each run once however many tables use it.
#pragma once
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/params.hpp"
#include "fabric/tables.hpp"
#include "lab/cluster/cluster.hpp"
#include "lab/path/rank_log.hpp"
#include "lab/program/experiment.hpp"
#include "papers/runner/experiments.hpp"
#include "papers/runner/run_results.hpp"
#include "plan/mcast/mcast.hpp"
#include "trace/trace.hpp"

namespace weft::papers::rhinet2 {

enum class Quantity {
  barrier,  ///< back to back
  spread,   ///< a barrier that all enter at once: when do hosts leave it?
  broadcast,
  barriers_in_a_row,    ///< many, back to back: each host's own mean
  broadcasts_in_a_row,  ///< the same of broadcasts
  bandwidth,
  throughput,
  nas,  ///< a replay of a benchmark; `pattern` is its name
};

/// How the machine differs from the cluster's.
enum class MachineVariant {
  usual,
  store_and_forward,
  wormhole,    ///< the smallest buffers: stop at the first flit that waits, "Stop,Go=1"
  fast_links,  ///< 8 Gb/s
};

struct Rhinet2Run {
  Quantity what{};
  std::string topology;  ///< as the study calls it: "A", "mesh 4x2"
  std::string engine;    ///< "DL"
  std::string pattern;   ///< visiting order, or traffic
  std::int64_t size = 0;
  std::uint64_t seed = 0;  ///< of a random order; of throughput: the network's
  int window = 1;
  MachineVariant setting = MachineVariant::usual;
  friend auto operator<=>(const Rhinet2Run&, const Rhinet2Run&) = default;
};

/// Microseconds, MB/s, or flits per host and cycle; of a replay seconds.
struct HostMeasurement {
  double mean = 0;
  double least = 0, most = 0;  ///< over hosts
  RankItems items{};           ///< of a replay: mean over ranks
};

/// A time over random orders.
struct Average {
  double mean = 0, half_width = 0;  ///< and its 95 % confidence interval; 0 where nothing is random
  double ten = 0;                   ///< mean of the first ten
  double spread = 0;                ///< most - least over hosts, on average: Max-Min
  std::string describe() const;     ///< of the orders: "100 orders: ±0.4; the first ten: 47.1"
};

/// What clusters may declare in their section [paper], with defaults.
std::vector<Param> study_params();

/// Whether an order, as the tables of the paper write it, is random.
bool is_random(std::string_view order);
inline constexpr std::int64_t full_packet = 1792;  ///< data of 229 flits
inline constexpr std::int64_t broadcast_size = 512;

class Rhinet2Study {
 public:
  using Run = Rhinet2Run;
  /// Throws Error for a cluster that lacks what the study needs.
  explicit Rhinet2Study(const Lab& lab) : Rhinet2Study(lab, find_cluster(lab.cluster)) {}
  Rhinet2Study(const Lab& lab, Cluster cluster);

  std::uint64_t seed() const { return seed_; }
  std::uint64_t orders() const { return orders_; }
  bool quick() const { return lab_.quick; }
  int free_window() const { return free_window_; }

  /// Must not be called while runs are prepared.
  const Machine& machine(const std::string& topology, const std::string& engine) const;
  /// A barrier or broadcast once for every order that is to be drawn; many in a row for ten.
  std::vector<Rhinet2Run> drawn(const Rhinet2Run& run) const;
  void prepare(const std::vector<Rhinet2Run>& runs);
  const HostMeasurement& at(const Rhinet2Run& run) const { return results_.at(run); }
  Declared declared() const;
  Average average(const Rhinet2Run& run) const;

 private:
  using TopologyAndEngine = std::pair<std::string, std::string>;  ///< topology and engine
  HostMeasurement simulated(const Rhinet2Run& run) const;
  HostMeasurement visited(const Rhinet2Run& run) const;
  std::string program(const Rhinet2Run& run, const std::string& order) const;
  HostMeasurement exchanged(const Rhinet2Run& run) const;
  HostMeasurement replayed(const Rhinet2Run& run) const;
  void prepare_trace(const std::string& benchmark);
  std::string switches(const Rhinet2Run& run) const;

  const Lab& lab_;
  Cluster cluster_;
  Params params_;
  std::uint64_t seed_, orders_;
  int free_window_;
  comm::Library mpi_;
  /// A benchmark, and what its compute times are multiplied by.
  struct NasBenchmark {
    trace::Trace trace;
    double factor;
  };
  std::map<std::string, NasBenchmark> benchmarks_;
  mutable Networks networks_{};  ///< of the machines
  mutable std::map<TopologyAndEngine, std::unique_ptr<const Machine>> machines_;
  RunResults<Rhinet2Run, HostMeasurement> results_;
};

/// Who sends to whom: "bit-reversal", "transpose", "complement", or a pair "pair 3": two hosts so
/// many switches apart. Hosts that would send to themselves are left out.
std::vector<std::pair<HostId, HostId>> traffic(const Fabric& fabric, const std::string& pattern);

using Rhinet2Context = ExperimentContext<Rhinet2Study>;

}  // namespace weft::papers::rhinet2
