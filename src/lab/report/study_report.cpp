// SPDX-License-Identifier: Apache-2.0
// A study as a table, as JSON and as CSV.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "lab/report/report.hpp"
#include "lab/revision.hpp"

namespace weft {
namespace {

using Cells = std::vector<std::string>;

std::string deadlock_cell(const StudyRow& row) {
  if (!row.complete) return "incomplete";
  return row.certified ? "certificate" : fmt::format("CYCLE of {}", row.cycle);
}

/// Half up, as the papers round: 3.625 is 3.63.
std::string two_digits(double value) { return fmt::format("{:.2f}", value + 1e-9); }

Cells cells(const StudyRow& row) {
  if (row.refused) return {row.topology, row.engine, "refused: " + *row.refused};
  return {row.topology,
          row.engine,
          two_digits(row.mean_hops),
          fmt::format("{}", row.most_hops),
          fmt::format("{}{}", row.lanes, row.enough_lanes ? "" : " (!)"),
          deadlock_cell(row),
          fmt::format("{} {}", row.most_load, row.busiest),
          fmt::format("{:.1f} %", 100 * row.bisection_share),
          fmt::format("{:.2f} ms", row.milliseconds)};
}

const Cells heading{"topology", "engine",       "hops",           "max", "lanes",
                    "deadlock", "busiest link", "eff. bisection", "time"};

/// Names on the left, numbers on the right.
bool left(std::size_t column) { return column < 2 || column == 5; }

nlohmann::ordered_json to_json(const StudyRow& row) {
  nlohmann::ordered_json out{{"topology", row.topology},
                             {"engine", row.engine},
                             {"switches", row.switches},
                             {"hosts", row.hosts},
                             {"links", row.links}};
  if (row.refused) {
    out["refused"] = *row.refused;
    return out;
  }
  out["complete"] = row.complete;
  out["hops_average"] = row.mean_hops;
  out["hops_maximum"] = row.most_hops;
  out["lanes"] = row.lanes;
  out["enough_lanes"] = row.enough_lanes;
  out["certified"] = row.certified;
  out["cycle_length"] = row.cycle;
  out["load_maximum"] = row.most_load;
  out["load_average"] = row.mean_load;
  out["busiest_link"] = row.busiest;
  out["effective_bisection"] = row.bisection_share;
  out["milliseconds"] = row.milliseconds;
  return out;
}

std::string csv_field(const nlohmann::ordered_json& value) {
  if (!value.is_string()) return value.is_null() ? "" : value.dump();
  const auto& text = value.get_ref<const std::string&>();
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

void write_table(std::ostream& out, const Study& study) {
  std::vector<Cells> lines{heading};
  for (const StudyRow& row : study.rows) lines.push_back(cells(row));
  std::vector<std::size_t> width(heading.size(), 0);
  for (const Cells& line : lines)
    for (std::size_t i = 0; i < line.size() && line.size() == heading.size(); ++i)
      width[i] = std::max(width[i], line[i].size());
  for (const Cells& line : lines)
    for (std::size_t i = 0; i < 2; ++i) width[i] = std::max(width[i], line[i].size());

  out << study.cluster.name;
  if (!study.cluster.about.empty()) out << ": " << study.cluster.about;
  out << "\n\n";
  std::string topology;
  for (const Cells& line : lines) {
    if (!topology.empty() && topology != line[0]) out << '\n';
    topology = line[0];
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i)
      text += (i == 0 ? "" : "  ") + (left(i) ? fmt::format("{:<{}}", line[i], width[i])
                                              : fmt::format("{:>{}}", line[i], width[i]));
    text.erase(text.find_last_not_of(' ') + 1);
    out << text << '\n';
  }
  const auto short_of_lanes = std::any_of(study.rows.begin(), study.rows.end(),
                                          [](const StudyRow& row) { return !row.enough_lanes; });
  if (short_of_lanes)
    out << fmt::format("\n(!) more lanes than the {} of this cluster's switches\n",
                       study.cluster.lanes);
}

void write_json(std::ostream& out, const Study& study) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const StudyRow& row : study.rows) rows.push_back(to_json(row));
  const nlohmann::ordered_json document{{"weft", "study 1"},
                                        {"revision", std::string(revision())},
                                        {"cluster", study.cluster.name},
                                        {"seed", study.seed},
                                        {"rows", rows}};
  out << document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
}

void write_csv(std::ostream& out, const Study& study) {
  const auto keys = to_json(StudyRow{});
  for (const auto& [key, value] : keys.items()) out << key << ',';
  out << "refused,seed,revision\n";
  for (const StudyRow& row : study.rows) {
    const auto fields = to_json(row);
    for (const auto& [key, value] : keys.items())
      out << (fields.contains(key) ? csv_field(fields[key]) : "") << ',';
    out << csv_field(row.refused.value_or("")) << ',' << study.seed << ',' << revision() << '\n';
  }
}

}  // namespace weft
