// SPDX-License-Identifier: Apache-2.0
// viabarrier: Gupta, Tipparaju, Nieplocha and Panda, Efficient Barrier using Remote Memory
// Operations on VIA-Based Clusters. Three clusters; five constants are fitted to five published
// times (clusters/viabarrier*.toml say which), everything else is predicted.
#include "papers/viabarrier/paper.hpp"

#include "papers/viabarrier/experiments.hpp"

namespace weft::papers::viabarrier {
namespace {

const ExperimentRows<ViabarrierStudy>& rows() {
  static const ExperimentRows<ViabarrierStudy> all{
      {{"fig4a", "cluster 1, powers of two (7.1)"}, figure_4a, runs_4a},
      {{"fig4b", "cluster 2, powers of two (7.1)"}, figure_4b, runs_4b},
      {{"fig4c", "cluster 3, powers of two, one task a host (7.1)"}, figure_4c, runs_4c},
      {{"fig5", "clusters 1 and 2, every number of hosts (7.1)"}, figure_5, runs_5},
      {{"notify", "how a write is noticed, and when memory is registered (4)"},
       notify,
       notify_runs},
      {{"shm", "barriers within a host (3, 5.2)"}, shared_memory, shared_memory_runs},
      {{"fig6", "cluster 3, one and two tasks a host (7.2)"}, figure_6, runs_6},
      {{"overlap", "barriers in a row with a slow host (6.4)"}, overlap, overlap_runs},
      {{"fit", "the constants of the cluster files, from the calibration points"}, fit},
  };
  return all;
}

Page reproduce(const Lab& lab) {
  ViabarrierStudy study(lab);
  return run_experiments(lab, "viabarrier", study, rows());
}

}  // namespace

Paper paper() {
  return {"viabarrier",
          "Gupta, Tipparaju, Nieplocha, Panda: Efficient Barrier using Remote Memory Operations on "
          "VIA-Based Clusters",
          experiments_of(rows()),
          "viabarrier1",
          reproduce,
          {"viabarrier2", "viabarrier3"}};
}

}  // namespace weft::papers::viabarrier
