// SPDX-License-Identifier: Apache-2.0
// JSON documents, and rows of JSON as CSV.
#pragma once
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace weft {

/// The keys of the row that has most, then those that only others have.
std::vector<std::string> keys_of(const std::vector<nlohmann::ordered_json>& rows);

/// With indentation; bytes that are no UTF-8 are replaced.
void write_json(std::ostream& out, const nlohmann::ordered_json& document);

/// The keys of all rows are the columns; what is null, or not in a row, stays empty.
void write_rows(std::ostream& out, const std::vector<nlohmann::ordered_json>& rows);

}  // namespace weft
