// SPDX-License-Identifier: Apache-2.0
// Rules by which the worked examples route.
#include "support/worked_choices.hpp"

#include <set>

namespace weft::test {
namespace {

using Hops = std::vector<WantedHop>;

}  // namespace

Tables one_phase(const Fabric& fabric, int lanes, const ChoiceRule& rule) {
  return choice_tables(fabric, lanes, {Phase{}}, rule);
}

std::vector<int> minimal_in_mesh(int size, int at, int to) {
  std::vector<int> out;
  const int dx = to % size - at % size, dy = to / size - at / size;
  if (dx != 0) out.push_back(at + (dx > 0 ? 1 : -1));
  if (dy != 0) out.push_back(at + (dy > 0 ? size : -size));
  return out;
}
Fabric square_mesh(int size) {
  LinkList links;
  for (int s = 0; s < size * size; ++s) {
    if (s % size + 1 < size) links.emplace_back(s, s + 1);
    if (s + size < size * size) links.emplace_back(s, s + size);
  }
  return from_links(size * size, links);
}

WorkedChoices one_way_ring() {
  const Fabric fabric = ring(4);
  return {fabric, one_phase(fabric, 1, [](int, int at, int) { return Hops{{(at + 1) % 4}}; })};
}

WorkedChoices minimal_mesh(int size) {
  const Fabric fabric = square_mesh(size);
  return {fabric, one_phase(fabric, 1, [size](int, int at, int to) {
            Hops out;
            for (const int next : minimal_in_mesh(size, at, to)) out.push_back({next});
            return out;
          })};
}

ChoiceRule minimal_with_escape(int size, bool with_escape) {
  return [=](int, int at, int to) {
    const auto minimal = minimal_in_mesh(size, at, to);
    Hops out;
    if (with_escape) out.push_back({minimal.front(), 0, 0, 1});
    for (const int next : minimal) out.push_back({next, 1});
    return out;
  };
}

WorkedChoices mesh_with_escape(int size) {
  const Fabric fabric = square_mesh(size);
  return {fabric, one_phase(fabric, 2, minimal_with_escape(size))};
}

WorkedChoices ring_with_escape_port(int size) {
  const Fabric fabric = ring(size);
  const Tables tables = one_phase(fabric, 1, [size](int, int at, int to) {
    const int clockwise = (to - at + size) % size;
    std::set<int> next{to < at ? at - 1 : at + 1};
    if (2 * clockwise <= size) next.insert((at + 1) % size);
    if (2 * clockwise >= size) next.insert((at + size - 1) % size);
    Hops out;
    for (const int each : next) out.push_back({each});
    return out;
  });
  return {fabric, tables};
}

Fabric square_torus(int size) {
  LinkList links;
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x) {
      links.emplace_back(y * size + x, y * size + (x + 1) % size);
      links.emplace_back(y * size + x, (y + 1) % size * size + x);
    }
  return from_links(size * size, links);
}
ChoiceRule torus_rule(int size, bool with_escape) {
  return [=](int, int at, int to) {
    Hops out;
    bool is_first = true;
    for (const int step : {1, size}) {
      const int from = step == 1 ? at % size : at / size, goal = step == 1 ? to % size : to / size;
      if (from == goal) continue;
      const int up = (goal - from + size) % size;
      const auto neighbour = [&](int by) { return at + ((from + by + size) % size - from) * step; };
      if (2 * up <= size) out.push_back({neighbour(1), with_escape ? 2 : 0});
      if (2 * up >= size) out.push_back({neighbour(-1), with_escape ? 2 : 0});
      if (with_escape && is_first) {
        const bool is_up = 2 * up <= size;
        const bool wraps = is_up ? goal < from : goal > from;
        out.push_back({neighbour(is_up ? 1 : -1), wraps ? 1 : 0, 0, 1});
      }
      is_first = false;
    }
    return out;
  };
}

WorkedChoices minimal_torus(int size) {
  const Fabric fabric = square_torus(size);
  return {fabric, one_phase(fabric, 1, torus_rule(size, false))};
}

WorkedChoices ring_with_any_neighbour() {
  const Fabric fabric = ring(4);
  return {fabric, one_phase(fabric, 2, [](int, int at, int to) {
            return Hops{{up_down_next[at][to], 0}, {(at + 1) % 4, 1}, {(at + 3) % 4, 1}};
          })};
}

Phase detour_phase(PhaseId next) {
  Phase out{"detour", true};
  out.next = next;
  return out;
}
Phase undecided_phase() {
  Phase out{"undecided"};
  out.detour = PhaseId{1};
  return out;
}

WorkedChoices three_lane_ugal() {
  using D = SmallestDragonfly;
  const Fabric fabric = D::fabric();
  // Lane 0 on detours, all the way; else 1 before the global link, and 2 on it and behind.
  const Tables tables = choice_tables(
      fabric, 3, {undecided_phase(), detour_phase(2), Phase{"minimal"}, Phase{"behind"}},
      [](int phase, int at, int to) {
        const int next = D::next(at, to);
        if (phase == 1) return Hops{{next, 0, 1}};
        const bool last = phase == 3 || (phase == 0 && D::group(at) == D::group(to));
        const bool global = D::group(next) != D::group(at);
        return Hops{{next, last || global ? 2 : 1, last || global ? 3 : 2}};
      },
      6, [](int i, int at) { return i == at; });
  return {fabric, tables};
}

}  // namespace weft::test
