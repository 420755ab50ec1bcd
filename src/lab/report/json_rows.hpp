// SPDX-License-Identifier: Apache-2.0
// Rows of JSON as CSV.
#pragma once
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <vector>

namespace weft {

/// The keys of all rows are the columns; what is null, or not in a row, stays empty.
void write_rows(std::ostream& out, const std::vector<nlohmann::ordered_json>& rows);

}  // namespace weft
