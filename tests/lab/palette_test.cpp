// SPDX-License-Identifier: Apache-2.0
// Colours of pictures: readers tell them apart, also those who see no red or no green, on white
// paper and on dark.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "lab/draw/svg.hpp"

namespace weft::test::palette {
namespace {

using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;

/// Of all wavelengths; without the receptor for red, and for green: Machado, Oliveira, Fernandes
/// 2009, table 1, severity 1.
constexpr Matrix normal{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix protanopia{{{0.152286, 1.052583, -0.204868},
                             {0.114503, 0.786281, 0.099216},
                             {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix deuteranopia{{{0.367322, 0.860646, -0.227968},
                               {0.280085, 0.672501, 0.047413},
                               {-0.011820, 0.042940, 0.968881}}};

Triple times(const Matrix& matrix, const Triple& of) {
  Triple out{};
  for (std::size_t i = 0; i < 3; ++i)
    out[i] = matrix[i][0] * of[0] + matrix[i][1] * of[1] + matrix[i][2] * of[2];
  return out;
}

/// Light of the three colours, 0 to 1.
Triple light_of(std::string_view colour) {
  Triple out{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double part = std::stoi(std::string(colour.substr(1 + 2 * i, 2)), nullptr, 16) / 255.0;
    out[i] = part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
  }
  return out;
}

/// OKLab (Ottosson 2020): equal distances look alike.
Triple perceived(const Triple& light) {
  constexpr Matrix receptors{{{0.4122214708, 0.5363325363, 0.0514459929},
                              {0.2119034982, 0.6806995451, 0.1073969566},
                              {0.0883024619, 0.2817188376, 0.6299787005}}};
  constexpr Matrix opponents{{{0.2104542553, 0.7936177850, -0.0040720468},
                              {1.9779984951, -2.4285922050, 0.4505937099},
                              {0.0259040371, 0.7827717662, -0.8086757660}}};
  Triple response = times(receptors, light);
  for (double& one : response) one = std::cbrt(one);
  return times(opponents, response);
}

double distance(std::string_view a, std::string_view b, const Matrix& vision) {
  const auto seen = [&](std::string_view colour) {
    Triple light = times(vision, light_of(colour));
    for (double& one : light) one = std::clamp(one, 0.0, 1.0);
    return perceived(light);
  };
  const Triple first = seen(a), second = seen(b);
  return 100 * std::hypot(first[0] - second[0], first[1] - second[1], first[2] - second[2]);
}

double least_distance(std::size_t colours) {
  double least = 100;
  for (std::size_t i = 0; i < colours; ++i)
    for (std::size_t j = i + 1; j < colours; ++j)
      for (const Matrix& vision : {normal, protanopia, deuteranopia})
        least = std::min(least, distance(svg::palette[i], svg::palette[j], vision));
  return least;
}

/// WCAG 2.1, "contrast ratio".
double contrast(std::string_view a, std::string_view b) {
  const auto luminance = [](std::string_view colour) {
    const Triple light = light_of(colour);
    return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2] + 0.05;
  };
  return std::max(luminance(a), luminance(b)) / std::min(luminance(a), luminance(b));
}

TEST(Palette, DistancesAreThoseOfTheLiterature) {
  EXPECT_NEAR(distance("#ffffff", "#000000", normal), 100, 0.1);
  EXPECT_NEAR(contrast("#ffffff", "#000000"), 21, 0.01);
  // A red and a green that a deuteranope confuses.
  EXPECT_GT(distance("#d1495b", "#2a9a5b", normal), 20);
  EXPECT_LT(distance("#d1495b", "#2a9a5b", deuteranopia), 5);
}

TEST(Palette, ReadersTellColoursApart) {
  EXPECT_GE(least_distance(6), 12);
  EXPECT_GE(least_distance(svg::palette.size()), 8);
}

TEST(Palette, IsSeenOnWhiteAndOnDarkPaper) {
  for (const std::string_view colour : svg::palette) {
    EXPECT_GE(contrast(colour, "#ffffff"), 3) << colour;
    EXPECT_GE(contrast(colour, "#0d1117"), 3) << colour;
  }
}

}  // namespace
}  // namespace weft::test::palette
