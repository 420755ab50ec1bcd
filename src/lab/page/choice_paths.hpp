// SPDX-License-Identifier: Apache-2.0
// Tables with choices as a page follows them: columns, sets of candidates, phases, and what says
// which intermediate destinations may be drawn.
#pragma once
#include <cstdint>
#include <vector>

#include "fabric/tables.hpp"
#include "lab/page/html_page.hpp"

namespace weft {

/// The columns that packets between hosts follow, those that are alike once: hosts of a switch
/// mostly differ in the port that it delivers by alone, which follows from the host.
class PageChoiceRows {
 public:
  PageChoiceRows(const Fabric& fabric, const Tables& tables, const ChoiceTables& choices);

  const std::vector<std::vector<ChoiceTables::Entry>>& rows() const { return rows_; }
  /// The row of a column; -1: no packet follows it.
  const std::vector<std::int64_t>& row_of() const { return row_of_; }

 private:
  std::vector<std::vector<ChoiceTables::Entry>> rows_;
  std::vector<std::int64_t> row_of_;
};

/// ChoicePaths of page/src/data.ts.
nlohmann::ordered_json page_choice_paths(const Fabric& fabric, const Tables& tables,
                                         const ChoiceTables& choices);

}  // namespace weft
