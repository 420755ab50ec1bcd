// SPDX-License-Identifier: Apache-2.0
// Pages of the reference as Markdown, for docs/reference.
#include <fmt/format.h>

#include <ostream>

#include "cli/reference/page.hpp"

namespace weft::cli {
namespace {

constexpr std::size_t markdown_width = 130;

/// Prose in which no letter means anything to Markdown.
std::string as_prose(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '_' || c == '<' || c == '[' || c == '`') out += '\\';
    out += c;
  }
  return out;
}

/// Text as it is typed; a bar ends a cell even there.
std::string as_code(std::string_view text) {
  if (text.empty()) return {};
  std::string out = "`";
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out + "`";
}

void write_paragraph(std::ostream& out, const std::string& text) {
  std::size_t column = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = as_prose(text.substr(at, end - at));
    const bool breaks = column + 1 + word.size() > markdown_width;
    if (column > 0) out << (breaks ? '\n' : ' ');
    out << word;
    column = word.size() + (breaks ? 0 : column + 1);
    at = end + 1;
  }
  out << '\n';
}

void write_table_of(std::ostream& out, const ReferenceTable& table) {
  for (const std::string& title : table.heading) out << "| " << title << ' ';
  out << "|\n";
  for (std::size_t i = 0; i < table.heading.size(); ++i) out << "|---";
  out << "|\n";
  for (const auto& line : table.lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string cell = i + 1 < line.size() ? as_code(line[i]) : as_prose(line[i]);
      out << '|' << (cell.empty() ? "" : " ") << cell << ' ';
    }
    out << "|\n";
  }
}

}  // namespace

void write_markdown(std::ostream& out, const ReferencePage& page) {
  std::string title = page.summary;
  title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
  out << "# " << title << "\n\n";
  write_paragraph(out, page.about);
  for (const ReferenceSection& section : page.sections) {
    if (!section.title.empty())
      out << '\n' << (section.depth == 1 ? "## " : "### ") << as_prose(section.title) << '\n';
    if (!section.about.empty()) {
      out << '\n';
      write_paragraph(out, section.about);
    }
    if (!section.syntax.empty()) out << "\n```\n" << section.syntax << "\n```\n";
    if (section.table.lines.empty()) continue;
    out << '\n';
    write_table_of(out, section.table);
  }
}

}  // namespace weft::cli
