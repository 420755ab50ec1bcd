// SPDX-License-Identifier: Apache-2.0
// Checking tables on the command line: findings printed and stored, the certificate written.
#pragma once
#include <iosfwd>
#include <string>

#include "cli/arguments/arguments.hpp"
#include "fabric/tables.hpp"

namespace weft::cli {

struct FindingFiles {
  std::string certificate, json;  ///< empty: not wanted
};

void add_files(Arguments& arguments, FindingFiles& files);

/// Runs all checks, prints the findings and writes the files. Returns the exit code.
int print_findings(const Fabric& fabric, const Tables& tables, const FindingFiles& files,
                   std::ostream& human_output);

}  // namespace weft::cli
