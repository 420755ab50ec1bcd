// SPDX-License-Identifier: Apache-2.0
// Pages of the reference as manual pages: the macros of man(7), as groff and mandoc read them.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <ostream>

#include "cli/reference/page.hpp"
#include "lab/revision.hpp"

namespace weft::cli {
namespace {

/// Text in which no letter means anything to roff; a hyphen stays one that can be typed.
std::string plain_roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (out.empty() && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '~') {
      out += "\\(ti";
    } else if (c == '^') {
      out += "\\(ha";
    } else {
      out += c;
    }
  }
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + plain_roff(text) + "\\fR"; }

std::string in_capitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

/// "post (default 80ns; values time)", and its meaning below it.
void write_entry(std::ostream& out, const ReferenceTable& table,
                 const std::vector<std::string>& line) {
  std::string rest;
  for (std::size_t i = 1; i + 1 < line.size(); ++i)
    if (!line[i].empty())
      rest += fmt::format("{}{} {}", rest.empty() ? "" : "; ", table.heading[i], line[i]);
  out << ".TP\n" << bold(line.front());
  if (!rest.empty()) out << " (" << plain_roff(rest) << ')';
  out << '\n' << (line.back().empty() ? "\\&" : plain_roff(line.back())) << '\n';
}

void write_lines_as_they_are(std::ostream& out, const std::string& text) {
  out << ".nf\n";
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out << plain_roff(text.substr(at, end - at)) << '\n';
    at = end + 1;
  }
  out << ".fi\n";
}

void write_section_of(std::ostream& out, const ReferenceSection& section) {
  if (!section.title.empty() && section.depth == 1)
    out << ".SH \"" << plain_roff(in_capitals(section.title)) << "\"\n";
  else if (!section.title.empty())
    out << ".SS \"" << plain_roff(section.title) << "\"\n";
  if (!section.about.empty()) out << plain_roff(section.about) << '\n';
  if (!section.syntax.empty()) {
    if (!section.about.empty()) out << ".PP\n";
    write_lines_as_they_are(out, section.syntax);
  }
  for (const auto& line : section.table.lines) write_entry(out, section.table, line);
}

}  // namespace

void write_manual(std::ostream& out, const ReferencePage& page) {
  out << ".\\\" Written by weft help --man.\n";
  out << fmt::format(".TH {} {} \"\" \"weft {}\" \"weft\"\n", plain_roff(in_capitals(page.name)),
                     page.manual_section, version());
  out << ".nh\n.ad l\n";  // words are not divided, so that they can be copied
  out << ".SH NAME\n" << plain_roff(page.name) << " \\- " << plain_roff(page.summary) << '\n';
  if (!page.about.empty()) out << ".SH DESCRIPTION\n" << plain_roff(page.about) << '\n';
  for (const ReferenceSection& section : page.sections) write_section_of(out, section);
}

}  // namespace weft::cli
