// SPDX-License-Identifier: Apache-2.0
// A page as JSON and CSV.
#include <nlohmann/json.hpp>
#include <ostream>

#include "lab/report/report.hpp"
#include "lab/revision.hpp"
#include "papers/runner/page.hpp"

namespace weft::papers {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Cell& cell) {
  if (const auto* measured = std::get_if<SeedMean>(&cell)) return measured->mean;
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return *whole;
  return std::get<double>(cell);
}

/// The columns of a sheet that have confidence intervals.
std::vector<std::size_t> with_intervals(const Sheet& sheet) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < sheet.columns.size(); ++i)
    for (const auto& row : sheet.rows)
      if (i < row.size() && std::holds_alternative<SeedMean>(row[i])) {
        out.push_back(i);
        break;
      }
  return out;
}

Json interval_of(const Cell& cell) {
  const auto* measured = std::get_if<SeedMean>(&cell);
  return measured == nullptr ? Json(nullptr) : Json(measured->half_width);
}

Json to_json(const Sheet& sheet) {
  Json rows = Json::array();
  for (const auto& row : sheet.rows) {
    Json fields = Json::object();
    for (std::size_t i = 0; i < row.size(); ++i) fields[sheet.columns[i]] = to_json(row[i]);
    for (const std::size_t i : with_intervals(sheet))
      fields[sheet.columns[i] + " interval"] = interval_of(row[i]);
    rows.push_back(fields);
  }
  return {{"name", sheet.name}, {"about", sheet.about}, {"rows", rows}};
}

/// Every key in every answer, so that the answers make a table.
Json to_json(const Comparison& answer) {
  const Stated& stated = answer.stated;
  const bool number = answer.form == AnswerForm::number;
  return {{"id", stated.id},
          {"kind", to_text(stated.kind)},
          {"says", stated.says},
          {"paper", number ? Json(stated.value) : Json(stated.paper)},
          {"ours", number ? Json(answer.value) : Json(answer.ours)},
          {"unit", stated.unit},
          {"deviation", number ? Json(answer.deviation) : Json(nullptr)},
          {"holds", answer.holds},
          {"cases", answer.cases > 0 ? Json(answer.cases) : Json(nullptr)},
          {"held", answer.cases > 0 ? Json(answer.held) : Json(nullptr)},
          {"interval", number && answer.seeds > 1 ? Json(answer.half_width) : Json(nullptr)},
          {"seeds", answer.seeds},
          {"seeds_held",
           answer.seeds > 1 && answer.cases > 0 ? Json(answer.seeds_held) : Json(nullptr)},
          {"open", answer.open},
          {"repeats", stated.repeats},
          {"because", answer.because}};
}

Json to_json(const Section& section) {
  Json answers = Json::array(), sheets = Json::array(), figures = Json::array();
  for (const PaperFigure& figure : section.figures) figures.push_back(figure.name);
  for (const Comparison& answer : section.answers) answers.push_back(to_json(answer));
  for (const Sheet& sheet : section.sheets) sheets.push_back(to_json(sheet));
  return {{"id", section.id},   {"about", section.about}, {"notes", section.notes},
          {"answers", answers}, {"sheets", sheets},       {"figures", figures}};
}

std::string csv_value(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? csv_field(value.get_ref<const std::string&>()) : value.dump();
}

/// The end of every line: what reproduces it.
std::string origin(const Page& page) {
  return fmt::format("{},{},{},{}", csv_field(page.cluster), page.quick ? "true" : "false",
                     page.seed, revision());
}

}  // namespace

ResultFile answers_csv_file() {
  return {
      "weft reproduce --csv FILE, answers.csv of -o DIR",
      "a row for each statement of the paper",
      {{"id", "experiment, and what in it"},
       {"kind",
        "prediction: a number that neither calibrated anything nor follows from such a number; "
        "derived: one that follows from a calibrated or predicted one by arithmetic; worked "
        "example: exact by construction or definition; claim: "
        "holds or does not; check: can fail only by a bug; ours: not in the paper; cal: a number "
        "that the cluster was tuned to"},
       {"says", "the statement, in our words"},
       {"paper", "its number or text"},
       {"ours", "weft's"},
       {"unit", "of both numbers"},
       {"deviation", "share: ours / paper - 1"},
       {"holds",
        "whether the claim or text holds, or the number is within 10 % (a worked example: 1 %)"},
       {"cases", "of a claim: those that it was judged on, which are all that it names"},
       {"held", "of a claim: in so many of them it holds"},
       {"interval", "of a number: half the width of its confidence interval of 95 % over seeds"},
       {"seeds", "with which it was measured; 1 where nothing is random"},
       {"seeds_held", "of a claim: with so many of them it holds; cases are those of the first"},
       {"open", "whether seeds disagree, or the interval lies on both sides of the tolerance"},
       {"repeats", "the id of the same number in another table; such a line is not counted"},
       {"because", "what the verdict rests on"},
       {"cluster", "another machine than the paper's, where --cluster named one"},
       {"quick", "whether it was a --quick run, whose verdicts are not the paper's"},
       {"seed", "of all that is random"},
       {"revision", "of weft"}}};
}

ResultFile sheet_csv_file() {
  return {
      "NAME.csv of weft reproduce -o DIR",
      "the data behind a table or figure of the paper",
      {{"COLUMN", "as page.txt says about the table, with the unit; over seeds its mean"},
       {"COLUMN interval", "half the width of the confidence interval of 95 %, where seeds differ"},
       {"quick", "whether it was a --quick run"},
       {"seed", "of all that is random"},
       {"revision", "of weft"}}};
}

ResultFile page_json_file() {
  return {"weft reproduce --json FILE, page.json of -o DIR", "one document",
          json_keys("page 1",
                    {{"paper", "its name in weft"},
                     {"title", "of the paper"},
                     {"cluster", "another machine than the paper's, where --cluster named one"},
                     {"quick", "whether it was a --quick run"},
                     {"seed", "of all that is random"},
                     {"seeds", "of which the numbers are means"},
                     {"declared.KEY", "what the paper leaves open and the cluster file declares"},
                     {"summary", "the last line of the page"},
                     {"sections[].id", "of the experiment"},
                     {"sections[].about", "what it is"},
                     {"sections[].notes[]", "lines for reading"},
                     {"sections[].answers[].KEY", "keys as the columns of CSV"},
                     {"sections[].sheets[].name", "of a table of data"},
                     {"sections[].sheets[].about", "what is in it, with units"},
                     {"sections[].sheets[].rows[].COLUMN", "values"},
                     {"sections[].figures[]", "names of the figures that -o DIR draws"}})};
}

nlohmann::ordered_json document_of(const Page& page) {
  Json declared = Json::object();
  for (const auto& [key, value] : page.declared) declared[key] = value;
  Json sections = Json::array();
  for (const Section& section : page.sections) sections.push_back(to_json(section));
  return {{"weft", "page 1"},        {"revision", std::string(revision())},
          {"paper", page.name},      {"title", page.title},
          {"cluster", page.cluster}, {"quick", page.quick},
          {"seed", page.seed},       {"seeds", page.seeds},
          {"declared", declared},    {"summary", summary(page)},
          {"sections", sections}};
}

void write_csv(std::ostream& out, const Page& page) {
  out << csv_heading(answers_csv_file()) << '\n';
  for (const Section& section : page.sections)
    for (const Comparison& answer : section.answers) {
      const Json fields = to_json(answer);
      for (const auto& [key, value] : fields.items()) out << csv_value(value) << ',';
      out << origin(page) << '\n';
    }
}

void write_csv(std::ostream& out, const Page& page, const Sheet& sheet) {
  const std::vector<std::size_t> intervals = with_intervals(sheet);
  for (const std::string& column : sheet.columns) out << csv_field(column) << ',';
  for (const std::size_t i : intervals) out << csv_field(sheet.columns[i] + " interval") << ',';
  out << "cluster,quick,seed,revision\n";
  for (const auto& row : sheet.rows) {
    for (const Cell& cell : row) out << csv_value(to_json(cell)) << ',';
    for (const std::size_t i : intervals) out << csv_value(interval_of(row[i])) << ',';
    out << origin(page) << '\n';
  }
}

}  // namespace weft::papers
