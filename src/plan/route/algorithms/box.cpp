// SPDX-License-Identifier: Apache-2.0
// Coordinates and channels of a box, and steps in dimension order.
#include "plan/route/algorithms/box.hpp"

#include <algorithm>
#include <numeric>

namespace weft {

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

bool Box::complete() const {
  for (const SwitchId s : fabric_->switches())
    for (std::size_t d = 0; d < dimensions(); ++d)
      for (int x = 0; x < size(d); ++x)
        if (x != at(s, d) && !channel(s, d, x, 0).valid()) return false;
  return true;
}

bool Box::has_rings() const {
  for (std::size_t d = 0; d < dimensions(); ++d)
    if (ring(d) && size(d) > 3) return true;
  return false;
}

ChannelId DimensionOrder::step(SwitchId at, SwitchId to) const {
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

Lane DimensionOrder::lane(SwitchId at, SwitchId to) const {
  const ChannelId taken = step(at, to);
  if (!taken.valid() || !box_.has_rings()) return 0;
  const std::size_t d = box_.dimension(taken);
  if (!box_.ring(d) || box_.size(d) <= 3) return 0;
  if (box_.wraps(taken)) return 1;
  const int x = box_.at(at, d), goal = box_.at(to, d);
  const bool upwards = box_.at(fabric_.to(taken), d) > x;
  return (upwards ? goal < x : goal > x) ? 1 : 0;
}

std::optional<Refused> DimensionOrder::fill(SwitchId to, std::span<PortNumber> column) const {
  for (SwitchId at : fabric_.switches()) {
    const ChannelId c = step(at, to);
    if (at != to && !c.valid())
      return Refused{fmt::format("a link is missing at switch \"{}\" towards \"{}\"",
                                 fabric_[at].name, fabric_[to].name)};
    column[at.index()] = at == to ? here : fabric_.out_port(c);
  }
  return std::nullopt;
}

int DimensionOrder::tie(SwitchId at) const {
  int sum = 0;
  for (std::size_t d = 0; d < box_.dimensions(); ++d) sum += box_.at(at, d);
  return spread_ && sum % 2 != 0 ? -1 : 1;
}

std::vector<std::size_t> dimensions_in_order(std::size_t dimensions, bool last_first) {
  std::vector<std::size_t> order(dimensions);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (last_first) std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace weft
