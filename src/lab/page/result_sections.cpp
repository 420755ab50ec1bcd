// SPDX-License-Identifier: Apache-2.0
// Results as sections of a page: columns with units and meanings, charts, verdicts.
#include "lab/page/result_sections.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "base/param.hpp"
#include "lab/page/chart_section.hpp"
#include "lab/page/result_lists.hpp"
#include "lab/page/result_rows.hpp"
#include "lab/report/json_rows.hpp"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

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
