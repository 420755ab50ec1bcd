// SPDX-License-Identifier: Apache-2.0
// Layouts: where the switches of a fabric lie in a picture of it. A layout suits some fabrics and
// returns nothing for the others; layout_of takes the first that suits. One file per layout, in
// layouts/. Pictures (fabric_picture.hpp) draw what a layout says.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/fabric.hpp"

namespace weft {

/// A point of the canvas in pixels, from the top left.
struct Spot {
  double x = 0, y = 0;
  friend bool operator==(const Spot&, const Spot&) = default;
};

struct LayoutLabel {
  Spot at{};
  std::string text{};
};

struct FabricLayout {
  std::string_view name{};
  double width = 0, height = 0;  ///< of the canvas
  double pitch = 0;              ///< between neighbours: what is drawn at a switch has so much room
  bool hosts_below = false;      ///< nothing else is below a switch with hosts
  IdVector<SwitchId, Spot> at{};
  IdVector<LinkId, double> bow{};  ///< how far the middle of a link lies beside the straight line
  std::vector<LayoutLabel> labels{};  ///< of levels and groups
};

using MakeLayout = std::optional<FabricLayout>(const Fabric&);

struct LayoutRow {
  std::string_view name;
  std::string_view summary;
  MakeLayout* make;
};
/// In the order in which they are tried; the last suits every fabric.
std::span<const LayoutRow> layouts();

/// The layout that suits the structure of the fabric. The same fabric gives the same numbers.
FabricLayout layout_of(const Fabric& fabric);

namespace draw {

/// Rows of switches, those with hosts at the bottom: trees.
MakeLayout levels;
/// Coordinates, two of which differ at no link: meshes, tori, hypercubes, HyperX.
MakeLayout grid;
/// All switches on one circle: rings and complete graphs.
MakeLayout circle;
/// Groups on a circle, their switches on smaller ones: dragonflies.
MakeLayout groups;
/// Distances in the picture like those in the graph: every fabric.
MakeLayout force;

/// Moves what was laid out into a canvas with so much room at every edge.
void fit_canvas(FabricLayout& layout, double edge);

/// Links that join the same two switches get different bows, so that all of them are seen.
void spread_parallel_links(const Fabric& fabric, FabricLayout& layout);

}  // namespace draw
}  // namespace weft
