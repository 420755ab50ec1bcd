// SPDX-License-Identifier: Apache-2.0
// Repairs a column as a tree: the switches behind what failed, its orphans, are attached again to
// the rest of the tree, those with the shortest routes first.
#include "plan/repair/repair.hpp"

#include <algorithm>

#include "fabric/column_tree.hpp"
#include "fabric/distances.hpp"

namespace weft {
namespace {

/// Whether the column of a host leads to it from its switch.
bool ends_at(const Fabric& fabric, const Tables& tables, HostId host) {
  const ColumnId column = tables.to_host[host];
  if (!column.valid()) return false;
  const PortNumber end = std::get<DestinationTables>(tables.paths)[column][fabric[host].on.index()];
  return end == here || end == fabric[host].port;
}

}  // namespace

bool TableRepair::serves(const Fabric& fabric, const Tables& tables) {
  const auto* next = std::get_if<DestinationTables>(&tables.paths);
  if (next == nullptr || tables.lane_count != 1 || are_levels_unknown(tables)) return false;
  if (!tables.groups.empty()) return false;
  if (fabric.host_count() == 0 || fabric.switch_count() >= 0xFFFF) return false;
  std::vector<SwitchId> last(next->size());
  for (HostId h : fabric.hosts()) {
    if (!ends_at(fabric, tables, h)) continue;
    SwitchId& at = last[tables.to_host[h].index()];
    if (at.valid() && at != fabric[h].on) return false;
    at = fabric[h].on;
  }
  return true;
}

TableRepair::TableRepair(const Fabric& fabric, const Tables& tables)
    : fabric_(fabric),
      tables_(tables),
      turns_(fabric),
      order_(turns_),
      repaired_(tables),
      next_(std::get<DestinationTables>(repaired_.paths)),
      depth_(next_.size(), fabric.switch_count(), 0),
      by_switch_(fabric.switch_count(), next_.size(), no_port),
      last_(next_.size()),
      aims_(next_.size(), 0),
      column_totals_(next_.size()),
      hosts_on_(fabric.switch_count(), 0),
      used_turns_(turns_.size(), false),
      dead_(fabric.channel_count(), 0),
      gone_(fabric.switch_count(), 0),
      closes_cycle_(turns_.size(), false),
      changed_columns_(next_.size(), false),
      most_(next_.size(), 0),
      moved_(fabric.channel_count(), 0),
      is_orphan_(fabric.switch_count(), 0),
      by_length_(fabric.switch_count() + 2) {
  for (SwitchId s : fabric.switches()) hosts_on_[s] = fabric.hosts_on(s).size();
  for (HostId h : fabric.hosts()) {
    if (!ends_at(fabric, tables, h)) continue;
    last_[tables.to_host[h].index()] = fabric[h].on;
    ++aims_[tables.to_host[h].index()];
  }
  for (ColumnId c : next_.ids())
    for (SwitchId s : fabric.switches())
      by_switch_[ColumnId(s.index())][c.index()] = next_[c][s.index()];
  measure_columns();
  order_turns();
}

void TableRepair::measure_columns() {
  ColumnTree tree(fabric_);
  for (ColumnId c : next_.ids()) {
    if (aims_[c.index()] == 0) continue;
    tree.load(next_[c]);
    const auto depth = depth_[c];
    depth[last_[c.index()].index()] = 1;
    const auto order = tree.order();
    for (std::size_t i = order.size(); i-- > 0;) {
      const Depth beyond = depth[tree.next(order[i]).index()];
      if (order[i] != last_[c.index()] && beyond != 0)
        depth[order[i].index()] = static_cast<Depth>(beyond + 1);
    }
    const ColumnTotals& total = column_totals_[c.index()] = totals(c);
    whole_.reached += total.reached;
    whole_.hop_sum += total.hop_sum;
    whole_.most_hops = std::max(whole_.most_hops, total.most_hops);
  }
}

TableRepair::ColumnTotals TableRepair::totals(ColumnId column) const {
  ColumnTotals out;
  const auto depth = depth_[column];
  for (SwitchId s : fabric_.switches()) {
    const std::uint64_t hops = depth[s.index()];
    if (hops == 0 || sources(s) == 0) continue;
    const std::uint64_t pairs = sources(s) * aims_[column.index()];
    out.reached += pairs;
    out.hop_sum += pairs * hops;
    out.most_hops = std::max(out.most_hops, hops);
  }
  return out;
}

/// Orders the channels by the turns of all routes from hosts, if that can be done; packets that
/// never arrive take turns, too.
void TableRepair::order_turns() {
  ColumnTree tree(fabric_);
  IdVector<SwitchId, std::uint8_t> carries(fabric_.switch_count(), 0);
  std::vector<bool> used(next_.size(), false);
  for (const ColumnId column : tables_.to_host)
    if (column.valid()) used[column.index()] = true;
  for (ColumnId c : next_.ids()) {
    if (!used[c.index()]) continue;
    tree.load(next_[c]);
    for (SwitchId s : fabric_.switches())
      carries[s] = hosts_on_[s] > 0 && tree.out(s).valid() ? 1 : 0;
    for (SwitchId s : tree.order()) {
      const SwitchId at = tree.next(s);
      const bool carried = std::exchange(carries[s], std::uint8_t{0}) != 0;
      if (!carried || s == last_[c.index()]) continue;
      if (at == last_[c.index()] || !tree.out(at).valid()) continue;
      carries[at] = 1;
      const std::size_t turn = turns_(tree.out(s), tree.out(at));
      if (used_turns_[turn]) continue;
      used_turns_[turn] = true;
      certified_ = certified_ && order_.insert(tree.out(s), tree.out(at));
    }
    const auto loops = [](std::uint8_t carried) { return carried != 0; };
    if (std::any_of(carries.begin(), carries.end(), loops)) certified_ = false;
  }
}

void TableRepair::undo() {
  for (const EntryBefore& entry : changes_) {
    next_[entry.column][entry.on.index()] = entry.port;
    depth_[entry.column][entry.on.index()] = entry.depth;
  }
  for (const Turn& turn : turns_added_) order_.erase(turn.in, turn.out);
  for (const Turn& turn : turns_taken_out_)
    invariant(order_.insert(turn.in, turn.out), "the turns of acyclic tables close a cycle");
  for (ChannelId c : dead_channels_) dead_[c] = 0;
  for (SwitchId s : gone_switches_) gone_[s] = 0;
  for (ChannelId c : moved_channels_) moved_[c] = 0;
  for (const std::size_t turn : known_cycles_) closes_cycle_[turn] = false;
  known_cycles_.clear();
  for (const EntryBefore& entry : changes_) changed_columns_[entry.column.index()] = false;
  changes_.clear();
  turns_added_.clear();
  turns_taken_out_.clear();
  dead_channels_.clear();
  gone_switches_.clear();
  moved_channels_.clear();
  component_ = {};
}

void TableRepair::kill(ChannelId channel) {
  if (dead_[channel] != 0) return;
  dead_[channel] = 1;
  dead_channels_.push_back(channel);
  if (!certified_) return;
  const auto take_out = [&](ChannelId in, ChannelId out) {
    if (!used_turns_[turns_(in, out)] || (dead_[in] != 0 && dead_[out] != 0)) return;
    order_.erase(in, out);
    turns_taken_out_.push_back({in, out});
  };
  for (ChannelId out : fabric_.out(fabric_.to(channel))) take_out(channel, out);
  for (ChannelId leaving : fabric_.out(fabric_.from(channel))) take_out(reverse(leaving), channel);
}

void TableRepair::remove(const Removal& failure) {
  for (SwitchId s : failure.switches) {
    gone_[s] = 1;
    gone_switches_.push_back(s);
    for (ChannelId c : fabric_.out(s)) {
      kill(c);
      kill(reverse(c));
    }
  }
  for (LinkId l : failure.links) {
    kill(ChannelId(2 * l.index()));
    kill(ChannelId(2 * l.index() + 1));
  }
}

/// Entries of remaining switches that lead over dead channels, by column.
std::vector<TableRepair::BrokenEntry> TableRepair::broken_entries() const {
  std::vector<BrokenEntry> out;
  for (ChannelId c : dead_channels_) {
    const SwitchId on = fabric_.from(c);
    if (gone_[on] != 0) continue;
    const auto entries = by_switch_[ColumnId(on.index())];
    const PortNumber port = fabric_.out_port(c);
    for (std::size_t column = 0; column < entries.size(); ++column)
      if (entries[column] == port && (!last_[column].valid() || gone_[last_[column]] == 0))
        out.push_back({ColumnId(column), on});
  }
  std::sort(out.begin(), out.end(), [](const BrokenEntry& a, const BrokenEntry& b) {
    return a.column != b.column ? a.column < b.column : a.on < b.on;
  });
  return out;
}

/// Takes the pairs of hosts that are gone out of the sums.
void TableRepair::leave_out_hosts(RepairResult& result) {
  if (gone_switches_.empty()) return;
  for (ColumnId c : next_.ids()) {
    if (aims_[c.index()] == 0) continue;
    const ColumnTotals& total = column_totals_[c.index()];
    if (gone_[last_[c.index()]] != 0) {
      result.reached -= total.reached;
      result.hop_sum -= total.hop_sum;
      most_[c.index()] = 0;
      continue;
    }
    bool longest = false;
    for (SwitchId s : gone_switches_) {
      const std::uint64_t hops = depth_[c][s.index()];
      const std::uint64_t pairs = hops == 0 ? 0 : hosts_on_[s] * aims_[c.index()];
      result.reached -= pairs;
      result.hop_sum -= pairs * hops;
      longest = longest || hops == total.most_hops;
    }
    if (longest) most_[c.index()] = totals(c).most_hops;
  }
}

RepairResult TableRepair::operator()(const Removal& failure, bool may_give_up) {
  invariant(failure.hosts.empty(), "failures are those of links and switches");
  undo();
  remove(failure);
  RepairResult result = whole_;
  for (std::size_t c = 0; c < most_.size(); ++c) most_[c] = column_totals_[c].most_hops;
  leave_out_hosts(result);
  broken_ = broken_entries();
  for (std::size_t first = 0, last = 0; first < broken_.size(); first = last) {
    if (may_give_up && !result.complete) break;
    const ColumnId column = broken_[first].column;
    while (last < broken_.size() && broken_[last].column == column) ++last;
    repair_column(column, first, last, result);
  }
  result.most_hops = *std::max_element(most_.begin(), most_.end());
  return result;
}

void TableRepair::repair_column(ColumnId column, std::size_t first, std::size_t last,
                                RepairResult& result) {
  collect_orphans(column, first, last);
  reattach(column);
  account(column, result);
  for (SwitchId s : orphans_) is_orphan_[s] = 0;
}

/// The switches with broken entries and all that send their packets through them. They have no
/// entry until they are attached again.
void TableRepair::collect_orphans(ColumnId column, std::size_t first, std::size_t last) {
  const auto next = next_[column];
  const auto depth = depth_[column];
  orphans_.clear();
  before_.clear();
  waiting_ = 0;
  const auto add = [&](SwitchId s) {
    if (is_orphan_[s] != 0 || gone_[s] != 0) return;
    is_orphan_[s] = 1;
    orphans_.push_back(s);
    before_.push_back({column, s, next[s.index()], depth[s.index()]});
    waiting_ += hosts_on_[s] > 0 ? 1 : 0;
  };
  for (std::size_t i = first; i < last; ++i) add(broken_[i].on);
  const bool leads_somewhere = aims_[column.index()] > 0;
  for (std::size_t i = 0; i < orphans_.size() && leads_somewhere; ++i)
    for (ChannelId out : fabric_.out(orphans_[i])) {
      const ChannelId in = reverse(out);
      if (dead_[in] == 0 && next[fabric_.from(in).index()] == fabric_.out_port(in))
        add(fabric_.from(in));
    }
  for (SwitchId s : orphans_) {
    next[s.index()] = no_port;
    depth[s.index()] = 0;
  }
}

void TableRepair::offer(SwitchId s, std::size_t depth) {
  if (depth >= by_length_.size()) return;
  by_length_[depth].push_back(s);
  shortest_ = std::min(shortest_, depth);
  longest_ = std::max(longest_, depth);
}

void TableRepair::reattach(ColumnId column) {
  const auto depth = depth_[column];
  shortest_ = by_length_.size();
  longest_ = 0;
  for (SwitchId s : orphans_)
    for (ChannelId out : fabric_.out(s))
      if (dead_[out] == 0 && depth[fabric_.to(out).index()] != 0)
        offer(s, depth[fabric_.to(out).index()] + std::size_t{1});
  for (std::size_t d = shortest_; d <= longest_; ++d) {
    for (std::size_t i = 0; i < by_length_[d].size() && waiting_ > 0; ++i) {
      const SwitchId s = by_length_[d][i];
      if (depth[s.index()] != 0 || !attach(column, s, static_cast<Depth>(d))) continue;
      waiting_ -= hosts_on_[s] > 0 ? 1 : 0;
      for (ChannelId out : fabric_.out(s))
        if (dead_[out] == 0 && is_orphan_[fabric_.to(out)] != 0 &&
            depth[fabric_.to(out).index()] == 0)
          offer(fabric_.to(out), d + 1);
    }
    by_length_[d].clear();
  }
}

/// Adds a turn of repaired routes unless it closes a dependency cycle.
bool TableRepair::allow(ChannelId in, ChannelId out) {
  const std::size_t turn = turns_(in, out);
  if (closes_cycle_[turn]) return false;
  if (!order_.insert(in, out)) {
    closes_cycle_[turn] = true;
    known_cycles_.push_back(turn);
    return false;
  }
  turns_added_.push_back({in, out});
  return true;
}

/// Allows the turns of a route that begins with a channel. From a switch with hosts on they are
/// those of its packets, but nobody may have sent by a switch without hosts before.
bool TableRepair::allow_route(ColumnId column, ChannelId by) {
  for (SwitchId at = fabric_.to(by); certified_ && at != last_[column.index()];) {
    const ChannelId next = fabric_.channel_at(at, next_[column][at.index()]);
    if (!allow(by, next)) return false;
    if (hosts_on_[fabric_.to(by)] > 0) return true;
    by = next;
    at = fabric_.to(by);
  }
  return true;
}

/// Gives a switch an entry with a route of this length, if some turn allows it: the entry it had,
/// or else a port to which the fewest columns have moved.
bool TableRepair::attach(ColumnId column, SwitchId s, Depth depth_wanted) {
  const auto next = next_[column];
  const auto depth = depth_[column];
  const PortNumber had = by_switch_[ColumnId(s.index())][column.index()];
  options_.clear();
  for (ChannelId out : fabric_.out(s)) {
    const Depth beyond = depth[fabric_.to(out).index()];
    const PortNumber port = fabric_.out_port(out);
    if (dead_[out] == 0 && beyond != 0 && beyond + 1 == depth_wanted)
      options_.push_back({port == had ? 0 : moved_[out] + 1, port, out});
  }
  std::sort(options_.begin(), options_.end());
  for (const AttachPort& option : options_) {
    if (!allow_route(column, option.channel)) continue;
    next[s.index()] = option.port;
    depth[s.index()] = depth_wanted;
    if (moved_[option.channel]++ == 0) moved_channels_.push_back(option.channel);
    return true;
  }
  return false;
}

/// Notes what changed in the column.
void TableRepair::account(ColumnId column, RepairResult& result) {
  const std::size_t c = column.index();
  std::uint64_t& most = most_[c];
  bool look_again = false;
  for (const EntryBefore& before : before_) {
    const std::size_t s = before.on.index();
    const PortNumber port = next_[column][s];
    const std::uint64_t hops = depth_[column][s];
    if (port != before.port || hops != before.depth) {
      changes_.push_back(before);
      changed_columns_[c] = true;
    }
    result.changed_entries += port != before.port && aims_[c] > 0 ? 1 : 0;
    const std::uint64_t pairs = hosts_on_[before.on] * aims_[c];
    if (pairs == 0) continue;
    look_again = look_again || before.depth == most;
    most = std::max(most, hops);
    result.hop_sum += pairs * hops;
    result.hop_sum -= pairs * before.depth;
    result.reached += hops != 0 ? pairs : 0;
    result.reached -= before.depth != 0 ? pairs : 0;
    if (hops == 0 && before.depth != 0 && joined(before.on, last_[c])) result.complete = false;
  }
  if (look_again) most = totals(column).most_hops;
}

/// Whether the links that remain join two switches.
bool TableRepair::joined(SwitchId a, SwitchId b) {
  if (component_.empty()) {
    component_.assign(fabric_.switch_count(), 0);
    std::uint32_t count = 0;
    std::vector<SwitchId> queue;
    for (SwitchId start : fabric_.switches()) {
      if (component_[start] != 0) continue;
      queue.assign(1, start);
      component_[start] = ++count;
      for (std::size_t i = 0; i < queue.size(); ++i)
        for (ChannelId c : fabric_.out(queue[i]))
          if (dead_[c] == 0 && component_[fabric_.to(c)] == 0) {
            component_[fabric_.to(c)] = count;
            queue.push_back(fabric_.to(c));
          }
    }
  }
  return component_[a] == component_[b];
}

Tables repaired(const Fabric& fabric, Tables tables, Removal failure) {
  failure.hosts.clear();
  Tables unicast = tables;
  unicast.groups.clear();
  if (failure.empty() || !TableRepair::serves(fabric, unicast)) return tables;
  TableRepair repair(fabric, unicast);
  repair(failure, false);
  tables.paths = repair.tables().paths;
  return tables;
}

}  // namespace weft
