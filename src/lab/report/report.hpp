// SPDX-License-Identifier: Apache-2.0
// Results as text for people, and as JSON and CSV for programs.
#pragma once
#include <iosfwd>
#include <string>
#include <vector>

#include "lab/study.hpp"
#include "plan/check/check.hpp"

namespace weft {

void write_table(std::ostream& out, const Study& study);
void write_json(std::ostream& out, const Study& study);
void write_csv(std::ostream& out, const Study& study);

/// A line per finding, details below it.
void write_findings(std::ostream& out, const std::vector<Finding>& findings);
/// `subject` says what was checked, for whoever finds the file later.
void write_findings_json(std::ostream& out, const std::vector<Finding>& findings,
                         const std::string& subject);

}  // namespace weft
