// SPDX-License-Identifier: Apache-2.0
// JSON documents, and rows of JSON as CSV.
#include "lab/report/json_rows.hpp"

#include <algorithm>
#include <ostream>
#include <set>

#include "lab/report/report.hpp"

namespace weft {

std::vector<std::string> keys_of(const std::vector<nlohmann::ordered_json>& rows) {
  if (rows.empty()) return {};
  const auto most = std::max_element(
      rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  std::vector<std::string> out;
  std::set<std::string> seen;
  const auto add = [&](const nlohmann::ordered_json& row) {
    for (const auto& [key, value] : row.items())
      if (seen.insert(key).second) out.push_back(key);
  };
  add(*most);
  for (const nlohmann::ordered_json& row : rows) add(row);
  return out;
}

void write_json(std::ostream& out, const nlohmann::ordered_json& document) {
  out << document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
}

void write_rows(std::ostream& out, const std::vector<nlohmann::ordered_json>& rows) {
  if (rows.empty()) return;
  const std::vector<std::string> columns = keys_of(rows);
  const auto write_line = [&](const auto& cell) {
    const char* separator = "";
    for (const std::string& key : columns) {
      out << separator << cell(key);
      separator = ",";
    }
    out << '\n';
  };
  write_line([](const std::string& key) { return key; });
  for (const nlohmann::ordered_json& row : rows)
    write_line([&](const std::string& key) -> std::string {
      const auto value = row.find(key);
      if (value == row.end() || value->is_null()) return "";
      return value->is_string() ? csv_field(value->get<std::string>()) : value->dump();
    });
}

}  // namespace weft
