// SPDX-License-Identifier: Apache-2.0
// A picture of a fabric as SVG: switches where a layout puts them, links coloured by what they
// carry, the busiest of them numbered and named. The two halves of a link show its two directions:
// each the one that leaves the switch at its end.
#pragma once
#include <iosfwd>
#include <string>
#include <vector>

#include "fabric/hot_links.hpp"

namespace weft {

/// What each channel carries: routes over it, or flits per cycle.
struct LoadMap {
  IdVector<ChannelId, double> of{};
  std::string unit{};  ///< "routes"
  int places = 0;      ///< digits after the point that numbers are printed with
};

struct FabricPicture {
  const Fabric& fabric;
  const LoadMap* loads = nullptr;  ///< none: all links look alike
  std::string note{};              ///< below the title
};
void write_svg(std::ostream& out, const FabricPicture& picture);

}  // namespace weft
