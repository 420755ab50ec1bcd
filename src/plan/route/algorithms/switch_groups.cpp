// SPDX-License-Identifier: Apache-2.0
// Groups grow from a switch by the neighbours that have most neighbours in common with it.
#include "plan/route/algorithms/switch_groups.hpp"

#include <algorithm>

namespace weft {
namespace {

constexpr std::uint32_t ungrouped = ~std::uint32_t{0};

/// The other switches that a switch has links to, each once.
IdVector<SwitchId, std::vector<SwitchId>> neighbours_of_all(const Fabric& fabric) {
  IdVector<SwitchId, std::vector<SwitchId>> out(fabric.switch_count());
  for (const SwitchId s : fabric.switches()) {
    for (const ChannelId channel : fabric.out(s)) out[s].push_back(fabric.to(channel));
    std::sort(out[s].begin(), out[s].end());
    out[s].erase(std::unique(out[s].begin(), out[s].end()), out[s].end());
  }
  return out;
}

bool has(const std::vector<SwitchId>& sorted, SwitchId s) {
  return std::binary_search(sorted.begin(), sorted.end(), s);
}

std::size_t in_common(const std::vector<SwitchId>& a, const std::vector<SwitchId>& b) {
  return static_cast<std::size_t>(
      std::count_if(a.begin(), a.end(), [&](SwitchId s) { return has(b, s); }));
}

/// A group with `first`: neighbours that are joined to all of it, those with most in common before
/// others.
std::vector<SwitchId> group_with(SwitchId first,
                                 const IdVector<SwitchId, std::vector<SwitchId>>& neighbours,
                                 const IdVector<SwitchId, std::uint32_t>& group) {
  std::vector<std::pair<std::size_t, SwitchId>> nearest;
  for (const SwitchId s : neighbours[first])
    if (group[s] == ungrouped) nearest.emplace_back(in_common(neighbours[first], neighbours[s]), s);
  std::stable_sort(nearest.begin(), nearest.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<SwitchId> out{first};
  for (const auto& each : nearest)
    if (std::all_of(out.begin(), out.end(),
                    [&](SwitchId member) { return has(neighbours[each.second], member); }))
      out.push_back(each.second);
  return out;
}

/// Whether a link joins a leaf, which has hosts, and a spine, which has none.
bool joins_leaf_and_spine(const Fabric& fabric, ChannelId c) {
  return fabric.hosts_on(fabric.from(c)).empty() != fabric.hosts_on(fabric.to(c)).empty();
}

/// The switches that links between leaves and spines lead to.
void gather(const Fabric& fabric, SwitchId first, std::uint32_t number,
            IdVector<SwitchId, std::uint32_t>& group) {
  std::vector<SwitchId> todo{first};
  group[first] = number;
  while (!todo.empty()) {
    const SwitchId at = todo.back();
    todo.pop_back();
    for (const ChannelId c : fabric.out(at)) {
      if (group[fabric.to(c)] != ungrouped || !joins_leaf_and_spine(fabric, c)) continue;
      group[fabric.to(c)] = number;
      todo.push_back(fabric.to(c));
    }
  }
}

}  // namespace

bool SwitchGroups::alike() const {
  std::vector<std::size_t> sizes(count_, 0);
  for (const std::uint32_t group : group_) ++sizes[group];
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  return *most < 2 * *least;
}

void SwitchGroups::take_global_links(const Fabric& fabric) {
  count_ = first_.size();
  global_.resize(count_ * count_);
  for (const ChannelId channel : fabric.channels())
    if (!is_local(fabric, channel))
      global_[of(fabric.from(channel)) * count_ + of(fabric.to(channel))].push_back(channel);
}

std::optional<Refused> SwitchGroups::unjoined(const Fabric& fabric) const {
  for (std::size_t a = 0; a < count_; ++a)
    for (std::size_t b = a + 1; b < count_; ++b)
      if (global_[a * count_ + b].empty())
        return Refused{fmt::format(
            "no dragonfly: no link joins the group of {} to that of {} (groups are switches that "
            "are all joined to each other)",
            fabric[first_[a]].name, fabric[first_[b]].name)};
  return std::nullopt;
}

/// All leaves of a group are joined to all its spines.
std::optional<Refused> SwitchGroups::incomplete(const Fabric& fabric) const {
  const auto neighbours = neighbours_of_all(fabric);
  for (const SwitchId leaf : fabric.switches()) {
    if (fabric.hosts_on(leaf).empty()) continue;
    for (const SwitchId spine : fabric.switches())
      if (of(spine) == of(leaf) && fabric.hosts_on(spine).empty() && !has(neighbours[leaf], spine))
        return Refused{fmt::format("no dragonfly+: no link joins \"{}\" and \"{}\"",
                                   fabric[leaf].name, fabric[spine].name)};
  }
  return std::nullopt;
}

std::variant<SwitchGroups, Refused> SwitchGroups::find(const Fabric& fabric) {
  SwitchGroups out;
  out.group_.assign(fabric.switch_count(), ungrouped);
  const auto neighbours = neighbours_of_all(fabric);
  for (const SwitchId s : fabric.switches()) {
    if (out.group_[s] != ungrouped) continue;
    for (const SwitchId member : group_with(s, neighbours, out.group_))
      out.group_[member] = static_cast<std::uint32_t>(out.first_.size());
    out.first_.push_back(s);
  }
  out.take_global_links(fabric);
  if (auto refused = out.unjoined(fabric)) return *refused;
  return out;
}

std::variant<SwitchGroups, Refused> SwitchGroups::find_with_spines(const Fabric& fabric) {
  SwitchGroups out;
  out.have_spines_ = true;
  out.group_.assign(fabric.switch_count(), ungrouped);
  for (const SwitchId s : fabric.switches()) {
    if (out.group_[s] != ungrouped) continue;
    gather(fabric, s, static_cast<std::uint32_t>(out.first_.size()), out.group_);
    out.first_.push_back(s);
  }
  out.take_global_links(fabric);
  if (out.count_ < 2) return Refused{"no dragonfly+: it has one group only"};
  if (auto refused = out.unjoined(fabric)) return *refused;
  for (const ChannelId c : fabric.channels()) {
    const bool leaves = !fabric.hosts_on(fabric.from(c)).empty();
    if (out.is_local(fabric, c) != joins_leaf_and_spine(fabric, c) ||
        (leaves && !out.is_local(fabric, c)))
      return Refused{fmt::format("no dragonfly+: a link joins \"{}\" and \"{}\"",
                                 fabric[fabric.from(c)].name, fabric[fabric.to(c)].name)};
  }
  if (auto refused = out.incomplete(fabric)) return *refused;
  return out;
}

}  // namespace weft
