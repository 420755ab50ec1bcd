// SPDX-License-Identifier: Apache-2.0
// The experiments of the RHiNET-2 paper, and what they share. Each has a list of the runs it needs
// and a section that reads them.
#pragma once
#include <array>
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
/// Joins two reasons, one of which may be empty.
std::string joined(const std::string& first, const std::string& second);
inline const std::vector<std::string> patterns{"bit-reversal", "transpose"};
inline const std::string our_prefix = "prefix routing is our reading of an abstract";

/// Every host writes to another as fast as acknowledgments allow.
Rhinet2Run pushes(std::string topology, std::string engine, std::string pattern, std::int64_t size);
/// How much more bandwidth one run has than another.
double gain(const Rhinet2Study& study, const Rhinet2Run& run, const Rhinet2Run& over);
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

Rhinet2Runs simstudy_runs(const Rhinet2Study&);
Section simstudy(const Rhinet2Context&);

/// Table IV's order with the largest difference, searched for among many by the chain of messages
/// alone; the most promising ones are simulated.
struct Search {
  std::uint64_t tried = 0, reach = 0;  ///< reach: the number that differ by 34 % or more
  double median = 0, p99 = 0, most = 0;
  std::vector<std::uint64_t> best{};  ///< seeds, the largest difference first
};
Search search_orders(const Rhinet2Study& study);

}  // namespace weft::papers::rhinet2
