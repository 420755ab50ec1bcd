// SPDX-License-Identifier: Apache-2.0
// A page: what a paper states beside what weft finds, with the data and figures behind it; as
// human-readable text, as Markdown, as JSON and as CSV.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lab/report/result_file.hpp"
#include "papers/runner/figure.hpp"

namespace weft::papers {

/// What a comparison is worth.
enum class StatementKind {
  prediction,   ///< a number that neither calibrated anything nor follows from such a number
  derived,      ///< a number that follows from a calibrated or a predicted one by arithmetic
  example,      ///< a worked example: exact by construction or by definition
  claim,        ///< a statement that a wrong model could break, judged on all cases it names
  check,        ///< can fail only by a bug
  ours,         ///< not in the paper
  calibration,  ///< a number that the cluster file was tuned to
};
inline constexpr std::size_t statement_kinds = 7;
/// As expected.csv has it: "worked example", "cal".
std::string to_text(StatementKind);

/// What a paper states: a line of its expected.csv.
struct Stated {
  std::string id;  ///< "fig5.5/flow A": the experiment, then what in it
  StatementKind kind = StatementKind::claim;
  std::size_t cases = 0;  ///< that a claim names, in the whole study; 0 for other kinds
  std::string paper;      ///< the number or text; of a claim nothing
  double value = 0;       ///< the number
  std::string unit;
  std::string says;          ///< in our words
  std::string repeats = {};  ///< the id of the same number in another table
};

/// A number with few digits: 8389, 102.4, 3.31.
std::string human_readable(double number);
/// "+2.4 %" for 0.024.
std::string percent(double share);

/// A number counts as met when it deviates by this much at most; that of a worked example by little
/// more than rounding.
inline constexpr double tolerance = 0.10, rounding = 0.01;
inline double allowed_deviation(StatementKind kind) {
  return kind == StatementKind::example ? rounding : tolerance;
}

enum class AnswerForm { number, text, verdict };

struct Comparison {
  Stated stated;
  AnswerForm form = AnswerForm::verdict;
  std::string ours{};     ///< the number or text; of a verdict nothing
  double value = 0;       ///< the number
  double deviation = 0;   ///< of a number: ours / paper - 1
  bool holds = false;     ///< a number: within the tolerance
  std::string because{};  ///< what the verdict rests on
  std::size_t cases = 0;  ///< that a verdict was judged on, 0 for other forms;
  std::size_t held = 0;   ///< in so many it holds
  // With several seeds:
  double half_width = 0;       ///< of a number: of its confidence interval
  std::size_t seeds = 1;       ///< 1 where nothing is drawn at random
  std::size_t seeds_held = 0;  ///< of a verdict: with so many of them it holds
  /// Whether seeds disagree, or the confidence interval lies on both sides of the tolerance.
  bool open = false;
};

/// A mean over seeds, and half the width of its confidence interval of 95 %.
struct SeedMean {
  double mean = 0, half_width = 0;
};
using Cell = std::variant<std::string, std::int64_t, double, SeedMean>;

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
  std::vector<PaperFigure> figures{};
};

/// What a paper leaves open and the cluster file declares: key and value.
using Declared = std::vector<std::pair<std::string, std::string>>;

struct Page {
  std::string name{};   ///< "ibamesh", or "ibamesh/mft" when only that was asked for
  std::string title{};  ///< of the paper
  bool quick = false;
  std::string cluster{};  ///< of its own machine nothing, otherwise the name or path of another
  Declared declared{};
  std::uint64_t seed = 1;
  std::size_t seeds = 1;  ///< of which this page is the mean
  std::vector<Section> sections{};
};

/// Whether it counts: a number that is on the page twice counts once.
bool counts(const Page& page, const Comparison& answer);

/// "rhinet2: 121 of 139 predictions within 10 %, 14 of 26 claims hold, worst +94.7 % (claims/sco);
/// 19 derived, 52 worked examples, 25 checks, 4 cal", and ", 2 ours" where there are any. The worst
/// is that of predicted and derived numbers. What must be exact and is not stands in brackets.
/// Always of this form: without predictions it reads "0 of 0 predictions within 10 %, …, worst +0.0
/// % (none)"; a quick page is called "rhinet2 (quick)",
/// one of another machine "rhinet2 (mine.toml)".
std::string summary(const Page& page);

/// What write_csv and write_json write.
ResultFile answers_csv_file();
ResultFile sheet_csv_file();
ResultFile page_json_file();

/// A cell of a sheet: "102.4", "3.31±0.02".
std::string text_of(const Cell& cell);
/// Everything, human-readable; the last line is the summary.
void write_page(std::ostream& out, const Page& page);
/// "met", "OFF", "cal", "exact", "holds", "FAILS", "OPEN": how an answer came out.
std::string verdict_word(const Comparison& answer);
/// "102.4 ± 0.3": our number, text or nothing.
std::string our_answer(const Comparison& answer);
/// What the answer rests on: cases, seeds, the experiment's own words.
std::string reason_of(const Comparison& answer);
/// The summary, a link to the scatter, and every section as Markdown: its figures linked, its
/// answers with their reasons and its short sheets as tables.
void write_markdown(std::ostream& out, const Page& page);
void write_markdown(std::ostream& out, const Section& section);
nlohmann::ordered_json document_of(const Page& page);
/// The answers.
void write_csv(std::ostream& out, const Page& page);
void write_csv(std::ostream& out, const Page& page, const Sheet& sheet);

/// Published numbers against ours, with the band of the tolerance.
Chart scatter(const Page& page);

}  // namespace weft::papers
