// SPDX-License-Identifier: Apache-2.0
// Titles and notes of pictures.
#include "lab/report/chart/heading.hpp"

#include <algorithm>
#include <ostream>

#include "lab/draw/svg.hpp"

namespace weft::charts {
namespace {

constexpr double heading_edge = 20, title_baseline = 24, note_baseline = 43, note_line = 17;
constexpr std::size_t most_notes = 3;

}  // namespace

Heading::Heading(const std::string& title, const std::string& note, double page_width)
    : title_(svg::cut(title, static_cast<std::size_t>((page_width - 2 * heading_edge) /
                                                      svg::title_letter_width))) {
  const std::size_t room = svg::letters_within(page_width - 2 * heading_edge);
  if (note.empty()) return;
  std::vector<std::string> lines = svg::wrapped(note, room);
  if (lines.size() > most_notes) {
    lines[most_notes - 1] += " " + lines[most_notes];
    lines.resize(most_notes);
  }
  for (const std::string& line : lines) notes_.push_back(svg::cut(line, room));
}

double Heading::bottom() const {
  return title_baseline + 6 + note_line * static_cast<double>(notes_.size());
}

void Heading::write(std::ostream& out) const {
  svg::write_text(out, {heading_edge, title_baseline, "ink title", "start"}, title_);
  double y = note_baseline;
  for (const std::string& note : notes_) {
    svg::write_text(out, {heading_edge, y, "soft", "start"}, note);
    y += note_line;
  }
}

}  // namespace weft::charts
