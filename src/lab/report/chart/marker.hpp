// SPDX-License-Identifier: Apache-2.0
// Markers of values, rings around those that a paper prints, error bars, and what tells series
// apart where there is no colour.
#pragma once
#include <iosfwd>
#include <string>
#include <string_view>

namespace weft::charts {

/// Classes that markers, areas and captions have.
inline constexpr std::string_view chart_style =
    R"(  .open { fill: #ffffff; stroke-width: 1.5 } .dot { stroke-width: 0 }
  .error { fill: none; stroke-width: 1.2 } .area { fill-opacity: 0.25 }
  .band { fill: #8b949e; fill-opacity: 0.3 } .caption { font-weight: 600 }
  .ring { fill: none; stroke: #1f2328; stroke-width: 1.6; pointer-events: all }
  @media (prefers-color-scheme: dark) { .open { fill: #0d1117 } .ring { stroke: #e6edf3 } }
)";

/// Series differ by shape of marker and by dashes; the two together repeat late.
inline constexpr std::size_t marker_shapes = 8, dash_patterns = 7;

std::string_view colour_of(std::size_t number);
/// Dashes of the line with that colour; empty: solid.
std::string_view dashes_of(std::size_t colour);

struct Marker {
  double x, y;
  std::size_t colour = 0;
  bool distinct = false;  ///< the shape is by colour
  bool open = false;
  std::string tip{};  ///< shown where the pointer rests
};
void write_marker(std::ostream& out, const Marker& marker);

/// Around a value that a paper prints.
struct Ring {
  double x, y;
  std::string tip{};
  double radius = 6;
};
void write_ring(std::ostream& out, const Ring& ring);

struct ErrorBar {
  double x, low, high;
  std::string_view colour{};  ///< none: that of ink
};
/// Nothing where it would be too small to see.
void write_error_bar(std::ostream& out, const ErrorBar& bar);

}  // namespace weft::charts
