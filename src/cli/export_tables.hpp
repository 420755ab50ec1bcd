// SPDX-License-Identifier: Apache-2.0
// Tables written in a format that may not hold all of them: without their lanes, tables that are
// proven free of deadlock may deadlock.
#pragma once
#include <iosfwd>
#include <string>

#include "cli/arguments/arguments.hpp"
#include "fabric/format/format.hpp"

namespace weft::cli {

struct TablesFile {
  std::string path{};  ///< empty: not wanted
  std::string format = "weft";
  bool unsafe = false;  ///< write them even if the format loses the proof
};

/// Adds -o, --format and --unsafe.
void add_tables_file(Arguments& arguments, TablesFile& file);

/// Whether the tables are free of deadlock, and what a reader of their files holds is not.
bool loses_proof(const Fabric& fabric, const Tables& tables, const Tables& held);

/// Writes the tables where they are wanted, and returns what the reader of the file has to know
/// ("x.lfts has no lanes: …"), or nothing. Throws RefusedError, before anything is written, when
/// they are free of deadlock and what the file would hold is not, unless this is wanted.
std::string write_tables(const TablesFile& file, const Fabric& fabric, const Tables& tables);

}  // namespace weft::cli
