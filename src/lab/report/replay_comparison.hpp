// SPDX-License-Identifier: Apache-2.0
// Replays side by side, from their results as JSON.
#pragma once
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "lab/report/result_file.hpp"

namespace weft {

/// Results of weft replay --json, two or more: what differs in what was replayed, and the times of
/// each trace that is part of the first one and another. Throws Error for a file that is something
/// else, and where no trace is part of two.
class ReplayComparison {
 public:
  explicit ReplayComparison(const std::vector<std::string>& paths);

  /// A column for each result, with its change against the first.
  void write(std::ostream& out) const;
  /// A row for each value of each result.
  void write_csv(std::ostream& out) const;

 private:
  /// A line of the table: a value of every result, empty where it has none.
  struct ComparedValue {
    std::string trace{};  ///< empty: of the replay as a whole
    std::string name{};   ///< of the value, in tables
    std::string key{};    ///< and in files
    std::vector<std::string> texts{};
    std::vector<double> numbers{};  ///< or empty; not a number where a result has none
  };
  using Json = nlohmann::ordered_json;
  void add_texts(const std::string& name, const std::vector<Json>& results,
                 const std::string& pointer);
  void add_differences(const std::vector<Json>& results);
  bool add_jobs(const std::string& trace, const std::vector<Json>& results);

  std::vector<std::string> names_;  ///< of the files
  std::vector<ComparedValue> rows_;
};

ResultFile comparison_csv_file();

}  // namespace weft
