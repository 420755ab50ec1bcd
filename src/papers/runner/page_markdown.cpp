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

void write_answers(std::ostream& out, const Section& section) {
  out << "| | kind | paper | ours | | |\n|---|---|---|---|---|---|\n";
  const std::size_t prefix = section.id.size() + 1;
  for (const Comparison& answer : section.answers) {
    const std::string reason = reason_of(answer);
    out << fmt::format("| {}: {} | {} | {} | {} | {} | {} |\n",
                       cell(answer.stated.id.substr(prefix)), cell(answer.stated.says),
                       to_text(answer.stated.kind), cell(published(answer)),
                       cell(our_answer(answer)), verdict(answer), cell(reason));
  }
}

}  // namespace

void write_markdown(std::ostream& out, const Page& page) {
  out << fmt::format("`{}`\n", summary(page));
  for (const Section& section : page.sections) {
    out << fmt::format("\n### {}: {}\n\n", section.id, cell(section.about));
    write_answers(out, section);
  }
}

}  // namespace weft::papers
