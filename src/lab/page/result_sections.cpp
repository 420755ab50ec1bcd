// SPDX-License-Identifier: Apache-2.0
// Results as sections of a page.
#include "lab/page/result_sections.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "base/param.hpp"
#include "lab/page/chart_section.hpp"
#include "lab/report/json_rows.hpp"
#include "lab/report/replay_report.hpp"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

/// A list of a result and how it is shown.
struct ResultList {
  const char* kind;
  /// Where its rows are: "jobs", those within others as "jobs[].by_rank"; "": the document itself.
  const char* list;
  const char* title;
  ResultFile (*described)();
  // The chart that is shown first; no x: none.
  const char* x = "";
  std::vector<const char*> y{};
  const char* x_scale = "linear";
  /// Columns whose values tell series apart, where they differ.
  std::vector<const char*> by{};
  /// The column that says whether a row is good, and its words.
  const char* verdict = "";
  std::vector<std::pair<Json, const char*>> verdicts{};
  /// Rows within others: the keys of the outer ones that say whose they are.
  std::vector<const char*> whose{};
};

/// The first one of a kind is what the result is about.
const std::vector<ResultList>& result_lists() {
  static const std::vector<ResultList> all{
      {"study",
       "rows",
       "routing engines compared",
       study_csv_file,
       "engine",
       {"effective_bisection"},
       "linear",
       {"topology"},
       "certified",
       {{true, "good"}, {false, "bad"}}},
      {"study",
       "rows[].throughput",
       "accepted when hosts offer all that their links take",
       study_json_file,
       "traffic",
       {"accepted"},
       "linear",
       {"topology", "engine"},
       "deadlocked",
       {{true, "bad"}},
       {"topology", "engine"}},
      {"failures",
       "rows",
       "what failures cost",
       failures_csv_file,
       "",
       {},
       "linear",
       {},
       "certified",
       {{false, "bad"}}},
      {"findings",
       "findings",
       "findings",
       findings_json_file,
       "",
       {},
       "linear",
       {},
       "verdict",
       {{"ok", "good"}, {"BAD", "bad"}, {"?", "warning"}}},
      {.kind = "findings",
       .list = "findings[].items",
       .title = "lost pairs and busiest links",
       .described = findings_json_file,
       .whose = {"check"}},
      {"simulations",
       "rows",
       "simulations",
       simulations_csv_file,
       "load",
       {"latency_mean", "latency_p99"},
       "linear",
       {"fabric", "tables", "switch", "traffic", "packet", "source", "reply", "window", "urgent",
        "faults", "without"},
       "outcome",
       {{"deadlock", "bad"}, {"saturated", "warning"}}},
      {"programs",
       "rows",
       "runs",
       program_csv_file,
       "bytes",
       {"slowest_mean_us"},
       "bytes",
       {"algorithm", "topology", "engine", "switch", "nic", "library", "hosts", "ranks"},
       "outcome",
       {{"finished", "good"}}},
      {.kind = "programs",
       .list = "fastest",
       .title = "fastest algorithms",
       .described = program_json_file},
      {"replay", "jobs", "jobs", replay_json_file},
      {.kind = "replay",
       .list = "jobs[].by_rank",
       .title = "ranks",
       .described = replay_json_file,
       .whose = {"trace"}},
      {"replay", "critical_path.pairs", "messages on the critical path", replay_json_file},
      {"replay", "critical_path.links", "links on the critical path", replay_json_file},
      {"replays",
       "rows",
       "replays",
       replay_csv_file,
       "trace",
       {"time_us"},
       "linear",
       {"cluster", "topology", "engine", "switch", "nic", "library", "placement", "scale"}},
      {"flows", "flows", "flows", flows_json_file},
      {"fabric difference", "differences", "expected and found", fabric_difference_file},
      {"tables difference", "", "what changes", tables_difference_file},
      {"tables difference", "by_switch", "changed entries by switch", tables_difference_file},
      {"tables difference", "by_destination", "changed entries by destination",
       tables_difference_file},
      {"tables difference", "loads", "links with another load", tables_difference_file},
  };
  return all;
}

/// "us" of "us: length of a bin" and "ms" of "ms of processor time"; empty: it begins with none.
std::string unit_before(const std::string& meaning, std::span<const char* const> units) {
  for (const std::string_view unit : units)
    if (meaning.starts_with(unit) && meaning.size() > unit.size() &&
        std::string_view(": ,").find(meaning[unit.size()]) != std::string_view::npos)
      return std::string(unit);
  return "";
}

/// The unit that the meaning of a column begins with, or its name ends with: "busbw_MB/s".
std::string unit_of(const std::string& name, const std::string& meaning) {
  static constexpr std::array measures{"us",   "ms",   "s", "ns",     "MB/s",
                                       "GB/s", "Gb/s", "%", "cycles", "bytes"};
  // Longer ones before those that they begin with.
  static constexpr std::array counts{"flits per host and cycle",
                                     "flits per cycle",
                                     "flits",
                                     "packets",
                                     "routes",
                                     "switches",
                                     "hosts",
                                     "lanes",
                                     "channels"};
  if (meaning.starts_with("flits that a host sends per cycle")) return "flits per host and cycle";
  if (std::string unit = unit_before(meaning, measures); !unit.empty()) return unit;
  if (std::string unit = unit_before(meaning, counts); !unit.empty()) return unit;
  const std::string last = name.substr(name.rfind('_') + 1);
  const bool is_suffix = last != name || last == "bytes";
  return is_suffix && std::ranges::find(measures, std::string_view(last)) != measures.end() ? last
                                                                                            : "";
}

/// "MB/s: what" without its unit.
std::string without_unit(const std::string& meaning, const std::string& unit) {
  if (unit.empty() || !meaning.starts_with(unit + ":")) return meaning;
  return meaning.substr(std::min(meaning.size(), unit.size() + 2));
}

/// A parameter of a spec as "allreduce:algorithm=ring,bytes=4k" has them; empty: it has none.
std::string parameter_of(const std::string& spec, const std::string& name) {
  const std::size_t at = spec.find_first_of(":,", 0);
  for (std::size_t from = at; from != std::string::npos; from = spec.find(',', from + 1)) {
    if (spec.compare(from + 1, name.size() + 1, name + "=") != 0) continue;
    const std::size_t begin = from + name.size() + 2;
    return spec.substr(begin, spec.find(',', begin) - begin);
  }
  return "";
}

/// A list of words is a line for each of them.
Json cell_of(const Json& value) {
  if (!value.is_array()) return value;
  std::string lines;
  for (const Json& each : value) lines += (lines.empty() ? "" : "\n") + each.get<std::string>();
  return lines.empty() ? Json() : Json(lines);
}

/// Whether a column of rows is worth showing: neither further rows nor a document of its own, nor
/// numbers over time, which charts show.
bool is_plain(const Json& value) {
  const auto is_word = [](const Json& each) { return each.is_string(); };
  if (value.is_array()) return std::ranges::all_of(value, is_word);
  return !value.is_object();
}

/// The rows at a place as ResultList has it.
void add_rows(const Json& in, std::string_view place, const std::vector<const char*>& whose,
              std::vector<Json>& rows) {
  const std::size_t end = place.find_first_of(".[");
  const Json value = in.value(std::string(place.substr(0, end)), Json());
  if (end == std::string_view::npos) {
    for (const Json& each : value) {
      Json& row = rows.emplace_back(Json::object());
      for (const char* key : whose) row[key] = in.value(key, Json());
      row.update(each);
    }
  } else if (place[end] == '.') {
    if (value.is_object()) add_rows(value, place.substr(end + 1), whose, rows);
  } else {
    for (const Json& each : value) add_rows(each, place.substr(end + 3), whose, rows);
  }
}

/// The plain values of a document, and of the objects in it, as one row.
Json document_row(const Json& document) {
  static const std::set<std::string> said_elsewhere{"weft", "revision", "subject", "command"};
  Json row = Json::object();
  for (const auto& [key, value] : document.items()) {
    if (value.is_primitive() && !said_elsewhere.contains(key)) row[key] = value;
    if (!value.is_object()) continue;
    for (const auto& [inner, each] : value.items())
      if (is_plain(each)) row[fmt::format("{}.{}", key, inner)] = each;
  }
  return row;
}

/// The jobs of a sweep of replays, each after the spec of its point; points without any have a row,
/// too.
std::vector<Json> jobs_of_replays(const Json& document) {
  std::vector<Json> out;
  for (const Json& point : document.value("rows", Json::array())) {
    Json spec = point.value("spec", Json::object());
    const Json traces = cell_of(spec.value("traces", Json()));
    spec.erase("traces");
    Json jobs = point.value("jobs", Json::array());
    if (jobs.empty()) jobs.push_back({{"trace", traces}});
    for (const Json& job : jobs) {
      Json& row = out.emplace_back(spec);
      row.update(job);
      row["outcome"] = point.value("outcome", Json());
      row["command"] = point.value("command", Json());
    }
  }
  return out;
}

/// Messages, or links, of a critical path: the longest first, with their shares of it.
void rank_on_path(const Json& path, std::vector<Json>& rows) {
  double length = 0;
  for (const char* part : {"compute_us", "library_us", "lower_us", "waiting_us", "messages_us"})
    length += path.value(part, 0.0);
  const auto time_of = [](const Json& row) { return row.value("time_us", 0.0); };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const Json& a, const Json& b) { return time_of(a) > time_of(b); });
  for (Json& row : rows)
    if (length > 0) row["share_%"] = 100 * time_of(row) / length;
}

std::vector<Json> rows_of(const Json& document, const ResultList& list) {
  if (std::string_view(list.kind) == "replays") return jobs_of_replays(document);
  std::vector<Json> rows;
  if (std::string_view(list.list).empty())
    rows.push_back(document_row(document));
  else
    add_rows(document, list.list, list.whose, rows);
  if (std::string_view(list.list).starts_with("critical_path.") && !rows.empty())
    rank_on_path(document["critical_path"], rows);
  return rows;
}

/// Programs have their sizes and algorithms in their specs: as columns they can be compared.
void add_parameters(std::vector<Json>& rows) {
  for (Json& row : rows) {
    const std::string program = row.value("program", "");
    row["algorithm"] = parameter_of(program, "algorithm");
    if (const std::string bytes = parameter_of(program, "bytes"); !bytes.empty())
      row["bytes"] = size_from(bytes, true).count;
  }
}

std::vector<std::string> differing(const std::vector<Json>& rows,
                                   const std::vector<const char*>& columns) {
  std::vector<std::string> out;
  for (const char* column : columns) {
    std::set<std::string> values;
    for (const Json& row : rows) values.insert(row.value(column, Json()).dump());
    if (values.size() > 1) out.emplace_back(column);
  }
  return out;
}

void add_chart(PageSection& section, const ResultList& list, const std::vector<Json>& rows) {
  if (std::string_view(list.x).empty() || differing(rows, {list.x}).empty()) return;
  section["chart"] = {
      {"x", list.x}, {"y", list.y}, {"by", differing(rows, list.by)}, {"x_scale", list.x_scale}};
}

/// Jobs of replays: how much of their time an ideal network would leave.
void add_ideal_share(std::vector<Json>& rows) {
  for (Json& row : rows)
    if (row.value("ideal_us", Json()).is_number() && row.value("time_us", Json()).is_number())
      row["ideal_%"] = 100 * row["ideal_us"].get<double>() / row["time_us"].get<double>();
}

void add_severity(PageSection& section, const ResultList& list, const std::vector<Json>& rows) {
  if (list.verdicts.empty()) return;
  section["severity"] = Json::array();
  for (const Json& row : rows) {
    const Json value = row.value(list.verdict, Json());
    const auto found = std::find_if(list.verdicts.begin(), list.verdicts.end(),
                                    [&](const auto& each) { return each.first == value; });
    section["severity"].push_back(found == list.verdicts.end() ? Json() : Json(found->second));
  }
}

/// The descriptions of a list's columns, without the name of the list.
std::vector<ResultColumn> columns_of(const ResultList& list) {
  const std::string prefix = std::string(list.list) + "[].";  // of none in the document itself
  std::vector<ResultColumn> out;
  for (ResultColumn column : list.described().columns) {
    if (column.name.starts_with(prefix)) column.name.erase(0, prefix.size());
    out.push_back(std::move(column));
  }
  return out;
}

PageSection section_of(const ResultList& list, std::vector<Json> rows) {
  if (list.described == program_csv_file) add_parameters(rows);
  add_ideal_share(rows);
  PageSection out = rows_section(list.kind, list.title, rows, columns_of(list));
  add_chart(out, list, rows);
  add_severity(out, list, rows);
  return out;
}

}  // namespace

std::string result_kind(const Json& document) {
  const std::string kind = document.is_object() ? document.value("weft", "") : "";
  const std::size_t end = kind.rfind(' ');
  if (end == std::string::npos) throw Error("no result of weft: there is no key \"weft\"");
  return kind.substr(0, end);
}

PageSection rows_section(const std::string& id, const std::string& title,
                         const std::vector<Json>& rows,
                         const std::vector<ResultColumn>& described) {
  std::vector<std::string> names;
  for (const std::string& key : keys_of(rows))
    if (std::all_of(rows.begin(), rows.end(),
                    [&](const Json& row) { return is_plain(row.value(key, Json())); }))
      names.push_back(key);
  std::string place = id;
  std::replace(place.begin(), place.end(), ' ', '-');
  PageSection out{{"kind", "rows"}, {"id", place}, {"title", title}};
  out["columns"] = Json::array();
  for (const std::string& name : names) {
    const auto found = std::find_if(described.begin(), described.end(),
                                    [&](const ResultColumn& each) { return each.name == name; });
    const std::string meaning = found == described.end() ? "" : found->meaning;
    const std::string unit = unit_of(name, meaning);
    out["columns"].push_back(
        {{"name", name}, {"unit", unit}, {"meaning", without_unit(meaning, unit)}});
  }
  out["rows"] = Json::array();
  for (const Json& row : rows) {
    Json cells = Json::array();
    for (const std::string& name : names) cells.push_back(cell_of(row.value(name, Json())));
    out["rows"].push_back(std::move(cells));
  }
  return out;
}

std::vector<PageSection> result_sections(const Json& document) {
  const std::string kind = result_kind(document);
  std::vector<PageSection> out;
  for (const ResultList& list : result_lists()) {
    if (kind != list.kind) continue;
    std::vector<Json> rows = rows_of(document, list);
    // The first one is there even without rows.
    if (out.empty() || !rows.empty()) out.push_back(section_of(list, std::move(rows)));
  }
  if (out.empty()) throw Error("there is no page for a result of the kind \"{}\"", kind);
  return out;
}

HtmlPage result_page(const std::string& title, const AnyChart& chart, const Json& document) {
  HtmlPage page{.title = title};
  page.sections.push_back(charts_section("chart", chart));
  page.add(result_sections(document));
  return page;
}

}  // namespace weft
