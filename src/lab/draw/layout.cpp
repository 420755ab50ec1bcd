// SPDX-License-Identifier: Apache-2.0
// The catalogue of layouts, and what they have in common.
#include "lab/draw/layout.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "base/error.hpp"

namespace weft {

std::span<const LayoutRow> layouts() {
  static constexpr std::array<LayoutRow, 5> rows{{
      {"levels", "trees: rows of switches, those with hosts at the bottom", draw::levels},
      {"circle", "rings and complete graphs", draw::circle},
      {"grid", "meshes, tori, hypercubes and HyperX, by coordinates", draw::grid},
      {"groups", "dragonflies: groups on a circle", draw::groups},
      {"force", "everything else: near in the graph is near in the picture", draw::force},
  }};
  return rows;
}

FabricLayout layout_of(const Fabric& fabric) {
  for (const LayoutRow& row : layouts())
    if (std::optional<FabricLayout> found = row.make(fabric)) {
      found->name = row.name;
      draw::spread_parallel_links(fabric, *found);
      return *std::move(found);
    }
  invariant(false, "no layout suits a fabric");
  return {};
}

namespace draw {

void fit_canvas(FabricLayout& layout, double edge) {
  Spot least{}, most{};
  for (const SwitchId s : layout.at.ids()) {
    const Spot at = layout.at[s];
    least = s.index() == 0 ? at : Spot{std::min(least.x, at.x), std::min(least.y, at.y)};
    most = s.index() == 0 ? at : Spot{std::max(most.x, at.x), std::max(most.y, at.y)};
  }
  layout.width = std::max(360.0, most.x - least.x + 2 * edge);
  layout.height = most.y - least.y + 2 * edge;
  const Spot shift{(layout.width - most.x - least.x) / 2, edge - least.y};
  for (Spot& at : layout.at) at = {at.x + shift.x, at.y + shift.y};
  for (LayoutLabel& label : layout.labels) label.at = {label.at.x + shift.x, label.at.y + shift.y};
}

void spread_parallel_links(const Fabric& fabric, FabricLayout& layout) {
  std::map<std::pair<SwitchId, SwitchId>, std::vector<LinkId>> between;
  for (const LinkId id : fabric.links()) {
    const Link& link = fabric[id];
    between[std::minmax(link.a.on, link.b.on)].push_back(id);
  }
  for (const auto& [ends, links] : between) {
    const auto count = static_cast<double>(links.size());
    if (links.size() < 2) continue;
    const double step = std::min(6.0, layout.pitch * 0.4 / count);
    for (std::size_t i = 0; i < links.size(); ++i) {
      const double side = fabric[links[i]].a.on == ends.first ? 1 : -1;
      layout.bow[links[i]] += side * step * (static_cast<double>(i) - (count - 1) / 2);
    }
  }
}

}  // namespace draw
}  // namespace weft
