// SPDX-License-Identifier: Apache-2.0
// Charts as SVG: series, bars or columns in, a file out that every browser shows, light or dark as
// its user prefers. No script. Values that are no numbers are not drawn; text that is too long is
// wrapped, turned or cut.
#pragma once
#include <cstddef>
#include <iosfwd>
#include <limits>
#include <string>
#include <variant>
#include <vector>

namespace weft {

struct ChartPoint {
  double x = 0;
  double y = 0;          ///< not a number: the line stops here
  double error = 0;      ///< half the height of its error bar; none where it is not above 0
  bool open = false;     ///< a hollow marker, and the line to it is dashed
  bool crossed = false;  ///< a cross instead
};

struct ChartSeries {
  std::string name{};  ///< in the legend; empty: not there
  std::vector<ChartPoint> points{};
  std::size_t colour = 0;  ///< by number; series that belong together have the same
  bool dashed = false;
  bool stepped = false;    ///< a value holds up to the next point
  bool marked = false;     ///< a marker at every point
  bool filled = false;     ///< down to the axis
  bool opaque = false;     ///< and hides what is below it: the top of a stack
  bool unlined = false;    ///< markers only
  bool published = false;  ///< what a paper prints: large rings in the colour of ink, on top
};

/// A grey area between two lines, below the series; in the legend.
struct ChartBand {
  std::vector<ChartPoint> low{}, high{};
  std::string name{};
};

/// A vertical line with a word at its top.
struct ChartMark {
  double x = 0;
  std::string word{};
};

/// Logarithmic axes have 0 at their left edge. Bytes: by powers of two, labelled 64, 1K, 64K.
enum class AxisScale { linear, log, bytes };

struct Chart {
  std::string title{};
  std::string note{};  ///< below the title
  std::string x_name{}, y_name{};
  std::vector<ChartSeries> series{};  ///< later ones on top; y from 0 on
  bool log_y = false;                 ///< y by powers of ten, from the least value on
  std::vector<ChartMark> marks{};
  double x_least_end = 0;                                    ///< the x axis goes so far at least
  double y_limit = std::numeric_limits<double>::infinity();  ///< what is above lies on the edge
  AxisScale x_scale = AxisScale::linear;
  double x_least = 0;  ///< a linear x axis begins here; what lies before it is not drawn
  std::vector<std::string> x_words{};  ///< instead of numbers: word i stands at x = i
  std::vector<ChartBand> bands{};
  bool distinct = false;  ///< series differ by dashes and shape of marker, too: prints in grey
};

/// A line of a bar chart: a heading, or a name with a value in each column.
struct BarRow {
  std::string name{};
  std::vector<double> values{};  ///< empty: a heading; not a number: no bar
  std::vector<double> errors{};  ///< half the widths of error bars; may be empty
  std::size_t colour = 0;
  std::string remark{};  ///< instead of bars
};

struct BarColumn {
  std::string name{};
  int places = 0;  ///< digits after the point
  std::string unit{};
};

/// Horizontal bars, a column of them for each quantity.
struct BarChart {
  std::string title{}, note{};
  std::vector<BarColumn> columns{};
  std::vector<BarRow> rows{};
};

/// Values of a series by group; not a number, or missing: none.
struct ColumnSeries {
  std::string name{};
  std::vector<double> values{};
  std::vector<double> errors{};     ///< half the heights of error bars
  std::vector<double> published{};  ///< what a paper prints: rings
};

/// Vertical bars in groups; series differ by pattern as well as by colour.
struct ColumnChart {
  std::string title{}, note{}, y_name{};
  std::vector<std::string> groups{};
  std::vector<ColumnSeries> series{};
};

/// Charts with one legend of all their series; each has its title above it.
struct ChartSheet {
  std::string title{}, note{};
  std::vector<Chart> charts{};
  std::size_t columns = 0;  ///< charts in a row; 0: all in one
};

void write_svg(std::ostream& out, const Chart& chart);
void write_svg(std::ostream& out, const ChartSheet& sheet);
void write_svg(std::ostream& out, const BarChart& chart);
void write_svg(std::ostream& out, const ColumnChart& chart);

using AnyChart = std::variant<Chart, ChartSheet, BarChart, ColumnChart>;
inline void write_svg(std::ostream& out, const AnyChart& any) {
  std::visit([&](const auto& chart) { write_svg(out, chart); }, any);
}

/// Round values from 0 on: "0", "20", "40", …; the last is `most` or more.
struct Ticks {
  double step = 1;
  int count = 1;  ///< steps, from 0 to the last
  int places = 0;

  static Ticks up_to(double most, int about);
  double last() const { return step * count; }
  std::string text(int index) const { return text_of(step * index); }
  std::string text_of(double value) const;
};

}  // namespace weft
