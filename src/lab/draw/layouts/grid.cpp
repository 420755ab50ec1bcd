// SPDX-License-Identifier: Apache-2.0
// Grids: the first coordinate goes right, the second down, the third into the depth (as in drawings
// of cubes), further ones repeat the picture to the right and down in turn. Links between switches
// that are no neighbours, such as wraparound links, are arcs beside their row.
#include <algorithm>
#include <cstdlib>
#include <set>

#include "lab/draw/layout.hpp"

namespace weft::draw {
namespace {

/// Whether all switches have coordinates of their own, and links change one of them.
bool has_coordinates(const Fabric& fabric) {
  if (fabric.switch_count() == 0) return false;
  const std::size_t dims = fabric[SwitchId(0)].at.size();
  std::set<std::vector<int>> seen;
  for (const SwitchId s : fabric.switches())
    if (fabric[s].at.size() != dims || !seen.insert(fabric[s].at).second) return false;
  return dims > 0;
}

/// The dimension in which the ends of a link differ; none where they differ in several.
std::optional<std::size_t> dimension_of(const Fabric& fabric, const Link& link) {
  const std::vector<int>&a = fabric[link.a.on].at, &b = fabric[link.b.on].at;
  std::optional<std::size_t> out;
  for (std::size_t d = 0; d < a.size(); ++d) {
    if (a[d] == b[d]) continue;
    if (out) return std::nullopt;
    out = d;
  }
  return out;
}

struct GridSteps {
  std::vector<int> least{};
  std::vector<Spot> step{};     ///< by dimension, in units
  double across = 1, down = 1;  ///< units in all
};

GridSteps steps_of(const Fabric& fabric) {
  const std::size_t dims = fabric[SwitchId(0)].at.size();
  GridSteps out{fabric[SwitchId(0)].at, std::vector<Spot>(dims)};
  std::vector<int> most = out.least;
  for (const SwitchId s : fabric.switches())
    for (std::size_t d = 0; d < dims; ++d) {
      out.least[d] = std::min(out.least[d], fabric[s].at[d]);
      most[d] = std::max(most[d], fabric[s].at[d]);
    }
  const auto size = [&](std::size_t d) {
    return d < dims ? double{1} + most[d] - out.least[d] : 1.0;
  };
  const double cell = size(2) > 1 ? size(2) + 1 : 1;  // room for the depth between neighbours
  for (std::size_t d = 0; d < dims; ++d) {
    if (d == 2) {
      out.step[d] = {1, 1};
      continue;
    }
    const bool right = d == 0 || (d > 2 && d % 2 == 1);
    double& extent = right ? out.across : out.down;
    const double step = d < 2 ? cell : extent + cell * 0.2;
    (right ? out.step[d].x : out.step[d].y) = step;
    extent = step * (size(d) - 1) + (d < 2 ? cell : extent);
  }
  return out;
}

double bow_of(const Fabric& fabric, const Link& link, std::size_t d) {
  const int apart = std::abs(fabric[link.a.on].at[d] - fabric[link.b.on].at[d]);
  if (d > 2) return 0.2 + 0.05 * static_cast<double>(d % 4);  // beside what lies between
  return apart <= 1 ? 0 : std::min(0.48, 0.2 + 0.06 * apart);
}

}  // namespace

std::optional<FabricLayout> grid(const Fabric& fabric) {
  if (!has_coordinates(fabric)) return std::nullopt;
  for (const LinkId id : fabric.links())
    if (!dimension_of(fabric, fabric[id])) return std::nullopt;
  const GridSteps steps = steps_of(fabric);
  FabricLayout out;
  out.pitch = std::clamp(900 / std::max(steps.across, steps.down), 9.0, 100.0);
  out.at.assign(fabric.switch_count(), {});
  for (const SwitchId s : fabric.switches()) {
    Spot at{};
    for (std::size_t d = 0; d < steps.step.size(); ++d) {
      const double places = double{1} * fabric[s].at[d] - steps.least[d];
      at.x += places * steps.step[d].x * out.pitch;
      at.y += places * steps.step[d].y * out.pitch;
    }
    out.at[s] = at;
  }
  fit_canvas(out, 60);
  out.bow.assign(fabric.link_count(), 0);
  for (const LinkId id : fabric.links()) {
    // Always to the same side: up beside rows, right beside columns.
    const Spot a = out.at[fabric[id].a.on], b = out.at[fabric[id].b.on];
    const double side_of = b.x > a.x || (b.x == a.x && b.y > a.y) ? 1 : -1;
    out.bow[id] =
        side_of * bow_of(fabric, fabric[id], *dimension_of(fabric, fabric[id])) * out.pitch;
  }
  return out;
}

}  // namespace weft::draw
