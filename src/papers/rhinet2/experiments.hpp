// SPDX-License-Identifier: Apache-2.0
// The experiments of the RHiNET-2 paper, and what they share. Each has a list of the runs it needs
// and a section that reads them.
#pragma once
#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "papers/rhinet2/study.hpp"
#include "papers/runner/expected.hpp"

namespace weft::papers::rhinet2 {

using Rhinet2Runs = std::vector<Rhinet2Run>;
void operator+=(Rhinet2Runs& runs, const Rhinet2Runs& more);

/// The name of an order in the paper, and in the catalogue.
struct OrderName {
  const char *paper, *ours;
};
inline constexpr std::array<OrderName, 6> order_names{{{"RO", "ro"},
                                                       {"SHO", "sho"},
                                                       {"SCO", "sco"},
                                                       {"1SHO-3RO", "1sho-3ro"},
                                                       {"SHIO", "shio"},
                                                       {"HIO", "hio"}}};
/// Remembers where something was largest.
struct Largest {
  double value = -1e300;
  std::string where{};
  void add(double one, const std::string& at) {
    if (one <= value) return;
    value = one;
    where = at;
  }
};
/// Max-Min of an order in one reading.
using MaxMin = std::function<double(const OrderName&)>;
/// Whether SHIO has the least of all orders, in both readings.
Cases judge_spreads(const MaxMin& together, const MaxMin& in_a_row);
/// "back to back: 0.021 us", the other reading of Max-Min.
std::string back_to_back(double microseconds);
inline const std::vector<std::string> max_min_notes{
    "Max-Min has two readings: all hosts begin at once, and end as the tree reaches them; or back "
    "to",
    "back, where no host gets ahead of the others and means differ by the ends of the series "
    "alone."};
/// Joins two reasons, one of which may be empty.
std::string joined(const std::string& first, const std::string& second);
inline const std::vector<std::string> patterns{"bit-reversal", "transpose"};
/// Those of figure 9.
inline const std::vector<std::string> topology_patterns{"bit-reversal", "complement"};
/// With 32 hosts, two on each of 16 switches.
inline const std::vector<std::string> four_topologies{"A 32", "B surrogate 32", "mesh 32",
                                                      "torus 32"};
/// All topologies with 32 hosts.
inline const std::vector<std::string> nine_topologies{"A 32",      "B surrogate 32", "mesh 32",
                                                      "torus 32",  "ring 8",         "mesh 4x2",
                                                      "torus 4x2", "fat tree 14 32", "Clos 32"};
inline const std::vector<std::string> selecting{"updown", "sbp", "dl"};  ///< of figure 7
inline const std::vector<std::string> machine_routings{"dl", "updown"};  ///< of figure 10
inline constexpr int farthest = 7;  ///< switches between two hosts of the mesh
inline const std::string our_prefix = "prefix routing is our reading of an abstract";

/// Of data in a packet.
std::vector<std::int64_t> sizes(const Rhinet2Study& study);
/// The routings of figure 5.
std::vector<std::string> bandwidth_routings(const std::string& topology);

/// Every host writes to another as fast as acknowledgments allow.
Rhinet2Run pushes(std::string topology, std::string engine, std::string pattern, std::int64_t size);
/// How much more bandwidth one run has than another.
double gain(const Rhinet2Study& study, const Rhinet2Run& run, const Rhinet2Run& over);
/// A point of a figure with bandwidths.
struct BandwidthCase {
  std::string topology, pattern;
  std::int64_t size = 0;
  Rhinet2Run with(const std::string& engine) const {
    return pushes(topology, engine, pattern, size);
  }
  std::string where() const { return fmt::format("{} {} {} B", topology, pattern, size); }
};
/// All sizes of some traffics on some topologies.
std::vector<BandwidthCase> bandwidth_cases(const Rhinet2Study& study,
                                           const std::vector<std::string>& topologies,
                                           const std::vector<std::string>& traffics);
Rhinet2Run pair_pushes(int hops);
Rhinet2Run pair_barrier(int hops);
/// Every host sends messages to another and receives its own, by MPI.
Rhinet2Run mpi_messages(const std::string& engine, std::int64_t size);
/// On topology A.
Rhinet2Run on_variant(MachineVariant setting, const std::string& engine,
                      const BandwidthCase& point);
/// The same without waiting for acknowledgments.
Rhinet2Run without_waiting(const Rhinet2Study& study, Rhinet2Run run);
/// Bandwidths that differ by less are almost the same.
inline constexpr double small = 0.05;

/// What the paper's sections on topologies use: SBP on direct networks, shortest routes on others.
std::string usual_engine(const std::string& topology);

Section table1(const Rhinet2Context&);
Section table3(const Rhinet2Context&);

Rhinet2Runs fig5_runs(const Rhinet2Study&);
Section fig5(const Rhinet2Context&);
Rhinet2Runs fig6_runs(const Rhinet2Study&);
Section fig6(const Rhinet2Context&);
Rhinet2Runs fig7_runs(const Rhinet2Study&);
Section fig7(const Rhinet2Context&);
Rhinet2Runs fig8_runs(const Rhinet2Study&);
Section fig8(const Rhinet2Context&);
Rhinet2Runs fig9_runs(const Rhinet2Study&);
Section fig9(const Rhinet2Context&);
Rhinet2Runs fig10_runs(const Rhinet2Study&);
Section fig10(const Rhinet2Context&);

/// Drawn in the paper's axes.
PaperFigure draw_fig5(const Rhinet2Context&);
PaperFigure draw_fig6(const Rhinet2Context&);
PaperFigure draw_fig7(const Rhinet2Context&);
PaperFigure draw_fig8(const Rhinet2Context&);
PaperFigure draw_fig9(const Rhinet2Context&);
PaperFigure draw_fig10(const Rhinet2Context&);

Rhinet2Runs table4_runs(const Rhinet2Study&);
Section table4(const Rhinet2Context&);
Rhinet2Runs table9_runs(const Rhinet2Study&);
Section table9(const Rhinet2Context&);
Rhinet2Runs table10_runs(const Rhinet2Study&);
Section table10(const Rhinet2Context&);
Rhinet2Runs table11_runs(const Rhinet2Study&);
Section table11(const Rhinet2Context&);
Rhinet2Runs table13_runs(const Rhinet2Study&);
Section table13(const Rhinet2Context&);
Rhinet2Runs claims_runs(const Rhinet2Study&);
Section claims(const Rhinet2Context&);

Rhinet2Runs table12_runs(const Rhinet2Study&);
Section table12(const Rhinet2Context&);

Rhinet2Runs table5_runs(const Rhinet2Study&);
Section table5(const Rhinet2Context&);
Rhinet2Runs table6_runs(const Rhinet2Study&);
Section table6(const Rhinet2Context&);
Rhinet2Runs table7_runs(const Rhinet2Study&);
Section table7(const Rhinet2Context&);
Rhinet2Runs table8_runs(const Rhinet2Study&);
Section table8(const Rhinet2Context&);
Rhinet2Runs table14_runs(const Rhinet2Study&);
Section table14(const Rhinet2Context&);
Rhinet2Runs table15_runs(const Rhinet2Study&);
Section table15(const Rhinet2Context&);

Rhinet2Runs simstudy_runs(const Rhinet2Study&);
Section simstudy(const Rhinet2Context&);

}  // namespace weft::papers::rhinet2
