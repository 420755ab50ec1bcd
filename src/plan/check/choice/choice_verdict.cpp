// SPDX-License-Identifier: Apache-2.0
// From states to verdicts: what holds for cut-through is decided first; a deadlock there is one for
// wormhole switching, too.
#include "plan/check/choice/choice_verdict.hpp"

#include <algorithm>
#include <span>

#include "plan/check/choice/blocked_set.hpp"
#include "plan/check/choice/elimination.hpp"
#include "plan/check/choice/table_states.hpp"
#include "plan/check/choice/worms.hpp"
#include "plan/check/lost_pairs.hpp"

namespace weft {
namespace {

/// Above the first LID of the host, that of a column.
unsigned lid_of(const Tables& tables, HostId to, ColumnId column) {
  if (!to.valid() || tables.to_host[to] == column) return 0;
  for (const FurtherColumn& further : tables.further)
    if (further.host == to && further.column == column) return further.lid;
  return 0;
}

/// The lanes of states, each once.
std::vector<Hop> hops_of(const TableStates& all, std::span<const WaitingStates::StateId> states) {
  std::vector<Hop> out;
  for (const WaitingStates::StateId s : states)
    if (const Hop hop = all.hop(all.states().lane(s));
        std::find(out.begin(), out.end(), hop) == out.end())
      out.push_back(hop);
  return out;
}

BlockedPackets packets_of(TableStates& all, const Tables& tables, const BlockedWorms& blocked) {
  BlockedPackets out;
  for (const Worm& worm : blocked.worms) {
    const WaitingPacket head = all.packet(worm.back());
    out.packets.push_back({hops_of(all, worm), hops_of(all, all.states().candidates(worm.back())),
                           head.from, head.to, lid_of(tables, head.to, head.column), head.group});
  }
  return out;
}

/// A circle, if each waits for the lane of the next one alone; else packets of one lane each.
DeadlockVerdict blocked_by(TableStates& all, const Tables& tables, const Elimination& found) {
  BlockedWorms blocked;
  DependencyCycle circle{{}, true};
  bool is_circle = true;
  const std::vector<WaitingStates::StateId> states = small_blocked_set(all.states(), found);
  for (std::size_t i = 0; i < states.size(); ++i) {
    const WaitingStates::StateId s = states[i], next = states[(i + 1) % states.size()];
    const WaitingPacket packet = all.packet(s);
    is_circle &= hops_of(all, all.states().candidates(s)) == hops_of(all, {&next, 1});
    blocked.worms.push_back({s});
    circle.waits.push_back({packet.holds.channel, packet.holds.lane, packet.from, packet.to,
                            lid_of(tables, packet.to, packet.column), packet.group,
                            std::max<std::size_t>(1, packet.choices)});
  }
  if (is_circle) return circle;
  return packets_of(all, tables, blocked);
}

/// Lanes that no packet comes to have no number.
Certificate certificate_of(const WaitingStates& states, const Tables& tables, Proof proof,
                           std::vector<std::uint32_t> number) {
  std::vector<bool> is_used(number.size(), false);
  for (WaitingStates::StateId s = 0; s < states.size(); ++s)
    if (states.lane(s).valid()) is_used[states.lane(s).index()] = true;
  for (std::size_t lane = 0; lane < number.size(); ++lane)
    if (!is_used[lane]) number[lane] = Certificate::unused;
  return {tables.lane_count, std::move(number), proof};
}

}  // namespace

DeadlockVerdict judge_choices(const Fabric& fabric, const Tables& tables, WaitKind waiting,
                              DependencyCycle cycle) {
  if (std::any_of(tables.groups.begin(), tables.groups.end(),
                  [](const Group& group) { return group.root.has_value(); })) {
    Tables unicast = tables;
    unicast.groups.clear();
    const auto graph = dependencies(fabric, unicast);
    if (find_cycle(std::get<DependencyGraph>(graph)).empty()) return cycle;
    return NotJudged{"groups with a root are circuits, which are judged by every choice only",
                     std::move(cycle)};
  }
  TableStates all(fabric, tables);
  const WaitingStates& states = all.states();
  const Elimination found = eliminate(states);
  if (!found.is_free()) return blocked_by(all, tables, found);
  if (waiting == WaitKind::cut_through)
    return certificate_of(states, tables, Proof::some_choice, found.number);
  WormVerdict worms = judge_worms(states, static_cast<std::size_t>(tables.lane_count));
  if (auto* number = std::get_if<std::vector<std::uint32_t>>(&worms))
    return certificate_of(states, tables, Proof::some_choice_worms, std::move(*number));
  if (const auto* blocked = std::get_if<BlockedWorms>(&worms))
    return packets_of(all, tables, *blocked);
  return NotJudged{
      "cut-through packets cannot deadlock; for wormhole switching neither numbers nor "
      "packets that block each other were found",
      std::move(cycle)};
}

}  // namespace weft
