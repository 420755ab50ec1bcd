// SPDX-License-Identifier: Apache-2.0
// Indexes of a Fabric: channels by switch, hosts by switch, the neighbour at each port, names.
#include "fabric/fabric.hpp"

#include <algorithm>

namespace weft {

Fabric::Fabric(std::string name, IdVector<SwitchId, Switch> switches, IdVector<HostId, Host> hosts,
               IdVector<LinkId, Link> links)
    : name_(std::move(name)),
      switches_(std::move(switches)),
      hosts_(std::move(hosts)),
      links_(std::move(links)) {
  index_channels();
  index_ports();
  for (SwitchId s : switches_.ids()) switch_names_.emplace(switches_[s].name, s);
  for (HostId h : hosts_.ids()) host_names_.emplace(hosts_[h].name, h);
}

void Fabric::index_channels() {
  for (const Link& link : links_) {
    channels_.push_back({link.a.on, link.b.on, link.a.port, link.b.port});
    channels_.push_back({link.b.on, link.a.on, link.b.port, link.a.port});
  }
}

void Fabric::index_ports() {
  ports_begin_.assign(1, 0);
  for (const Switch& s : switches_) ports_begin_.push_back(ports_begin_.back() + s.ports + 1);
  ports_.assign(ports_begin_.back(), nothing);
  for (ChannelId c : channels_.ids())
    ports_[ports_begin_[from(c).index()] + out_port(c)] = static_cast<std::uint32_t>(c.index());
  for (HostId h : hosts_.ids())
    ports_[ports_begin_[hosts_[h].on.index()] + hosts_[h].port] =
        static_cast<std::uint32_t>(h.index()) | host_bit;

  for (SwitchId s : switches_.ids()) {
    out_begin_.push_back(out_.size());
    hosts_begin_.push_back(by_switch_.size());
    for (std::uint32_t port = 1; port <= switches_[s].ports; ++port) {
      const Neighbour next = at_port(s, static_cast<PortNumber>(port));
      if (next.channel.valid()) out_.push_back(next.channel);
      if (next.host.valid()) by_switch_.push_back(next.host);
    }
  }
  out_begin_.push_back(out_.size());
  hosts_begin_.push_back(by_switch_.size());
}

std::optional<SwitchId> Fabric::find_switch(std::string_view name) const {
  const auto found = switch_names_.find(std::string(name));
  if (found == switch_names_.end()) return std::nullopt;
  return found->second;
}

std::optional<HostId> Fabric::find_host(std::string_view name) const {
  const auto found = host_names_.find(std::string(name));
  if (found == host_names_.end()) return std::nullopt;
  return found->second;
}

std::optional<SwitchId> Fabric::find_switch_guid(Guid guid) const {
  const auto found = std::find_if(switches_.begin(), switches_.end(),
                                  [&](const Switch& s) { return s.guid == guid; });
  if (guid == 0 || found == switches_.end()) return std::nullopt;
  return SwitchId(static_cast<std::size_t>(found - switches_.begin()));
}

Bandwidth fastest_link(const Fabric& fabric) {
  Bandwidth out{};
  for (LinkId l : fabric.links()) out = std::max(out, fabric[l].wire.speed);
  for (HostId h : fabric.hosts()) out = std::max(out, fabric[h].wire.speed);
  return out;
}

}  // namespace weft
