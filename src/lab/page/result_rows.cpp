// SPDX-License-Identifier: Apache-2.0
// Rows within rows, and documents that are one row.
#include "lab/page/result_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

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

}  // namespace

Json cell_of(const Json& value) {
  if (!value.is_array()) return value;
  std::string lines;
  for (const Json& each : value) lines += (lines.empty() ? "" : "\n") + each.get<std::string>();
  return lines.empty() ? Json() : Json(lines);
}

bool is_plain(const Json& value) {
  const auto is_word = [](const Json& each) { return each.is_string(); };
  if (value.is_array()) return std::ranges::all_of(value, is_word);
  return !value.is_object();
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

}  // namespace weft
