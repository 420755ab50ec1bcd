// SPDX-License-Identifier: Apache-2.0
// Sums of own work, and names of what a critical path runs through.
#include "lab/path/path_step.hpp"

namespace weft {

OwnWork& OwnWork::operator+=(const OwnWork& other) {
  for (const OwnPart& own : own_parts) this->*own.of += other.*own.of;
  return *this;
}

OwnWork& OwnWork::operator-=(const OwnWork& other) {
  for (const OwnPart& own : own_parts) this->*own.of -= other.*own.of;
  return *this;
}

OwnWork work_between(const RankCounts& begin, const RankCounts& end) {
  const RankItems items = items_between(begin, end);
  OwnWork out{items.compute, items.library, items.lower};
  out.waiting = items.total - out.sum();
  return out;
}

std::string_view to_text(PathPart part) {
  constexpr std::array<std::string_view, path_parts> names{
      "compute", "MPI", "below MPI", "waiting", "message", "read", "request", "answer"};
  return names[static_cast<std::size_t>(part)];
}

}  // namespace weft
