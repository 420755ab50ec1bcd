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

}  // namespace

std::variant<SwitchGroups, Refused> SwitchGroups::find(const Fabric& fabric) {
  SwitchGroups out;
  out.group_.assign(fabric.switch_count(), ungrouped);
  const auto neighbours = neighbours_of_all(fabric);
  std::vector<SwitchId> first;  // of each group, for messages
  for (const SwitchId s : fabric.switches()) {
    if (out.group_[s] != ungrouped) continue;
    for (const SwitchId member : group_with(s, neighbours, out.group_))
      out.group_[member] = static_cast<std::uint32_t>(first.size());
    first.push_back(s);
  }
  out.count_ = first.size();
  out.global_.resize(out.count_ * out.count_);
  for (const ChannelId channel : fabric.channels())
    if (!out.is_local(fabric, channel))
      out.global_[out.of(fabric.from(channel)) * out.count_ + out.of(fabric.to(channel))].push_back(
          channel);
  for (std::size_t a = 0; a < out.count_; ++a)
    for (std::size_t b = a + 1; b < out.count_; ++b)
      if (out.global_[a * out.count_ + b].empty())
        return Refused{fmt::format(
            "no dragonfly: no link joins the group of {} to that of {} (groups are switches that "
            "are all joined to each other)",
            fabric[first[a]].name, fabric[first[b]].name)};
  return out;
}

}  // namespace weft
