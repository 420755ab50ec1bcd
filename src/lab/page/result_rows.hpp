// SPDX-License-Identifier: Apache-2.0
// The rows of a list of a result, from its JSON document.
#pragma once
#include <nlohmann/json.hpp>
#include <vector>

#include "lab/page/result_lists.hpp"

namespace weft {

/// Those of the document; jobs of a sweep of replays come with the spec of their point, and what is
/// on a critical path with its share of it, the longest first.
std::vector<nlohmann::ordered_json> rows_of(const nlohmann::ordered_json& document,
                                            const ResultList& list);

/// Whether a column of rows is worth showing: neither further rows nor a document of its own, nor
/// numbers over time, which charts show.
bool is_plain(const nlohmann::ordered_json& value);

/// A list of words is a line for each of them.
nlohmann::ordered_json cell_of(const nlohmann::ordered_json& value);

}  // namespace weft
