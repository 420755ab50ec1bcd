// SPDX-License-Identifier: Apache-2.0
// The experiments of the VIA barrier paper, and the runs they share.
#pragma once
#include <array>
#include <compare>
#include <map>
#include <string>
#include <vector>

#include "lab/cluster/cluster.hpp"
#include "lab/program/experiment.hpp"
#include "papers/runner/experiments.hpp"
#include "papers/runner/run_results.hpp"

namespace weft::papers::viabarrier {

/// A program on so many hosts of cluster 1, 2 or 3.
struct ClusterRun {
  int cluster = 1;
  std::string program;
  int hosts = 2, tasks = 1;  ///< tasks: on each host
  friend auto operator<=>(const ClusterRun&, const ClusterRun&) = default;
};

/// The algorithms that the paper compares.
inline constexpr const char* send_recv = "pairwise";
inline constexpr const char* rdma = "pairwise_rdma";
inline constexpr const char* overall = "smp";

inline constexpr std::size_t warmup = 10;  ///< barriers before those that count

class ViabarrierStudy {
 public:
  using Run = ClusterRun;
  /// The lab's cluster is the first of three: the others' names have 2 and 3 where its name has
  /// 1. Throws Error for clusters that lack what the study needs.
  explicit ViabarrierStudy(const Lab& lab);

  void prepare(const std::vector<ClusterRun>& runs);
  const ProgramResult& at(const ClusterRun& run) const { return results_.at(run); }
  std::vector<Cell> program_row(const ClusterRun& run) const;
  Declared declared() const;
  static std::uint64_t seed() { return 1; }
  /// The mean over iterations and ranks; the same for a barrier.
  double microseconds(const ClusterRun& run) const;
  double barrier(int cluster, const std::string& algorithm, int hosts, int tasks = 1) const {
    return microseconds(barrier_run(cluster, algorithm, hosts, tasks));
  }
  ClusterRun barrier_run(int cluster, const std::string& algorithm, int hosts,
                         int tasks = 1) const {
    return barrier_run(cluster, algorithm, hosts, tasks, measured(cluster, hosts));
  }
  static ClusterRun barrier_run(int cluster, const std::string& algorithm, int hosts, int tasks,
                                std::size_t iterations);

  const Cluster& cluster(int number) const {
    return clusters_[static_cast<std::size_t>(number - 1)];
  }
  const std::string& name(int number) const { return names_[static_cast<std::size_t>(number - 1)]; }
  int hosts(int number) const { return hosts_[static_cast<std::size_t>(number - 1)]; }
  std::size_t iterations() const { return iterations_; }  ///< barriers in a row, as in the paper
  std::size_t measured() const { return measured_; }      ///< barriers whose mean is taken
  /// All where the mean needs them: with 15 hosts of cluster 2 hundreds pass until times repeat,
  /// and within a host times are so short that the first barrier shows.
  std::size_t measured(int cluster, int hosts) const {
    return hosts == 1 || (cluster == 2 && hosts == 15) ? iterations_ : measured_;
  }
  const std::string& interrupt() const { return interrupt_; }
  const Lab& lab() const { return lab_; }

 private:
  const Lab& lab_;
  std::array<std::string, 3> names_;
  std::array<Cluster, 3> clusters_;
  std::array<int, 3> hosts_{};
  std::size_t iterations_ = 0, measured_ = 0;
  std::string interrupt_;
  RunResults<ClusterRun, ProgramResult> results_;
  Networks networks_{};  ///< of all runs
};

/// What the cluster files may declare in their section [paper].
std::span<const Param> study_params();

/// "29.4": how much less the second is, in percent of the first.
double gain(double before, double after);

using ViabarrierContext = ExperimentContext<ViabarrierStudy>;

Section figure_4a(const ViabarrierContext&);
Section figure_4b(const ViabarrierContext&);
Section figure_4c(const ViabarrierContext&);
Section figure_5(const ViabarrierContext&);
Section figure_6(const ViabarrierContext&);
std::vector<ClusterRun> runs_4a(const ViabarrierStudy&);
std::vector<ClusterRun> runs_4b(const ViabarrierStudy&);
std::vector<ClusterRun> runs_4c(const ViabarrierStudy&);
std::vector<ClusterRun> runs_5(const ViabarrierStudy&);
std::vector<ClusterRun> runs_6(const ViabarrierStudy&);

Section notify(const ViabarrierContext&);
Section shared_memory(const ViabarrierContext&);
Section overlap(const ViabarrierContext&);
std::vector<ClusterRun> notify_runs(const ViabarrierStudy&);
std::vector<ClusterRun> shared_memory_runs(const ViabarrierStudy&);
std::vector<ClusterRun> overlap_runs(const ViabarrierStudy&);

/// The five constants, found again from the five calibration points.
Section fit(const ViabarrierContext&);

}  // namespace weft::papers::viabarrier
