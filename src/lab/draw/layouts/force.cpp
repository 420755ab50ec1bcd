// SPDX-License-Identifier: Apache-2.0
// Any fabric: switches are as far apart as there are links between them, as well as a plane
// permits. Every step moves a switch to where the others want it (stress majorization, one switch
// at a time: Gansner, Koren and North, 2004). In large fabrics only some switches, the pivots, and
// the neighbours have a say. Nothing is random.
#include <algorithm>
#include <cmath>
#include <set>

#include "fabric/distances.hpp"
#include "lab/draw/layout.hpp"

namespace weft::draw {
namespace {

using Distances = IdVector<SwitchId, std::uint32_t>;

/// Distances from pivots far from each other: each is the farthest from those before it.
std::vector<Distances> pivot_distances(const Fabric& fabric) {
  constexpr std::size_t most_terms = 1'000'000;
  const std::size_t count = fabric.switch_count();
  const std::size_t wanted = std::min(count, std::max<std::size_t>(8, most_terms / count));
  std::vector<Distances> out;
  Distances nearest(count, unreachable);
  SwitchId next(0);
  std::uint32_t longest = 1;
  while (out.size() < wanted) {
    out.push_back(distances(fabric, next));
    for (const std::uint32_t d : out.back())
      if (d != unreachable) longest = std::max(longest, d);
    for (const SwitchId s : fabric.switches()) nearest[s] = std::min(nearest[s], out.back()[s]);
    next = SwitchId(static_cast<std::size_t>(std::max_element(nearest.begin(), nearest.end()) -
                                             nearest.begin()));
  }
  for (Distances& from : out)  // parts that are not joined stay apart
    for (std::uint32_t& d : from) d = d == unreachable ? longest + 2 : d;
  return out;
}

/// The switch that each row of distances begins at.
std::vector<SwitchId> starts_of(const std::vector<Distances>& rows) {
  std::vector<SwitchId> out;
  for (const Distances& row : rows)
    out.push_back(
        SwitchId(static_cast<std::size_t>(std::find(row.begin(), row.end(), 0U) - row.begin())));
  return out;
}

/// A first guess: between the first two pivots from left to right, by the third up and down.
IdVector<SwitchId, Spot> first_guess(const Fabric& fabric, const std::vector<Distances>& pivots) {
  IdVector<SwitchId, Spot> out(fabric.switch_count());
  const auto from = [&](std::size_t pivot, SwitchId s) {
    return static_cast<double>(pivots[std::min(pivot, pivots.size() - 1)][s]);
  };
  constexpr double golden = 0.618033988749895;
  for (const SwitchId s : fabric.switches()) {
    // A little aside, so that no two begin on one spot.
    const double aside = golden * static_cast<double>(s.index());
    out[s] = {(from(0, s) - from(1, s)) / 2 + 0.3 * (aside - std::floor(aside)),
              from(2, s) - (from(0, s) + from(1, s)) / 2 +
                  0.3 * static_cast<double>(s.index()) / static_cast<double>(out.size())};
  }
  return out;
}

/// What one switch wants of another: to be `distance` away, with the weight distance^-2.
class WeightedMean {
 public:
  explicit WeightedMean(Spot from) : from_(from) {}
  void add(Spot other, double distance) {
    const double dx = from_.x - other.x, dy = from_.y - other.y;
    const double length = std::max(1e-6, std::sqrt(dx * dx + dy * dy));
    const double weight = 1 / (distance * distance);
    x_ += weight * (other.x + distance * dx / length);
    y_ += weight * (other.y + distance * dy / length);
    weight_ += weight;
  }
  Spot spot() const { return weight_ > 0 ? Spot{x_ / weight_, y_ / weight_} : from_; }

 private:
  Spot from_;
  double x_ = 0, y_ = 0, weight_ = 0;
};

void relax(const Fabric& fabric, const std::vector<Distances>& pivots,
           IdVector<SwitchId, Spot>& at) {
  constexpr int rounds = 40;
  const std::vector<SwitchId> starts = starts_of(pivots);
  const bool all = pivots.size() == fabric.switch_count();
  for (int round = 0; round < rounds; ++round)
    for (const SwitchId s : fabric.switches()) {
      WeightedMean mean(at[s]);
      for (std::size_t i = 0; i < pivots.size(); ++i)
        if (starts[i] != s) mean.add(at[starts[i]], static_cast<double>(pivots[i][s]));
      if (!all)
        for (const ChannelId c : fabric.out(s))
          if (fabric.to(c) != s) mean.add(at[fabric.to(c)], 1);
      at[s] = mean.spot();
    }
}

/// The longer side of what was laid out, in links.
double extent_of(const IdVector<SwitchId, Spot>& at) {
  const auto side = [&](double Spot::*value) {
    const auto [least, most] = std::minmax_element(
        at.begin(), at.end(), [=](const Spot& a, const Spot& b) { return a.*value < b.*value; });
    return at.empty() ? 0 : (*most).*value - (*least).*value;
  };
  return std::max({1.0, side(&Spot::x), side(&Spot::y)});
}

/// Moves every switch to the middle of a cell of its own, the nearest that is free.
void separate(const Fabric& fabric, IdVector<SwitchId, Spot>& at) {
  const double cell =
      std::min(0.3, extent_of(at) / (2.5 * std::sqrt(static_cast<double>(fabric.switch_count()))));
  std::set<std::pair<long, long>> taken;
  for (const SwitchId s : fabric.switches()) {
    const long x = std::lround(at[s].x / cell), y = std::lround(at[s].y / cell);
    std::pair<long, long> found{x, y};
    for (long ring = 1; taken.contains(found); ++ring)
      for (long i = -ring; i <= ring && taken.contains(found); ++i)
        for (const auto& [dx, dy] : {std::pair{i, -ring}, {i, ring}, {-ring, i}, {ring, i}})
          if (!taken.contains({x + dx, y + dy})) found = {x + dx, y + dy};
    if (found != std::pair{x, y})
      at[s] = {static_cast<double>(found.first) * cell, static_cast<double>(found.second) * cell};
    taken.insert(found);
  }
}

}  // namespace

std::optional<FabricLayout> force(const Fabric& fabric) {
  FabricLayout out;
  out.bow.assign(fabric.link_count(), 0);
  if (fabric.switch_count() > 0) {
    const std::vector<Distances> pivots = pivot_distances(fabric);
    out.at = first_guess(fabric, pivots);
    relax(fabric, pivots, out.at);
    separate(fabric, out.at);
  }
  const double extent = extent_of(out.at);
  const double size =
      std::clamp(130 * std::sqrt(static_cast<double>(fabric.switch_count())), 200.0, 1800.0);
  const double scale = std::min(130.0, size / extent);
  for (Spot& spot : out.at) spot = {spot.x * scale, spot.y * scale};
  fit_canvas(out, 70);
  out.pitch = std::clamp(size / std::sqrt(std::max(1.0, static_cast<double>(out.at.size()))) * 0.6,
                         9.0, 80.0);
  return out;
}

}  // namespace weft::draw
