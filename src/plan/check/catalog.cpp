// SPDX-License-Identifier: Apache-2.0
// The table of checks, in the order of the output.
#include <algorithm>

#include "fabric/without.hpp"
#include "plan/check/checks.hpp"

namespace weft {

std::span<const CheckRow> checks() {
  static const std::vector<CheckRow> rows{
      {{"reach", check_reach, "all pairs of hosts are reached, without loops", {}}, true},
      {{"hops", check_hops, "switches on the routes", {}}, false},
      {{"load", check_load, "routes over each link", {}}, false},
      {{"shifts", check_shifts, "routes over each link when hosts send to the k-th next", {}},
       false},
      {{"matchings", check_matchings, "effective bisection bandwidth over random matchings", {}},
       false},
      {{"bisection", check_bisection, "links between two halves of the hosts", {}}, false},
      {{"multicast", check_multicast, "members of groups get every packet once", {}}, true},
      {{"deadlock", check_deadlock, "certificate, or the cycle", {}}, true},
  };
  return rows;
}

bool Checked::bad() const {
  return std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.verdict == Verdict::bad || finding.verdict == Verdict::unknown;
  });
}

Checked run_checks(const Fabric& fabric, const Tables& tables, std::size_t top, WaitKind waiting) {
  const Survey seen = survey(fabric, tables);
  Checked out{{}, deadlock(fabric, tables, waiting)};
  const Subject all{fabric, tables, seen, out.deadlock, top, waiting};
  const std::optional<Remainder> rest = only_computers(fabric);
  if (!rest) {
    for (const CheckRow& row : checks()) out.findings.push_back(row.make(all));
    return out;
  }
  const Tables left = tables_without(tables, fabric, *rest);
  const Survey seen_left = survey(rest->fabric, left);
  const Subject computers{rest->fabric, left, seen_left, out.deadlock, top, waiting};
  for (const CheckRow& row : checks())
    out.findings.push_back(row.make(row.of_all_hosts ? all : computers));
  return out;
}

}  // namespace weft
