// SPDX-License-Identifier: Apache-2.0
// Changes entries on trial: packets that come another way are followed to the destination.
#include "plan/repair/column_routes.hpp"

namespace weft {

ColumnRoutes::ColumnRoutes(const Fabric& fabric, const PacketStates& states,
                           LaneDependencies& dependencies)
    : fabric_(fabric),
      states_(states),
      dependencies_(dependencies),
      out_(fabric.switch_count()),
      carried_(fabric.switch_count(), 0),
      is_affected_(fabric.switch_count(), 0) {}

void ColumnRoutes::load(const KeptColumn& kept, ColumnId column, const ColumnAim& aim) {
  column_ = column;
  aim_ = aim;
  for (SwitchId s : fabric_.switches()) {
    out_[s] = kept.out(s);
    carried_[s] = 0;
  }
  if (aim.hosts == 0) return;
  for (SwitchId s : kept.order()) {
    carried_[s] |= states_.injected(column_, s, out_[s]).value_or(0);
    const SwitchId at = fabric_.to(out_[s]);
    if (out_[at].valid()) carried_[at] |= states_.after_all(out_[s], out_[at], carried_[s]);
  }
}

void ColumnRoutes::cut_off(const std::vector<SwitchId>& switches) {
  dependencies_.begin_trial();
  take_out(switches);
  for (SwitchId s : switches) set_out(s, ChannelId::none());
  commit();
}

std::vector<SwitchId> ColumnRoutes::children(SwitchId s) const {
  std::vector<SwitchId> out;
  for_each_child(s, [&](SwitchId child) { out.push_back(child); });
  return out;
}

bool ColumnRoutes::count_turns(const KeptColumn& kept) {
  bool have_lanes = true;
  for (SwitchId s : kept.order()) {
    const ChannelId next = out_[fabric_.to(out_[s])];
    if (next.valid() && carried_[s] != 0)
      have_lanes = dependencies_.add(out_[s], next, carried_[s]) && have_lanes;
    if (aim_.hosts > 0 && !states_.injected(column_, s, out_[s])) have_lanes = false;
  }
  return have_lanes;
}

bool ColumnRoutes::is_possible(const EntryChange& change, std::size_t losses) {
  if (aim_.hosts == 0) return true;
  const auto own = states_.injected(column_, change.at, change.by);
  if (!own) return false;
  StateSet states = *own;
  std::size_t lost = 0;
  for (SwitchId child : children(change.at))
    if (dependencies_.possible(out_[child], change.by, carried_[child]))
      states |= states_.after_all(out_[child], change.by, carried_[child]);
    else
      ++lost;
  const ChannelId next = out_[fabric_.to(change.by)];
  return lost <= losses && (!next.valid() || dependencies_.possible(change.by, next, states));
}

bool ColumnRoutes::is_possible_end(const EntryChange& change) {
  const ChannelId next = out_[fabric_.to(change.by)];
  if (aim_.hosts == 0 || !next.valid()) return true;
  const auto own = states_.injected(column_, change.at, change.by);
  const StateSet states = states_.keep_lanes() ? carried_[change.at] : own.value_or(0);
  return own && dependencies_.possible(change.by, next, states);
}

unsigned ColumnRoutes::unused_turns(const std::vector<EntryChange>& changes) const {
  const EntryChange first = changes.front(), last = changes.back();
  unsigned count = 0;
  StateSet states = states_.injected(column_, first.at, first.by).value_or(0);
  for_each_child(first.at, [&](SwitchId child) {
    count += dependencies_.unused(out_[child], first.by, carried_[child]);
    states |= states_.after_all(out_[child], first.by, carried_[child]);
  });
  const ChannelId next = out_[fabric_.to(last.by)];
  if (aim_.hosts > 0 && next.valid()) count += dependencies_.unused(last.by, next, states);
  return count;
}

/// Marks an orphan and those that it sends through: other packets come to them.
void ColumnRoutes::mark_affected(SwitchId s) {
  while (is_affected_[s] == 0) {
    is_affected_[s] = 1;
    affected_.push_back(s);
    if (out_[s].valid()) s = fabric_.to(out_[s]);
  }
}

bool ColumnRoutes::apply(const std::vector<EntryChange>& changes,
                         std::span<const SwitchId> other_lanes, std::size_t losses) {
  dependencies_.begin_trial();
  mark_affected(changes.front().at);
  for (SwitchId s : other_lanes) mark_affected(s);
  for (std::size_t i = 0; i + 1 < changes.size(); ++i) mark_affected(fabric_.to(changes[i].by));
  lost_.clear();
  take_out(affected_);
  for (const EntryChange& change : changes) set_out(change.at, change.by);
  const SwitchId last = changes.back().at;
  const bool allowed = gather(last, losses) && send_on(last);
  if (allowed)
    commit();
  else
    roll_back();
  for (SwitchId s : affected_) is_affected_[s] = 0;
  affected_.clear();
  return allowed;
}

/// Finds what packets leave an affected switch, from those behind it; false when they may not.
bool ColumnRoutes::gather(SwitchId s, std::size_t losses) {
  if (aim_.hosts == 0) return true;
  const ChannelId by = out_[s];
  const auto own = states_.injected(column_, s, by);
  if (!own) return false;
  StateSet states = *own;
  for (ChannelId leaving : fabric_.out(s)) {
    const ChannelId in = reverse(leaving);
    const SwitchId child = fabric_.to(leaving);
    if (out_[child] != in) continue;
    if (is_affected_[child] != 0 && !gather(child, losses)) return false;
    if (insert(in, by, carried_[child])) {
      states |= states_.after_all(in, by, carried_[child]);
      continue;
    }
    if (is_affected_[child] != 0 || lost_.size() == losses) return false;
    lost_.push_back(child);
    take_out({child});
    set_out(child, ChannelId::none());
  }
  set_carried(s, states);
  return true;
}

/// Takes packets that leave a switch on to the destination.
bool ColumnRoutes::send_on(SwitchId s) {
  ChannelId in = out_[s];
  StateSet states = carried_[s];
  for (SwitchId at = fabric_.to(in); at != aim_.to && states != 0; at = fabric_.to(in)) {
    const ChannelId by = out_[at];
    if (!insert(in, by, states)) return false;
    states = states_.after_all(in, by, states) & ~carried_[at];
    set_carried(at, carried_[at] | states);
    in = by;
  }
  return true;
}

void ColumnRoutes::set_out(SwitchId s, ChannelId by) {
  journal_.push_back({JournalEntry::out, {}, out_[s], s, 0});
  out_[s] = by;
}

void ColumnRoutes::set_carried(SwitchId s, StateSet states) {
  journal_.push_back({JournalEntry::carried, {}, {}, s, carried_[s]});
  carried_[s] = states;
}

bool ColumnRoutes::insert(ChannelId in, ChannelId by, StateSet states) {
  if (!dependencies_.insert(in, by, states)) return false;
  journal_.push_back({JournalEntry::inserted, in, by, {}, states});
  return true;
}

void ColumnRoutes::erase(ChannelId in, ChannelId by, StateSet states) {
  dependencies_.erase(in, by, states);
  journal_.push_back({JournalEntry::erased, in, by, {}, states});
}

/// Takes out the turns of packets at some switches.
void ColumnRoutes::take_out(const std::vector<SwitchId>& switches) {
  for (SwitchId s : switches)
    if (out_[s].valid())
      for_each_child(s, [&](SwitchId child) { erase(out_[child], out_[s], carried_[child]); });
  for (SwitchId s : switches) set_carried(s, 0);
}

void ColumnRoutes::commit() {
  dependencies_.end_trial();
  journal_.clear();
}

void ColumnRoutes::roll_back() {
  for (; !journal_.empty(); journal_.pop_back()) {
    const JournalEntry& entry = journal_.back();
    if (entry.kind == JournalEntry::out) out_[entry.at] = entry.by;
    if (entry.kind == JournalEntry::carried) carried_[entry.at] = entry.states;
    if (entry.kind == JournalEntry::inserted) dependencies_.erase(entry.in, entry.by, entry.states);
    if (entry.kind == JournalEntry::erased)
      invariant(dependencies_.insert(entry.in, entry.by, entry.states),
                "turns that were free of cycles close one");
  }
}

}  // namespace weft
