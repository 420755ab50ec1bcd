// SPDX-License-Identifier: Apache-2.0
// Checks: functions from a fabric and its tables to findings. One file per check, one row per file.
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/catalog.hpp"
#include "fabric/tables.hpp"
#include "plan/check/survey.hpp"

namespace weft {

enum class Verdict {
  fine,
  bad,
  told,  ///< a measurement, neither good nor bad
};

struct Finding {
  std::string_view check;
  Verdict verdict = Verdict::told;
  std::string summary;                      ///< one line
  std::vector<std::string> details{};       ///< more lines, for people
  std::map<std::string, double> numbers{};  ///< the same, for programs
};

/// What every check looks at; the survey of all routes is made once for all of them.
struct Subject {
  const Fabric& fabric;
  const Tables& tables;
  const Survey& survey;
};

using Check = Finding(const Subject&);

std::span<const Row<Check>> checks();

/// All checks of the catalogue, in its order.
std::vector<Finding> run_checks(const Fabric& fabric, const Tables& tables);

}  // namespace weft
