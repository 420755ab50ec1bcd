// SPDX-License-Identifier: Apache-2.0
// A breadth-first search in which a route that has gone down never goes up again.
#include "fabric/detour.hpp"

#include <algorithm>
#include <queue>

namespace weft {

void Obstacles::add(const Obstacle& obstacle) {
  if (obstacle.channel.valid()) links_.insert(link_of(obstacle.channel));
  if (obstacle.host.valid()) hosts_.insert(obstacle.host);
  if (obstacle.on.valid()) switches_.insert(obstacle.on);
}

Levels::Levels(const Fabric& fabric) : levels_(fabric.switch_count(), ~0U) {
  std::queue<SwitchId> next;
  for (const HostId host : fabric.hosts()) {
    unsigned& level = levels_[fabric[host].on.index()];
    if (level != 0) next.push(fabric[host].on);
    level = 0;
  }
  for (; !next.empty(); next.pop())
    for (const ChannelId channel : fabric.out(next.front())) {
      unsigned& level = levels_[fabric.to(channel).index()];
      if (level != ~0U) continue;
      level = levels_[next.front().index()] + 1;
      next.push(fabric.to(channel));
    }
}

std::optional<std::vector<PortNumber>> detour(const Fabric& fabric, const Levels& levels,
                                              HostId from, HostId to,
                                              const std::vector<const Obstacles*>& avoid,
                                              std::uint64_t turn) {
  const auto blocked = [&](auto what) {
    return std::any_of(avoid.begin(), avoid.end(),
                       [&](const Obstacles* obstacles) { return obstacles->blocks(what); });
  };
  const SwitchId first = fabric[from].on, last = fabric[to].on;
  if (blocked(from) || blocked(to) || blocked(first) || blocked(last)) return std::nullopt;
  if (first == last) return std::vector<PortNumber>{};

  // A state is a switch and whether the route to it has gone down; came_by says by which channel.
  struct SearchState {
    SwitchId on;
    bool down;
    std::size_t index() const { return 2 * on.index() + (down ? 1 : 0); }
  };
  struct Came {
    ChannelId by{};
    bool down = false;  ///< before it
  };
  std::vector<Came> came(2 * fabric.switch_count());
  std::queue<SearchState> next;
  next.push({first, false});
  const auto is_end = [&](const SearchState& state) { return state.on == last; };
  while (!next.empty() && !is_end(next.front())) {
    const SearchState at = next.front();
    next.pop();
    const auto channels = fabric.out(at.on);
    for (std::size_t i = 0; i < channels.size(); ++i) {
      const ChannelId channel = channels[(i + turn) % channels.size()];
      const SwitchId there = fabric.to(channel);
      const bool up = levels[there] > levels[at.on], down = levels[there] < levels[at.on];
      if ((!up && !down) || (up && at.down)) continue;
      const SearchState then{there, at.down || down};
      if (then.on == first || came[then.index()].by.valid()) continue;
      if (blocked(link_of(channel)) || blocked(there)) continue;
      came[then.index()] = {channel, at.down};
      next.push(then);
    }
  }
  if (next.empty()) return std::nullopt;
  std::vector<PortNumber> ports;
  for (SearchState at = next.front(); at.on != first;) {
    const Came& before = came[at.index()];
    ports.push_back(fabric.out_port(before.by));
    at = {fabric.from(before.by), before.down};
  }
  std::reverse(ports.begin(), ports.end());
  return ports;
}

}  // namespace weft
