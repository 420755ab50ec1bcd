// SPDX-License-Identifier: Apache-2.0
// Box: a fabric as a grid of coordinates, each dimension a line, a ring or complete (HyperX); and
// dimension order on it (Dally and Seitz, 1987).
#pragma once
#include <cstdlib>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "fabric/tables.hpp"

namespace weft {

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
  /// Whether every two switches of a line are joined, in all dimensions (HyperX).
  bool complete() const;
  /// Whether routes go round a ring; a ring of three is crossed in one step.
  bool has_rings() const;
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

/// Deterministic routes that correct one coordinate after the other, each in the shorter direction.
class DimensionOrder {
 public:
  /// Halfway round a ring both directions are equally long: `spread` has switches alternate.
  DimensionOrder(const Fabric& fabric, const Box& box, std::vector<std::size_t> order, bool spread)
      : fabric_(fabric), box_(box), order_(std::move(order)), spread_(spread) {}

  /// The next channel; none at the destination, and where a link is missing.
  ChannelId step(SwitchId at, SwitchId to) const;
  /// Lane 1 while the wrap link of the present dimension is still ahead, else 0: a lane that
  /// follows from the switch and the destination alone. 0 without rings.
  Lane lane(SwitchId at, SwitchId to) const;
  /// The ports to a switch from all; refused where a link is missing.
  std::optional<Refused> fill(SwitchId to, std::span<PortNumber> column) const;

 private:
  int tie(SwitchId at) const;

  const Fabric& fabric_;
  const Box& box_;
  std::vector<std::size_t> order_;
  bool spread_;
};

/// The dimensions from the first to the last, or the other way round.
std::vector<std::size_t> dimensions_in_order(std::size_t dimensions, bool last_first);

}  // namespace weft
