// SPDX-License-Identifier: Apache-2.0
// A line chart as SVG: series in, a file out that every browser shows, light or dark as its
// user prefers. No script.
#pragma once
#include <iosfwd>
#include <string>
#include <vector>

namespace weft {

struct ChartPoint {
  double x = 0;
  double y = 0;  ///< not a number: the line stops here
};

struct ChartSeries {
  std::string name{};  ///< in the legend; empty: not there
  std::vector<ChartPoint> points{};
  std::size_t colour = 0;  ///< by number; series that belong together have the same
  bool dashed = false;
  bool stepped = false;  ///< a value holds up to the next point
};

struct Chart {
  std::string title{};
  std::string note{};  ///< below the title
  std::string x_name{}, y_name{};
  std::vector<ChartSeries> series{};  ///< later ones on top; y from 0 on
};

void write_svg(std::ostream& out, const Chart& chart);

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
