// SPDX-License-Identifier: Apache-2.0
// Groups: the first of two coordinates is the group. Groups lie on a circle, and the switches of a
// group on a small one; every switch of a group is joined to the others.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "lab/draw/layout.hpp"

namespace weft::draw {
namespace {

using Groups = std::map<int, std::vector<SwitchId>>;

/// Empty where switches have other coordinates or groups are not complete inside.
Groups groups_in(const Fabric& fabric) {
  Groups out;
  for (const SwitchId s : fabric.switches()) {
    if (fabric[s].at.size() != 2) return {};
    out[fabric[s].at[0]].push_back(s);
  }
  std::map<int, std::size_t> inside;
  for (const LinkId id : fabric.links()) {
    const std::vector<int>&a = fabric[fabric[id].a.on].at, &b = fabric[fabric[id].b.on].at;
    if (a[0] == b[0]) ++inside[a[0]];
  }
  for (const auto& [group, members] : out)
    if (inside[group] < members.size() * (members.size() - 1) / 2) return {};
  return out;
}

Spot around(Spot middle, double radius, double turn) {
  const double angle = 2 * std::numbers::pi * turn;
  return {middle.x + radius * std::sin(angle), middle.y - radius * std::cos(angle)};
}

}  // namespace

std::optional<FabricLayout> groups(const Fabric& fabric) {
  const Groups found = groups_in(fabric);
  if (found.size() < 2) return std::nullopt;
  std::size_t largest = 1;
  for (const auto& [group, members] : found) largest = std::max(largest, members.size());
  const auto switches = static_cast<double>(largest), count = static_cast<double>(found.size());

  FabricLayout out;
  out.pitch = std::clamp(2400 / (switches * count), 9.0, 60.0);
  const double small = std::max(0.6, switches / (2 * std::numbers::pi)) * out.pitch;
  const double large =
      std::max(1.6 * small, count * (2 * small + 1.4 * out.pitch) / (2 * std::numbers::pi));
  const Spot middle{};
  out.at.assign(fabric.switch_count(), {});
  out.bow.assign(fabric.link_count(), 0);
  double place = 0;
  for (const auto& [group, members] : found) {
    const double turn = place++ / count;
    const Spot centre = around(middle, large, turn);
    const auto size = static_cast<double>(members.size());
    for (std::size_t i = 0; i < members.size(); ++i)
      out.at[members[i]] =
          size == 1 ? centre : around(centre, small, turn + static_cast<double>(i) / size);
    const Spot label = around(middle, large + small + 42, turn);
    if (2 * small > 16)
      out.labels.push_back({{label.x - 6, label.y + 4}, fmt::format("g{}", group)});
  }
  fit_canvas(out, 75);
  return out;
}

}  // namespace weft::draw
