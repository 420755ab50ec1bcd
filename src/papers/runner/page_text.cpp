// SPDX-License-Identifier: Apache-2.0
// A page as human-readable text.
#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>

#include "base/words.hpp"
#include "lab/report/report.hpp"
#include "papers/runner/page.hpp"

namespace weft::papers {
namespace {

std::string finding(const Comparison& answer) {
  const Stated& stated = answer.stated;
  std::string out = stated.says;
  if (answer.form == AnswerForm::number)
    out += fmt::format(": paper {}{}{}, ours {}, {}", stated.paper, stated.unit.empty() ? "" : " ",
                       stated.unit, our_answer(answer), percent(answer.deviation));
  if (answer.form == AnswerForm::text)
    out += answer.holds ? fmt::format(": {}", stated.paper)
                        : fmt::format(": paper {}, ours {}", stated.paper, answer.ours);
  const std::string reason = reason_of(answer);
  return reason.empty() ? out : fmt::format("{}; {}", out, reason);
}

void write_answers(std::ostream& out, const std::vector<Comparison>& answers) {
  std::size_t width = 0;
  for (const Comparison& answer : answers) width = std::max(width, answer.stated.id.size());
  for (const Comparison& answer : answers)
    out << wrapped(fmt::format("  {:<5}  {:<{}} ", verdict_word(answer), answer.stated.id, width),
                   finding(answer))
        << '\n';
}

std::string with_interval(double mean, double half_width) {
  return half_width > 0 ? fmt::format("{}±{}", human_readable(mean), human_readable(half_width))
                        : human_readable(mean);
}

void write_sheet(std::ostream& out, const Sheet& sheet) {
  std::vector<std::vector<std::string>> lines{sheet.columns};
  for (const auto& row : sheet.rows) {
    lines.emplace_back();
    for (const Cell& cell : row) lines.back().push_back(text_of(cell));
  }
  std::vector<std::size_t> width(sheet.columns.size(), 0);
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i)
      width[i] = std::max(width[i], letters_in(line[i]));
  out << fmt::format("  {}\n", sheet.about);
  for (const auto& line : lines) {
    std::string text = " ";
    for (std::size_t i = 0; i < line.size(); ++i) text += fmt::format(" {:>{}}", line[i], width[i]);
    out << text << '\n';
  }
  out << '\n';
}

std::string label(const Page& page) {
  std::string out = page.name;
  if (page.quick) out += " (quick)";
  if (!page.cluster.empty()) out += fmt::format(" ({})", page.cluster);
  if (page.seeds > 1) out += fmt::format(" ({} seeds)", page.seeds);
  return out;
}

/// Answers of one kind.
struct KindCount {
  std::size_t all = 0, held = 0;
  std::string counted(const char* name) const {
    return held == all ? fmt::format("{} {}", all, name)
                       : fmt::format("{} {} ({} FAIL)", all, name, all - held);
  }
};

}  // namespace

std::string percent(double share) { return fmt::format("{:+.1f} %", 100 * share); }

std::string to_text(StatementKind kind) {
  constexpr std::array<std::string_view, statement_kinds> names{
      "prediction", "derived", "worked example", "claim", "check", "ours", "cal"};
  return std::string(names[static_cast<std::size_t>(kind)]);
}

std::string human_readable(double number) {
  const double size = std::abs(number);
  return fmt::format("{:.{}f}", number, size < 10 ? 2 : size < 1000 ? 1 : 0);
}

std::string verdict_word(const Comparison& answer) {
  if (answer.stated.kind == StatementKind::calibration) return "cal";
  if (answer.open) return "OPEN";
  if (answer.form == AnswerForm::number) return answer.holds ? "met" : "OFF";
  if (answer.form != AnswerForm::verdict) return answer.holds ? "exact" : "WRONG";
  return answer.holds ? "holds" : "FAILS";
}

std::string text_of(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *whole);
  if (const auto* measured = std::get_if<SeedMean>(&cell))
    return with_interval(measured->mean, measured->half_width);
  return human_readable(std::get<double>(cell));
}

std::string our_answer(const Comparison& answer) {
  return answer.form == AnswerForm::number && answer.half_width > 0
             ? with_interval(answer.value, answer.half_width)
             : answer.ours;
}

std::string reason_of(const Comparison& answer) {
  std::vector<std::string> parts;
  if (!answer.stated.repeats.empty())
    parts.push_back(fmt::format("the same as {}", answer.stated.repeats));
  if (answer.stated.kind == StatementKind::derived) parts.emplace_back("derived");
  if (answer.stated.kind == StatementKind::ours) parts.emplace_back("ours");
  if (answer.cases > 1)
    parts.push_back(answer.held == answer.cases
                        ? (answer.cases == 2 ? std::string("in both cases")
                                             : fmt::format("in all {} cases", answer.cases))
                        : fmt::format("in {} of {} cases", answer.held, answer.cases));
  if (answer.form == AnswerForm::verdict && answer.seeds > 1)
    parts.push_back(fmt::format("with {} of {} seeds", answer.seeds_held, answer.seeds));
  else if (answer.open)
    parts.push_back(fmt::format("its interval lies on both sides of {:.0f} %", 100 * tolerance));
  if (!answer.because.empty()) parts.push_back(answer.because);
  return fmt::format("{}", fmt::join(parts, "; "));
}

bool counts(const Page& page, const Comparison& answer) {
  if (answer.stated.repeats.empty()) return true;
  for (const Section& section : page.sections)
    for (const Comparison& other : section.answers)
      if (other.stated.id == answer.stated.repeats) return false;
  return true;
}

std::string summary(const Page& page) {
  std::array<KindCount, statement_kinds> kinds{};
  const auto of = [&](StatementKind kind) -> KindCount& {
    return kinds[static_cast<std::size_t>(kind)];
  };
  const Comparison* worst = nullptr;
  for (const Section& section : page.sections)
    for (const Comparison& answer : section.answers) {
      if (!counts(page, answer)) continue;
      const StatementKind kind = answer.stated.kind;
      ++of(kind).all;
      of(kind).held += answer.holds ? 1 : 0;
      const bool predicted = kind == StatementKind::prediction || kind == StatementKind::derived;
      if (predicted &&
          (worst == nullptr || std::abs(answer.deviation) > std::abs(worst->deviation)))
        worst = &answer;
    }
  const KindCount &predictions = of(StatementKind::prediction), &claims = of(StatementKind::claim);
  const KindCount& ours = of(StatementKind::ours);
  return fmt::format(
      "{}: {} of {} predictions within {:.0f} %, {} of {} claims hold, worst {} ({}); {} derived, "
      "{}, {}, {} cal{}",
      label(page), predictions.held, predictions.all, 100 * tolerance, claims.held, claims.all,
      percent(worst == nullptr ? 0 : worst->deviation),
      worst == nullptr ? "none" : worst->stated.id, of(StatementKind::derived).all,
      of(StatementKind::example).counted("worked examples"),
      of(StatementKind::check).counted("checks"), of(StatementKind::calibration).all,
      ours.all == 0 ? "" : ", " + ours.counted("ours"));
}

void write_page(std::ostream& out, const Page& page) {
  out << page.title << '\n';
  if (page.quick)
    out << "QUICK: smaller than the paper's study; its verdicts are not the paper's\n";
  if (!page.cluster.empty())
    out << fmt::format("ON {}, not the paper's machine: nothing is calibrated there\n",
                       page.cluster);
  if (page.seeds > 1)
    out << wrapped(fmt::format("{} seeds:", page.seeds),
                   "means of all that is drawn at random, ± confidence intervals of 95 %; OPEN "
                   "where seeds disagree or the interval lies on both sides of the tolerance; "
                   "reasons are those of the first seed")
        << '\n';
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
