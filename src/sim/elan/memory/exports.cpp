// SPDX-License-Identifier: Apache-2.0
// Decides whether another process may reach bytes, and says why not.
#include "sim/elan/memory/exports.hpp"

#include <algorithm>

namespace weft::sim::elan {
namespace {

/// Groups are often all processes from one to another: kept as such.
std::vector<std::pair<Process, Process>> runs_of(std::span<const Process> partners) {
  std::vector<Process> sorted(partners.begin(), partners.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::pair<Process, Process>> runs;
  for (const Process partner : sorted) {
    if (runs.empty() || partner - runs.back().second > 1)
      runs.emplace_back(partner, partner);
    else
      runs.back().second = partner;
  }
  runs.shrink_to_fit();
  return runs;
}

}  // namespace

bool Exports::Export::is_for(Process by, std::uint64_t address) const {
  if (!range.has(address)) return false;
  const auto after =
      std::upper_bound(partners.begin(), partners.end(), by,
                       [](Process process, const auto& run) { return process < run.first; });
  return after != partners.begin() && by <= (after - 1)->second;
}

void Exports::open(SegmentId segment, AddressRange range, AccessRights rights,
                   std::span<const Process> partners) {
  Export added{segment, range, rights, runs_of(partners)};
  const auto place = std::find_if(exports_.begin(), exports_.end(),
                                  [](const Export& known) { return !known.open; });
  if (place == exports_.end())
    exports_.push_back(std::move(added));
  else
    *place = std::move(added);
}

bool Exports::close(SegmentId segment) {
  const auto place = std::find_if(exports_.begin(), exports_.end(), [&](const Export& known) {
    return known.open && known.segment == segment;
  });
  if (place == exports_.end()) return false;
  place->open = false;
  return true;
}

void Exports::withdraw(AddressRange range) {
  for (Export& known : exports_)
    if (known.range.meets(range)) known.open = false;
}

Fault Exports::reason(std::uint64_t at, Process by) const {
  Fault reason = Fault::not_exported;
  for (const Export& known : exports_)
    if (known.is_for(by, at)) {
      if (known.open) return Fault::no_right;
      reason = Fault::withdrawn;
    }
  return reason;
}

std::optional<Exports::Refusal> Exports::refusal(AddressRange range, Access access,
                                                 Process by) const {
  std::uint64_t at = range.first;
  while (at < range.end) {
    std::uint64_t reached = at;
    for (const Export& known : exports_) {
      if (known.open && allows(known.rights, access) && known.is_for(by, at))
        reached = std::max(reached, known.range.end);
      if (reached >= range.end) return std::nullopt;
    }
    if (reached == at) return Refusal{at, reason(at, by)};
    at = reached;
  }
  return std::nullopt;
}

}  // namespace weft::sim::elan
