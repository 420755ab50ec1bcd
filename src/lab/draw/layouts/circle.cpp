// SPDX-License-Identifier: Apache-2.0
// One circle: rings, and graphs in which every two switches are joined.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "fabric/distances.hpp"
#include "lab/draw/layout.hpp"

namespace weft::draw {
namespace {

/// The other switches that a switch is joined to.
std::set<SwitchId> neighbours(const Fabric& fabric, SwitchId s) {
  std::set<SwitchId> out;
  for (const ChannelId c : fabric.out(s)) out.insert(fabric.to(c));
  out.erase(s);
  return out;
}

/// The switches around the circle: along the ring, or by number. Nothing for other fabrics.
std::vector<SwitchId> circle_order(const Fabric& fabric) {
  const std::size_t count = fabric.switch_count();
  if (count < 3) return {};
  std::vector<SwitchId> out{SwitchId(0)};
  const std::size_t degree = neighbours(fabric, SwitchId(0)).size();
  if (degree != 2 && degree != count - 1) return {};
  for (const SwitchId s : fabric.switches())
    if (neighbours(fabric, s).size() != degree) return {};
  if (degree == count - 1) {
    for (std::size_t i = 1; i < count; ++i) out.emplace_back(i);
    return out;
  }
  for (SwitchId before{}, at(0);;) {
    const std::set<SwitchId> both = neighbours(fabric, at);
    const SwitchId next = *both.begin() == before ? *both.rbegin() : *both.begin();
    if (next == out.front()) break;
    before = at;
    at = next;
    out.push_back(at);
  }
  return out.size() == count ? out : std::vector<SwitchId>{};
}

}  // namespace

std::optional<FabricLayout> circle(const Fabric& fabric) {
  const std::vector<SwitchId> order = circle_order(fabric);
  if (order.empty()) return std::nullopt;
  const auto count = static_cast<double>(order.size());
  FabricLayout out;
  out.pitch = std::clamp(1400 / count, 9.0, 90.0);
  const double radius = std::max(130.0, out.pitch * count / (2 * std::numbers::pi));
  out.at.assign(order.size(), {});
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / count;
    out.at[order[i]] = {radius * std::sin(angle), -radius * std::cos(angle)};
  }
  fit_canvas(out, 60);
  out.bow.assign(fabric.link_count(), 0);
  return out;
}

}  // namespace weft::draw
