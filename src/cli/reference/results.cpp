// SPDX-License-Identifier: Apache-2.0
// The page of the files that weft writes.
#include "cli/reference/topics.hpp"
#include "lab/report/replay_comparison.hpp"
#include "lab/report/replay_report.hpp"
#include "lab/report/result_file.hpp"
#include "papers/perturbation.hpp"
#include "papers/runner/page.hpp"

namespace weft::cli {
namespace {

ResultFile order_csv_file() {
  return {"weft order -o FILE",
          "a row for each unicast message of a multicast",
          {{"step", "from 0: messages of a step are sent at once"},
           {"from", "host that sends"},
           {"to", "host that receives"}}};
}

ResultFile catalogues_json_file() {
  return {"weft list --json FILE", "one document",
          json_keys("catalogues 1",
                    {{"catalogues.KIND[].name", "of an entry"},
                     {"catalogues.KIND[].summary", "what it is"},
                     {"catalogues.KIND[].parameters[].name", "of a parameter"},
                     {"catalogues.KIND[].parameters[].default", "its value where none is given"},
                     {"catalogues.KIND[].parameters[].values", "type, unit and range"},
                     {"catalogues.KIND[].parameters[].meaning", "what it is"}})};
}

}  // namespace

std::vector<ReferenceSection> result_sections() {
  std::vector<ReferenceSection> out;
  for (const ResultFile& file : {study_csv_file(),
                                 study_json_file(),
                                 failures_csv_file(),
                                 failures_json_file(),
                                 findings_json_file(),
                                 fabric_difference_file(),
                                 tables_difference_file(),
                                 update_order_file(),
                                 simulations_csv_file(),
                                 simulations_json_file(),
                                 links_csv_file(),
                                 program_csv_file(),
                                 program_json_file(),
                                 ranks_csv_file(),
                                 timeline_file(),
                                 replay_csv_file(),
                                 replay_json_file(),
                                 replay_sweep_json_file(),
                                 replay_ranks_csv_file(),
                                 link_times_csv_file(),
                                 comparison_csv_file(),
                                 flows_csv_file(),
                                 flows_json_file(),
                                 trace_json_file(),
                                 papers::answers_csv_file(),
                                 papers::page_json_file(),
                                 papers::sheet_csv_file(),
                                 papers::perturbation_csv_file(),
                                 papers::perturbation_factors_file(),
                                 papers::perturbation_json_file(),
                                 order_csv_file(),
                                 catalogues_json_file()}) {
    ReferenceTable table{{"column", "meaning"}, {}};
    for (const ResultColumn& column : file.columns)
      table.lines.push_back({column.name, column.meaning});
    out.push_back({.title = file.command, .about = file.about, .table = std::move(table)});
  }
  return out;
}

}  // namespace weft::cli
