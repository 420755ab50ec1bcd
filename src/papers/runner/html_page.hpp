// SPDX-License-Identifier: Apache-2.0
// Papers as sections of an HTML page: each statement with what weft finds, and the figures.
#pragma once
#include "lab/page/html_page.hpp"
#include "papers/runner/page.hpp"

namespace weft::papers {

/// A page with all that was reproduced.
HtmlPage html_page(const Page& page);

/// The same from the JSON document of a page, which has no figures.
PageSection paper_section(const nlohmann::ordered_json& document);

}  // namespace weft::papers
