// SPDX-License-Identifier: Apache-2.0
// The experiments of the RHiNET-2 paper, and what they share. Each has a list of the runs it needs
// and a section that reads them.
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "papers/parts/expected.hpp"
#include "papers/parts/rhinet2_study.hpp"

namespace weft::papers::rhinet {

struct Context {
  const Study& study;  ///< with the runs of the experiment simulated
  const std::vector<Stated>& stated;
};
using Runs = std::vector<Run>;
void operator+=(Runs& runs, const Runs& more);

/// As the paper writes the orders, and the catalogue.
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
std::string percent(double share);
/// Two reasons, of which one may be missing.
std::string joined(const std::string& first, const std::string& second);
inline const std::vector<std::string> patterns{"bit-reversal", "transpose"};
inline const std::string our_prefix = "prefix routing is our reading of an abstract";

/// Every host writes to another as fast as acknowledgments allow.
Run pushes(std::string topology, std::string engine, std::string pattern, std::int64_t size);
/// How much more bandwidth one run has than another.
double gain(const Study& study, const Run& run, const Run& over);
/// Bandwidths that differ by less are almost the same.
inline constexpr double small = 0.05;

/// What the paper's sections on topologies use: SBP on direct networks, shortest routes on others.
std::string usual_engine(const std::string& topology);

Section table1(const Context&);
Section table3(const Context&);

Runs fig5_runs(const Study&);
Section fig5(const Context&);
Runs fig6_runs(const Study&);
Section fig6(const Context&);
Runs fig7_runs(const Study&);
Section fig7(const Context&);
Runs fig8_runs(const Study&);
Section fig8(const Context&);
Runs fig9_runs(const Study&);
Section fig9(const Context&);
Runs fig10_runs(const Study&);
Section fig10(const Context&);

Runs table4_runs(const Study&);
Section table4(const Context&);
Runs table9_runs(const Study&);
Section table9(const Context&);
Runs table10_runs(const Study&);
Section table10(const Context&);
Runs table11_runs(const Study&);
Section table11(const Context&);
Runs table13_runs(const Study&);
Section table13(const Context&);
Runs claims_runs(const Study&);
Section claims(const Context&);

Runs table12_runs(const Study&);
Section table12(const Context&);

Runs simstudy_runs(const Study&);
Section simstudy(const Context&);

/// Table IV's order with the largest difference, looked for among many by the chain of messages
/// alone; those that promise most are simulated.
struct Search {
  std::uint64_t tried = 0, reach = 0;  ///< reach: as many differ by 34 % or more
  double median = 0, p99 = 0, most = 0;
  std::vector<std::uint64_t> best{};  ///< seeds, the largest difference first
};
Search search_orders(const Study& study);

}  // namespace weft::papers::rhinet
