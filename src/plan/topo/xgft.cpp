// SPDX-License-Identifier: Apache-2.0
// Extended generalized fat tree, XGFT(h; m1..mh; w1..wh) (Öhring, Ibel, Das, Kumar, 1995), with
// parallel links as in Zahavi's PGFT (2010). Level 0 are the hosts; a switch of level i has m_i
// children and w_(i+1) parents. Its digits are (a_h..a_(i+1); b_i..b_1) with a_j < m_j, b_j < w_j;
// parent q of (a_h..a_(i+1); b) is (a_h..a_(i+2); q b), and there it is child a_(i+1).
//
// Switches are numbered level by level from the leaves up, within a level by their digits, b_1
// fastest; hosts by theirs, a_1 fastest. Coordinates: level, a_h, .., a_(i+1), b_i, .., b_1. Ports:
// first those down, by child, the parallel links to one child side by side; then those up: up port
// q (from 0) is link q div w to parent q mod w, so that d-mod-k spreads over parents first.
#include <fmt/format.h>

#include "plan/topo/construction.hpp"
#include "plan/topo/topologies.hpp"

namespace weft::topo {
namespace {

constexpr std::size_t most_levels = 30;

/// The switches of one level i, and how they are joined to the level below.
struct Level {
  std::size_t first = 0;  ///< id of its first switch
  std::size_t count = 0;
  std::size_t below = 0;  ///< w_1 * .. * w_i: switches of this level with the same digits a
  std::size_t m = 0, w = 0, links = 0;
};

/// The radix of each digit of a switch of level i, fastest first.
std::vector<int> radices(const XgftShape& shape, std::size_t i) {
  const auto at = static_cast<std::ptrdiff_t>(i);
  std::vector<int> out(shape.parents.begin(), shape.parents.begin() + at);
  out.insert(out.end(), shape.children.begin() + at, shape.children.end());
  return out;
}

Size size_of(const XgftShape& shape) {
  const std::size_t height = shape.children.size();
  Size size{0, product(shape.children), 0, 0};
  for (std::size_t i = 1; i <= height; ++i) {
    const CheckedCount count = product(radices(shape, i));
    const CheckedCount down = CheckedCount(shape.children[i - 1]) * shape.links[i - 1];
    const CheckedCount up =
        i < height ? CheckedCount(shape.parents[i]) * shape.links[i] : CheckedCount();
    size.switches = size.switches + count;
    size.links = size.links + count * up;
    size.ports = std::max(size.ports, down + up);
  }
  return size;
}

std::vector<Level> levels_of(const XgftShape& shape) {
  const auto size = [](auto n) { return static_cast<std::size_t>(n); };
  std::vector<Level> levels(1);  // the hosts, which are no switches
  for (std::size_t i = 1; i <= shape.children.size(); ++i)
    levels.push_back(
        {levels.back().first + levels.back().count, size(product(radices(shape, i)).value()),
         size(product(std::span(shape.parents).first(i)).value()), size(shape.children[i - 1]),
         size(shape.parents[i - 1]), size(shape.links[i - 1])});
  return levels;
}

void add_switches(Assembly& out, const XgftShape& shape, const std::vector<Level>& levels) {
  for (std::size_t i = 1; i < levels.size(); ++i) {
    const std::vector<int> radix = radices(shape, i);
    for (std::size_t index = 0; index < levels[i].count; ++index) {
      std::vector<int> at = digits(index, radix);
      at.push_back(static_cast<int>(i));
      std::reverse(at.begin(), at.end());
      out.add_switch(std::move(at));
    }
  }
}

void add_links(Assembly& out, const Level& lower, const Level& upper) {
  for (std::size_t index = 0; index < lower.count; ++index) {
    const std::size_t b = index % lower.below;
    const std::size_t child = index / lower.below % upper.m;
    const std::size_t a = index / lower.below / upper.m;
    for (std::size_t q = 0; q < upper.w * upper.links; ++q) {
      const std::size_t parent = b + lower.below * (q % upper.w + upper.w * a);
      out.add_link(end_at(lower.first + index, lower.m * lower.links + q + 1),
                   end_at(upper.first + parent, child * upper.links + q / upper.w + 1));
    }
  }
}

}  // namespace

Fabric from_xgft(const Params& params, const XgftShape& shape) {
  Assembly out(params, size_of(shape));
  const std::vector<Level> levels = levels_of(shape);
  add_switches(out, shape, levels);
  for (std::size_t i = 1; i + 1 < levels.size(); ++i) add_links(out, levels[i], levels[i + 1]);
  for (std::size_t leaf = 0; leaf < levels[1].count; ++leaf) out.add_hosts(leaf, 1, levels[1].m);
  return std::move(out).build();
}

Fabric xgft(const Params& params) {
  XgftShape shape{params.dims("children"), params.dims("parents"), params.dims("links")};
  const std::size_t height = shape.children.size();
  if (height > most_levels)
    params.reject("children", fmt::format("at most {} levels are possible", most_levels));
  if (shape.parents.size() != height)
    params.reject("parents", "as many levels as in children are needed");
  if (shape.parents.front() != 1)
    params.reject("parents", "the first number must be 1: a host is on one switch");
  if (shape.links.size() == 1 && height > 1) {
    shape.links.resize(height, shape.links.front());
    shape.links.front() = 1;
  }
  if (shape.links.size() != height)
    params.reject("links", "one number for all levels, or one for each, is needed");
  if (shape.links.front() != 1)
    params.reject("links", "the first number must be 1: a host has one link");
  return from_xgft(params, shape);
}

}  // namespace weft::topo
