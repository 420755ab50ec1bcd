// SPDX-License-Identifier: Apache-2.0
// Filling a PortTable: page by page for all switches, as columns lie together in the tables.
#include "sim/flit/port_table.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <unordered_map>

namespace weft::sim {
namespace {

/// The out-port, from 0, of a column's entry at a switch.
std::uint16_t out_port(const Fabric& fabric, SwitchId at, PortNumber entry, HostId to) {
  const Host& host = fabric[to];
  if (entry == here) entry = host.on == at ? host.port : no_port;
  return leads_on(fabric, at, entry, to) ? static_cast<std::uint16_t>(entry - 1)
                                         : PortTable::nowhere;
}

}  // namespace

bool leads_on(const Fabric& fabric, SwitchId at, PortNumber port, HostId to) {
  if (port == 0 || port > fabric[at].ports) return false;
  const Neighbour beyond = fabric.at_port(at, port);
  return beyond.channel.valid() || beyond.host == to;
}

PortTable::PortTable(const Fabric& fabric, const Tables& tables) {
  const auto* columns = std::get_if<DestinationTables>(&tables.paths);
  if (columns == nullptr || columns->size() == 0) return;
  const std::size_t hosts = fabric.host_count(), switches = fabric.switch_count();
  if (hosts <= 1024) page_bits_ = static_cast<Index>(std::bit_width(hosts));
  const std::size_t width = std::size_t{1} << page_bits_;
  pages_per_row_ = (hosts + width - 1) / width;
  page_of_.resize(switches * pages_per_row_);
  std::vector<std::uint16_t> fresh(switches * width);
  std::unordered_map<std::string, Index> known;
  for (std::size_t page = 0; page < pages_per_row_; ++page) {
    std::fill(fresh.begin(), fresh.end(), nowhere);
    for (std::size_t i = 0; i < std::min(width, hosts - page * width); ++i) {
      const HostId to(page * width + i);
      const ColumnId column = tables.to_host[to];
      if (!column.valid()) continue;
      const auto ports = (*columns)[column];
      for (std::size_t s = 0; s < switches; ++s)
        fresh[s * width + i] = out_port(fabric, SwitchId(s), ports[s], to);
    }
    for (std::size_t s = 0; s < switches; ++s) {
      const std::uint16_t* const row = &fresh[s * width];
      const auto [found, added] =
          known.try_emplace(std::string(reinterpret_cast<const char*>(row), width * sizeof(*row)),
                            static_cast<Index>(known.size()));
      if (added) pages_.insert(pages_.end(), row, row + width);
      page_of_[s * pages_per_row_ + page] = found->second;
    }
  }
}

}  // namespace weft::sim
