// SPDX-License-Identifier: Apache-2.0
// A study as a table, as JSON and as CSV.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "lab/report/chart.hpp"
#include "lab/report/colours.hpp"
#include "lab/report/columns.hpp"
#include "lab/report/report.hpp"
#include "lab/report/result_file.hpp"
#include "lab/revision.hpp"

namespace weft {
namespace {

std::string deadlock_cell(const StudyRow& row) {
  const std::string verdict = row.some_choice      ? "certificate (any)"
                              : row.certified      ? "certificate"
                              : row.not_judged     ? "not known"
                              : row.levels_unknown ? "no levels"
                                                   : fmt::format("CYCLE of {}", row.cycle);
  return verdict + (row.complete ? "" : ", loses pairs");
}

/// Half up, as the papers round: 3.625 is 3.63.
std::string two_digits(double value) { return fmt::format("{:.2f}", value + 1e-9); }

std::string time_cell(std::optional<double> milliseconds) {
  constexpr double long_time = 10'000;
  if (!milliseconds) return "-";
  return *milliseconds < long_time ? fmt::format("{:.2f} ms", *milliseconds)
                                   : fmt::format("{:.1f} s", *milliseconds / 1000);
}

/// A line with the verdict on deadlock in its colour.
std::string coloured_line(std::ostream& out, std::string line, const StudyRow& row) {
  const std::string cell = deadlock_cell(row);
  const bool good = row.complete && row.certified;
  return line.replace(line.find(cell), cell.size(),
                      coloured(out, good ? VerdictColour::good : VerdictColour::bad, cell));
}

std::string throughput_cell(const std::optional<Throughput>& throughput) {
  if (!throughput) return "-";
  return throughput->deadlocked ? "deadlocks" : fmt::format("{:.3f}", throughput->accepted);
}

Cells cells(const StudyRow& row) {
  Cells out{row.engine,
            two_digits(row.mean_hops),
            fmt::format("{}", row.most_hops),
            fmt::format("{}{}", row.lanes, row.enough_lanes ? "" : " (!)"),
            deadlock_cell(row),
            fmt::format("{:.1f} %", 100 * row.bisection_share),
            time_cell(row.milliseconds),
            fmt::format("{}", row.most_load),
            row.busiest};
  if (!row.throughput.empty()) out.pop_back();  // lines are short
  for (const auto& throughput : row.throughput) out.push_back(throughput_cell(throughput));
  return out;
}

Cells heading_of(const Study& study) {
  Cells out{"engine",         "hops", "max",  "lanes",       "deadlock",
            "eff. bisection", "time", "load", "busiest link"};
  const auto& traffic = study.throughput.traffic;
  if (!traffic.empty()) out.pop_back();
  out.insert(out.end(), traffic.begin(), traffic.end());
  return out;
}

Columns columns_of(const Study& study) {
  Columns out{{true, false, false, false, true, false, false, false, true}};
  if (!study.throughput.traffic.empty()) out.left.back() = false;
  out.left.resize(out.left.size() + study.throughput.traffic.size(), false);
  out.fit(heading_of(study));
  for (const StudyRow& row : study.rows) out.fit(row.refused ? Cells{row.engine} : cells(row));
  return out;
}

/// By pattern, as far as they fit.
nlohmann::ordered_json throughput_json(const StudyRow& row, const Study& study) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < row.throughput.size(); ++i)
    if (const auto& each = row.throughput[i])
      out.push_back({{"traffic", study.throughput.traffic[i]},
                     {"accepted", each->accepted},
                     {"deadlocked", each->deadlocked}});
  return out;
}

nlohmann::ordered_json to_json(const StudyRow& row, const Study& study) {
  nlohmann::ordered_json out{{"topology", row.topology}, {"fabric", row.fabric},
                             {"engine", row.engine},     {"switches", row.switches},
                             {"hosts", row.hosts},       {"links", row.links}};
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
  out["milliseconds"] = nullptr;
  if (row.milliseconds) out["milliseconds"] = *row.milliseconds;
  out["throughput"] = throughput_json(row, study);
  return out;
}

std::string study_value(const nlohmann::ordered_json& value) {
  if (value.is_null()) return "";
  if (value.is_array()) {  // of throughputs
    std::string out;
    for (const auto& each : value)
      out += fmt::format("{}{}={}", out.empty() ? "" : " ", each["traffic"].get<std::string>(),
                         each["accepted"].dump());
    return csv_field(out);
  }
  return value.is_string() ? csv_field(value.get_ref<const std::string&>()) : value.dump();
}

}  // namespace

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string wrapped(const std::string& first, const std::string& words) {
  constexpr std::size_t columns = 120;
  std::string text;
  std::string line = first;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    if (line.size() + 1 + end - at > columns && line.size() > first.size()) {
      text += line + "\n";
      line.assign(first.size(), ' ');
    }
    line += " " + words.substr(at, end - at);
    at = end + 1;
  }
  return text + line;
}

void write_table(std::ostream& out, const Study& study) {
  const Columns columns = columns_of(study);
  out << study.cluster.name;
  if (!study.cluster.without.empty()) out << " without " << study.cluster.without;
  if (!study.cluster.about.empty()) out << ": " << study.cluster.about;
  out << "\n\n" << columns.text(heading_of(study)) << '\n';
  const std::string* topology = nullptr;
  for (const StudyRow& row : study.rows) {
    if (topology == nullptr || *topology != row.topology)
      out << fmt::format("\n{} ({}, {}, {})\n", row.topology,
                         counted(row.switches, "switch", "switches"),
                         counted(row.hosts, "host", "hosts"), counted(row.links, "link", "links"));
    topology = &row.topology;
    out << (row.refused ? wrapped(fmt::format("  {:<{}} ", row.engine, columns.width[0]),
                                  "refused: " + *row.refused)
                        : coloured_line(out, columns.text(cells(row)), row))
        << '\n';
  }
  const auto short_of_lanes = std::any_of(study.rows.begin(), study.rows.end(),
                                          [](const StudyRow& row) { return !row.enough_lanes; });
  if (short_of_lanes)
    out << fmt::format("\n(!) more lanes than the {} of this cluster's switches\n",
                       study.cluster.lanes);
}

nlohmann::ordered_json document_of(const Study& study) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const StudyRow& row : study.rows) rows.push_back(to_json(row, study));
  nlohmann::ordered_json document{{"weft", "study 1"},
                                  {"revision", std::string(revision())},
                                  {"cluster", study.cluster.name},
                                  {"about", study.cluster.about},
                                  {"without", study.cluster.without},
                                  {"switch_lanes", study.cluster.lanes},
                                  {"seed", study.throughput.seed},
                                  {"switch", study.cluster.model},
                                  {"rows", rows}};
  return document;
}

ResultFile study_csv_file() {
  return {
      "weft study --csv FILE",
      "a row for each topology and routing engine",
      {{"topology", "topology or fabric file, as given"},
       {"fabric", "name of the fabric"},
       {"engine", "routing engine with its parameters, or file of tables"},
       {"switches", "number of switches"},
       {"hosts", "number of hosts"},
       {"links", "number of links between switches"},
       {"complete", "whether all pairs of hosts are reached"},
       {"hops_average", "switches on a route, mean over all ordered pairs of hosts"},
       {"hops_maximum", "switches on the longest route"},
       {"lanes", "lanes that the tables use"},
       {"enough_lanes", "whether the switches of the cluster have as many"},
       {"certified", "whether there is a certificate of deadlock freedom, which was verified"},
       {"cycle_length", "channels of the dependency cycle that was found; 0: none"},
       {"load_maximum", "routes over the busiest link"},
       {"load_average", "routes over a link, mean"},
       {"busiest_link", "its switch and port"},
       {"effective_bisection",
        "share of its link's bandwidth that a host gets in a random "
        "matching, 0 to 1, mean over 100"},
       {"milliseconds",
        "ms of processor time to compute the tables, which differs from run to run; none for a "
        "file"},
       {"throughput",
        "with --throughput: flits per host and cycle that are accepted when hosts offer all that "
        "their links take, by traffic pattern, as \"uniform=0.9 tornado=0.4\"; 0 where it "
        "deadlocks"},
       {"refused", "why the engine cannot route this fabric; most other columns are then empty"},
       {"seed", "of the random matchings"},
       {"revision", "of weft"}}};
}

ResultFile study_json_file() {
  return {"weft study --json FILE", "one document",
          json_keys("study 1",
                    {{"cluster", "name of the cluster"},
                     {"about", "what its file says about it"},
                     {"without", "what was taken out of every fabric"},
                     {"switch_lanes", "lanes of its switches"},
                     {"seed", "of the random matchings"},
                     {"switch", "the switches: what packets wait for, and what is simulated"},
                     {"rows[]", "keys as the columns of CSV, but for throughput"},
                     {"rows[].throughput[].traffic", "pattern"},
                     {"rows[].throughput[].accepted", "flits per host and cycle"},
                     {"rows[].throughput[].deadlocked", "whether it ended so"}})};
}

void write_csv(std::ostream& out, const Study& study) {
  const auto keys = to_json(StudyRow{}, study);
  out << csv_heading(study_csv_file()) << '\n';
  for (const StudyRow& row : study.rows) {
    const auto fields = to_json(row, study);
    for (const auto& [key, value] : keys.items())
      out << (fields.contains(key) ? study_value(fields[key]) : "") << ',';
    out << csv_field(row.refused.value_or("")) << ',' << study.throughput.seed << ',' << revision()
        << '\n';
  }
}

BarChart chart_of(const Study& study) {
  BarChart chart{study.cluster.name + ": routing engines compared",
                 "longer is better on the left, shorter on the right",
                 {{"effective bisection, % of a host's link", 1, " %"},
                  {"routes over the busiest link", 0, ""}},
                 {}};
  const std::string* topology = nullptr;
  std::size_t engine = 0;
  for (const StudyRow& row : study.rows) {
    if (topology == nullptr || *topology != row.topology) {
      engine = 0;
      chart.rows.push_back({.name = fmt::format("{} ({}, {})", row.topology,
                                                counted(row.switches, "switch", "switches"),
                                                counted(row.hosts, "host", "hosts"))});
    }
    topology = &row.topology;
    BarRow bars{.name = row.engine, .colour = engine++};
    if (row.refused) {
      bars.remark = "refused: " + *row.refused;
    } else {
      if (deadlock_cell(row) != "certificate") bars.name += ": " + deadlock_cell(row);
      bars.values = {100 * row.bisection_share, static_cast<double>(row.most_load)};
    }
    chart.rows.push_back(std::move(bars));
  }
  return chart;
}

}  // namespace weft
