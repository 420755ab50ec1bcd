// SPDX-License-Identifier: Apache-2.0
// PortTable: the out-port by switch and destination host, in pages that switches share. In a fat
// tree the rows of most switches have the same pages, so that routes of tens of thousands of hosts
// fit the cache.
#pragma once
#include <cstdint>
#include <vector>

#include "sim/flit/packets.hpp"

namespace weft::sim {

/// What the ports of all switches lead to, port by port and switch by switch.
class PortEnds {
 public:
  explicit PortEnds(const Fabric& fabric);
  /// Whether a port of a switch (from 1) leads to another switch, or to the host that is meant.
  bool leads_on(Index at, PortNumber port, Index to) const {
    if (!has(at, port)) return false;
    const Index end = ends_[first_[at] + port - 1U];
    return end == a_switch || end == to;
  }
  bool has(Index at, PortNumber port) const {
    return port - 1U < first_[at + std::size_t{1}] - first_[at];
  }

 private:
  static constexpr Index a_switch = nothing, no_end = nothing - 1;
  std::vector<Index> first_;  ///< by switch: its first port; then their number
  std::vector<Index> ends_;   ///< by port: a host, or one of these
};

class PortTable {
 public:
  static constexpr std::uint16_t nowhere = 0xFFFF;

  PortTable() = default;
  /// Of destination tables, or of source routes that say the same wherever a packet has come from;
  /// of others it stays empty. Ports that lead neither to a switch nor to the host meant become
  /// `nowhere`.
  PortTable(const Fabric& fabric, const Tables& tables, const PortEnds& ends);

  bool empty() const { return pages_.empty(); }
  /// The out-port, from 0, or the tag of a group of links, less one.
  std::uint16_t operator()(Index at, Index host) const { return entry(at, host); }
  /// What the call above will read: first where the page is, then the entry.
  void prefetch_page(Index at, Index host) const { __builtin_prefetch(&page(at, host)); }
  void prefetch(Index at, Index host) const { __builtin_prefetch(&entry(at, host)); }

 private:
  const Index& page(Index at, Index host) const {
    return page_of_[at * pages_per_row_ + (host >> page_bits_)];
  }
  const std::uint16_t& entry(Index at, Index host) const {
    return pages_[(std::size_t{page(at, host)} << page_bits_) + (host & ((1U << page_bits_) - 1))];
  }
  Index page_bits_ = 8;
  std::size_t pages_per_row_ = 0;
  HugeVector<Index> page_of_;        ///< by switch and page of its row
  HugeVector<std::uint16_t> pages_;  ///< by page and host in it
};

}  // namespace weft::sim
