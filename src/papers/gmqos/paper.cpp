// SPDX-License-Identifier: Apache-2.0
// gmqos: Gulati, A Proportional Bandwidth Allocation Scheme for Myrinet Clusters. Five published
// numbers calibrate clusters/gmqos.toml; T and the trade-off of incoming and outgoing bandwidth are
// measured on the model as in section 5.3, everything else is predicted.
#include "papers/gmqos/paper.hpp"

#include "papers/gmqos/experiments.hpp"

namespace weft::papers::gmqos {
namespace {

const ExperimentRows<GmqosStudy>& rows() {
  static const ExperimentRows<GmqosStudy> all{
      {{"table3.1", "the rate control algorithm by example"}, table_31},
      {{"fig1.3", "contention at an end node and in the network"}, figure_13},
      {{"fig2.3", "round robin by message and by packet"}, figure_23},
      {{"fig2.4", "a flow that crosses two switches, eased by rate control (and figure 3.2)"},
       figure_24},
      {{"sec3.2.1", "rate control by hosts and by NICs"}, section_321},
      {{"fig5.1", "what rate control costs in bandwidth"}, figure_51},
      {{"fig5.2", "what rate control costs in latency"}, figure_52},
      {{"fig5.3", "bandwidth by IDT, and T"}, figure_53},
      {{"fig5.4", "what goes out while packets come in"}, figure_54},
      {{"fig5.5", "two flows out of one host"}, figure_55},
      {{"fig5.6", "three flows out of one host"}, figure_56},
      {{"fig5.7", "two flows into one host"}, figure_57},
      {{"fig5.8", "two flows out of a host, one into it"}, figure_58},
      {{"fig5.9", "bandwidth by IDT under MPI"}, figure_59},
      {{"fig5.10", "two flows out of one host under MPI"}, figure_510},
      {{"fig5.11", "best effort beside two premium flows"}, figure_511},
      {{"fig5.12", "two best-effort flows beside a premium flow"}, figure_512},
      {{"promises", "200 random flows on networks of many switches; not in the paper",
        drawn_at_random},
       promises},
  };
  return all;
}

Page reproduce(const Lab& lab) {
  GmqosStudy study(lab);
  return run_experiments(lab, "gmqos", study, rows());
}

}  // namespace

Paper paper() {
  return {"gmqos", "Gulati: A Proportional Bandwidth Allocation Scheme for Myrinet Clusters",
          experiments_of(rows()), "gmqos", reproduce};
}

}  // namespace weft::papers::gmqos
