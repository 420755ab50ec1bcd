// SPDX-License-Identifier: Apache-2.0
// Dimension order (Dally and Seitz, 1987): correct one coordinate after the other, each in the
// shorter direction. On a torus two lanes: lane 1 until the wrap link of a dimension is taken, lane
// 0 from there on (RHiNET-2, section IV.B). xy is the same on a two-dimensional mesh.
#include <algorithm>
#include <numeric>

#include "plan/route/algorithms/columns.hpp"
#include "plan/route/routing_engines.hpp"

namespace weft {
namespace {

/// The fabric as a box of coordinates: what every channel does to them.
class Box {
 public:
  /// Refused, with the reason, when the fabric is no such box.
  static std::variant<Box, Refused> find(const Fabric& fabric);

  std::size_t dimensions() const { return size_.size(); }
  int size(std::size_t d) const { return size_[d]; }
  bool ring(std::size_t d) const { return ring_[d]; }
  int at(SwitchId s, std::size_t d) const { return fabric_->operator[](s).at[d]; }
  std::size_t dimension(ChannelId c) const { return dimension_[c]; }
  bool wraps(ChannelId c) const {
    const std::size_t d = dimension_[c];
    return ring_[d] && std::abs(at(fabric_->from(c), d) - at(fabric_->to(c), d)) > 1;
  }
  /// The k-th (modulo their number) channel from `s` to coordinate `x` of dimension `d`.
  ChannelId channel(SwitchId s, std::size_t d, int x, std::size_t k) const {
    const auto& parallel = by_target_[s][first_[d] + static_cast<std::size_t>(x)];
    return parallel.empty() ? ChannelId::none() : parallel[k % parallel.size()];
  }

 private:
  std::optional<Refused> take_coordinates();
  std::optional<Refused> take_channels();

  const Fabric* fabric_ = nullptr;
  std::vector<int> size_;
  std::vector<bool> ring_;
  std::vector<std::size_t> first_;
  IdVector<ChannelId, std::size_t> dimension_;
  IdVector<SwitchId, std::vector<std::vector<ChannelId>>> by_target_;
};

std::variant<Box, Refused> Box::find(const Fabric& fabric) {
  Box box;
  box.fabric_ = &fabric;
  if (auto refused = box.take_coordinates()) return *refused;
  if (auto refused = box.take_channels()) return *refused;
  return box;
}

std::optional<Refused> Box::take_coordinates() {
  const Fabric& fabric = *fabric_;
  for (SwitchId s : fabric.switches()) {
    const auto& at = fabric[s].at;
    if (at.empty())
      return Refused{fmt::format("needs coordinates; switch \"{}\" has none", fabric[s].name)};
    if (size_.empty()) size_.assign(at.size(), 0);
    if (at.size() != size_.size() || *std::min_element(at.begin(), at.end()) < 0)
      return Refused{fmt::format("the coordinates of switch \"{}\" do not fit those of \"{}\"",
                                 fabric[s].name, fabric[SwitchId(0)].name)};
    for (std::size_t d = 0; d < size_.size(); ++d) size_[d] = std::max(size_[d], at[d] + 1);
  }
  std::size_t places = 1;
  for (int k : size_)
    places = std::min<std::size_t>(places * static_cast<std::size_t>(k), 1U << 31);
  if (places != fabric.switch_count())
    return Refused{fmt::format("needs a switch at every place of the grid; {} of {} are there",
                               fabric.switch_count(), places)};
  return std::nullopt;
}

std::optional<Refused> Box::take_channels() {
  const Fabric& fabric = *fabric_;
  first_.resize(size_.size());
  std::exclusive_scan(size_.begin(), size_.end(), first_.begin(), std::size_t{0},
                      [](std::size_t a, auto b) { return a + static_cast<std::size_t>(b); });
  const std::size_t targets = first_.back() + static_cast<std::size_t>(size_.back());
  by_target_.assign(fabric.switch_count(), std::vector<std::vector<ChannelId>>(targets));
  dimension_.assign(fabric.channel_count(), 0);
  ring_.assign(size_.size(), false);
  std::vector<bool> far(size_.size(), false);
  for (SwitchId s : fabric.switches())
    for (ChannelId c : fabric.out(s)) {
      std::size_t changed = 0;
      for (std::size_t d = 0; d < size_.size(); ++d)
        if (at(s, d) != at(fabric.to(c), d)) {
          ++changed;
          dimension_[c] = d;
        }
      const std::size_t d = dimension_[c];
      if (changed != 1)
        return Refused{
            fmt::format("a link joins \"{}\" and \"{}\", which differ in {} coordinates; "
                        "one is needed",
                        fabric[s].name, fabric[fabric.to(c)].name, changed)};
      const int x = at(fabric.to(c), d);
      by_target_[s][first_[d] + static_cast<std::size_t>(x)].push_back(c);
      const int step = std::abs(x - at(s, d));
      if (step == size_[d] - 1 && size_[d] > 2) ring_[d] = true;
      if (step != 1 && step != size_[d] - 1) far[d] = true;
    }
  for (std::size_t d = 0; d < size_.size(); ++d) {
    if (!far[d]) continue;
    // Links over more than one step: a complete dimension (HyperX) is crossed at once and has no
    // ring to speak of; anything between is not for this engine.
    ring_[d] = false;
    for (SwitchId s : fabric.switches())
      for (int x = 0; x < size_[d]; ++x)
        if (x != at(s, d) && !channel(s, d, x, 0).valid())
          return Refused{
              fmt::format("dimension {} is neither a line, a ring nor complete: switch "
                          "\"{}\" has no link to coordinate {}",
                          d, fabric[s].name, x)};
  }
  return std::nullopt;
}

class DimensionOrder {
 public:
  DimensionOrder(const Fabric& fabric, const Box& box, std::vector<std::size_t> order, bool spread)
      : fabric_(fabric), box_(box), order_(std::move(order)), spread_(spread) {}

  std::variant<DestinationTables, Refused> columns(const Tables& shape) const {
    auto next = std::get<DestinationTables>(shape.paths);
    for (SwitchId to : fabric_.switches()) {
      if (fabric_.hosts_on(to).empty()) continue;
      const auto column = next[shape.to_host[fabric_.hosts_on(to).front()]];
      for (SwitchId at : fabric_.switches()) {
        const ChannelId c = step(at, to);
        if (at != to && !c.valid())
          return Refused{fmt::format("a link is missing at switch \"{}\" towards \"{}\"",
                                     fabric_[at].name, fabric_[to].name)};
        column[at.index()] = at == to ? here : fabric_.out_port(c);
      }
    }
    return next;
  }

 private:
  ChannelId step(SwitchId at, SwitchId to) const {
    for (std::size_t d : order_) {
      const int x = box_.at(at, d);
      const int goal = box_.at(to, d);
      if (x == goal) continue;
      const ChannelId direct = box_.channel(at, d, goal, to.index());
      if (direct.valid()) return direct;
      const int k = box_.size(d);
      int direction = goal > x ? 1 : -1;
      if (box_.ring(d)) {
        const int ahead = (goal - x + k) % k;
        direction = 2 * ahead == k ? tie(at) : (2 * ahead < k ? 1 : -1);
      }
      return box_.channel(at, d, (x + direction + k) % k, to.index());
    }
    return ChannelId::none();
  }
  /// Halfway round a ring both directions are equally long; switches alternate.
  int tie(SwitchId at) const {
    int sum = 0;
    for (std::size_t d = 0; d < box_.dimensions(); ++d) sum += box_.at(at, d);
    return spread_ && sum % 2 != 0 ? -1 : 1;
  }

  const Fabric& fabric_;
  const Box& box_;
  std::vector<std::size_t> order_;
  bool spread_;
};

TurnLanes lanes_by_turn(const Fabric& fabric, const Box& box) {
  TurnLanes turns(fabric, LaneOp::set(1), LaneOp::set(1));
  for (SwitchId s : fabric.switches())
    for (ChannelId out : fabric.out(s)) {
      if (box.wraps(out))
        for (std::uint32_t in = 1; in <= fabric[s].ports; ++in)
          turns.at(s, static_cast<PortNumber>(in), fabric.out_port(out)) = LaneOp::set(0);
      for (ChannelId entering : fabric.out(s))
        if (!box.wraps(out) && box.dimension(entering) == box.dimension(out))
          turns.at(s, fabric.out_port(entering), fabric.out_port(out)) = LaneOp::keep();
    }
  return turns;
}

/// As Torus-2QoS does it: bit d of the service level says whether the route crosses the wrap link
/// of dimension d; on links of dimension d the lane is that bit.
ServiceLanes lanes_by_service(const Fabric& fabric, const Box& box, const Tables& tables) {
  const auto& next = std::get<DestinationTables>(tables.paths);
  ServiceLanes lanes{Grid<std::uint8_t>(next.size(), fabric.switch_count(), 0)};
  for (ColumnId column : next.ids())
    for (SwitchId from : fabric.switches()) {
      unsigned level = 0;
      for (SwitchId at = from; next[column][at.index()] != here;) {
        const ChannelId c = fabric.channel_at(at, next[column][at.index()]);
        if (box.wraps(c)) level |= 1U << box.dimension(c);
        at = fabric.to(c);
      }
      lanes.level[column][from.index()] = static_cast<std::uint8_t>(level);
    }
  ServiceLanes::Map map;
  map.levels = 1 << box.dimensions();
  for (SwitchId s : fabric.switches()) {
    const std::size_t width = fabric[s].ports + std::size_t{1};
    std::vector<Lane> lane(width * width * static_cast<std::size_t>(map.levels), 0);
    for (ChannelId out : fabric.out(s))
      for (std::size_t in = 0; in < width; ++in)
        for (std::size_t level = 0; level < static_cast<std::size_t>(map.levels); ++level)
          lane[(in * width + fabric.out_port(out)) * static_cast<std::size_t>(map.levels) + level] =
              static_cast<Lane>(level >> box.dimension(out) & 1U);
    map.lane.push_back(std::move(lane));
  }
  lanes.map = std::move(map);
  return lanes;
}

std::vector<std::size_t> order_from(const Params& params, std::size_t dimensions) {
  std::vector<std::size_t> order(dimensions);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (params.is("order", "last")) std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace

Routed dor(const Fabric& fabric, const Params& params) {
  const auto found = Box::find(fabric);
  if (const auto* refused = std::get_if<Refused>(&found)) return *refused;
  const Box& box = std::get<Box>(found);
  const bool spread = params.is("select", "balanced");
  const DimensionOrder order(fabric, box, order_from(params, box.dimensions()), spread);
  Tables tables = empty_tables(fabric, false);
  auto columns = order.columns(tables);
  if (const auto* refused = std::get_if<Refused>(&columns)) return *refused;
  tables.paths = std::get<DestinationTables>(std::move(columns));

  // A ring of three is crossed in one step and cannot close a cycle.
  bool rings = false;
  for (std::size_t d = 0; d < box.dimensions(); ++d)
    rings = rings || (box.ring(d) && box.size(d) > 3);
  if (!rings || params.is("lanes", "one")) return tables;
  tables.lane_count = 2;
  if (params.is("lanes", "turn")) {
    tables.lanes = lanes_by_turn(fabric, box);
  } else {
    if (box.dimensions() > 4)
      return Refused{"16 service levels serve 4 dimensions; use lanes=turn"};
    tables.lanes = lanes_by_service(fabric, box, tables);
  }
  return tables;
}

Routed xy(const Fabric& fabric, const Params& params) {
  const auto found = Box::find(fabric);
  if (const auto* refused = std::get_if<Refused>(&found)) return *refused;
  const Box& box = std::get<Box>(found);
  if (box.dimensions() != 2 || box.ring(0) || box.ring(1))
    return Refused{"needs a mesh of two dimensions without wrap links; dor serves the others"};
  return dor(fabric, params);
}

}  // namespace weft
