// SPDX-License-Identifier: Apache-2.0
// A page as human-readable text.
#include <algorithm>
#include <cmath>
#include <ostream>

#include "base/words.hpp"
#include "lab/report/report.hpp"
#include "papers/runner/page.hpp"

namespace weft::papers {
namespace {

bool is_number(const Comparison& answer) {
  return answer.stated.kind == StatementKind::prediction ||
         answer.stated.kind == StatementKind::calibration;
}

std::string verdict_word(const Comparison& answer) {
  if (answer.stated.kind == StatementKind::calibration) return "cal";
  if (is_number(answer)) return answer.holds ? "met" : "OFF";
  return answer.holds ? "holds" : "FAILS";
}

std::string finding(const Comparison& answer) {
  const Stated& stated = answer.stated;
  std::string out = stated.says;
  if (is_number(answer))
    out += fmt::format(": paper {}{}{}, ours {}, {}", stated.paper, stated.unit.empty() ? "" : " ",
                       stated.unit, answer.ours, percent(answer.deviation));
  if (stated.kind == StatementKind::exact)
    out += answer.holds ? fmt::format(": {}", stated.paper)
                        : fmt::format(": paper {}, ours {}", stated.paper, answer.ours);
  return answer.because.empty() ? out : fmt::format("{}; {}", out, answer.because);
}

void write_answers(std::ostream& out, const std::vector<Comparison>& answers) {
  std::size_t width = 0;
  for (const Comparison& answer : answers) width = std::max(width, answer.stated.id.size());
  for (const Comparison& answer : answers)
    out << wrapped(fmt::format("  {:<5}  {:<{}} ", verdict_word(answer), answer.stated.id, width),
                   finding(answer))
        << '\n';
}

std::string text_of(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *whole);
  return human_readable(std::get<double>(cell));
}

void write_sheet(std::ostream& out, const Sheet& sheet) {
  std::vector<std::vector<std::string>> lines{sheet.columns};
  for (const auto& row : sheet.rows) {
    lines.emplace_back();
    for (const Cell& cell : row) lines.back().push_back(text_of(cell));
  }
  std::vector<std::size_t> width(sheet.columns.size(), 0);
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) width[i] = std::max(width[i], line[i].size());
  out << fmt::format("  {}\n", sheet.about);
  for (const auto& line : lines) {
    std::string text = " ";
    for (std::size_t i = 0; i < line.size(); ++i) text += fmt::format(" {:>{}}", line[i], width[i]);
    out << text << '\n';
  }
  out << '\n';
}

std::string label(const Page& page) { return page.quick ? page.name + " (quick)" : page.name; }

}  // namespace

std::string percent(double share) { return fmt::format("{:+.1f} %", 100 * share); }

std::string to_text(StatementKind kind) {
  switch (kind) {
    case StatementKind::prediction:
      return "prediction";
    case StatementKind::calibration:
      return "calibration";
    case StatementKind::exact:
      return "exact";
    case StatementKind::claim:
      return "claim";
  }
  return "";
}

std::string human_readable(double number) {
  const double size = std::abs(number);
  return fmt::format("{:.{}f}", number, size < 10 ? 2 : size < 1000 ? 1 : 0);
}

std::string summary(const Page& page) {
  std::size_t predictions = 0, met = 0, claims = 0, held = 0;
  const Comparison* worst = nullptr;
  for (const Section& section : page.sections)
    for (const Comparison& answer : section.answers) {
      if (answer.stated.kind == StatementKind::calibration) continue;
      if (answer.stated.kind != StatementKind::prediction) {
        ++claims;
        held += answer.holds ? 1 : 0;
        continue;
      }
      ++predictions;
      met += answer.holds ? 1 : 0;
      if (worst == nullptr || std::abs(answer.deviation) > std::abs(worst->deviation))
        worst = &answer;
    }
  return fmt::format(
      "{}: {} of {} predictions within {:.0f} %, {} of {} claims hold, worst {} ({})", label(page),
      met, predictions, 100 * tolerance, held, claims,
      percent(worst == nullptr ? 0 : worst->deviation),
      worst == nullptr ? "none" : worst->stated.id);
}

void write_page(std::ostream& out, const Page& page) {
  out << page.title << '\n';
  if (page.quick)
    out << "QUICK: smaller than the paper's study; its verdicts are not the paper's\n";
  std::string declared;
  for (const auto& [key, value] : page.declared)
    declared += fmt::format("{}{}={}", declared.empty() ? "" : ", ", key, value);
  if (!declared.empty()) out << wrapped("declared:", declared) << '\n';
  for (const Section& section : page.sections) {
    out << fmt::format("\n{}: {}\n", section.id, section.about);
    for (const Sheet& sheet : section.sheets)
      if (sheet.printed) write_sheet(out, sheet);
    for (const std::string& note : section.notes) out << "  " << note << '\n';
    write_answers(out, section.answers);
  }
  out << '\n' << summary(page) << '\n';
}

}  // namespace weft::papers
