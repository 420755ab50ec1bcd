// SPDX-License-Identifier: Apache-2.0
// Pages of the reference for a terminal: tables whose cells are wrapped within their columns.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "base/words.hpp"
#include "cli/reference/page.hpp"

namespace weft::cli {
namespace {

constexpr std::size_t page_width = 100;
constexpr std::size_t widest_cell = 30;  ///< of all columns but the last

/// Words on lines of this width; a longer word has a line of its own.
std::vector<std::string> broken(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (!lines.back().empty() && letters_in(lines.back()) + 1 + letters_in(word) > width)
      lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
    at = end + 1;
  }
  return lines;
}

std::string filled_to(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, letters_in(text)), ' ');
}

std::vector<std::size_t> widths_of(const ReferenceTable& table) {
  std::vector<std::size_t> widths(table.heading.size());
  std::size_t left = page_width;
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
    widths[i] = letters_in(table.heading[i]);
    for (const auto& line : table.lines)
      widths[i] = std::max(widths[i], std::min(widest_cell, letters_in(line[i])));
    left -= std::min(left, widths[i] + 2);
  }
  widths.back() = std::max(left, widest_cell) - 2;
  return widths;
}

void write_cells(std::ostream& out, const std::vector<std::string>& cells,
                 const std::vector<std::size_t>& widths) {
  std::vector<std::vector<std::string>> columns;
  std::size_t height = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    columns.push_back(broken(cells[i], widths[i]));
    height = std::max(height, columns.back().size());
  }
  for (std::size_t row = 0; row < height; ++row) {
    std::string line;
    for (std::size_t i = 0; i < columns.size(); ++i)
      line += "  " + filled_to(row < columns[i].size() ? columns[i][row] : "", widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  }
}

void write_prose(std::ostream& out, const std::string& text) {
  for (const std::string& line : broken(text, page_width)) out << line << '\n';
}

}  // namespace

void write_text(std::ostream& out, const ReferenceSection& section) {
  if (!section.title.empty()) out << section.title << '\n';
  if (!section.about.empty()) write_prose(out, section.about);
  if (!section.syntax.empty()) out << section.syntax << '\n';
  if (section.table.lines.empty()) return;
  const std::vector<std::size_t> widths = widths_of(section.table);
  write_cells(out, section.table.heading, widths);
  for (const auto& line : section.table.lines) write_cells(out, line, widths);
}

void write_text(std::ostream& out, const ReferencePage& page) {
  out << page.name << ": " << page.summary << '\n';
  if (!page.about.empty()) write_prose(out, page.about);
  for (const ReferenceSection& section : page.sections) {
    out << '\n';
    write_text(out, section);
  }
}

}  // namespace weft::cli
