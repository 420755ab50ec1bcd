// SPDX-License-Identifier: Apache-2.0
// Charts as sections of a page: the same charts that are drawn as SVG.
#pragma once
#include <string>
#include <vector>

#include "lab/page/html_page.hpp"
#include "lab/report/chart.hpp"

namespace weft {

nlohmann::ordered_json page_chart(const Chart& chart);
nlohmann::ordered_json page_chart(const BarChart& chart);
nlohmann::ordered_json page_chart(const ColumnChart& chart);

/// Its charts beside each other.
PageSection charts_section(const std::string& id, const AnyChart& any);

}  // namespace weft
