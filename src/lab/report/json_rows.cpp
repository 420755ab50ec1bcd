// SPDX-License-Identifier: Apache-2.0
// Rows of JSON as CSV.
#include "lab/report/json_rows.hpp"

#include <ostream>

#include "lab/report/report.hpp"

namespace weft {

void write_rows(std::ostream& out, const std::vector<nlohmann::ordered_json>& rows) {
  if (rows.empty()) return;
  const auto write_line = [&](const auto& cell) {
    const char* separator = "";
    for (const auto& [key, value] : rows[0].items()) {
      out << separator << cell(key);
      separator = ",";
    }
    out << '\n';
  };
  write_line([](const std::string& key) { return key; });
  for (const nlohmann::ordered_json& row : rows)
    write_line([&](const std::string& key) -> std::string {
      const nlohmann::ordered_json& value = row[key];
      if (value.is_null()) return "";
      return value.is_string() ? csv_field(value.get<std::string>()) : value.dump();
    });
}

}  // namespace weft
