// SPDX-License-Identifier: Apache-2.0
// The lists of results that pages show, each with the chart that answers the usual question.
#pragma once
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "lab/report/result_file.hpp"

namespace weft {

/// A list of a result and how it is shown.
struct ResultList {
  const char* kind;
  /// Where its rows are: "jobs", those within others as "jobs[].by_rank"; "": the document itself.
  const char* list;
  const char* title;
  ResultFile (*described)();
  // The chart that is shown first; no x: none.
  const char* x = "";
  std::vector<const char*> y{};
  const char* x_scale = "linear";
  /// Columns whose values tell series apart, where they differ.
  std::vector<const char*> by{};
  /// The column that says whether a row is good, and its words.
  const char* verdict = "";
  std::vector<std::pair<nlohmann::ordered_json, const char*>> verdicts{};
  /// Rows within others: the keys of the outer ones that say whose they are.
  std::vector<const char*> whose{};
};

/// The first one of a kind is what the result is about.
const std::vector<ResultList>& result_lists();

}  // namespace weft
