// SPDX-License-Identifier: Apache-2.0
// The page of the files that weft reads.
#include "cli/reference/topics.hpp"
#include "fabric/format/keys.hpp"
#include "lab/cluster/cluster_keys.hpp"
#include "lab/flows/scenario_keys.hpp"
#include "sim/workload/trace_columns.hpp"
#include "trace/formats/keys.hpp"

namespace weft::cli {
namespace {

ReferenceSection section_of(const KeyTable& file) {
  ReferenceTable table{{"key", "values", "meaning"}, {}};
  for (const FileKey& key : file.keys)
    table.lines.push_back(
        {std::string(key.name), std::string(key.values), std::string(key.meaning)});
  return {.title = std::string(file.title),
          .about = std::string(file.about),
          .table = std::move(table)};
}

}  // namespace

std::vector<ReferenceSection> input_sections() {
  std::vector<ReferenceSection> out;
  const auto add = [&](std::span<const KeyTable> tables) {
    for (const KeyTable& table : tables) out.push_back(section_of(table));
  };
  add(fabric_key_tables);
  add(graphml_key_tables);
  add(tables_key_tables);
  add(cluster_key_tables);
  add(scenario_key_tables);
  out.push_back(section_of(sim::trace_key_table));
  out.push_back(section_of(trace::call_key_table));
  return out;
}

}  // namespace weft::cli
