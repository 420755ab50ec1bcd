// SPDX-License-Identifier: Apache-2.0
// Checking tables on the command line: findings printed and stored, the certificate written.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "cli/arguments/arguments.hpp"
#include "fabric/tables.hpp"

namespace weft::cli {

struct FindingFiles {
  std::string certificate, json, html;  ///< empty: not wanted
  std::uint64_t top = 0;                ///< how many of the busiest links are named
  std::string switches{};               ///< a spec: what packets wait for; empty: iq
};

/// "--switch".
void add_switches(Arguments& arguments, std::string& switches);
void add_files(Arguments& arguments, FindingFiles& files);

/// Throws Error where tables use more lanes than the switches have that are asked for.
void require_lanes(const Tables& tables, const FindingFiles& files);

/// Runs all checks, prints the findings and writes the files, these with what was noted about the
/// fabric and its tables before. Returns the exit code.
int print_findings(const Fabric& fabric, const Tables& tables, const FindingFiles& files,
                   std::ostream& human_output, const std::vector<std::string>& notes = {});

}  // namespace weft::cli
