// SPDX-License-Identifier: Apache-2.0
// The operations of ranks over time as a section of a page, with arrows from sends to receives, and
// the critical path.
#pragma once
#include <string>
#include <vector>

#include "lab/page/html_page.hpp"
#include "lab/path/path_step.hpp"
#include "run/simulated/world.hpp"

namespace weft {

/// A line of the picture.
struct TimelineRank {
  std::string name, host;
};

/// The first steps of a critical path, or all; and how long all of it is.
struct TimelinePath {
  std::string title = "critical path";  ///< with whose it is
  std::vector<PathStep> steps{};
  Duration length{};
};

/// The first operations that fit into a page, and the path until then; it says what is left out.
PageSection timeline_section(const std::vector<run::OperationRecord>& records,
                             const std::vector<TimelineRank>& ranks, const TimelinePath& path = {});

}  // namespace weft
