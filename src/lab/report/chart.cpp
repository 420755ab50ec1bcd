// SPDX-License-Identifier: Apache-2.0
// Line charts as SVG.
#include "lab/report/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>
#include <string_view>

namespace weft {
namespace {

constexpr double chart_width = 860, chart_height = 420;
constexpr double left = 64, right = 20, top = 64, bottom = 52;
constexpr double legend_sample = 22, legend_line = 20, letter_width = 7.4;
constexpr std::size_t most_in_legend = 14, longest_name = 32, longest_title = 84;

/// Easy to distinguish on white and on black alike.
constexpr std::array<std::string_view, 8> palette{"#2f7fc1", "#cf6a00", "#2a9a5b", "#d1495b",
                                                  "#8a6fd1", "#9a7038", "#c2589a", "#6f7f92"};

constexpr std::string_view style = R"(<style>
  .paper { fill: #ffffff } .ink { fill: #1f2328 } .soft { fill: #59636e }
  .grid { stroke: #d8dee4 } .axis { stroke: #59636e }
  text { font: 13px system-ui, "Segoe UI", Roboto, Helvetica, Arial, sans-serif }
  .title { font-size: 16px; font-weight: 600 }
  .line { fill: none; stroke-linejoin: round } .dashed { stroke-dasharray: 6 4 }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117 } .ink { fill: #e6edf3 } .soft { fill: #9aa4af }
    .grid { stroke: #2a313a } .axis { stroke: #9aa4af }
  }
</style>
)";

/// Text within XML.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(letter) < 0x20 ? '?' : letter;
    }
  }
  return out;
}

/// The number of letters of a UTF-8 text.
std::size_t letters_in(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char letter) {
    return (static_cast<unsigned char>(letter) & 0xC0U) != 0x80U;
  }));
}

/// Text of so many letters at most.
std::string cut(const std::string& text, std::size_t most) {
  if (letters_in(text) <= most) return text;
  std::size_t end = text.size();
  while (end > 0 && letters_in(std::string_view(text).substr(0, end)) >= most) --end;
  return text.substr(0, end) + "…";
}

/// A tenth of a pixel is enough.
std::string pixels(double value) {
  std::string out = fmt::format("{:.1f}", value);
  if (out.ends_with(".0")) out.resize(out.size() - 2);
  return out;
}

struct Label {
  double x, y;
  std::string_view look, anchor;
};

void write_text(std::ostream& out, const Label& at, std::string_view text) {
  out << fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", at.look,
                     pixels(at.x), pixels(at.y), at.anchor, escaped(text));
}

/// Where a chart's values lie on paper.
struct ChartFrame {
  double width = 0;  ///< of the plot
  Ticks x{}, y{};
  double x_most = 0;

  double across(double value) const { return left + width * value / x_most; }
  double up(double value) const {
    return chart_height - bottom - (chart_height - top - bottom) * value / y.last();
  }
};

/// The legend's width, with the space before it.
double legend_width(const Chart& chart) {
  std::size_t longest = 0, names = 0;
  for (const ChartSeries& series : chart.series) {
    longest = std::max(longest, letters_in(cut(series.name, longest_name)));
    if (!series.name.empty() && ++names > most_in_legend)
      longest = std::max(longest, std::string_view("and 1000 more").size());
  }
  return longest == 0 ? 0 : 32 + legend_sample + letter_width * static_cast<double>(longest);
}

ChartFrame frame_of(const Chart& chart) {
  double x = 0, y = 0;
  for (const ChartSeries& series : chart.series)
    for (const ChartPoint& point : series.points) {
      x = std::max(x, point.x);
      if (std::isfinite(point.y)) y = std::max(y, point.y);
    }
  ChartFrame frame;
  frame.width = chart_width - left - right - legend_width(chart);
  frame.x = Ticks::up_to(x, 8);
  frame.y = Ticks::up_to(y * 1.03, 6);
  frame.x_most = x > 0 ? x : 1;
  return frame;
}

void write_axes(std::ostream& out, const Chart& chart, const ChartFrame& frame) {
  const double floor = frame.up(0), end = frame.across(frame.x_most);
  const auto line = [&](std::string_view look, double x1, double y1, double x2, double y2) {
    out << fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", look,
                       pixels(x1), pixels(y1), pixels(x2), pixels(y2));
  };
  for (int i = 0; i <= frame.y.count; ++i) {
    const double y = frame.up(frame.y.step * i);
    line(i == 0 ? "axis" : "grid", left, y, end, y);
    write_text(out, {left - 8, y + 4.5, "soft", "end"}, frame.y.text(i));
  }
  for (int i = 0; i <= frame.x.count; ++i) {
    const double value = frame.x.step * i;
    if (value > frame.x_most * 1.0001) break;
    line("axis", frame.across(value), floor, frame.across(value), floor + 5);
    write_text(out, {frame.across(value), floor + 20, "soft", "middle"}, frame.x.text(i));
  }
  write_text(out, {(left + end) / 2, chart_height - 12, "soft", "middle"}, chart.x_name);
  write_text(out, {left - 8, top - 12, "soft", "end"}, chart.y_name);
}

/// The path of a line; points on it that change nothing are left out.
std::string path_of(const ChartSeries& series, const ChartFrame& frame) {
  std::string out, at_x, at_y;
  bool drawing = false;
  for (const ChartPoint& point : series.points) {
    const std::string x = pixels(frame.across(point.x));
    const bool ends = !std::isfinite(point.y);
    const std::string y = ends ? at_y : pixels(frame.up(point.y));
    if (drawing && series.stepped && (ends || y != at_y)) out += " H" + x;
    if (!ends && !drawing)
      out += fmt::format("{}M{} {}", out.empty() ? "" : " ", x, y);
    else if (!ends && series.stepped && y != at_y)
      out += " V" + y;
    else if (!ends && !series.stepped)
      out += fmt::format(" L{} {}", x, y);
    drawing = !ends;
    at_x = x;
    at_y = y;
  }
  if (drawing && series.stepped) out += " H" + at_x;
  return out;
}

void write_line(std::ostream& out, const ChartSeries& series, double width,
                const std::string& path) {
  out << fmt::format("<path class=\"line{}\" stroke=\"{}\" stroke-width=\"{}\" d=\"{}\"/>\n",
                     series.dashed ? " dashed" : "", palette[series.colour % palette.size()],
                     pixels(width), path);
}

/// A few solid lines get thinner to the top, so that those below are seen where they coincide.
void write_lines(std::ostream& out, const Chart& chart, const ChartFrame& frame) {
  constexpr std::ptrdiff_t few = 5;
  auto above = std::count_if(chart.series.begin(), chart.series.end(),
                             [](const ChartSeries& series) { return !series.dashed; });
  const double more = above <= few ? 1 : 0;
  for (const ChartSeries& series : chart.series) {
    if (!series.dashed) --above;
    const std::string path = path_of(series, frame);
    if (path.empty()) continue;
    write_line(out, series, series.dashed ? 1.5 : 2 + more * static_cast<double>(above), path);
  }
}

void write_legend(std::ostream& out, const Chart& chart, double x) {
  double y = top + 6;
  std::size_t shown = 0, hidden = 0;
  for (const ChartSeries& series : chart.series) {
    if (series.name.empty()) continue;
    if (++shown > most_in_legend) {
      ++hidden;
      continue;
    }
    write_line(out, series, series.dashed ? 1.5 : 3,
               fmt::format("M{} {} h{}", pixels(x), pixels(y - 4), legend_sample));
    write_text(out, {x + legend_sample + 8, y, "ink", "start"}, cut(series.name, longest_name));
    y += legend_line;
  }
  if (hidden > 0)
    write_text(out, {x + legend_sample + 8, y, "soft", "start"},
               fmt::format("and {} more", hidden));
}

}  // namespace

Ticks Ticks::up_to(double most, int about) {
  Ticks out;
  if (!(most > 0) || !std::isfinite(most)) return out;
  const double power = std::pow(10.0, std::floor(std::log10(most / about)));
  for (const double step : {1.0, 2.0, 5.0, 10.0}) {
    out.step = step * power;
    if (most / out.step <= about) break;
  }
  out.count = std::max(1, static_cast<int>(std::ceil(most / out.step - 1e-9)));
  out.places = std::max(0, -static_cast<int>(std::floor(std::log10(out.step) + 1e-9)));
  return out;
}

std::string Ticks::text(int index) const { return fmt::format("{:.{}f}", step * index, places); }

void write_svg(std::ostream& out, const Chart& chart) {
  const ChartFrame frame = frame_of(chart);
  out << fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" role=\"img\">\n<title>{2}</title>\n",
      chart_width, chart_height, escaped(chart.title));
  out << style << "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n";
  write_text(out, {left, 24, "ink title", "start"}, cut(chart.title, longest_title));
  write_text(out, {left, 42, "soft", "start"}, chart.note);
  write_axes(out, chart, frame);
  write_lines(out, chart, frame);
  write_legend(out, chart, left + frame.width + 24);
  out << "</svg>\n";
}

}  // namespace weft
