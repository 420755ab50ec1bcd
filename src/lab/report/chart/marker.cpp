// SPDX-License-Identifier: Apache-2.0
// Markers, rings, error bars.
#include "lab/report/chart/marker.hpp"

#include <fmt/format.h>

#include <array>
#include <ostream>

#include "lab/draw/svg.hpp"

namespace weft::charts {
namespace {

constexpr std::array<std::string_view, dash_patterns> dashes{
    "", "9 3", "2 3", "10 3 2 3", "5 2", "14 4", "10 3 2 3 2 3"};

/// Outlines around a point; the first shape is a circle.
constexpr std::array<std::string_view, marker_shapes> outlines{
    "",
    "m-3.4 -3.4 h6.8 v6.8 h-6.8 Z",
    "m0 -4.8 l4.6 8 h-9.2 Z",
    "m0 -5 l5 5 l-5 5 l-5 -5 Z",
    "m0 -2.2 l2.6 -2.6 l2.2 2.2 l-2.6 2.6 l2.6 2.6 l-2.2 2.2 l-2.6 -2.6 l-2.6 2.6 l-2.2 -2.2 l2.6 "
    "-2.6 l-2.6 -2.6 l2.2 -2.2 Z",
    "m-1.5 -4.8 h3 v3.3 h3.3 v3 h-3.3 v3.3 h-3 v-3.3 h-3.3 v-3 h3.3 Z",
    "m0 4.8 l-4.6 -8 h9.2 Z",
    "m-5 -1.8 h10 v3.6 h-10 Z"};

/// An element, with what is shown where the pointer rests.
void write_tipped(std::ostream& out, std::string_view name, const std::string& attributes,
                  std::string_view tip) {
  if (tip.empty())
    out << fmt::format("<{} {}/>\n", name, attributes);
  else
    out << fmt::format("<{0} {1}><title>{2}</title></{0}>\n", name, attributes, svg::escaped(tip));
}

}  // namespace

std::string_view colour_of(std::size_t number) {
  return svg::palette[number % svg::palette.size()];
}

std::string_view dashes_of(std::size_t colour) { return dashes[colour % dashes.size()]; }

void write_marker(std::ostream& out, const Marker& marker) {
  const std::string_view colour = colour_of(marker.colour);
  const std::string_view outline =
      marker.distinct ? outlines[marker.colour % outlines.size()] : outlines[0];
  const std::string x = svg::pixels(marker.x), y = svg::pixels(marker.y);
  const std::string look = marker.open ? fmt::format("stroke=\"{}\"", colour)
                                       : fmt::format("stroke=\"{0}\" fill=\"{0}\"", colour);
  const std::string_view kind = marker.open ? "open" : "dot";
  if (outline.empty())
    write_tipped(out, "circle",
                 fmt::format("class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"3.5\" {}", kind, x, y, look),
                 marker.tip);
  else
    write_tipped(out, "path",
                 fmt::format("class=\"{}\" {} d=\"M{} {} {}\"", kind, look, x, y, outline),
                 marker.tip);
}

void write_ring(std::ostream& out, const Ring& ring) {
  write_tipped(out, "circle",
               fmt::format("class=\"ring\" cx=\"{}\" cy=\"{}\" r=\"{}\"", svg::pixels(ring.x),
                           svg::pixels(ring.y), svg::pixels(ring.radius)),
               ring.tip);
}

void write_error_bar(std::ostream& out, const ErrorBar& bar) {
  if (bar.low - bar.high <= 2) return;
  const std::string look = bar.colour.empty()
                               ? "class=\"ring\""
                               : fmt::format("class=\"error\" stroke=\"{}\"", bar.colour);
  out << fmt::format("<path {} d=\"M{} {} h8 m-4 0 V{} m-4 0 h8\"/>\n", look,
                     svg::pixels(bar.x - 4), svg::pixels(bar.high), svg::pixels(bar.low));
}

}  // namespace weft::charts
