// SPDX-License-Identifier: Apache-2.0
// Writing choice tables in weft's own form of tables.
#pragma once
#include <vector>

#include "base/text.hpp"
#include "fabric/tables.hpp"

namespace weft::weft_tables {

/// Their sets of candidates, phases, and rules: all lines before the first column.
void write_choices(Printer& out, const ChoiceTables& choices);
void write_entries(Printer& out, const ChoiceTables& choices, ColumnId c);

/// What a column is for, besides those of Tables::to_host and so on.
struct ChoiceUses {
  struct InPhase {
    PhaseId phase = 0;
    std::vector<HostId> hosts;
  };
  std::vector<InPhase> in;
  std::size_t via = 0;  ///< how many times it is an intermediate destination
};
IdVector<ColumnId, ChoiceUses> uses_of_columns(const ChoiceTables& choices);

}  // namespace weft::weft_tables
