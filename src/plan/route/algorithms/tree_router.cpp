// SPDX-License-Identifier: Apache-2.0
// The work for one destination grows with the switches, not with the links: parents hand the route
// to their children, and only where links are missing a switch looks through its ports.
#include "plan/route/algorithms/tree_router.hpp"

#include <algorithm>
#include <utility>

namespace weft {

TreeRouter::TreeRouter(const Fabric& fabric, const FatTree& tree, Orientation orientation)
    : fabric_(fabric),
      tree_(tree),
      orientation_(std::move(orientation)),
      up_(fabric.switch_count()),
      children_(fabric.switch_count()),
      place_(fabric.channel_count(), 0),
      hosts_(fabric.switch_count(), 0),
      loads_(fabric.channel_count(), 0),
      trunks_(fabric.channel_count()),
      rail_trunks_(tree.levels()),
      length_(fabric.switch_count(), unreachable),
      above_(fabric.switch_count(), 0),
      down_(fabric.switch_count()),
      usual_(fabric.switch_count(), no_port),
      met_by_(fabric.host_count()),
      is_aimed_(fabric.switch_count(), 0),
      needed_(fabric.switch_count(), 0),
      next_(fabric.switch_count()),
      flow_(fabric.switch_count(), 0) {
  order_links();
}

/// Channels to parents in the order of the tree, then those that only the orientation calls up.
void TreeRouter::order_links() {
  for (SwitchId s : fabric_.switches()) {
    hosts_[s] = fabric_.hosts_on(s).size();
    if (tree_.level(s) == no_level) continue;
    by_rank_.push_back(s);
    auto& rails = rail_trunks_[tree_.level(s)];
    if (rails.size() <= tree_.rail(s)) rails.resize(tree_.rail(s) + 1, 0);
    for (ChannelId c : tree_.up(s))
      if (orientation_.up(fabric_, c)) up_[s].push_back(c);
    for (ChannelId c : fabric_.out(s))
      if (tree_.level(fabric_.to(c)) < tree_.level(s) && orientation_.up(fabric_, c))
        up_[s].push_back(c);
    for (std::uint32_t place = 0; place < up_[s].size(); ++place) {
      const ChannelId c = up_[s][place];
      auto& children = children_[fabric_.to(c)];
      children.push_back({s, c, 1});
      for (std::size_t i = children.size() - 1; i-- > 0 && children[i].child == s;) {
        children.back().links = ++children[i].links;
        ++place_[reverse(c)];
      }
      place_[c] = place;
    }
  }
  std::sort(by_rank_.begin(), by_rank_.end(),
            [&](SwitchId a, SwitchId b) { return orientation_.rank[a] < orientation_.rank[b]; });
  std::vector<std::uint64_t> widest(tree_.levels(), 1);
  for (SwitchId s : by_rank_)
    widest[tree_.level(s)] = std::max<std::uint64_t>(widest[tree_.level(s)], tree_.up(s).size());
  std::uint64_t product = 1;
  for (const std::uint64_t width : widest) {
    divisor_.push_back(product);
    product *= width;
  }
}

void TreeRouter::route(HostId to, std::uint64_t number, std::span<PortNumber> column) {
  aim(fabric_[to].on);
  host_ = to;
  for (SwitchId s : aimed_) is_aimed_[s] = 0;
  choose_trunk(number);
  climb_to_trunk(number);
  std::uint64_t aiming = 0;
  for (SwitchId s : aimed_) aiming += hosts_[s];
  const bool all_aim = aiming == sources_;
  if (!all_aim) {
    descend(number);
    climb_elsewhere();
  }
  const auto& routed = all_aim ? aimed_ : by_length_;
  std::copy(usual_.begin(), usual_.end(), column.begin());
  for (SwitchId s : routed)
    if (s != to_) column[s.index()] = fabric_.out_port(next_[s]);
  add_flow(routed);
}

void TreeRouter::aim(SwitchId to) {
  if (to == to_) return;
  to_ = to;
  find_ancestors();
  find_lengths();
  fill_usual();
}

void TreeRouter::find_ancestors() {
  for (SwitchId s : ancestors_) down_[s].clear();
  std::fill(length_.begin(), length_.end(), unreachable);
  std::fill(above_.begin(), above_.end(), 0);
  ancestors_.assign(1, to_);
  length_[to_] = 0;
  above_[to_] = 1;
  for (std::size_t i = 0; i < ancestors_.size(); ++i) {
    const SwitchId at = ancestors_[i];
    for (ChannelId c : up_[at]) {
      const SwitchId parent = fabric_.to(c);
      if (above_[parent] == 0) {
        above_[parent] = 1;
        length_[parent] = length_[at] + 1;
        ancestors_.push_back(parent);
      }
      if (length_[parent] == length_[at] + 1) down_[parent].push_back(reverse(c));
    }
  }
}

void TreeRouter::find_lengths() {
  by_length_.clear();
  for (SwitchId s : by_rank_) {
    if (above_[s] == 0)
      for (ChannelId c : up_[s])
        if (length_[fabric_.to(c)] != unreachable)
          length_[s] = std::min(length_[s], length_[fabric_.to(c)] + 1);
    if (s != to_ && length_[s] != unreachable) by_length_.push_back(s);
  }
  std::stable_sort(by_length_.begin(), by_length_.end(),
                   [&](SwitchId a, SwitchId b) { return length_[a] < length_[b]; });
}

/// Ports of shortest routes for switches that no host needs on its route, and how many hosts there
/// are that need one.
void TreeRouter::fill_usual() {
  std::fill(usual_.begin(), usual_.end(), no_port);
  usual_[to_.index()] = here;
  sources_ = hosts_[to_];
  for (SwitchId s : by_length_) {
    const auto& choices = above_[s] != 0 ? down_[s] : up_[s];
    std::size_t i = to_.index() % choices.size();
    while (!shortest(s, choices[i])) i = (i + 1) % choices.size();
    usual_[s.index()] = fabric_.out_port(choices[i]);
    sources_ += hosts_[s];
  }
}

/// How many hosts come down this link already. While the hosts of a switch fill all of its links
/// once more, nothing else counts and the digits choose; those left over take the first rail that
/// is not narrower further up. Otherwise: how many come down through switches alike in other pods
/// (for sources go up through those), then all routes, then the hosts that are met here first.
TreeRouter::TrunkCost TreeRouter::trunk_cost(ChannelId up) const {
  const SwitchId parent = fabric_.to(up);
  const auto& others = trunks_[reverse(up)];
  if (fabric_.from(up) == to_) {
    const bool fill_all = (others.size() + 1) * up_[to_].size() <= hosts_[to_];
    if (fill_all) return {others.size()};
    if (!others.empty() && !narrows(parent)) return {others.size(), 0, tree_.rail(parent)};
  }
  std::uint64_t newly_met = 0;
  for (HostId other : others) newly_met += met_by_[other] == host_ ? 0 : 1;
  return {others.size(), 1 + rail_trunks_[tree_.level(parent)][tree_.rail(parent)],
          loads_[reverse(up)], newly_met};
}

/// Up from the destination's switch, by the link that costs least.
void TreeRouter::choose_trunk(std::uint64_t number) {
  aimed_.assign(1, to_);
  is_aimed_[to_] = 1;
  for (SwitchId at = to_;;) {
    const auto& up = up_[at];
    ChannelId best;
    TrunkCost least{};
    const std::size_t first = up.empty() ? 0 : first_choice(at, number, up.size());
    for (std::size_t i = 0; i < up.size(); ++i) {
      const ChannelId c = up[(first + i) % up.size()];
      if (length_[fabric_.to(c)] != length_[at] + 1 || !leads_on(at, fabric_.to(c))) continue;
      const TrunkCost cost = trunk_cost(c);
      if (best.valid() && cost >= least) continue;
      best = c;
      least = cost;
    }
    if (!best.valid()) return;
    at = fabric_.to(best);
    next_[at] = reverse(best);
    is_aimed_[at] = 1;
    aimed_.push_back(at);
    count_trunk(at);
  }
}

void TreeRouter::count_trunk(SwitchId s) {
  for (HostId other : trunks_[next_[s]]) met_by_[other] = host_;
  trunks_[next_[s]].push_back(host_);
  ++rail_trunks_[tree_.level(s)][tree_.rail(s)];
}

/// The other switches above the destination, the nearest first.
void TreeRouter::descend(std::uint64_t number) {
  for (SwitchId s : ancestors_) {
    if (is_aimed_[s] != 0) continue;
    const auto& down = down_[s];
    const std::size_t first = down.size() == 1 ? 0 : first_choice(s, number, down.size());
    next_[s] = down[first];
    for (std::size_t i = 1; i < down.size(); ++i) {
      const ChannelId c = down[(first + i) % down.size()];
      const char aimed = is_aimed_[fabric_.to(c)];
      const char before = is_aimed_[fabric_.to(next_[s])];
      if (aimed > before || (aimed == before && loads_[c] < loads_[next_[s]])) next_[s] = c;
    }
  }
}

/// Every switch of the trunk, and then every switch that has found it, tells its children. Of
/// several links to it, its own way on chooses: what goes on by one link comes by one link.
void TreeRouter::climb_to_trunk(std::uint64_t number) {
  for (std::size_t i = 0; i < aimed_.size(); ++i) {
    const SwitchId at = aimed_[i];
    const std::uint64_t place = at == to_ ? number : place_[next_[at]];
    const auto& from = children_[at];
    for (std::size_t first = 0; first < from.size(); first += from[first].links) {
      const SwitchId s = from[first].child;
      if (above_[s] != 0 || length_[s] != length_[at] + 1) continue;
      const ChannelId c = from[first + place % from[first].links].channel;
      if (is_aimed_[s] == 0) {
        is_aimed_[s] = 1;
        aimed_.push_back(s);
        next_[s] = c;
      } else if (loads_[c] < loads_[next_[s]]) {
        next_[s] = c;
      }
    }
  }
}

/// The others take the least loaded route where hosts need it.
void TreeRouter::climb_elsewhere() {
  mark_needed();
  for (SwitchId s : by_length_)
    if (above_[s] == 0 && is_aimed_[s] == 0)
      next_[s] = needed_[s] != 0 ? least_loaded_up(s) : fabric_.channel_at(s, usual_[s.index()]);
}

/// Switches with hosts that cannot aim at the trunk, and those through which they may go.
void TreeRouter::mark_needed() {
  std::fill(needed_.begin(), needed_.end(), 0);
  for (std::size_t i = by_length_.size(); i-- > 0;) {
    const SwitchId s = by_length_[i];
    if (above_[s] != 0 || is_aimed_[s] != 0 || (hosts_[s] == 0 && needed_[s] == 0)) continue;
    needed_[s] = 1;
    for (ChannelId c : up_[s])
      if (shortest(s, c)) needed_[fabric_.to(c)] = 1;
  }
}

std::uint64_t TreeRouter::route_load(SwitchId s) const {
  std::uint64_t sum = 0;
  for (; s != to_; s = fabric_.to(next_[s])) sum += loads_[next_[s]];
  return sum;
}

ChannelId TreeRouter::least_loaded_up(SwitchId s) const {
  ChannelId best;
  std::uint64_t least = ~std::uint64_t{0};
  for (ChannelId c : up_[s]) {
    if (!shortest(s, c)) continue;
    const std::uint64_t load = loads_[c] + route_load(fabric_.to(c));
    if (load >= least) continue;
    least = load;
    best = c;
  }
  return best;
}

/// Adds the routes from the hosts of these switches, which are ordered from near to far.
void TreeRouter::add_flow(const std::vector<SwitchId>& from) {
  for (SwitchId s : from) flow_[s] = hosts_[s];
  for (std::size_t i = from.size(); i-- > 0;) {
    const SwitchId s = from[i];
    if (s == to_ || flow_[s] == 0) continue;
    loads_[next_[s]] += flow_[s];
    flow_[fabric_.to(next_[s])] += flow_[s];
  }
}

}  // namespace weft
