// SPDX-License-Identifier: Apache-2.0
// The busiest links of a fabric.
#include "fabric/hot_links.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weft {

std::vector<ChannelId> hot_channels(const IdVector<ChannelId, double>& loads, std::size_t most) {
  std::vector<ChannelId> out;
  for (const ChannelId c : loads.ids())
    if (loads[c] > 0) out.push_back(c);
  const auto end = out.begin() + static_cast<std::ptrdiff_t>(std::min(most, out.size()));
  std::partial_sort(out.begin(), end, out.end(), [&](ChannelId a, ChannelId b) {
    return loads[a] != loads[b] ? loads[a] > loads[b] : a < b;
  });
  out.erase(end, out.end());
  return out;
}

std::string equally_hot_text(const IdVector<ChannelId, double>& loads,
                             const std::vector<ChannelId>& hot) {
  if (hot.empty()) return "";
  const double last = loads[hot.back()];
  const auto all = std::count(loads.begin(), loads.end(), last);
  const auto named =
      std::count_if(hot.begin(), hot.end(), [&](ChannelId c) { return loads[c] == last; });
  if (all == named) return "";
  return fmt::format("and {} more with as many", all - named);
}

std::string channel_text(const Fabric& fabric, ChannelId c) {
  return fmt::format("{}:{} > {}:{}", fabric[fabric.from(c)].name, fabric.out_port(c),
                     fabric[fabric.to(c)].name, fabric.in_port(c));
}

}  // namespace weft
