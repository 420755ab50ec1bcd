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
  return std::visit([](const auto& value) { return Json(value); }, cell);
}

Json to_json(const Sheet& sheet) {
  Json rows = Json::array();
  for (const auto& row : sheet.rows) {
    Json fields = Json::object();
    for (std::size_t i = 0; i < row.size(); ++i) fields[sheet.columns[i]] = to_json(row[i]);
    rows.push_back(fields);
  }
  return {{"name", sheet.name}, {"about", sheet.about}, {"rows", rows}};
}

/// Every key in every answer, so that the answers make a table.
Json to_json(const Comparison& answer) {
  const Stated& stated = answer.stated;
  const bool number =
      stated.kind == StatementKind::prediction || stated.kind == StatementKind::calibration;
  return {{"id", stated.id},
          {"kind", to_text(stated.kind)},
          {"says", stated.says},
          {"paper", number ? Json(stated.value) : Json(stated.paper)},
          {"ours", number ? Json(answer.value) : Json(answer.ours)},
          {"unit", stated.unit},
          {"deviation", number ? Json(answer.deviation) : Json(nullptr)},
          {"holds", answer.holds},
          {"because", answer.because}};
}

Json to_json(const Section& section) {
  Json answers = Json::array(), sheets = Json::array();
  for (const Comparison& answer : section.answers) answers.push_back(to_json(answer));
  for (const Sheet& sheet : section.sheets) sheets.push_back(to_json(sheet));
  return {{"id", section.id},
          {"about", section.about},
          {"notes", section.notes},
          {"answers", answers},
          {"sheets", sheets}};
}

std::string csv_value(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? csv_field(value.get_ref<const std::string&>()) : value.dump();
}

/// The end of every line: what reproduces it.
std::string origin(const Page& page) {
  return fmt::format("{},{},{}", page.quick ? "true" : "false", page.seed, revision());
}

}  // namespace

ResultFile answers_csv_file() {
  return {
      "weft reproduce --csv FILE, answers.csv of -o DIR",
      "a row for each statement of the paper",
      {{"id", "experiment, and what in it"},
       {"kind",
        "prediction: a number to predict; calibration: one that the cluster was tuned to; exact: "
        "a text to equal; claim: holds or does not"},
       {"says", "the statement, in our words"},
       {"paper", "its number or text"},
       {"ours", "weft's"},
       {"unit", "of both numbers"},
       {"deviation", "share: ours / paper - 1"},
       {"holds", "whether the claim or text holds, or the number is within 10 %"},
       {"because", "what the verdict rests on"},
       {"quick", "whether it was a --quick run, whose verdicts are not the paper's"},
       {"seed", "of all that is random"},
       {"revision", "of weft"}}};
}

ResultFile sheet_csv_file() {
  return {"NAME.csv of weft reproduce -o DIR",
          "the data behind a table or figure of the paper",
          {{"COLUMN", "as page.txt says about the table, with the unit"},
           {"quick", "whether it was a --quick run"},
           {"seed", "of all that is random"},
           {"revision", "of weft"}}};
}

ResultFile page_json_file() {
  return {"weft reproduce --json FILE, page.json of -o DIR", "one document",
          json_keys("page 1",
                    {{"paper", "its name in weft"},
                     {"title", "of the paper"},
                     {"quick", "whether it was a --quick run"},
                     {"seed", "of all that is random"},
                     {"declared.KEY", "what the paper leaves open and the cluster file declares"},
                     {"summary", "the last line of the page"},
                     {"sections[].id", "of the experiment"},
                     {"sections[].about", "what it is"},
                     {"sections[].notes[]", "lines for reading"},
                     {"sections[].answers[].KEY", "keys as the columns of CSV"},
                     {"sections[].sheets[].name", "of a table of data"},
                     {"sections[].sheets[].about", "what is in it, with units"},
                     {"sections[].sheets[].rows[].COLUMN", "values"}})};
}

void write_json(std::ostream& out, const Page& page) {
  Json declared = Json::object();
  for (const auto& [key, value] : page.declared) declared[key] = value;
  Json sections = Json::array();
  for (const Section& section : page.sections) sections.push_back(to_json(section));
  const Json document{{"weft", "page 1"},     {"revision", std::string(revision())},
                      {"paper", page.name},   {"title", page.title},
                      {"quick", page.quick},  {"seed", page.seed},
                      {"declared", declared}, {"summary", summary(page)},
                      {"sections", sections}};
  out << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
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
  for (const std::string& column : sheet.columns) out << csv_field(column) << ',';
  out << "quick,seed,revision\n";
  for (const auto& row : sheet.rows) {
    for (const Cell& cell : row) out << csv_value(to_json(cell)) << ',';
    out << origin(page) << '\n';
  }
}

}  // namespace weft::papers
