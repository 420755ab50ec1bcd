// SPDX-License-Identifier: Apache-2.0
// A page: what a paper states beside what weft finds, with the data behind it; as human-readable
// text, as JSON and as CSV.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lab/report/result_file.hpp"

namespace weft::papers {

enum class StatementKind {
  prediction,   ///< a number that the model must predict
  calibration,  ///< a number that the cluster file was tuned to
  exact,        ///< a text that ours must equal
  claim,        ///< a statement that holds for ours or does not
};
std::string to_text(StatementKind);

/// What a paper states: a line of its expected.csv.
struct Stated {
  std::string id;  ///< "fig5.5/flow A": the experiment, then what in it
  StatementKind kind = StatementKind::claim;
  std::string paper;  ///< the number or text; of a claim nothing
  double value = 0;   ///< the number
  std::string unit;
  std::string says;  ///< in our words
};

/// A number with few digits: 8389, 102.4, 3.31.
std::string human_readable(double number);
/// "+2.4 %" for 0.024.
std::string percent(double share);

/// A prediction counts as met when it deviates by this much at most.
inline constexpr double tolerance = 0.10;

struct Comparison {
  Stated stated;
  std::string ours{};     ///< the number or text; of a claim nothing
  double value = 0;       ///< the number
  double deviation = 0;   ///< of a number: ours / paper - 1
  bool holds = false;     ///< a number: within the tolerance
  std::string because{};  ///< what the verdict rests on
};

using Cell = std::variant<std::string, std::int64_t, double>;

/// A table of data.
struct Sheet {
  std::string name;
  std::string about;
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows{};
  bool printed = true;  ///< otherwise only stored
};

/// One experiment.
struct Section {
  std::string id, about;
  std::vector<std::string> notes{};  ///< human-readable lines
  std::vector<Sheet> sheets{};
  std::vector<Comparison> answers{};
};

/// What a paper leaves open and the cluster file declares: key and value.
using Declared = std::vector<std::pair<std::string, std::string>>;

struct Page {
  std::string name{};   ///< "ibamesh", or "ibamesh/mft" when only that was asked for
  std::string title{};  ///< of the paper
  bool quick = false;
  Declared declared{};
  std::uint64_t seed = 1;
  std::vector<Section> sections{};
};

/// "rhinet2: 41 of 47 predictions within 10 %, 9 of 11 claims hold, worst +14.2 %
/// (table12/mesh/RO)" Exact texts count as claims, calibrations do not count. Always of this form:
/// without predictions it reads "0 of 0 predictions within 10 %, …, worst +0.0 % (none)"; a quick
/// page is called "rhinet2 (quick)".
std::string summary(const Page& page);

/// What write_csv and write_json write.
ResultFile answers_csv_file();
ResultFile sheet_csv_file();
ResultFile page_json_file();

/// Everything, human-readable; the last line is the summary.
void write_page(std::ostream& out, const Page& page);
void write_json(std::ostream& out, const Page& page);
/// The answers.
void write_csv(std::ostream& out, const Page& page);
void write_csv(std::ostream& out, const Page& page, const Sheet& sheet);

}  // namespace weft::papers
