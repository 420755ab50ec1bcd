// SPDX-License-Identifier: Apache-2.0
// What tests of topologies ask of a fabric: distances, hops as the RHiNET-2 paper counts them,
// links between switches, and the text of an error.
#pragma once
#include <algorithm>
#include <cstddef>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "plan/topo/topology.hpp"

namespace weft::testing {

inline constexpr int unreached = -1;

/// Links between `from` and every switch on a shortest path.
inline std::vector<int> links_from(const Fabric& fabric, SwitchId from) {
  std::vector<int> out(fabric.switch_count(), unreached);
  std::vector<SwitchId> queue{from};
  out[from.index()] = 0;
  for (std::size_t next = 0; next < queue.size(); ++next)
    for (const ChannelId channel : fabric.out(queue[next])) {
      const SwitchId to = fabric.to(channel);
      if (out[to.index()] != unreached) continue;
      out[to.index()] = out[queue[next].index()] + 1;
      queue.push_back(to);
    }
  return out;
}

inline bool connected(const Fabric& fabric) {
  const std::vector<int> from_first = links_from(fabric, SwitchId(0));
  return std::count(from_first.begin(), from_first.end(), unreached) == 0;
}

/// The largest distance between two switches.
inline int diameter(const Fabric& fabric) {
  int most = 0;
  for (const SwitchId s : fabric.switches()) {
    const std::vector<int> all = links_from(fabric, s);
    most = std::max(most, *std::max_element(all.begin(), all.end()));
  }
  return most;
}

/// Switches on the path, over all ordered pairs of hosts, a host with itself included.
struct Hops {
  long total = 0;
  int most = 0;
  double average = 0;
};

inline Hops hops(const Fabric& fabric) {
  Hops out;
  for (const HostId from : fabric.hosts()) {
    const std::vector<int> links = links_from(fabric, fabric[from].on);
    for (const HostId to : fabric.hosts()) {
      const int count = links[fabric[to].on.index()] + 1;
      out.total += count;
      out.most = std::max(out.most, count);
    }
  }
  const auto hosts = static_cast<double>(fabric.host_count());
  out.average = static_cast<double>(out.total) / (hosts * hosts);
  return out;
}

/// How many links join each two switches, smaller id first.
inline std::map<std::pair<SwitchId, SwitchId>, int> joined(const Fabric& fabric) {
  std::map<std::pair<SwitchId, SwitchId>, int> out;
  for (const LinkId id : fabric.links()) {
    const Link& link = fabric[id];
    ++out[std::minmax(link.a.on, link.b.on)];
  }
  return out;
}

/// The switch that a port leads to; none when there is a host or nothing.
inline SwitchId behind(const Fabric& fabric, std::size_t s, std::size_t port) {
  const ChannelId channel = fabric.channel_at(SwitchId(s), static_cast<PortNumber>(port));
  return channel.valid() ? fabric.to(channel) : SwitchId::none();
}

/// What `make_fabric` says about a wrong spec.
inline std::string error_of(std::string_view spec) {
  try {
    make_fabric(spec);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

struct Counts {
  std::size_t switches, hosts, links;
  friend bool operator==(const Counts&, const Counts&) = default;
};

inline Counts counts(const Fabric& fabric) {
  return {fabric.switch_count(), fabric.host_count(), fabric.link_count()};
}

inline std::ostream& operator<<(std::ostream& out, const Counts& counts) {
  return out << counts.switches << " switches, " << counts.hosts << " hosts, " << counts.links
             << " links";
}

}  // namespace weft::testing
