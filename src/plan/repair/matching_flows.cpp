// SPDX-License-Identifier: Apache-2.0
// Flows of matchings, kept and changed.
#include "plan/repair/matching_flows.hpp"

#include <algorithm>

#include "base/rng.hpp"

namespace weft {
namespace {

/// Leaves every channel of a route, which begins at a place, once.
void cut_loop(std::vector<ChannelId>& channels, std::size_t begin) {
  const auto first = channels.begin() + static_cast<std::ptrdiff_t>(begin);
  auto end = first;
  while (end != channels.end() && std::find(first, end, *end) == end) ++end;
  channels.erase(end, channels.end());
}

}  // namespace

MatchingFlows::MatchingFlows(const Fabric& fabric, const Tables& tables, int matchings,
                             std::uint64_t seed)
    : fabric_(fabric) {
  for (ChannelId c : fabric.channels())
    speed_.push_back(static_cast<double>(fabric.wire(c).speed.bits_per_second));
  std::vector<HostId> order;
  for (HostId h : fabric.hosts())
    if (fabric[h].role == HostRole::computer) order.push_back(h);
  if (order.size() < 2) return;
  Rng rng(seed);
  const std::size_t half = order.size() / 2;
  for (int i = 0; i < matchings; ++i) {
    rng.shuffle(order);
    Matching& matching = matchings_.emplace_back();
    matching.flows.assign(fabric.channel_count(), 0);
    for (std::size_t k = 0; k < 2 * half; ++k) {
      MatchedPair pair{order[k], order[k < half ? k + half : k - half]};
      follow(tables, pair, matching.channels);
      for (std::uint32_t at = pair.begin; at < pair.end; ++at)
        matching.flows[matching.channels[at].index()] += 1;
      matching.pairs.push_back(pair);
    }
  }
}

/// Appends the channels of a pair's route, as far as it goes; those of a loop once.
void MatchingFlows::follow(const Tables& tables, MatchedPair& pair,
                           std::vector<ChannelId>& channels) const {
  const std::size_t begin = channels.size();
  const ColumnId column = tables.to_host[pair.to];
  const Host& to = fabric_[pair.to];
  SwitchId at = fabric_[pair.from].on;
  pair.reached = false;
  while (column.valid()) {
    const PortNumber port = std::get<DestinationTables>(tables.paths)[column][at.index()];
    pair.reached = at == to.on && (port == here || port == to.port);
    const ChannelId by = pair.reached ? ChannelId::none() : fabric_.channel_at(at, port);
    if (!by.valid()) break;
    if (channels.size() - begin > fabric_.switch_count()) {
      cut_loop(channels, begin);
      break;
    }
    channels.push_back(by);
    at = fabric_.to(by);
  }
  pair.begin = static_cast<std::uint32_t>(begin);
  pair.end = static_cast<std::uint32_t>(channels.size());
}

double MatchingFlows::share(const MatchedPair& pair, const std::vector<ChannelId>& channels) const {
  if (!pair.reached) return 0;
  const auto own = static_cast<double>(fabric_[pair.from].wire.speed.bits_per_second);
  double out = std::min(own, static_cast<double>(fabric_[pair.to].wire.speed.bits_per_second));
  for (std::uint32_t at = pair.begin; at < pair.end; ++at)
    out = std::min(out, speed_[channels[at]] / flows_[channels[at].index()]);
  return out / own;
}

double MatchingFlows::mean_of(const Matching& matching, const Tables& changed,
                              const std::vector<bool>& columns) {
  flows_ = matching.flows;
  detours_.clear();
  detour_channels_.clear();
  for (std::size_t i = 0; i < matching.pairs.size(); ++i) {
    MatchedPair pair = matching.pairs[i];
    const ColumnId column = changed.to_host[pair.to];
    if (!column.valid() || !columns[column.index()]) continue;
    for (std::uint32_t at = pair.begin; at < pair.end; ++at)
      flows_[matching.channels[at].index()] -= 1;
    follow(changed, pair, detour_channels_);
    for (std::uint32_t at = pair.begin; at < pair.end; ++at)
      flows_[detour_channels_[at].index()] += 1;
    detours_.push_back({i, pair});
  }
  double sum = 0;
  std::size_t detour = 0;
  for (std::size_t i = 0; i < matching.pairs.size(); ++i) {
    const bool moved = detour < detours_.size() && detours_[detour].pair == i;
    sum += moved ? share(detours_[detour].route, detour_channels_)
                 : share(matching.pairs[i], matching.channels);
    detour += moved ? 1 : 0;
  }
  return sum / static_cast<double>(matching.pairs.size());
}

double MatchingFlows::mean(const Tables& changed, const std::vector<bool>& columns) {
  if (matchings_.empty()) return 1;
  double out = 0;
  for (const Matching& matching : matchings_)
    out += mean_of(matching, changed, columns) / static_cast<double>(matchings_.size());
  return out;
}

}  // namespace weft
