// SPDX-License-Identifier: Apache-2.0
// Trees: a switch's level is its distance from the leaves, the switches with hosts. Within a level
// switches stand near the middle of those that they are joined to (the barycentre heuristic of
// Sugiyama, Tagawa and Toda, 1981), so that the leaves of one part of the tree come together.
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "lab/draw/layout.hpp"

namespace weft::draw {
namespace {

using Levels = IdVector<SwitchId, std::uint32_t>;
constexpr std::uint32_t no_level_yet = 0xFFFF'FFFF;

/// Distances from the switches that have so many hosts or more; 0 where no leaf is reached.
Levels levels_above(const Fabric& fabric, std::size_t hosts) {
  Levels level(fabric.switch_count(), no_level_yet);
  std::deque<SwitchId> next;
  for (const SwitchId s : fabric.switches())
    if (fabric.hosts_on(s).size() >= hosts) {
      level[s] = 0;
      next.push_back(s);
    }
  for (; !next.empty(); next.pop_front())
    for (const ChannelId c : fabric.out(next.front()))
      if (const SwitchId to = fabric.to(c); level[to] == no_level_yet) {
        level[to] = level[next.front()] + 1;
        next.push_back(to);
      }
  for (std::uint32_t& one : level) one = one == no_level_yet ? 0 : one;
  return level;
}

/// Two levels or more, and no link within one.
bool is_tree(const Fabric& fabric, const Levels& level) {
  if (fabric.link_count() == 0) return false;
  for (const LinkId id : fabric.links())
    if (level[fabric[id].a.on] == level[fabric[id].b.on]) return false;
  return true;
}

/// The levels of a tree. A few hosts on higher switches, as for management, do not matter.
std::optional<Levels> find_levels(const Fabric& fabric) {
  std::size_t most = 0;
  for (const SwitchId s : fabric.switches()) most = std::max(most, fabric.hosts_on(s).size());
  if (most == 0) return std::nullopt;
  for (const std::size_t hosts : {std::size_t{1}, most / 4 + 1}) {
    Levels level = levels_above(fabric, hosts);
    if (is_tree(fabric, level)) return level;
  }
  return std::nullopt;
}

using LevelRows = std::vector<std::vector<SwitchId>>;  ///< the switches of each level, in order

LevelRows rows_of(const Fabric& fabric, const Levels& level) {
  LevelRows rows(1 + *std::max_element(level.begin(), level.end()));
  for (const SwitchId s : fabric.switches()) rows[level[s]].push_back(s);
  return rows;
}

/// Orders a row by the mean place of each switch's neighbours in another row.
void order_by_neighbours(const Fabric& fabric, const Levels& level, const LevelRows& rows,
                         std::size_t other, std::vector<SwitchId>& row) {
  std::vector<std::uint64_t> place(fabric.switch_count());
  for (std::size_t i = 0; i < rows[other].size(); ++i) place[rows[other][i].index()] = i;
  struct Barycentre {
    std::uint64_t sum = 0, count = 0;
  };
  IdVector<SwitchId, Barycentre> near(fabric.switch_count());
  for (const SwitchId s : row)
    for (const ChannelId c : fabric.out(s))
      if (level[fabric.to(c)] == other) {
        near[s].sum += place[fabric.to(c).index()];
        ++near[s].count;
      }
  for (const SwitchId s : row)  // without neighbours there: last
    if (near[s].count == 0) near[s] = {rows[other].size(), 1};
  std::stable_sort(row.begin(), row.end(), [&](SwitchId a, SwitchId b) {
    return near[a].sum * near[b].count < near[b].sum * near[a].count;
  });
}

/// The leaves and the level above them order each other; higher levels follow.
void reduce_crossings(const Fabric& fabric, const Levels& level, LevelRows& rows) {
  constexpr int rounds = 4;
  for (int round = 0; round < rounds; ++round) {
    order_by_neighbours(fabric, level, rows, 0, rows[1]);
    order_by_neighbours(fabric, level, rows, 1, rows[0]);
  }
  for (std::size_t i = 1; i < rows.size(); ++i)
    order_by_neighbours(fabric, level, rows, i - 1, rows[i]);
}

}  // namespace

std::optional<FabricLayout> levels(const Fabric& fabric) {
  const std::optional<Levels> level = find_levels(fabric);
  if (!level) return std::nullopt;
  LevelRows rows = rows_of(fabric, *level);
  reduce_crossings(fabric, *level, rows);
  std::size_t widest = 0;
  for (const auto& row : rows) widest = std::max(widest, row.size());

  constexpr double side = 60, top = 30, below = 50;
  FabricLayout out;
  out.pitch = std::clamp(1000.0 / static_cast<double>(widest), 6.0, 96.0);
  const double across = std::max(360.0, out.pitch * static_cast<double>(widest));
  const double gap = std::clamp(across / 7, 110.0, 500.0);
  out.width = across + 2 * side;
  out.height = top + gap * static_cast<double>(rows.size() - 1) + below;
  out.hosts_below = true;
  out.at.assign(fabric.switch_count(), {});
  out.bow.assign(fabric.link_count(), 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double y = out.height - below - gap * static_cast<double>(i);
    const double step = across / static_cast<double>(rows[i].size());
    for (std::size_t j = 0; j < rows[i].size(); ++j)
      out.at[rows[i][j]] = {side + step * (static_cast<double>(j) + 0.5), y};
    out.labels.push_back({{8, y + 4}, fmt::format("level {}", i)});
  }
  return out;
}

}  // namespace weft::draw
