// SPDX-License-Identifier: Apache-2.0
// Filling a PortTable: page by page for all switches, some columns at a time, as those lie together
// in the tables.
#include "sim/flit/port_table.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>

#include "sim/flit/shared_rows.hpp"

namespace weft::sim {

PortEnds::PortEnds(const Fabric& fabric) {
  for (SwitchId s : fabric.switches()) {
    first_.push_back(static_cast<Index>(ends_.size()));
    ends_.resize(ends_.size() + fabric[s].ports, no_end);
  }
  first_.push_back(static_cast<Index>(ends_.size()));
  for (ChannelId c : fabric.channels())
    ends_[first_[fabric.from(c).index()] + fabric.out_port(c) - 1U] = a_switch;
  for (HostId h : fabric.hosts())
    ends_[first_[fabric[h].on.index()] + fabric[h].port - 1U] = static_cast<Index>(h.index());
}

namespace {

/// A host, and the ports that lead to it by switch.
struct HostColumn {
  Index host, last_switch;
  PortNumber last_port;
  std::span<const PortNumber> ports;  ///< empty: there are none
};

/// The out-port, from 0, or a group of links.
std::uint16_t out_port(const PortEnds& ends, const HostColumn& column, Index at) {
  if (column.ports.empty()) return PortTable::nowhere;
  PortNumber port = column.ports[at];
  if (port == here && column.last_switch == at) port = column.last_port;
  const bool leads_on =
      port >= first_link_group ? port != no_port : ends.leads_on(at, port, column.host);
  return leads_on ? static_cast<std::uint16_t>(port - 1) : PortTable::nowhere;
}

/// The tags that switches read on the way to a host, where each reads the same in all packets; none
/// where a tag depends on the way that a packet has come.
class TagReader {
 public:
  TagReader(const Fabric& fabric, const SourceRoutes& routes) : fabric_(fabric), routes_(routes) {}

  std::optional<DestinationTables> read() {
    DestinationTables out(routes_.size(), routes_.width(), no_port);
    for (const ColumnId c : routes_.ids()) {
      if (!follow(c)) return std::nullopt;
      for (const SwitchId s : fabric_.switches())
        if (const auto& tags = rest_[s]) out[c][s.index()] = tags->empty() ? here : tags->front();
    }
    return out;
  }

 private:
  using Tags = std::span<const PortNumber>;
  /// Notes the tags that are left at every switch of the routes to a host. False: they differ.
  bool follow(ColumnId to) {
    rest_.assign(fabric_.switch_count(), std::nullopt);
    for (const SwitchId s : fabric_.switches())
      if (const auto tags = routes_.route(to, s); tags && !note(s, *tags)) return false;
    while (!todo_.empty()) {
      const SwitchId s = todo_.back();
      todo_.pop_back();
      if (rest_[s]->empty()) continue;
      for (const PortNumber port : routes_.ports(rest_[s]->front())) {
        const ChannelId channel = fabric_.channel_at(s, port);
        if (channel.valid() && !note(fabric_.to(channel), rest_[s]->subspan(1))) return false;
      }
    }
    return true;
  }
  bool note(SwitchId s, Tags tags) {
    if (rest_[s]) return as_key(*rest_[s]) == as_key(tags);
    rest_[s] = tags;
    todo_.push_back(s);
    return true;
  }

  const Fabric& fabric_;
  const SourceRoutes& routes_;
  IdVector<SwitchId, std::optional<Tags>> rest_;
  std::vector<SwitchId> todo_;
};

}  // namespace

PortTable::PortTable(const Fabric& fabric, const Tables& tables, const PortEnds& ends) {
  const auto* columns = std::get_if<DestinationTables>(&tables.paths);
  std::optional<DestinationTables> of_tags;
  if (const auto* routes = std::get_if<SourceRoutes>(&tables.paths)) {
    of_tags = TagReader(fabric, *routes).read();
    if (of_tags) columns = &*of_tags;
  }
  if (columns == nullptr || columns->size() == 0) return;
  const std::size_t hosts = fabric.host_count();
  const auto switches = static_cast<Index>(fabric.switch_count());
  if (hosts <= 1024) page_bits_ = static_cast<Index>(std::bit_width(hosts));
  const std::size_t width = std::size_t{1} << page_bits_;
  pages_per_row_ = (hosts + width - 1) / width;
  page_of_.resize(switches * pages_per_row_);
  std::vector<HostColumn> to;
  for (HostId h : fabric.hosts()) {
    const ColumnId column = tables.to_host[h];
    to.push_back({static_cast<Index>(h.index()), static_cast<Index>(fabric[h].on.index()),
                  fabric[h].port,
                  column.valid() ? (*columns)[column] : std::span<const PortNumber>()});
  }
  constexpr std::size_t together = 32;  // columns: a line of the cache in a row
  std::vector<std::uint16_t> fresh(switches * width, nowhere);
  SharedRows<std::uint16_t> pages(pages_);
  for (std::size_t page = 0; page < pages_per_row_; ++page) {
    const std::size_t first = page * width, end = std::min(hosts, first + width);
    for (std::size_t i = first; i < end; i += together)
      for (Index s = 0; s < switches; ++s)
        for (std::size_t h = i; h < std::min(i + together, end); ++h)
          fresh[s * width + h - first] = out_port(ends, to[h], s);
    for (Index s = 0; s < switches; ++s)
      page_of_[s * pages_per_row_ + page] =
          static_cast<Index>(pages.add({&fresh[s * width], width}) >> page_bits_);
  }
}

}  // namespace weft::sim
