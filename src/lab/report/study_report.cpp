// SPDX-License-Identifier: Apache-2.0
// A study as a table, as JSON and as CSV.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "lab/report/chart.hpp"
#include "lab/report/colours.hpp"
#include "lab/report/columns.hpp"
#include "lab/report/report.hpp"
#include "lab/report/result_file.hpp"
#include "lab/revision.hpp"

namespace weft {
namespace {

std::string deadlock_cell(const StudyRow& row) {
  const auto verdict = [&]() -> std::string {
    switch (row.verdict) {
      case StudyVerdict::every_choice:
        return "certificate";
      case StudyVerdict::some_choice:
        return "certificate (any)";
      case StudyVerdict::cycle:
        return fmt::format("CYCLE of {}", row.cycle);
      case StudyVerdict::blocked:
        return fmt::format("BLOCKED: {}", row.cycle);
      case StudyVerdict::unknown:
        break;
    }
    return row.levels_unknown ? "no levels" : "not known";
  };
  return verdict() + (row.complete ? "" : ", loses pairs");
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
  const bool good = row.complete && row.certified();
  return line.replace(line.find(cell), cell.size(),
                      coloured(out, good ? VerdictColour::good : VerdictColour::bad, cell));
}

/// The highest steady load, and what is accepted at full load.
Cells throughput_cells(const Throughput& of) {
  if (!of.measured()) return {"-", "-"};
  if (of.deadlocked) return {"-", "deadlocks"};
  return {fmt::format("{:.3f}", of.saturation),
          fmt::format("{:.3f}{}", of.accepted, of.collapses() ? " (*)" : "")};
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
  for (const Throughput& throughput : row.throughput)
    for (const std::string& cell : throughput_cells(throughput)) out.push_back(cell);
  return out;
}

Cells heading_of(const Study& study) {
  Cells out{"engine",         "hops", "max",  "lanes",       "deadlock",
            "eff. bisection", "time", "load", "busiest link"};
  const auto& traffic = study.throughput.traffic;
  if (!traffic.empty()) out.pop_back();
  for (const std::string& pattern : traffic) out.insert(out.end(), {pattern, "full load"});
  return out;
}

Columns columns_of(const Study& study) {
  Columns out{{true, false, false, false, true, false, false, false, true}};
  if (!study.throughput.traffic.empty()) out.left.back() = false;
  out.left.resize(heading_of(study).size(), false);
  out.fit(heading_of(study));
  for (const StudyRow& row : study.rows) out.fit(row.refused ? Cells{row.engine} : cells(row));
  return out;
}

/// By pattern.
nlohmann::ordered_json throughput_json(const StudyRow& row, const Study& study) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < row.throughput.size(); ++i) {
    const Throughput& of = row.throughput[i];
    nlohmann::ordered_json& json = out.emplace_back();
    json["traffic"] = study.throughput.traffic[i];
    for (const char* key : {"saturation", "accepted", "collapses", "deadlocked", "not_measured"})
      json[key] = nullptr;
    if (of.measured()) {
      if (!of.deadlocked) json["saturation"] = of.saturation;
      json["accepted"] = of.accepted;
      json["collapses"] = of.collapses();
      json["deadlocked"] = of.deadlocked;
    } else {
      json["not_measured"] = of.not_measured;
    }
  }
  return out;
}

/// In one field: "uniform=0.9 tornado=0.4".
std::string values_by_pattern(const StudyRow& row, const Study& study, double Throughput::*value,
                              bool even_where_deadlocked) {
  std::string out;
  for (std::size_t i = 0; i < row.throughput.size(); ++i) {
    const Throughput& of = row.throughput[i];
    if (!of.measured() || (of.deadlocked && !even_where_deadlocked)) continue;
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", study.throughput.traffic[i],
                       nlohmann::json(of.*value).dump());
  }
  return out;
}

/// In one field, between `separator`s: a text for every pattern that has one.
template <class Text>
std::string texts_by_pattern(const StudyRow& row, const char* separator, Text text) {
  std::string out;
  for (std::size_t i = 0; i < row.throughput.size(); ++i)
    if (const std::string found = text(row.throughput[i], i); !found.empty())
      out += (out.empty() ? "" : separator) + found;
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
  out["certified"] = row.certified();
  out["proof"] = to_text(row.verdict);
  out["judged_for"] = row.judged_for;
  out["why_unknown"] = nullptr;
  if (!row.why_unknown.empty()) out["why_unknown"] = row.why_unknown;
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

/// The same with throughputs as texts.
nlohmann::ordered_json plain_json(const StudyRow& row, const Study& study) {
  nlohmann::ordered_json out = to_json(row, study);
  out["throughput"] = values_by_pattern(row, study, &Throughput::accepted, true);
  out["saturation"] = values_by_pattern(row, study, &Throughput::saturation, false);
  const auto& traffic = study.throughput.traffic;
  out["collapses"] = texts_by_pattern(row, " ", [&](const Throughput& of, std::size_t i) {
    return of.collapses() ? traffic[i] : std::string();
  });
  out["not_measured"] = texts_by_pattern(row, "; ", [&](const Throughput& of, std::size_t i) {
    return of.measured() ? std::string() : traffic[i] + ": " + of.not_measured;
  });
  return out;
}

std::string study_value(const nlohmann::ordered_json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? csv_field(value.get_ref<const std::string&>()) : value.dump();
}

/// A line of the notes below the table, once for all rows that it is about.
class Notes {
 public:
  void add(const std::string& sign, const std::string& words) {
    if (seen_.emplace(sign, words).second) lines_.push_back(wrapped(sign, words));
  }
  /// An empty line before them.
  void write(std::ostream& out) const {
    if (!lines_.empty()) out << '\n';
    for (const std::string& line : lines_) out << line << '\n';
  }

 private:
  std::set<std::pair<std::string, std::string>> seen_;
  std::vector<std::string> lines_;
};

void note_throughputs(const StudyRow& row, const Study& study, Notes& notes) {
  for (std::size_t i = 0; i < row.throughput.size(); ++i) {
    const Throughput& of = row.throughput[i];
    if (of.collapses())
      notes.add("(*)", "congestion collapse: less is accepted at full load than below saturation");
    if (of.deadlocked)
      notes.add("-", "where packets deadlock at full load, no load is called steady");
    if (!of.measured())
      notes.add("-", fmt::format("{} on {}, {}: {}", study.throughput.traffic[i], row.topology,
                                 row.engine, of.not_measured));
  }
}

/// What signs in the line of a row mean, and why something is missing.
void note(const StudyRow& row, const Study& study, Notes& notes) {
  if (row.refused) return;
  if (!row.enough_lanes)
    notes.add("(!)", fmt::format("more lanes than the {} of this cluster's switches",
                                 study.cluster.lanes));
  if (row.verdict == StudyVerdict::some_choice)
    notes.add("(any)", "free of deadlock in " + row.judged_for +
                           ", not by every choice, for switches that commit to one");
  if (row.verdict == StudyVerdict::blocked)
    notes.add("BLOCKED:", "so many packets hold all that they wait for, in " + row.judged_for);
  if (row.verdict == StudyVerdict::unknown)
    notes.add(row.levels_unknown ? "no levels:" : "not known:",
              fmt::format("{} on {}: {}{}", row.engine, row.topology, row.why_unknown,
                          row.levels_unknown ? "" : "; judged for " + row.judged_for));
  if (!row.milliseconds) notes.add("-", "time: tables of a file are not computed");
  if (row.busiest == "-" && row.throughput.empty())
    notes.add("-", fmt::format("busiest link: on {} no route crosses one", row.topology));
  note_throughputs(row, study, notes);
}

/// What the columns of throughputs are.
void note_columns(const Study& study, Notes& notes) {
  if (study.throughput.traffic.empty()) return;
  notes.add(
      fmt::format("{}:", fmt::join(study.throughput.traffic, ", ")),
      fmt::format("the highest load that is carried steadily; full load: what is accepted when "
                  "hosts offer all that their links take (flits per host and cycle, packets "
                  "of {} flits; switch {})",
                  throughput_packet, study.cluster.model));
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
  Notes notes;
  note_columns(study, notes);
  for (const StudyRow& row : study.rows) note(row, study, notes);
  notes.write(out);
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
       {"proof",
        "every choice: a certificate whatever packets choose; some choice: one for packets that "
        "wait for any of their choices; circle: of channels that wait for each other; blocked: "
        "packets that hold all that they wait for; or unknown"},
       {"judged_for",
        "the switches for which that holds: all switches, or those that wait for any choice "
        "(wormhole or cut-through), commit to one, or give lanes away before they are empty"},
       {"why_unknown", "why there is neither a certificate nor a circle"},
       {"cycle_length",
        "channels of the dependency cycle, or packets that are blocked; 0: none were found"},
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
       {"saturation",
        "with --throughput: flits per host and cycle: the highest load that is carried steadily, "
        "to a twentieth of it, by traffic pattern; none where full load deadlocks"},
       {"collapses",
        "patterns of which full load gets less through than a lower one does, by more than a "
        "tenth"},
       {"not_measured", "patterns without a throughput, and why, as \"bit_reversal: why\""},
       {"refused", "why the engine cannot route this fabric; most other columns are then empty"},
       {"seed", "of the random matchings"},
       {"revision", "of weft"}}};
}

ResultFile study_json_file() {
  return {
      "weft study --json FILE", "one document",
      json_keys("study 1",
                {{"cluster", "name of the cluster"},
                 {"about", "what its file says about it"},
                 {"without", "what was taken out of every fabric"},
                 {"switch_lanes", "lanes of its switches"},
                 {"seed", "of the random matchings"},
                 {"switch", "the switches: what packets wait for, and what is simulated"},
                 {"rows[]", "keys as the columns of CSV, but for those of --throughput"},
                 {"rows[].throughput[].traffic", "pattern"},
                 {"rows[].throughput[].saturation",
                  "flits per host and cycle: the highest load that is carried steadily, to a "
                  "twentieth of it; null where full load deadlocks"},
                 {"rows[].throughput[].accepted",
                  "flits per host and cycle, when hosts offer all that their links take; 0 where "
                  "it deadlocks"},
                 {"rows[].throughput[].collapses",
                  "whether that is less than a lower load gets through, by more than a tenth"},
                 {"rows[].throughput[].deadlocked", "whether it ended so"},
                 {"rows[].throughput[].not_measured", "why there is none"}})};
}

void write_csv(std::ostream& out, const Study& study) {
  const auto keys = plain_json(StudyRow{}, study);
  out << csv_heading(study_csv_file()) << '\n';
  for (const StudyRow& row : study.rows) {
    const auto fields = row.refused ? to_json(row, study) : plain_json(row, study);
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
