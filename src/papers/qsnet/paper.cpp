// SPDX-License-Identifier: Apache-2.0
// qsnet: Petrini, Feng, Hoisie, Coll and Frachtenberg, The Quadrics Network: High-Performance
// Clustering Technology. Six published numbers calibrate clusters/qsnet.toml, everything else is
// predicted.
#include "papers/qsnet/paper.hpp"

#include "papers/qsnet/experiments.hpp"

namespace weft::papers::qsnet {
namespace {

const ExperimentRows<QsnetStudy>& rows() {
  static const ExperimentRows<QsnetStudy> all{
      {{"fattree", "quaternary fat trees of Elites (figure 2)"}, fat_tree},
      {{"vm", "global virtual memory (figure 3)"}, virtual_memory},
      {{"fault", "faults of links, Elites and bits", drawn_at_random}, faults},
      {{"fig6a", "bandwidth of pings"}, figure_6a, runs_6a},
      {{"fig6b", "latency of pings"}, figure_6b, runs_6b},
      {{"fig7", "bandwidth of pings both ways at once"}, figure_7, runs_7},
      {{"fig7b", "latency of pings both ways at once"}, figure_7b, runs_7b},
      {{"fig8", "hot spots"}, figure_8, runs_8},
      {{"bottlenecks", "the part that is busy behind each of these numbers"},
       bottlenecks,
       bottleneck_runs},
      {{"bcast", "hardware broadcast to a contiguous range"}, broadcasts, broadcast_runs},
      {{"scale", "hot spot, broadcast and barrier on up to 4,096 hosts; not in the paper"},
       scale,
       scale_runs},
      {{"fit", "the constants of the cluster file, from the calibration points"}, fit},
  };
  return all;
}

Page reproduce(const Lab& lab) {
  QsnetStudy study(lab);
  return run_experiments(lab, "qsnet", study, rows());
}

}  // namespace

Paper paper() {
  return {"qsnet",
          "Petrini, Feng, Hoisie, Coll, Frachtenberg: The Quadrics Network: High-Performance "
          "Clustering Technology",
          experiments_of(rows()), "qsnet", reproduce};
}

}  // namespace weft::papers::qsnet
