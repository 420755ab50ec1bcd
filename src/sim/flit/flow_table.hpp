// SPDX-License-Identifier: Apache-2.0
// FlowTable: the ports that flows had last at a switch (policy sticky). It forgets flows that have
// paused, so that it stays as small as what is under way.
#pragma once
#include <algorithm>
#include <bit>
#include <vector>

#include "base/rng.hpp"
#include "sim/flit/packets.hpp"

namespace weft::sim {

class FlowTable {
 public:
  /// The port that a flow had at cycle `oldest` or since; nothing: there is none.
  Index port_of(std::uint64_t flow, Cycle oldest) const {
    const KnownFlow& found = entries_[place_of(flow)];
    return found.port != nothing && found.at >= oldest ? found.port : nothing;
  }
  /// The flow has a port now. Those that had none since `oldest` need not be known any more.
  void note(std::uint64_t flow, Index port, Cycle now, Cycle oldest) {
    std::size_t place = place_of(flow);
    if (entries_[place].port == nothing && 2 * ++used_ > entries_.size()) {
      forget(oldest);
      place = place_of(flow);
      ++used_;
    }
    entries_[place] = {flow, now, port};
  }

 private:
  struct KnownFlow {
    std::uint64_t flow = 0;
    Cycle at = 0;
    Index port = nothing;  ///< nothing: the entry is free
  };
  static constexpr std::size_t least = 16;

  /// Where a flow is, or would be: linear probing (Knuth, volume 3, 6.4).
  std::size_t place_of(std::uint64_t flow) const {
    const std::size_t mask = entries_.size() - 1;
    std::size_t i = mixed(flow) & mask;
    while (entries_[i].port != nothing && entries_[i].flow != flow) i = (i + 1) & mask;
    return i;
  }
  void forget(Cycle oldest) {
    const std::vector<KnownFlow> before = std::move(entries_);
    const auto known = [oldest](const KnownFlow& e) { return e.port != nothing && e.at >= oldest; };
    used_ = static_cast<std::size_t>(std::count_if(before.begin(), before.end(), known));
    entries_.assign(std::max(least, std::bit_ceil(4 * used_)), {});
    for (const KnownFlow& entry : before)
      if (known(entry)) entries_[place_of(entry.flow)] = entry;
  }

  std::vector<KnownFlow> entries_ = std::vector<KnownFlow>(least);  ///< a power of two
  std::size_t used_ = 0;
};

}  // namespace weft::sim
