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
/// For detours with several changes, in all columns: less than half a second.
constexpr std::int64_t most_effort = 40'000'000;
constexpr std::int64_t effort_of_trial = 15'000;
constexpr std::size_t further_changes = 3;  ///< beyond the fewest, before a tree is dissolved

}  // namespace

ColumnRepair::ColumnRepair(Tables& tables, const std::vector<bool>& sources,
                           const PacketStates& states, LaneDependencies& dependencies,
                           const Fabric& fabric)
    : fabric_(fabric),
      tables_(tables),
      sources_(sources),
      kept_(fabric),
      routes_(fabric, states, dependencies),
      moved_(fabric.channel_count(), 0),
      depth_(fabric.switch_count(), 0),
      behind_(fabric.switch_count(), 0),
      joined_(fabric.switch_count(), 0),
      is_root_(fabric.switch_count(), 0),
      tried_(fabric.switch_count(), 0),
      in_tree_(fabric.switch_count(), 0),
      on_detour_(fabric.switch_count(), 0),
      distance_(fabric.switch_count(), 0),
      effort_left_(most_effort) {}

void ColumnRepair::load(ColumnId column, const ColumnAim& aim) {
  column_ = column;
  aim_ = aim;
  kept_.load(std::get<DestinationTables>(tables_.paths)[column], aim.to);
  routes_.load(kept_, column, aim);
  for (SwitchId s : fabric_.switches()) depth_[s] = kept_.depth(s);
  find_sources_behind();
}

void ColumnRepair::find_sources_behind() {
  for (SwitchId s : fabric_.switches()) behind_[s] = sources_[s.index()] ? 1 : 0;
  for (SwitchId s : kept_.order()) behind_[fabric_.to(routes_.out(s))] |= behind_[s];
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
    routes_.for_each_child(at, [&](SwitchId child) { next = behind_[child] != 0 ? child : next; });
    if (next == at) break;
    at = next;
  }
  return at;
}

void ColumnRepair::write_entries() {
  const auto next = std::get<DestinationTables>(tables_.paths)[column_];
  for (SwitchId s : fabric_.switches())
    if (routes_.out(s).valid())
      next[s.index()] = fabric_.out_port(routes_.out(s));
    else if (kept_.cut(s) && behind_[s] != 0)
      next[s.index()] = no_port;  // packets would run in a loop
}

void ColumnRepair::add_root(SwitchId s) {
  is_root_[s] = 1;
  roots_.push_back(s);
  tried_[s] = 0;
  waiting_ += needed(s) ? 1U : 0U;
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
  if (attach_one_of(roots, 0) || attach_one_of(roots, 1)) return true;
  for (SwitchId root : roots)
    if (is_waiting(root) && change_levels(root)) return true;
  std::size_t most = 0;
  for (SwitchId root : roots)
    if (is_waiting(root)) most = std::max(most, routes_.children(root).size());
  for (std::size_t losses = 2; losses <= most; ++losses)
    if (attach_one_of(roots, losses)) return true;
  if (!std::exchange(any_root_, true)) {
    for (SwitchId s : fabric_.switches())
      if (depth_[s] != 0) offer_neighbours(s);
    return true;
  }
  for (SwitchId root : roots)
    if (is_waiting(root) && !routes_.children(root).empty()) {
      split(root);
      return true;
    }
  if (std::exchange(dissolved_, true)) return false;
  dissolve_column();
  return true;
}

/// Finds the detour with the fewest changes that cuts off no more than so many switches.
bool ColumnRepair::attach_one_of(const std::vector<SwitchId>& roots, std::size_t losses) {
  for (std::size_t longer = 0; longer <= further_changes; ++longer)
    for (SwitchId root : roots) {
      if (!is_waiting(root)) continue;
      if (is_tired()) return false;
      find_tree(root);
      find_distances();
      if (distance_[root] == no_detour) continue;
      if (attach(root, distance_[root] + longer, losses)) return true;
    }
  return false;
}

/// Cuts off all that send through a root: they may be led out, and the root then through them.
void ColumnRepair::split(SwitchId root) {
  const std::vector<SwitchId> cut = routes_.children(root);
  waiting_ -= needed(root) ? 1U : 0U;
  behind_[root] = sources_[root.index()] ? 1 : 0;
  waiting_ += needed(root) ? 1U : 0U;
  routes_.cut_off(cut);
  ++settled_;
  for (SwitchId s : cut) add_root(s);
}

/// Takes all entries back.
void ColumnRepair::dissolve_column() {
  std::vector<SwitchId> all;
  for (SwitchId s : fabric_.switches())
    if (s != aim_.to) all.push_back(s);
  routes_.cut_off(all);
  roots_.clear();
  waiting_ = 0;
  ++settled_;
  for (SwitchId s : all) {
    depth_[s] = 0;
    behind_[s] = sources_[s.index()] ? 1 : 0;
  }
  for (SwitchId s : all) add_root(s);
}

/// Attaches a root after sources of its tree got another service level: those of one level, or all.
bool ColumnRepair::change_levels(SwitchId root) {
  auto* service = std::get_if<ServiceLanes>(&tables_.lanes);
  if (service == nullptr || aim_.hosts == 0) return false;
  find_tree(root);
  find_distances();
  if (distance_[root] == no_detour) return false;
  const auto levels = service->level[column_];
  std::vector<LevelBefore> before;
  for (SwitchId s : tree_) {
    if (!service->by_host && !fabric_.hosts_on(s).empty())
      before.push_back({s.index(), levels[s.index()]});
    for (HostId host : fabric_.hosts_on(s))
      if (service->by_host) before.push_back({host.index(), levels[host.index()]});
  }
  const int count = service->map ? service->map->levels : tables_.lane_count;
  for (int from = 0; from <= count; ++from)
    for (int to = 0; to < count; ++to) {
      bool any = false;
      for (const LevelBefore& source : before)
        if ((source.level == from || from == count) && source.level != to) {
          levels[source.place] = static_cast<std::uint8_t>(to);
          any = true;
        }
      other_lanes_ = tree_;
      const bool attached = any && attach(root, distance_[root], 0);
      other_lanes_ = {};
      if (attached) return true;
      for (const LevelBefore& source : before) levels[source.place] = source.level;
    }
  return false;
}

/// The switches that send through a root, and the root.
void ColumnRepair::find_tree(SwitchId root) {
  for (SwitchId s : tree_) in_tree_[s] = 0;
  tree_.assign(1, root);
  in_tree_[root] = 1;
  for (std::size_t i = 0; i < tree_.size(); ++i)
    routes_.for_each_child(tree_[i], [&](SwitchId child) {
      in_tree_[child] = 1;
      tree_.push_back(child);
    });
}

/// How many changed entries lead each switch of the tree to where the column arrives.
void ColumnRepair::find_distances() {
  effort_left_ -= static_cast<std::int64_t>(20 * tree_.size());
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
      const bool kept = routes_.out(from) == reverse(leaving);
      offer(from, distance_[at] + (kept ? 0 : 1), kept);
    }
  }
}

/// Leads a root out of its tree by so many changed entries, and cuts off at most so many switches.
bool ColumnRepair::attach(SwitchId root, std::size_t changes, std::size_t losses) {
  const bool costs = changes + losses > 1;
  if (costs && is_tired()) return false;
  options_.clear();
  changes_.clear();
  steps_left_ = most_steps;
  losses_ = losses;
  extend(root, changes);
  if (costs) effort_left_ -= static_cast<std::int64_t>(2 * (most_steps - steps_left_));
  std::stable_sort(options_.begin(), options_.end(),
                   [](const auto& a, const auto& b) { return a.key < b.key; });
  for (const DetourOption& option : options_) {
    if (costs) effort_left_ -= effort_of_trial;
    if (!routes_.apply(option.changes, other_lanes_, losses)) continue;
    ++moved_[option.changes.front().by];
    is_root_[root] = 0;
    waiting_ -= needed(root) ? 1U : 0U;
    ++settled_;
    for (SwitchId s : routes_.lost()) behind_[s] = 1;
    settle(option.changes.back().at);
    for (SwitchId s : routes_.lost()) add_root(s);
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
      for (SwitchId s = to; on_detour_[s] == 0 && steps_left_ > 0; s = fabric_.to(routes_.out(s))) {
        --steps_left_;
        if (distance_[s] < left) extend(s, left - 1);
      }
    on_detour_[at] = 0;
    changes_.pop_back();
  }
}

void ColumnRepair::add_option(ChannelId by) {
  const EntryChange first = changes_.front();
  if (other_lanes_.empty() && !(changes_.size() == 1 ? routes_.is_possible(first, losses_)
                                                     : routes_.is_possible_end(changes_.back())))
    return;
  const bool changed = kept_.entry(first.at) != first.by;
  options_.push_back(
      {{changed, routes_.unused_turns(changes_), moved_[first.by], depth_[fabric_.to(by)]},
       changes_});
}

/// Notes that the routes of a switch and of all that send through it arrive.
void ColumnRepair::settle(SwitchId first) {
  std::vector<SwitchId> settled{first};
  depth_[first] = depth_[fabric_.to(routes_.out(first))] + 1;
  for (std::size_t i = 0; i < settled.size(); ++i) {
    const SwitchId at = settled[i];
    routes_.for_each_child(at, [&](SwitchId child) {
      depth_[child] = depth_[at] + 1;
      settled.push_back(child);
    });
  }
  for (SwitchId s : settled) offer_neighbours(s);
}

}  // namespace weft
