// SPDX-License-Identifier: Apache-2.0
// Words below an axis of categories.
#include "lab/report/chart/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "lab/draw/svg.hpp"

namespace weft::charts {
namespace {

constexpr std::size_t most_word_lines = 3, longest_turned = 28;
constexpr double turn_degrees = 40, turn_cosine = 0.766, turn_sine = 0.643;

}  // namespace

AxisWords::AxisWords(std::vector<std::string> words, double left, double slot, double least_x)
    : words_(std::move(words)), left_(left), slot_(slot) {
  if (!wrap()) turn(least_x);
}

double AxisWords::centre(std::size_t index) const {
  return left_ + slot_ * (static_cast<double>(index) + 0.5);
}

bool AxisWords::wrap() {
  const std::size_t room = svg::letters_within(slot_ - 6);
  for (const std::string& word : words_) {
    lines_.push_back(svg::wrapped(word, room));
    const auto fits = [&](const std::string& line) { return svg::letters_in(line) <= room; };
    if (lines_.back().size() > most_word_lines ||
        !std::all_of(lines_.back().begin(), lines_.back().end(), fits))
      return false;
    height_ = std::max(height_, line_height * static_cast<double>(lines_.back().size()));
  }
  return true;
}

void AxisWords::turn(double least_x) {
  turned_ = true;
  height_ = 0;
  lines_.clear();
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const std::size_t room = svg::letters_within((centre(i) - least_x - 6) / turn_cosine);
    lines_.push_back({svg::cut(words_[i], std::min(room, longest_turned))});
    height_ = std::max(height_, turn_sine * svg::width_of(lines_[i][0]) + line_height / 2);
  }
}

void AxisWords::write(std::ostream& out, double top) const {
  const auto every =
      turned_ ? static_cast<std::size_t>(std::ceil(line_height / slot_)) : std::size_t{1};
  for (std::size_t i = 0; i < words_.size(); i += every) {
    if (turned_) {
      out << fmt::format(
          "<text class=\"soft\" x=\"{0}\" y=\"{1}\" text-anchor=\"end\" transform=\"rotate(-{2} "
          "{0} {1})\">{3}</text>\n",
          svg::pixels(centre(i) + 4), svg::pixels(top + 10), turn_degrees,
          svg::escaped(lines_[i][0]));
      continue;
    }
    double y = top;
    for (const std::string& line : lines_[i])
      svg::write_text(out, {centre(i), y += line_height, "soft", "middle"}, line);
  }
}

}  // namespace weft::charts
