// SPDX-License-Identifier: Apache-2.0
// The experiments of the paper on QsNet, and the runs they share.
#pragma once
#include <map>
#include <span>
#include <string>
#include <vector>

#include "lab/cluster/cluster.hpp"
#include "lab/program/experiment.hpp"
#include "papers/runner/experiments.hpp"
#include "papers/runner/run_results.hpp"

namespace weft::papers::qsnet {

/// A library, and where its data are.
struct Curve {
  const char* name;
  const char* library;  ///< "elan3", "tports" or "mpi"
  const char *from = "main", *to = "main";
};
/// All curves, in the order of figure 6.
std::span<const Curve> curves();
const Curve& curve(std::string_view name);

class QsnetStudy {
 public:
  using Run = ProgramSpec;
  /// Throws Error for a cluster without Elans, or with too few hosts.
  explicit QsnetStudy(const Lab& lab);

  void prepare(const std::vector<ProgramSpec>& runs);
  const ProgramResult& at(const ProgramSpec& run) const { return results_.at(run); }
  std::vector<Cell> program_row(const ProgramSpec& run) const;
  Declared declared() const;
  std::uint64_t seed() const { return lab_.seed_from(1); }
  /// Something that the program measured.
  double figure(const ProgramSpec& run, std::string_view name) const;
  double mean_us(const ProgramSpec& run) const;

  /// One message after another between two hosts: there and back, or both ways at once.
  ProgramSpec ping(const Curve& curve, std::size_t bytes, bool both = false) const;
  double latency(const Curve& curve, std::size_t bytes, bool both = false) const;
  double bandwidth(const Curve& curve, std::size_t bytes, bool both = false) const;
  /// Bytes on the axes of figures 6a and 7a, and of 6b and 7b; hosts on that of figure 8.
  std::vector<std::size_t> bandwidth_sizes() const;
  std::vector<std::size_t> latency_sizes() const;
  std::vector<std::size_t> source_counts() const;
  /// DMAs without a pause.
  ProgramSpec stream(const Curve& curve, bool both) const;
  /// So many hosts write to, or read from, one host.
  ProgramSpec hot_spot(const std::string& by, std::size_t sources) const;

  const Cluster& cluster() const { return cluster_; }
  const std::string& tports() const { return tports_; }
  std::size_t hosts() const { return hosts_; }
  int trials() const { return trials_; }
  Machine machine() const;
  const Lab& lab() const { return lab_; }
  bool quick() const { return lab_.quick; }

  /// Iterations of short messages: the first fill the Elans' caches.
  static constexpr int warmup = 70, iterations = 10;
  static constexpr std::size_t longest = 256 << 10;  ///< bytes, where bandwidths no longer grow

 private:
  const Lab& lab_;
  Cluster cluster_;
  std::string tports_;  ///< the library without MPI's layers
  std::size_t hosts_ = 0;
  int trials_ = 0;
  RunResults<ProgramSpec, ProgramResult> results_;
  Networks networks_{};  ///< of all runs
};

/// What the cluster file may declare in its section [paper].
std::span<const Param> study_params();

/// How much of the time a part of the busiest host was busy.
double use_of(const ProgramResult& result, std::string_view part);

using QsnetContext = ExperimentContext<QsnetStudy>;

Section figure_6a(const QsnetContext&);
Section figure_6b(const QsnetContext&);
Section figure_7(const QsnetContext&);
Section figure_7b(const QsnetContext&);
Section figure_8(const QsnetContext&);
Section bottlenecks(const QsnetContext&);
Section fat_tree(const QsnetContext&);
Section virtual_memory(const QsnetContext&);
Section faults(const QsnetContext&);
Section broadcasts(const QsnetContext&);
/// What the paper could not measure: up to 4,096 hosts.
Section scale(const QsnetContext&);
/// The six constants, found again from the six calibration points.
Section fit(const QsnetContext&);

/// The figures as the paper draws them, with the numbers that its text has.
PaperFigure drawn_6a(const QsnetContext&);
PaperFigure drawn_6b(const QsnetContext&);
PaperFigure drawn_7a(const QsnetContext&);
PaperFigure drawn_7b(const QsnetContext&);
PaperFigure drawn_8(const QsnetContext&);

std::vector<ProgramSpec> runs_6a(const QsnetStudy&);
std::vector<ProgramSpec> runs_6b(const QsnetStudy&);
std::vector<ProgramSpec> runs_7(const QsnetStudy&);
std::vector<ProgramSpec> runs_7b(const QsnetStudy&);
std::vector<ProgramSpec> runs_8(const QsnetStudy&);
std::vector<ProgramSpec> bottleneck_runs(const QsnetStudy&);
std::vector<ProgramSpec> broadcast_runs(const QsnetStudy&);
std::vector<ProgramSpec> scale_runs(const QsnetStudy&);

}  // namespace weft::papers::qsnet
