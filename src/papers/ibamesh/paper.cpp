// SPDX-License-Identifier: Apache-2.0
// ibamesh: Zhou, Liu and Chung, Hardware Supported Multicast in 2-D Mesh InfiniBand Networks. No
// absolute number is published: tables are compared exactly, statements are judged case by case,
// and what the paper leaves open is declared in clusters/ibamesh.toml.
#include "papers/ibamesh/paper.hpp"

#include "papers/ibamesh/experiments.hpp"

namespace weft::papers::ibamesh {
namespace {

const ExperimentRows<IbameshStudy>& rows() {
  static const ExperimentRows<IbameshStudy> all{
      {{"lids", "node addresses (3.1)"}, lids},
      {{"lft", "forwarding tables and the five paths of figure 5 (3.2, 3.3.1, 3.3.2)"}, forwarding},
      {{"mft", "multicast forwarding table of figure 7, by union (3.3.2)"}, multicast_forwarding},
      {{"vl-a", "figure 6(a): one lane"},
       [](const IbameshContext& c) { return lane_setting(c, "a"); }},
      {{"vl-b", "figure 6(b): two lanes by service level: any idle one"},
       [](const IbameshContext& c) { return lane_setting(c, "b"); }},
      {{"vl-c", "figure 6(c): two lanes tied to ports"},
       [](const IbameshContext& c) { return lane_setting(c, "c"); }},
      {{"vl-d", "figure 6(d): four lanes: any idle one"},
       [](const IbameshContext& c) { return lane_setting(c, "d"); }},
      {{"vl-e", "figure 6(e): four lanes tied to ports"},
       [](const IbameshContext& c) { return lane_setting(c, "e"); }},
      {{"deadlock", "four messages around a square, without and with XY (figures 1 and 2)"},
       deadlocks},
      {{"one-source", "one host to all, by multicast and by unicast (figures 8 to 10)",
        drawn_at_random},
       [](const IbameshContext& c) { return simulated_case(c, "one-source", one_source); },
       [](const IbameshStudy& s) { return s.runs(one_source); }},
      {{"multi-source", "40 % of the hosts to 40 % of them (figures 11 to 13)", drawn_at_random},
       [](const IbameshContext& c) { return simulated_case(c, "multi-source", multi_source); },
       [](const IbameshStudy& s) { return s.runs(multi_source); }},
      {{"all-source", "all hosts to all (figures 14 to 16)", drawn_at_random},
       [](const IbameshContext& c) { return simulated_case(c, "all-source", all_source); },
       [](const IbameshStudy& s) {
         std::vector<MulticastRun> out = s.runs(all_source);
         for (const MulticastRun& run : s.runs(multi_source)) out.push_back(run);
         return out;
       }},
      {{"remarks", "the three remarks of the conclusions, case by case (5)", drawn_at_random},
       remarks,
       remark_runs},
  };
  return all;
}

Page reproduce(const Lab& lab) {
  IbameshStudy study(lab);
  return run_experiments(lab, "ibamesh", study, rows());
}

}  // namespace

Paper paper() {
  return {"ibamesh",
          "Zhou, Liu, Chung: Hardware Supported Multicast in 2-D Mesh InfiniBand Networks",
          experiments_of(rows()), "ibamesh", reproduce};
}

}  // namespace weft::papers::ibamesh
