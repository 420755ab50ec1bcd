// SPDX-License-Identifier: Apache-2.0
// Series and bands of a chart within its frame, and their samples in a legend.
#pragma once
#include <iosfwd>

#include "lab/report/chart/frame.hpp"

namespace weft::charts {

/// Bands first; what papers print is on top of the rest.
void write_plot(std::ostream& out, const Chart& chart, const ChartFrame& frame);

/// As wide as a sample in a legend, from a point on.
void write_series_sample(std::ostream& out, const ChartSeries& series, bool distinct,
                         ChartPoint from);
void write_band_sample(std::ostream& out, ChartPoint from);

}  // namespace weft::charts
