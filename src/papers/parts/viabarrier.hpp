// SPDX-License-Identifier: Apache-2.0
// The experiments of the VIA barrier paper, and the runs they share.
#pragma once
#include <array>
#include <compare>
#include <map>
#include <string>
#include <vector>

#include "lab/cluster.hpp"
#include "lab/program_run.hpp"
#include "papers/paper.hpp"

namespace weft::papers::via {

/// A program on so many hosts of cluster 1, 2 or 3.
struct Run {
  int cluster = 1;
  std::string program;
  int hosts = 2, tasks = 1;  ///< tasks: on each host
  friend auto operator<=>(const Run&, const Run&) = default;
};

/// The algorithms that the paper compares.
inline constexpr const char* send_recv = "pairwise";
inline constexpr const char* rdma = "pairwise_rdma";
inline constexpr const char* overall = "smp";

inline constexpr std::size_t warmup = 10;  ///< barriers before those that count

class Study {
 public:
  /// The lab's cluster is the first of three: the others have 2 and 3 where it has 1. Throws Error
  /// for clusters that lack what the study needs.
  explicit Study(const Lab& lab);

  /// Simulates what has not been yet, on the lab's threads.
  void prepare(const std::vector<Run>& runs);
  const ProgramResult& at(const Run& run) const;
  /// The mean over iterations and ranks; the same for a barrier.
  double microseconds(const Run& run) const;
  double barrier(int cluster, const std::string& algorithm, int hosts, int tasks = 1) const {
    return microseconds(barrier_run(cluster, algorithm, hosts, tasks));
  }
  Run barrier_run(int cluster, const std::string& algorithm, int hosts, int tasks = 1) const;

  const Cluster& cluster(int number) const {
    return clusters_[static_cast<std::size_t>(number - 1)];
  }
  const std::string& name(int number) const { return names_[static_cast<std::size_t>(number - 1)]; }
  int hosts(int number) const { return hosts_[static_cast<std::size_t>(number - 1)]; }
  std::size_t iterations() const { return iterations_; }
  const std::string& interrupt() const { return interrupt_; }
  const Lab& lab() const { return lab_; }

 private:
  const Lab& lab_;
  std::array<std::string, 3> names_;
  std::array<Cluster, 3> clusters_;
  std::array<int, 3> hosts_{};
  std::size_t iterations_ = 0;
  std::string interrupt_;
  std::map<Run, ProgramResult> results_;
};

/// What [paper] of the cluster files may say.
std::span<const Param> study_params();

/// "29.4": how much less the second is, in percent of the first.
double gain(double before, double after);

struct Context {
  const Study& study;  ///< with the runs of the experiment simulated
  std::vector<Stated> stated;
};

Section figure_4a(const Context&);
Section figure_4b(const Context&);
Section figure_4c(const Context&);
Section figure_5(const Context&);
Section figure_6(const Context&);
std::vector<Run> runs_4a(const Study&);
std::vector<Run> runs_4b(const Study&);
std::vector<Run> runs_4c(const Study&);
std::vector<Run> runs_5(const Study&);
std::vector<Run> runs_6(const Study&);

Section notify(const Context&);
Section shared_memory(const Context&);
Section overlap(const Context&);
std::vector<Run> notify_runs(const Study&);
std::vector<Run> shared_memory_runs(const Study&);
std::vector<Run> overlap_runs(const Study&);

/// The five constants, found again from the five calibration points.
Section fit(const Context&);

}  // namespace weft::papers::via
