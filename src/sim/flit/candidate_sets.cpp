// SPDX-License-Identifier: Apache-2.0
// Gathering sets of candidates.
#include "sim/flit/candidate_sets.hpp"

#include <algorithm>
#include <tuple>

namespace weft::sim {

CandidateSets::CandidateSets(const Units& units, const Routing& routing)
    : routing_(routing), lanes_(static_cast<Index>(units.layout.tables.lane_count)) {
  const Layout& layout = units.layout;
  for (const SwitchPorts& at : layout.switches) most_ports_ = std::max(most_ports_, at.count);
  row_ = (most_ports_ + 1) * lanes_ + 1;
  const auto* tables = std::get_if<ChoiceTables>(&layout.tables.paths);
  if (tables == nullptr) return;
  own_ = static_cast<Index>(tables->set_count());
  for (ChoiceTables::Entry set = 0; set < own_; ++set) {
    std::vector<LaneChoice> choices;
    for (const Candidate& c : tables->candidates(set)) {
      const bool any_lane = c.lane == Candidate::by_lanes && routing.has_one_lane();
      choices.push_back({static_cast<std::uint16_t>(c.port - 1), any_lane ? Lane{0} : c.lane,
                         c.phase, c.preference});
    }
    add(choices, choices.front().port);
  }
  check(units, *tables);
}

/// Finds the sets that are sound.
void CandidateSets::check(const Units& units, const ChoiceTables& tables) {
  for (Index set = 0; set < own_; ++set) sets_[set].sound = true;
  for (const ColumnId column : tables.ids())
    for (Index at = 0; at < units.layout.switches.size(); ++at)
      if (const Index set = tables.next[column][at]; set < own_ && sets_[set].sound)
        sets_[set].sound = is_sound(units, at, set);
}

bool CandidateSets::is_sound(const Units& units, Index at, Index set) const {
  const SwitchPorts& there = units.layout.switches[at];
  for (const LaneChoice& choice : all(set)) {
    if (choice.port >= there.count || choice.lane >= units.layout.class_lanes.size()) return false;
    const SwitchPort& port = units.ports[there.first + choice.port];
    if (port.peer == nothing || port.to_host) return false;
  }
  return true;
}

void CandidateSets::add(std::vector<LaneChoice> choices, Index usual_port) {
  std::stable_sort(choices.begin(), choices.end(), [](const LaneChoice& a, const LaneChoice& b) {
    return std::tie(a.preference, a.port, a.lane) < std::tie(b.preference, b.port, b.lane);
  });
  ChoiceSet set{.begin = static_cast<Index>(choices_.size()),
                .count = static_cast<std::uint16_t>(choices.size())};
  while (set.best < set.count && choices[set.best].preference == choices.front().preference)
    ++set.best;
  while (set.usual < set.best && choices[set.usual].port != usual_port) ++set.usual;
  if (set.usual == set.best) set.usual = 0;
  for (Index turn = 0, next = 0; turn < row_; ++turn) {
    while (next < set.best && turn_of(choices[next]) < turn) ++next;
    first_.push_back(static_cast<std::uint16_t>(next == set.best ? 0 : next));
  }
  choices_.insert(choices_.end(), choices.begin(), choices.end());
  sets_.push_back(set);
}

/// Groups of links up to this one.
void CandidateSets::add_groups(Index last) {
  while (sets_.size() <= own_ + last) {
    const auto tag = static_cast<PortNumber>(first_link_group + sets_.size() - own_);
    const std::span<const PortNumber> ports = routing_.ports(tag);
    std::vector<LaneChoice> choices;
    for (const PortNumber port : ports)  // some switch has it
      if (port <= most_ports_) choices.push_back({static_cast<std::uint16_t>(port - 1)});
    add(choices, ports.empty() ? 0 : ports.front() - 1U);
  }
}

}  // namespace weft::sim
