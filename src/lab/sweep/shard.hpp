// SPDX-License-Identifier: Apache-2.0
// A shard of a sweep: the part of its points that one process runs, of several on as many machines.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace weft {

struct Shard {
  std::size_t number = 1, of = 1;  ///< from 1 to `of`
  friend bool operator==(const Shard&, const Shard&) = default;
};

/// "3/10". Throws Error.
Shard shard_from(const std::string& text);
std::string to_text(const Shard& shard);

/// Which of so many points are of the shard, in their order. Each shard has one of every `of`
/// consecutive points, which are dealt in an order of their own: neighbours cost alike, and no
/// shard always gets the highest load.
std::vector<std::size_t> points_of(const Shard& shard, std::size_t points);

template <class Point>
std::vector<Point> points_of(const Shard& shard, const std::vector<Point>& points) {
  std::vector<Point> out;
  for (const std::size_t i : points_of(shard, points.size())) out.push_back(points[i]);
  return out;
}

}  // namespace weft
