// SPDX-License-Identifier: Apache-2.0
// What is in the files that weft writes: every column of CSV and every key of JSON, described
// beside the code that writes it. `weft help results` and docs/reference/results.md print it, and a
// test compares it with files that are written.
#pragma once
#include <string>
#include <vector>

namespace weft {

/// A column of CSV, or a key of JSON: "flows[].name". Capitals stand for a name: "PART_use_mean".
struct ResultColumn {
  std::string name;
  std::string meaning;  ///< begins with the unit, where it has one
};

struct ResultFile {
  std::string command;  ///< "weft study --csv FILE"
  std::string about;    ///< what a row is
  std::vector<ResultColumn> columns;
};

/// "topology,fabric,…".
std::string csv_heading(const ResultFile& file);
/// The keys that every JSON file has, before those of its kind.
std::vector<ResultColumn> json_keys(const std::string& kind, std::vector<ResultColumn> more);

ResultFile study_csv_file();
ResultFile study_json_file();
ResultFile failures_csv_file();
ResultFile failures_json_file();
ResultFile fabric_difference_file();
ResultFile tables_difference_file();
ResultFile update_order_file();
ResultFile findings_json_file();
ResultFile simulations_csv_file();
ResultFile simulations_json_file();
ResultFile links_csv_file();
ResultFile program_csv_file();
ResultFile program_json_file();
ResultFile ranks_csv_file();
ResultFile timeline_file();
ResultFile flows_csv_file();
ResultFile flows_json_file();
ResultFile trace_json_file();

}  // namespace weft
