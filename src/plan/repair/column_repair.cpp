// SPDX-License-Identifier: Apache-2.0
// Detours are tried in the order of the entries that they change. Where none is possible, the
// entries of a whole tree are chosen anew, then service levels, then the entries of the column.
#include "plan/repair/column_repair.hpp"

#include <algorithm>
#include <deque>
#include <utility>

namespace weft {
namespace {

constexpr std::uint32_t no_detour = 0xFFFF'FFFF;
constexpr std::size_t most_options = 256;   ///< detours that are compared
constexpr std::size_t most_steps = 20'000;  ///< of the search for them
constexpr std::size_t further_changes = 2;  ///< beyond the fewest, before a tree is dissolved

}  // namespace

ColumnRepair::ColumnRepair(Tables& tables, const std::vector<bool>& sources,
                           const PacketStates& states, LaneDependencies& dependencies,
                           const Fabric& fabric)
    : fabric_(fabric),
      tables_(tables),
      sources_(sources),
      states_(states),
      dependencies_(dependencies),
      kept_(fabric),
      moved_(fabric.channel_count(), 0),
      out_(fabric.switch_count()),
      carried_(fabric.switch_count(), 0),
      depth_(fabric.switch_count(), 0),
      behind_(fabric.switch_count(), 0),
      joined_(fabric.switch_count(), 0),
      is_root_(fabric.switch_count(), 0),
      tried_(fabric.switch_count(), 0),
      in_tree_(fabric.switch_count(), 0),
      on_detour_(fabric.switch_count(), 0),
      distance_(fabric.switch_count(), 0),
      is_affected_(fabric.switch_count(), 0) {}

void ColumnRepair::load(ColumnId column, const ColumnAim& aim) {
  column_ = column;
  aim_ = aim;
  kept_.load(std::get<DestinationTables>(tables_.paths)[column], aim.to);
  for (SwitchId s : fabric_.switches()) {
    out_[s] = kept_.out(s);
    depth_[s] = kept_.depth(s);
    carried_[s] = 0;
  }
  find_sources_behind();
  if (aim.hosts == 0) return;
  for (SwitchId s : kept_.order()) {
    carried_[s] |= states_.injected(column_, s, out_[s]).value_or(0);
    const SwitchId at = fabric_.to(out_[s]);
    if (out_[at].valid()) carried_[at] |= states_.after_all(out_[s], out_[at], carried_[s]);
  }
}

void ColumnRepair::find_sources_behind() {
  for (SwitchId s : fabric_.switches()) behind_[s] = sources_[s.index()] ? 1 : 0;
  for (SwitchId s : kept_.order()) behind_[fabric_.to(out_[s])] |= behind_[s];
}

bool ColumnRepair::count_turns() {
  bool have_lanes = true;
  for (SwitchId s : kept_.order()) {
    const ChannelId next = out_[fabric_.to(out_[s])];
    if (next.valid() && carried_[s] != 0)
      have_lanes = dependencies_.add(out_[s], next, carried_[s]) && have_lanes;
    if (aim_.hosts > 0 && !states_.injected(column_, s, out_[s])) have_lanes = false;
  }
  return have_lanes;
}

/// Marks the switches that links join with the destination.
void ColumnRepair::find_joined() {
  joined_.assign(fabric_.switch_count(), 0);
  std::vector<SwitchId> queue{aim_.to};
  joined_[aim_.to] = 1;
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (ChannelId c : fabric_.out(queue[i]))
      if (joined_[fabric_.to(c)] == 0) {
        joined_[fabric_.to(c)] = 1;
        queue.push_back(fabric_.to(c));
      }
}

bool ColumnRepair::is_broken() const {
  const auto roots = kept_.roots();
  return std::any_of(roots.begin(), roots.end(), [&](SwitchId s) { return behind_[s] != 0; });
}

std::optional<SwitchId> ColumnRepair::repair() {
  find_joined();
  for (SwitchId s : fabric_.switches()) is_root_[s] = 0;
  roots_.clear();
  offers_ = {};
  any_root_ = dissolved_ = false;
  waiting_ = 0;
  for (SwitchId s : kept_.roots()) add_root(s);
  const auto waits = [&](SwitchId s) { return is_waiting(s); };
  for (;;) {
    take_offers();
    std::erase_if(roots_, [&](SwitchId s) { return is_root_[s] == 0; });
    const auto waiting = std::find_if(roots_.begin(), roots_.end(), waits);
    if (waiting == roots_.end()) break;
    if (!escalate()) return source_of(*waiting);
  }
  write_entries();
  return std::nullopt;
}

/// Some source that sends through a root.
SwitchId ColumnRepair::source_of(SwitchId root) const {
  SwitchId at = root;
  while (!sources_[at.index()]) {
    SwitchId next = at;
    for_each_child(at, [&](SwitchId child) { next = behind_[child] != 0 ? child : next; });
    if (next == at) break;
    at = next;
  }
  return at;
}

void ColumnRepair::write_entries() {
  const auto next = std::get<DestinationTables>(tables_.paths)[column_];
  for (SwitchId s : fabric_.switches())
    if (out_[s].valid())
      next[s.index()] = fabric_.out_port(out_[s]);
    else if (kept_.cut(s) && behind_[s] != 0)
      next[s.index()] = no_port;  // packets would run in a loop
}

void ColumnRepair::add_root(SwitchId s) {
  is_root_[s] = 1;
  roots_.push_back(s);
  tried_[s] = 0;
  waiting_ += needed(s) ? 1 : 0;
  for (ChannelId c : fabric_.out(s))
    if (depth_[fabric_.to(c)] != 0) offer(s, fabric_.to(c));
}

void ColumnRepair::offer(SwitchId root, SwitchId by) {
  const ChannelId had = kept_.entry(root);
  const bool by_entry = had.valid() && fabric_.to(had) == by;
  offers_.emplace(!by_entry, depth_[by] + 1, root);
}

/// Whether a root is to be attached.
bool ColumnRepair::accepts(SwitchId root) const {
  return is_root_[root] != 0 && (any_root_ || needed(root));
}

void ColumnRepair::offer_neighbours(SwitchId s) {
  for (ChannelId c : fabric_.out(s))
    if (is_root_[fabric_.to(c)] != 0) offer(fabric_.to(c), s);
}

/// Attaches roots by one changed entry each, those near the destination first.
void ColumnRepair::take_offers() {
  while (!offers_.empty() && waiting_ > 0) {
    const SwitchId root = std::get<SwitchId>(offers_.top());
    offers_.pop();
    if (accepts(root) && std::exchange(tried_[root], settled_) != settled_) attach(root, 1, 0);
  }
}

/// Takes one step that costs more; false when there is none left.
bool ColumnRepair::escalate() {
  const std::vector<SwitchId> roots = roots_;
  for (std::size_t further = 0; further <= further_changes; ++further)
    for (SwitchId root : roots) {
      if (!is_waiting(root)) continue;
      find_tree(root);
      find_distances();
      if (distance_[root] == no_detour) continue;
      const std::size_t cost = distance_[root] + further;
      for (std::size_t losses = 0; losses <= further; ++losses)
        if (attach(root, cost - losses, losses)) return true;
    }
  if (!std::exchange(any_root_, true)) {
    for (SwitchId s : fabric_.switches())
      if (depth_[s] != 0) offer_neighbours(s);
    return true;
  }
  for (SwitchId root : roots) {
    find_tree(root);
    if (!is_waiting(root) || tree_.size() == 1) continue;
    dissolve(tree_);
    return true;
  }
  for (SwitchId root : roots)
    if (is_waiting(root) && change_level(root)) return true;
  if (std::exchange(dissolved_, true)) return false;
  std::vector<SwitchId> all;
  for (SwitchId s : fabric_.switches())
    if (s != aim_.to) all.push_back(s);
  dissolve(all);
  return true;
}

/// Takes the entries of switches back: each becomes a root of its own.
void ColumnRepair::dissolve(std::vector<SwitchId> switches) {
  take_out(switches);
  ++settled_;
  for (SwitchId s : switches) {
    set_out(s, ChannelId::none());
    depth_[s] = 0;
    if (is_root_[s] != 0 && needed(s)) --waiting_;
    behind_[s] = sources_[s.index()] ? 1 : 0;
  }
  std::erase_if(roots_, [&](SwitchId s) { return depth_[s] == 0 && is_root_[s] == 0; });
  for (SwitchId s : switches)
    if (is_root_[s] == 0)
      add_root(s);
    else if (needed(s))
      ++waiting_;
  journal_.clear();
  for (SwitchId s : fabric_.switches())
    if (depth_[s] != 0) offer_neighbours(s);
}

/// Gives the packets of a switch, which has no others to pass on, another service level.
bool ColumnRepair::change_level(SwitchId root) {
  auto* service = std::get_if<ServiceLanes>(&tables_.lanes);
  if (service == nullptr || aim_.hosts == 0) return false;
  const auto levels = service->level[column_];
  std::vector<std::size_t> places;
  if (service->by_host)
    for (HostId host : fabric_.hosts_on(root)) places.push_back(host.index());
  else
    places.push_back(root.index());
  std::vector<std::uint8_t> before;
  for (const std::size_t place : places) before.push_back(levels[place]);
  const int count = service->map ? service->map->levels : tables_.lane_count;
  for (int level = 0; level < count; ++level) {
    for (const std::size_t place : places) levels[place] = static_cast<std::uint8_t>(level);
    if (attach(root, 1, 0)) return true;
  }
  for (std::size_t i = 0; i < places.size(); ++i) levels[places[i]] = before[i];
  return false;
}

/// The switches that send through a root, and the root.
void ColumnRepair::find_tree(SwitchId root) {
  for (SwitchId s : tree_) in_tree_[s] = 0;
  root_ = root;
  tree_.assign(1, root);
  in_tree_[root] = 1;
  for (std::size_t i = 0; i < tree_.size(); ++i)
    for_each_child(tree_[i], [&](SwitchId child) {
      in_tree_[child] = 1;
      tree_.push_back(child);
    });
}

/// How many changed entries lead each switch of the tree to where the column arrives.
void ColumnRepair::find_distances() {
  std::deque<SwitchId> queue;
  const auto offer = [&](SwitchId s, std::uint32_t distance, bool first) {
    if (distance_[s] <= distance) return;
    distance_[s] = distance;
    if (first)
      queue.push_front(s);
    else
      queue.push_back(s);
  };
  for (SwitchId s : tree_) distance_[s] = no_detour;
  for (SwitchId s : tree_)
    for (ChannelId c : fabric_.out(s))
      if (depth_[fabric_.to(c)] != 0) offer(s, 1, false);
  while (!queue.empty()) {
    const SwitchId at = queue.front();
    queue.pop_front();
    for (ChannelId leaving : fabric_.out(at)) {
      const SwitchId from = fabric_.to(leaving);
      if (in_tree_[from] == 0) continue;
      const bool kept = out_[from] == reverse(leaving);
      offer(from, distance_[at] + (kept ? 0 : 1), kept);
    }
  }
}

/// Leads a root out of its tree by so many changed entries, and cuts off at most so many switches.
bool ColumnRepair::attach(SwitchId root, std::size_t changes, std::size_t losses) {
  options_.clear();
  changes_.clear();
  steps_left_ = most_steps;
  root_ = root;
  extend(root, changes);
  std::stable_sort(options_.begin(), options_.end(),
                   [](const auto& a, const auto& b) { return a.key < b.key; });
  for (const DetourOption& option : options_) {
    if (!apply(option.changes, losses)) continue;
    ++moved_[option.changes.front().by];
    is_root_[root] = 0;
    waiting_ -= needed(root) ? 1 : 0;
    ++settled_;
    for (SwitchId s : lost_) behind_[s] = 1;
    settle(option.changes.back().at);
    for (SwitchId s : lost_) add_root(s);
    return true;
  }
  return false;
}

/// Continues detours at a switch whose entry changes, with so many changes left; between two
/// changes a detour follows the entries of the tree.
void ColumnRepair::extend(SwitchId at, std::size_t left) {
  for (ChannelId by : fabric_.out(at)) {
    if (steps_left_ == 0 || options_.size() >= most_options) return;
    --steps_left_;
    const SwitchId to = fabric_.to(by);
    changes_.push_back({at, by});
    if (left == 1 && depth_[to] != 0) add_option(by);
    on_detour_[at] = 1;
    if (left > 1 && in_tree_[to] != 0)
      for (SwitchId s = to; on_detour_[s] == 0; s = fabric_.to(out_[s]))
        if (distance_[s] < left) extend(s, left - 1);
    on_detour_[at] = 0;
    changes_.pop_back();
  }
}

void ColumnRepair::add_option(ChannelId by) {
  const EntryChange first = changes_.front();
  const bool changed = kept_.entry(first.at) != first.by;
  options_.push_back(
      {{changed, unused_turns(changes_), moved_[first.by], depth_[fabric_.to(by)]}, changes_});
}

/// About how many dependencies of a detour are new: those of packets into its first channel and out
/// of its last.
unsigned ColumnRepair::unused_turns(const std::vector<EntryChange>& changes) const {
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

/// Marks the switches of the tree that a switch sends through: other packets come to them.
void ColumnRepair::mark_affected(SwitchId s) {
  for (; is_affected_[s] == 0; s = fabric_.to(out_[s])) {
    is_affected_[s] = 1;
    affected_.push_back(s);
    if (s == root_) break;
  }
}

bool ColumnRepair::apply(const std::vector<EntryChange>& changes, std::size_t losses) {
  mark_affected(root_);
  for (std::size_t i = 0; i + 1 < changes.size(); ++i) mark_affected(fabric_.to(changes[i].by));
  lost_.clear();
  take_out(affected_);
  for (const EntryChange& change : changes) set_out(change.at, change.by);
  const SwitchId last = changes.back().at;
  const bool allowed = gather(last, losses) && send_on(last);
  if (!allowed) roll_back();
  journal_.clear();
  for (SwitchId s : affected_) is_affected_[s] = 0;
  affected_.clear();
  return allowed;
}

/// Finds what packets leave an affected switch, from those behind it; false when they may not.
bool ColumnRepair::gather(SwitchId s, std::size_t losses) {
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
bool ColumnRepair::send_on(SwitchId s) {
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

/// Notes that the routes of a switch and of all that send through it arrive.
void ColumnRepair::settle(SwitchId first) {
  std::vector<SwitchId> settled{first};
  depth_[first] = depth_[fabric_.to(out_[first])] + 1;
  for (std::size_t i = 0; i < settled.size(); ++i) {
    const SwitchId at = settled[i];
    for_each_child(at, [&](SwitchId child) {
      depth_[child] = depth_[at] + 1;
      settled.push_back(child);
    });
  }
  for (SwitchId s : settled) offer_neighbours(s);
}

void ColumnRepair::set_out(SwitchId s, ChannelId by) {
  journal_.push_back({JournalEntry::out, {}, out_[s], s, 0});
  out_[s] = by;
}

void ColumnRepair::set_carried(SwitchId s, StateSet states) {
  journal_.push_back({JournalEntry::carried, {}, {}, s, carried_[s]});
  carried_[s] = states;
}

bool ColumnRepair::insert(ChannelId in, ChannelId by, StateSet states) {
  if (!dependencies_.insert(in, by, states)) return false;
  journal_.push_back({JournalEntry::inserted, in, by, {}, states});
  return true;
}

void ColumnRepair::erase(ChannelId in, ChannelId by, StateSet states) {
  dependencies_.erase(in, by, states);
  journal_.push_back({JournalEntry::erased, in, by, {}, states});
}

/// Takes out the turns of packets at some switches.
void ColumnRepair::take_out(const std::vector<SwitchId>& switches) {
  for (SwitchId s : switches)
    if (out_[s].valid())
      for_each_child(s, [&](SwitchId child) { erase(out_[child], out_[s], carried_[child]); });
  for (SwitchId s : switches) set_carried(s, 0);
}

void ColumnRepair::roll_back() {
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
