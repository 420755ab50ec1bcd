// SPDX-License-Identifier: Apache-2.0
// Results of simulations as JSON and CSV, a row each.
#include <nlohmann/json.hpp>
#include <ostream>

#include "lab/report/field_values.hpp"
#include "lab/report/report.hpp"
#include "lab/report/result_file.hpp"
#include "lab/revision.hpp"
#include "lab/simulate/result_row.hpp"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

Json row_with_origin(const SweepRow& row) {
  Json out = row_of(row.result);
  if (row.seeds) {
    out["seeds"] = row.seeds->seeds;
    out["outcome_seeds"] = row.seeds->same_outcome;
    out["accepted_half_width"] = row.seeds->accepted_half_width;
  }
  out["saturation"] = row.saturation;
  out["command"] =
      command_of(row.result.spec) + (row.seeds ? fmt::format(" --seeds {}", row.seeds->seeds) : "");
  out["revision"] = std::string(revision());
  return out;
}

/// "link_down 3; no_route 1".
std::string reasons(const Json& lost_why) {
  std::string out;
  for (const auto& [why, count] : lost_why.items())
    out += fmt::format("{}{} {}", out.empty() ? "" : "; ", why, count.get<std::uint64_t>());
  return out;
}

std::string csv_value(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_object()) return csv_field(reasons(value));
  return value.is_string() ? csv_field(value.get_ref<const std::string&>()) : value.dump();
}

/// The columns of row_of(), on one line each.
std::vector<ResultColumn> columns_of_row() {
  std::vector<ResultColumn> out;
  for (auto [name, meaning] : described_columns()) {
    std::replace(meaning.begin(), meaning.end(), '\n', ' ');
    out.push_back({name, meaning});
  }
  return out;
}

/// An explanation has many lines: only JSON and the human-readable report have it.
bool is_column(const std::string& key) { return key != "explanation"; }

}  // namespace

ResultFile simulations_csv_file() {
  ResultFile file{"weft sim --csv FILE, weft sweep -o FILE", "a row for each simulation",
                  columns_of_row()};
  file.columns.push_back(
      {"saturation",
       "flits per host and cycle: the highest steady load of this combination (weft "
       "sweep --saturation)"});
  file.columns.push_back({"command", "that repeats the simulation"});
  file.columns.push_back({"revision", "of weft"});
  return file;
}

ResultFile simulations_json_file() {
  return {"weft sim --json FILE, weft sweep -o FILE.json", "one document",
          json_keys("simulations 1",
                    {{"rows[]", "keys as the columns of CSV"},
                     {"rows[].lost_why.REASON", "packets lost for this reason"},
                     {"rows[].explanation", "of a deadlock: which packets wait for each other"}})};
}

ResultFile links_csv_file() {
  return {"weft sim --links FILE",
          "a row for each direction of a link with all its lanes, then for each lane",
          {{"from", "switch and port, or host, that sends"},
           {"to", "switch and port, or host, that receives"},
           {"lane", "number of the lane, or all"},
           {"use", "flits per cycle in the measured time, 0 to 1"},
           {"command", "that repeats the simulation"},
           {"revision", "of weft"}}};
}

nlohmann::ordered_json document_of(const std::vector<SweepRow>& rows) {
  Json list = Json::array();
  for (const SweepRow& row : rows) {
    list.push_back(row_with_origin(row));
    put_fields(list.back(), row.result.spec, simulation_fields());
  }
  Json document{{"weft", "simulations 1"}, {"revision", std::string(revision())}, {"rows", list}};
  return document;
}

void write_csv(std::ostream& out, const std::vector<SweepRow>& rows) {
  // A row with all columns: latencies by priority, and of replies, are not in all of them.
  SweepRow fullest;
  for (const SweepRow& row : rows) {
    fullest.result.urgent.packets |= row.result.urgent.packets;
    fullest.result.reply.packets |= row.result.reply.packets;
    fullest.seeds = row.seeds;
  }
  const Json heading = row_with_origin(fullest);
  const auto write_line = [&](const auto& cell) {
    const char* separator = "";
    for (const auto& [key, value] : heading.items()) {
      if (!is_column(key)) continue;
      out << separator << cell(key);
      separator = ",";
    }
    out << '\n';
  };
  write_line([](const std::string& key) { return key; });
  for (const SweepRow& row : rows)
    write_line([fields = row_with_origin(row)](const std::string& key) {
      return fields.contains(key) ? csv_value(fields[key]) : "";
    });
}

void write_links_csv(std::ostream& out, const SimulationResult& result) {
  const std::string origin = fmt::format("{},{}", csv_field(command_of(result.spec)), revision());
  out << csv_heading(links_csv_file()) << '\n';
  for (const LinkUse& link : result.links)
    out << fmt::format("{},{},{},{},{}\n", csv_field(link.from), csv_field(link.to),
                       link.lane < 0 ? "all" : std::to_string(link.lane), link.use, origin);
}

}  // namespace weft
