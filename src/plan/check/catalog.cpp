// SPDX-License-Identifier: Apache-2.0
// The table of checks, in the order of the output.
#include <algorithm>

#include "plan/check/checks.hpp"

namespace weft {

std::span<const Row<Check>> checks() {
  static const std::vector<Row<Check>> rows{
      {"reach", check_reach, "all pairs of hosts are reached, without loops", {}},
      {"hops", check_hops, "switches on the routes", {}},
      {"load", check_load, "routes over each link", {}},
      {"matchings", check_matchings, "effective bisection bandwidth over random matchings", {}},
      {"bisection", check_bisection, "links between two halves of the hosts", {}},
      {"multicast", check_multicast, "members of groups get every packet once", {}},
      {"deadlock", check_deadlock, "certificate, or the cycle", {}},
  };
  return rows;
}

bool Checked::bad() const {
  return std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.verdict == Verdict::bad || finding.verdict == Verdict::unknown;
  });
}

Checked run_checks(const Fabric& fabric, const Tables& tables) {
  const Survey seen = survey(fabric, tables);
  Checked out{{}, deadlock(fabric, tables)};
  for (const auto& row : checks())
    out.findings.push_back(row.make({fabric, tables, seen, out.deadlock}));
  return out;
}

}  // namespace weft
