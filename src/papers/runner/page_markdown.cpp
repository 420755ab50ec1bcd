// SPDX-License-Identifier: Apache-2.0
// A page as Markdown: the answers of every experiment in tables, its figures linked.
#include <ostream>

#include "lab/report/report.hpp"
#include "papers/runner/page.hpp"

namespace weft::papers {
namespace {

/// Text within a cell of a table.
std::string cell(const std::string& text) {
  std::string out;
  for (const char letter : text) {
    if (letter == '|' || letter == '*' || letter == '<' || letter == '_') out += '\\';
    out += letter == '\n' ? ' ' : letter;
  }
  return out;
}

std::string published(const Comparison& answer) {
  const Stated& stated = answer.stated;
  return stated.unit.empty() ? stated.paper : fmt::format("{} {}", stated.paper, stated.unit);
}

std::string verdict(const Comparison& answer) {
  if (answer.form == AnswerForm::number)
    return fmt::format("{} ({})", verdict_word(answer), percent(answer.deviation));
  return verdict_word(answer);
}

void write_answer_table(std::ostream& out, const Section& section) {
  out << "| | kind | paper | ours | verdict | reason |\n|---|---|---|---|---|---|\n";
  const std::size_t prefix = section.id.size() + 1;
  for (const Comparison& answer : section.answers) {
    const std::string reason = reason_of(answer);
    out << fmt::format("| {}: {} | {} | {} | {} | {} | {} |\n",
                       cell(answer.stated.id.substr(prefix)), cell(answer.stated.says),
                       to_text(answer.stated.kind), cell(published(answer)),
                       cell(our_answer(answer)), verdict(answer), cell(reason));
  }
}

void write_table_row(std::ostream& out, const std::vector<std::string>& cells) {
  out << '|';
  for (const std::string& text : cells) out << ' ' << cell(text) << " |";
  out << '\n';
}

void write_sheet_table(std::ostream& out, const Sheet& sheet) {
  out << '\n' << cell(sheet.about) << ":\n\n";
  write_table_row(out, sheet.columns);
  out << '|';
  for (std::size_t i = 0; i < sheet.columns.size(); ++i) out << "---|";
  out << '\n';
  for (const auto& row : sheet.rows) {
    std::vector<std::string> cells;
    for (const Cell& each : row) cells.push_back(text_of(each));
    write_table_row(out, cells);
  }
}

}  // namespace

void write_markdown(std::ostream& out, const Section& section) {
  constexpr std::size_t short_sheet = 20;  // rows
  out << fmt::format("### {}: {}\n\n", section.id, cell(section.about));
  for (const PaperFigure& figure : section.figures)
    out << fmt::format("![{0}]({0}.svg)\n\n", figure.name);
  write_answer_table(out, section);
  for (const Sheet& sheet : section.sheets)
    if (sheet.printed && sheet.rows.size() <= short_sheet) write_sheet_table(out, sheet);
}

void write_markdown(std::ostream& out, const Page& page) {
  out << fmt::format("`{}`\n", summary(page));
  if (!scatter(page).series.empty()) out << "\n![published numbers and ours](scatter.svg)\n";
  for (const Section& section : page.sections) {
    out << '\n';
    write_markdown(out, section);
  }
}

}  // namespace weft::papers
