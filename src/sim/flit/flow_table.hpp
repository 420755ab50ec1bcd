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
    return !found.is_free() && found.at() >= oldest ? found.port() : nothing;
  }
  /// The flow has a port now. Those that had none since `oldest` need not be known any more.
  void note(std::uint64_t flow, Index port, Cycle now, Cycle oldest) {
    std::size_t place = place_of(flow);
    if (entries_[place].is_free() && 2 * ++used_ > entries_.size()) {
      forget(oldest);
      place = place_of(flow);
      ++used_;
    }
    entries_[place] = KnownFlow(flow, port, now);
  }
  /// What is known of a flow will be asked for soon.
  void prefetch(std::uint64_t flow) const {
    __builtin_prefetch(&entries_[mixed(flow) & (entries_.size() - 1)]);
  }

 private:
  /// A flow, its port, and when it had that: four to a line of the cache. The cycle has 48 bits.
  class KnownFlow {
   public:
    KnownFlow() = default;
    KnownFlow(std::uint64_t flow, Index port, Cycle at) : flow_(flow), rest_(at << 16U | port) {}
    bool is_free() const { return rest_ == free; }
    std::uint64_t flow() const { return flow_; }
    Index port() const { return static_cast<Index>(rest_ & 0xFFFF); }
    Cycle at() const { return rest_ >> 16U; }

   private:
    static constexpr std::uint64_t free = ~std::uint64_t{0};
    std::uint64_t flow_ = 0, rest_ = free;
  };
  static constexpr std::size_t least = 16;

  /// Where a flow is, or would be: linear probing (Knuth, volume 3, 6.4).
  std::size_t place_of(std::uint64_t flow) const {
    const std::size_t mask = entries_.size() - 1;
    std::size_t i = mixed(flow) & mask;
    while (!entries_[i].is_free() && entries_[i].flow() != flow) i = (i + 1) & mask;
    return i;
  }
  void forget(Cycle oldest) {
    const std::vector<KnownFlow> before = std::move(entries_);
    const auto known = [oldest](const KnownFlow& e) { return !e.is_free() && e.at() >= oldest; };
    used_ = static_cast<std::size_t>(std::count_if(before.begin(), before.end(), known));
    entries_.assign(std::max(least, std::bit_ceil(4 * used_)), {});
    for (const KnownFlow& entry : before)
      if (known(entry)) entries_[place_of(entry.flow())] = entry;
  }

  std::vector<KnownFlow> entries_ = std::vector<KnownFlow>(least);  ///< a power of two
  std::size_t used_ = 0;
};

}  // namespace weft::sim
