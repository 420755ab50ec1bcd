// SPDX-License-Identifier: Apache-2.0
// The sections of a page that show a result of weft, from the JSON document that it is written as:
// a table for each of its lists, with units and meanings as the reference has them, and the chart
// that answers the usual question.
#pragma once
#include <string>
#include <vector>

#include "lab/page/html_page.hpp"
#include "lab/report/chart.hpp"
#include "lab/report/result_file.hpp"

namespace weft {

/// Throws Error for a document that is no result of weft, or of a kind that has no page.
std::vector<PageSection> result_sections(const nlohmann::ordered_json& document);

/// "study 1" is a "study". Throws Error for a document of another program.
std::string result_kind(const nlohmann::ordered_json& document);

/// Rows with the same keys, more or less; lists within them are left out.
PageSection rows_section(const std::string& id, const std::string& title,
                         const std::vector<nlohmann::ordered_json>& rows,
                         const std::vector<ResultColumn>& described);

/// A page with a chart of a result, and the result.
HtmlPage result_page(const std::string& title, const AnyChart& chart,
                     const nlohmann::ordered_json& document);

}  // namespace weft
