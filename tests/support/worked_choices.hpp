// SPDX-License-Identifier: Apache-2.0
// The worked examples of adaptive routing as tables: the verdicts on them are known.
#pragma once
#include <vector>

#include "support/choices.hpp"
#include "support/fabrics.hpp"

namespace weft::test {

struct WorkedChoices {
  Fabric fabric;
  Tables tables;
};

Tables one_phase(const Fabric& fabric, int lanes, const ChoiceRule& rule);

/// W1: a ring of 4 in one direction, on one lane.
WorkedChoices one_way_ring();
/// W4: all shortest routes of a mesh of size x size on one lane.
WorkedChoices minimal_mesh(int size);
/// W5: the same on lane 1, with XY routes on lane 0 to escape to.
WorkedChoices mesh_with_escape(int size);
/// W6: shortest routes of a ring and those by up*/down* on the same lane.
WorkedChoices ring_with_escape_port(int size);
/// W7: all shortest routes of a torus on one lane.
WorkedChoices minimal_torus(int size);
/// W8: a ring of 4 with up*/down* (root 0) on lane 0, and any neighbour on lane 1.
WorkedChoices ring_with_any_neighbour();
/// W10: UGAL of BookSim 2 on three lanes of the smallest dragonfly.
WorkedChoices three_lane_ugal();

Fabric square_mesh(int size);
Fabric square_torus(int size);
std::vector<int> minimal_in_mesh(int size, int at, int to);
ChoiceRule minimal_with_escape(int size, bool with_escape = true);
/// Minimal neighbours; `escape`: in dimension order, on lane 1 while the wrap is ahead, and with
/// the minimal ones on lane 2.
ChoiceRule torus_rule(int size, bool with_escape);
/// Up*/down* on a ring of 4, by switch and destination.
inline constexpr int up_down_next[4][4] = {
    {-1, 1, 1, 3}, {0, -1, 2, 0}, {1, 1, -1, 3}, {0, 0, 2, -1}};

/// The smallest dragonfly: three groups of two routers, each with a global link (absolute).
struct SmallestDragonfly {
  static LinkList links() { return {{0, 1}, {2, 3}, {4, 5}, {0, 2}, {1, 4}, {3, 5}}; }
  static Fabric fabric() { return from_links(6, links()); }
  static int group(int router) { return router / 2; }
  static int next(int at, int to) {
    if (group(at) == group(to)) return to;
    for (const auto& [a, b] : links())
      for (const auto& [from, beyond] : {std::pair(a, b), std::pair(b, a)})
        if (group(from) == group(at) && group(beyond) == group(to))
          return from == at ? beyond : from;
    return -1;
  }
};
Phase detour_phase(PhaseId next);
Phase undecided_phase();

}  // namespace weft::test
