// SPDX-License-Identifier: Apache-2.0
// Reading expected.csv, and answering it.
#include "papers/runner/expected.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/error.hpp"
#include "fabric/format/parsing/text.hpp"
#include "lab/embedded.hpp"

namespace weft::papers {
namespace {

constexpr std::array<StatementKind, statement_kinds> all_kinds{
    StatementKind::prediction, StatementKind::derived, StatementKind::example,
    StatementKind::claim,      StatementKind::check,   StatementKind::ours,
    StatementKind::calibration};
constexpr std::string_view heading = "id,kind,cases,paper,unit,says";
/// Instead of a kind: the number that another line has, whose id stands in place of the number.
constexpr std::string_view again = "again";

/// One line of CSV as RFC 4180 has it, without line breaks in fields.
std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> out{""};
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool doubled = quoted && i + 1 < line.size() && line[i + 1] == '"';
    if (line[i] == '"' && doubled) {
      out.back() += line[i++];
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      out.emplace_back();
    } else {
      out.back() += line[i];
    }
  }
  return out;
}

/// The number, or 0 for a text that is none; no paper states 0, which has no relative deviation.
double value_of(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, value);
  return problem == std::errc() && rest == end ? value : 0;
}

/// Whether it must be a number; worked examples, checks and ours may be.
bool is_number(StatementKind kind) {
  return kind == StatementKind::prediction || kind == StatementKind::derived ||
         kind == StatementKind::calibration;
}

std::optional<Stated> repeated(const std::vector<std::string>& fields,
                               const std::vector<Stated>& before) {
  for (const Stated& first : before)
    if (first.id == fields[3] && first.value != 0) {
      Stated out = first;
      out.id = fields[0];
      out.says = fields[5];
      out.repeats = first.id;
      return out;
    }
  return std::nullopt;
}

std::optional<Stated> stated_from(const std::vector<std::string>& fields,
                                  const std::vector<Stated>& before) {
  if (fields.size() != 6 || fields[0].find('/') == std::string::npos) return std::nullopt;
  if (fields[1] == again) return repeated(fields, before);
  const auto kind = std::find_if(all_kinds.begin(), all_kinds.end(),
                                 [&](StatementKind k) { return to_text(k) == fields[1]; });
  if (kind == all_kinds.end()) return std::nullopt;
  const double value = value_of(fields[3]), cases = value_of(fields[2]);
  if (is_number(*kind) && value == 0) return std::nullopt;
  if ((*kind == StatementKind::claim) != (cases >= 1)) return std::nullopt;
  return Stated{fields[0], *kind,    static_cast<std::size_t>(cases), fields[3], value,
                fields[4], fields[5]};
}

}  // namespace

double value_of(const std::vector<Stated>& stated, std::string_view id) {
  for (const Stated& each : stated)
    if (each.id == id) return each.value;
  return 0;
}

std::vector<Stated> read_stated(const Source& source) {
  std::vector<Stated> out;
  for (Lines lines(source.text); lines.next();) {
    if (lines.number == 1 && lines.text == heading) continue;
    if (lines.text.empty() || lines.text.front() == '#') continue;
    const auto stated = stated_from(fields_of(lines.text), out);
    if (!stated)
      fail(source, lines.number,
           "a line is {}; kinds are prediction, derived, worked example, claim (with the number of "
           "cases it names), check, ours, cal, and again (with the id of the line it repeats)",
           heading);
    out.push_back(*stated);
  }
  return out;
}

std::vector<Stated> stated_by(std::string_view paper) {
  for (const EmbeddedFile& file : embedded_expectations())
    if (file.name == paper)
      return read_stated(
          {fmt::format("papers/{}/expected.csv", file.name), std::string(file.text)});
  throw Error("there is no file of what the paper {} states", paper);
}

Answers::Answers(const std::vector<Stated>& stated, std::string_view experiment)
    : experiment_(experiment) {
  for (const Stated& one : stated)
    if (one.id.starts_with(experiment_ + "/")) answers_.push_back({one});
  answered_.resize(answers_.size(), false);
}

Comparison& Answers::find(std::string_view id, AnswerForm form) {
  const std::string whole = fmt::format("{}/{}", experiment_, id);
  for (std::size_t i = 0; i < answers_.size(); ++i) {
    if (answers_[i].stated.id != whole) continue;
    const Stated& stated = answers_[i].stated;
    const bool fits = form == AnswerForm::number    ? stated.value != 0
                      : form == AnswerForm::verdict ? stated.paper.empty()
                                                    : !is_number(stated.kind);
    invariant(fits && !answered_[i], ("answered twice or in another form: " + whole).c_str());
    answered_[i] = true;
    answers_[i].form = form;
    return answers_[i];
  }
  invariant(false, ("the paper does not state " + whole).c_str());
  std::abort();
}

namespace {

/// With as many digits after the point as the paper has, where those are many, and two that say
/// something at least.
std::string as_printed(double ours, const std::string& paper) {
  constexpr int many = 3, most = 9;
  const std::size_t point = paper.find('.');
  const int places = point == std::string::npos ? 0 : static_cast<int>(paper.size() - point) - 1;
  if (places < many) return human_readable(ours);
  const int needed = ours == 0 ? 0 : 1 - static_cast<int>(std::floor(std::log10(std::abs(ours))));
  return fmt::format("{:.{}f}", ours, std::clamp(needed, places, most));
}

}  // namespace

void Answers::number(std::string_view id, double ours, std::string because) {
  Comparison& answer = find(id, AnswerForm::number);
  answer.value = ours;
  answer.ours = as_printed(ours, answer.stated.paper);
  answer.deviation = ours / answer.stated.value - 1;
  answer.holds = std::abs(answer.deviation) <= allowed_deviation(answer.stated.kind);
  answer.because = std::move(because);
}

void Answers::exact(std::string_view id, std::string ours, std::string because) {
  Comparison& answer = find(id, AnswerForm::text);
  answer.holds = ours == answer.stated.paper;
  answer.ours = std::move(ours);
  answer.because = std::move(because);
}

Comparison& Answers::judge(std::string_view id, std::size_t cases, std::size_t held) {
  Comparison& answer = find(id, AnswerForm::verdict);
  answer.holds = cases > 0 && held == cases;
  answer.cases = cases;
  answer.held = held;
  return answer;
}

void Answers::claim(std::string_view id, const Cases& cases, std::string because) {
  const std::string exceptions = cases.exceptions();
  judge(id, cases.all(), cases.held()).because = exceptions.empty() || because.empty()
                                                     ? exceptions + because
                                                     : fmt::format("{}; {}", exceptions, because);
}

void Answers::claim(std::string_view id, bool holds, std::string because) {
  judge(id, 1, holds ? 1 : 0).because = std::move(because);
}

std::vector<Comparison> Answers::done() && {
  for (std::size_t i = 0; i < answers_.size(); ++i)
    invariant(answered_[i], ("unanswered: " + answers_[i].stated.id).c_str());
  return std::move(answers_);
}

}  // namespace weft::papers
