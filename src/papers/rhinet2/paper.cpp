// SPDX-License-Identifier: Apache-2.0
// rhinet2: Koibuchi, Watanabe, Otsuka and Amano, Performance Evaluation of Deterministic Routings,
// Multicasts, and Topologies on RHiNET-2 Cluster. Four numbers calibrate clusters/rhinet2.toml; all
// others are predicted. Topology A is a reconstruction, B a surrogate with the published path
// statistics. The NAS benchmarks are replayed from traces.
#include "papers/rhinet2/paper.hpp"

#include "papers/rhinet2/experiments.hpp"

namespace weft::papers::rhinet2 {
namespace {

constexpr bool costly = true;

const ExperimentRows<Rhinet2Study>& rows() {
  static const ExperimentRows<Rhinet2Study> all{
      {{"table1", "path hops of six routings on four topologies"}, table1},
      {{"table3", "path hops and bisection of five topologies"}, table3},
      {{"fig5", "bandwidth by routing, 32 hosts, PUSH and ack-wait", drawn_at_random},
       fig5,
       fig5_runs},
      {{"fig6", "two hosts: bandwidth and barrier by distance"}, fig6, fig6_runs},
      {{"fig7", "low port first against well distributed routes", drawn_at_random},
       fig7,
       fig7_runs},
      {{"fig8", "bandwidth under MPI", drawn_at_random}, fig8, fig8_runs},
      {{"fig9", "bandwidth by topology", drawn_at_random}, fig9, fig9_runs},
      {{"fig10", "buffers, link speed and acknowledgment protocol", drawn_at_random},
       fig10,
       fig10_runs},
      {{"table4", "barrier in random order by routing; the order with the largest difference",
        drawn_at_random},
       table4,
       table4_runs},
      {{"table9", "barrier by order and routing, topology A", drawn_at_random},
       table9,
       table9_runs},
      {{"table10", "barrier by order and routing, topology B (surrogate) and mesh",
        drawn_at_random},
       table10,
       table10_runs},
      {{"table11", "barrier by order with 16 or 32 hosts", drawn_at_random}, table11, table11_runs},
      {{"table12", "broadcast of 512 B by order, cut-through and store-and-forward",
        drawn_at_random},
       table12,
       table12_runs},
      {{"table13", "barrier by topology", drawn_at_random}, table13, table13_runs},
      {{"claims", "what sections IV.B and IV.C conclude from the barriers", drawn_at_random},
       claims,
       claims_runs},
      {{"table5", "NAS benchmarks by routing, topologies A and B (surrogate)", false, costly},
       table5,
       table5_runs},
      {{"table6", "NAS benchmarks by routing, mesh and torus", false, costly}, table6, table6_runs},
      {{"table7", "MG and CG by routing, mesh and torus", false, costly}, table7, table7_runs},
      {{"table8", "what NAS benchmarks spend their time on", false, costly}, table8, table8_runs},
      {{"table14", "NAS benchmarks by topology", false, costly}, table14, table14_runs},
      {{"table15", "NAS benchmarks on topologies of 16 switches", false, costly},
       table15,
       table15_runs},
      {{"simstudy", "open-loop throughput of random networks (IV.G)", drawn_at_random},
       simstudy,
       simstudy_runs},
  };
  return all;
}

Page reproduce(const Lab& lab) {
  Rhinet2Study study(lab);
  return run_experiments(lab, "rhinet2", study, rows());
}

}  // namespace

Paper paper() {
  return {"rhinet2",
          "Koibuchi, Watanabe, Otsuka, Amano: Performance Evaluation of Deterministic Routings, "
          "Multicasts, and Topologies on RHiNET-2 Cluster",
          experiments_of(rows()), "rhinet2", reproduce};
}

}  // namespace weft::papers::rhinet2
