// SPDX-License-Identifier: Apache-2.0
// The operations of ranks over time as a section of a page, with arrows from sends to receives, and
// the critical path.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lab/page/html_page.hpp"
#include "lab/path/path_step.hpp"
#include "lab/replay/experiment.hpp"
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

struct PageTimeline {
  const std::vector<run::OperationRecord>& records;
  std::vector<TimelineRank> ranks{};
  TimelinePath path{};
  std::vector<CollectiveRecord> calls{};  ///< that operations are part of
  std::optional<TimedSection> timed{};    ///< without one, all of the run
  comm::Time from{};                      ///< where records begin
  std::uint64_t left_out = 0;             ///< operations that came after the records
};

/// What fits into a page.
inline constexpr std::size_t most_timeline_operations = 200'000;

/// The first operations that fit into a page, and the path until then; it says what is left out.
PageSection timeline_section(const PageTimeline& timeline);

}  // namespace weft
