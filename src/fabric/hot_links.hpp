// SPDX-License-Identifier: Apache-2.0
// The busiest links of a fabric, whatever it is that they carry.
#pragma once
#include <string>
#include <vector>

#include "fabric/fabric.hpp"

namespace weft {

/// The busiest channels, the busiest first and of equals the first by number; none that carries
/// nothing.
std::vector<ChannelId> hot_channels(const IdVector<ChannelId, double>& loads, std::size_t most);
/// "and 59 more with as many", or nothing: `hot` may leave out others as busy as its last.
std::string equally_hot_text(const IdVector<ChannelId, double>& loads,
                             const std::vector<ChannelId>& hot);
/// "s15:4 > s11:3".
std::string channel_text(const Fabric& fabric, ChannelId c);

}  // namespace weft
