// SPDX-License-Identifier: Apache-2.0
// Charts as SVG: series or bars in, a file out that every browser shows, light or dark as its user
// prefers. No script.
#pragma once
#include <iosfwd>
#include <limits>
#include <string>
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
  bool stepped = false;  ///< a value holds up to the next point
  bool marked = false;   ///< a marker at every point
  bool filled = false;   ///< down to the axis
};

/// A vertical line with a word at its top.
struct ChartMark {
  double x = 0;
  std::string word{};
};

struct Chart {
  std::string title{};
  std::string note{};  ///< below the title
  std::string x_name{}, y_name{};
  std::vector<ChartSeries> series{};  ///< later ones on top; y from 0 on
  bool log_y = false;                 ///< y by powers of ten, from the least value on
  std::vector<ChartMark> marks{};
  double x_least_end = 0;                                    ///< the x axis goes so far at least
  double y_limit = std::numeric_limits<double>::infinity();  ///< what is above lies on the edge
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

/// Charts side by side with one legend, that of the first; their titles are above them.
struct ChartSheet {
  std::string title{}, note{};
  std::vector<Chart> charts{};
};

void write_svg(std::ostream& out, const Chart& chart);
void write_svg(std::ostream& out, const ChartSheet& sheet);
void write_svg(std::ostream& out, const BarChart& chart);

/// Round values from 0 on: "0", "20", "40", …; the last is `most` or more.
struct Ticks {
  double step = 1;
  int count = 1;  ///< steps, from 0 to the last
  int places = 0;

  static Ticks up_to(double most, int about);
  double last() const { return step * count; }
  std::string text(int index) const;
};

}  // namespace weft
