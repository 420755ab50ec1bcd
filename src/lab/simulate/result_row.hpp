// SPDX-License-Identifier: Apache-2.0
// The result of a simulation as one flat row of named values, and back without a bit lost.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lab/simulate/result.hpp"

namespace weft {

struct ResultField {
  std::string name;
  std::variant<double SimulationResult::*, std::uint64_t SimulationResult::*,
               std::string SimulationResult::*>
      value;
  std::string help;
  bool of_packets = false;  ///< means nothing where no packet was measured
};
/// The measured fields, in the order of columns.
const std::vector<ResultField>& result_fields();

/// Fields of the simulation, outcome, measured fields, latencies by priority where there were
/// urgent packets, those of replies where there were any, lost packets by reason, the explanation.
/// A value without meaning is null.
nlohmann::ordered_json row_of(const SimulationResult& result);
/// Names and meanings of the columns of a row but for the explanation; also of those that are not
/// in every row.
std::vector<std::pair<std::string, std::string>> described_columns();
/// The inverse of row_of; null is NaN, and links are not part of a row. Throws Error.
SimulationResult result_from(const nlohmann::ordered_json& row);

/// A row as the text of a journal (lab/sweep/journal.hpp), and back. Throws Error.
std::string entry_text(const SimulationResult& result);
void read_entry(std::string_view text, SimulationResult& out);

}  // namespace weft
