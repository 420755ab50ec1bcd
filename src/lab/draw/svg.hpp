// SPDX-License-Identifier: Apache-2.0
// What pictures as SVG have in common: text, numbers, colours, light or dark as the reader's
// browser prefers. No script.
#pragma once
#include <array>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.hpp"

namespace weft::svg {

/// Colours that readers tell apart with normal vision, deuteranopia and protanopia (simulated with
/// the matrices of Machado et al. 2009): any two of the first six are 12 hundredths apart in OKLab,
/// any two of all 8. All have a contrast of 3 : 1 on white and on the dark paper, as WCAG 2.1 asks
/// of graphics. The last is grey. tests/lab/palette_test.cpp computes it.
inline constexpr std::array<std::string_view, 8> palette{
    "#1052fe", "#d2830a", "#1c726c", "#dd69ce", "#a1470a", "#2d5fac", "#ba6506", "#7f8a96"};

inline constexpr double letter_width = 7.4;  ///< of the 13-pixel font, about
inline constexpr double title_letter_width = 9.2;

/// Text within XML.
std::string escaped(std::string_view text);
using weft::letters_in;
/// About how wide it is in the 13-pixel font.
inline double width_of(std::string_view text) {
  return letter_width * static_cast<double>(letters_in(text));
}
/// How many letters of the 13-pixel font fit.
inline std::size_t letters_within(double width) {
  return static_cast<std::size_t>(width > 0 ? width / letter_width : 0);
}
/// Text of so many letters at most.
std::string cut(const std::string& text, std::size_t most);
/// Lines of so many letters, broken at spaces; a word that is longer has a line of its own.
std::vector<std::string> wrapped(std::string_view text, std::size_t most);
/// A tenth of a pixel is enough.
std::string pixels(double value);

struct Label {
  double x, y;
  std::string_view look, anchor;
};
void write_text(std::ostream& out, const Label& at, std::string_view text);

struct SvgPage {
  double width, height;
  std::string title;
};
/// Up to the background; `style` adds to the classes that every picture has.
void begin(std::ostream& out, const SvgPage& page, std::string_view style = "");
void end(std::ostream& out);

}  // namespace weft::svg
