// SPDX-License-Identifier: Apache-2.0
// Checks: functions from a fabric and its tables to findings. One file per check, one row per file.
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/catalog.hpp"
#include "fabric/tables.hpp"
#include "plan/check/deadlock.hpp"
#include "plan/check/survey.hpp"

namespace weft {

enum class Verdict {
  fine,
  bad,
  measured,  ///< a number, neither good nor bad
  unknown,   ///< what was given does not suffice to judge
};

/// A group of lost pairs, a hot link, …: what a finding counts, as keys and values for programs.
using ItemValue = std::variant<double, std::string, std::vector<std::string>>;
using FindingItem = std::vector<std::pair<std::string, ItemValue>>;

struct Finding {
  std::string_view check;
  Verdict verdict = Verdict::measured;
  std::string summary;                      ///< one line
  std::vector<std::string> details{};       ///< more lines, human-readable, of what is bad
  std::map<std::string, double> numbers{};  ///< the same, for programs
  std::vector<FindingItem> items{};         ///< what there are several of, likewise
  std::vector<std::string> hot_links{};     ///< the busiest links, a line each, where wanted
};

/// The input of every check; costly results are computed once for all of them.
struct Subject {
  const Fabric& fabric;
  const Tables& tables;
  const Survey& survey;
  const DeadlockVerdict& deadlock;
  std::size_t top = 0;  ///< how many of the busiest links are wanted
  WaitKind waiting = WaitKind::wormhole;
};

using Check = Finding(const Subject&);

struct CheckRow : Row<Check> {
  /// Also of aggregation nodes and routers; otherwise only of computers, which have the traffic.
  bool of_all_hosts = false;
};

std::span<const CheckRow> checks();

struct Checked {
  std::vector<Finding> findings;  ///< of all checks, in the order of the catalogue
  DeadlockVerdict deadlock;

  /// Whether some check found something wrong, or could not judge.
  bool bad() const;
};

/// `top`: how many of the busiest links findings are to name.
Checked run_checks(const Fabric& fabric, const Tables& tables, std::size_t top = 0,
                   WaitKind waiting = WaitKind::wormhole);

}  // namespace weft
