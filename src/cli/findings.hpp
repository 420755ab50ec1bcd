// SPDX-License-Identifier: Apache-2.0
// Checking tables on the command line: findings printed and stored, the certificate written.
#pragma once
#include <string>

#include "fabric/tables.hpp"

namespace weft::cli {

struct FindingFiles {
  std::string certificate, json;  ///< empty: not wanted
};

/// Runs all checks, prints them, writes the files. Returns the exit code.
int tell_findings(const Fabric& fabric, const Tables& tables, const FindingFiles& files);

}  // namespace weft::cli
