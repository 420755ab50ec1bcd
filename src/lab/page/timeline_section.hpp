// SPDX-License-Identifier: Apache-2.0
// The operations of ranks over time as a section of a page, with arrows from sends to receives.
#pragma once
#include <string>
#include <vector>

#include "lab/page/html_page.hpp"
#include "run/simulated/world.hpp"

namespace weft {

/// A line of the picture.
struct TimelineRank {
  std::string name, host;
};

/// The first operations that fit into a page; it says how many are left out.
PageSection timeline_section(const std::vector<run::OperationRecord>& records,
                             const std::vector<TimelineRank>& ranks);

}  // namespace weft
