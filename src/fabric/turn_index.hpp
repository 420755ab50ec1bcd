// SPDX-License-Identifier: Apache-2.0
// An index for every turn from one channel to the next, by which per-turn data is stored.
#pragma once
#include <cstdint>

#include "fabric/fabric.hpp"

namespace weft {

/// From the channel by which a packet comes to the one by which it leaves.
struct Turn {
  ChannelId in, out;
};

class TurnIndex {
 public:
  explicit TurnIndex(const Fabric& fabric)
      : fabric_(fabric), begin_(fabric.channel_count()), position_(fabric.channel_count()) {
    for (SwitchId s : fabric.switches()) {
      std::uint32_t position = 0;
      for (ChannelId c : fabric.out(s)) position_[c] = position++;
    }
    for (ChannelId c : fabric.channels()) {
      begin_[c] = static_cast<std::uint32_t>(size_);
      size_ += fabric.out(fabric.to(c)).size();
    }
  }
  /// `out` leaves the switch that `in` enters.
  std::size_t operator()(ChannelId in, ChannelId out) const { return begin_[in] + position_[out]; }
  std::size_t size() const { return size_; }
  const Fabric& fabric() const { return fabric_; }

 private:
  const Fabric& fabric_;
  std::size_t size_ = 0;
  IdVector<ChannelId, std::uint32_t> begin_, position_;
};

}  // namespace weft
