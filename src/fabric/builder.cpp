// SPDX-License-Identifier: Apache-2.0
// FabricBuilder: each call refuses what a fabric may not contain.
#include "fabric/builder.hpp"

#include "base/error.hpp"

namespace weft {
namespace {
constexpr std::size_t longest_name = 255;
constexpr Lid first_multicast_lid = 0xC000;

bool has_speed(const Wire& wire) { return wire.speed.bits_per_second > 0; }
}  // namespace

SwitchId FabricBuilder::add_switch(Switch s) {
  claim_name(s.name, "switch");
  claim_guid(s.guid, s.name);
  claim_lid(s.lid, s.name);
  if (s.ports > most_ports)
    throw Error("switch \"{}\" has {} ports; at most {} are possible", s.name, s.ports, most_ports);
  used_.emplace_back(std::size_t{s.ports} + 1, false);
  next_free_.push_back(1);
  return switches_.push_back(std::move(s));
}

HostId FabricBuilder::add_host(Host h) {
  claim_name(h.name, "host");
  claim_guid(h.port_guid, h.name);
  if (h.guid != 0 && !nic_ports_.insert({h.guid, h.nic_port}).second)
    throw Error("port {} of the NIC with GUID 0x{:016x} appears twice, again as \"{}\"", h.nic_port,
                h.guid, h.name);
  claim_lid(h.lid, h.name);
  if (!has_speed(h.wire)) throw Error("host \"{}\": a link needs a speed above zero", h.name);
  h.port = claim(h.on, h.port);
  return hosts_.push_back(std::move(h));
}

LinkId FabricBuilder::add_link(Link link) {
  const Switch& a = known(link.a.on);
  const Switch& b = known(link.b.on);
  if (link.a.on == link.b.on) throw Error("a link joins switch \"{}\" with itself", a.name);
  if (!has_speed(link.wire))
    throw Error("switches \"{}\" and \"{}\": a link needs a speed above zero", a.name, b.name);
  link.a.port = claim(link.a.on, link.a.port);
  link.b.port = claim(link.b.on, link.b.port);
  return links_.push_back(link);
}

const Switch& FabricBuilder::known(SwitchId s) const {
  invariant(s.index() < switches_.size(), "a link end names a switch that was not added");
  return switches_[s];
}

PortNumber FabricBuilder::claim(SwitchId s, PortNumber port) {
  const Switch& on = known(s);
  std::vector<bool>& used = used_[s.index()];
  PortNumber& next = next_free_[s.index()];
  if (port == 0) {
    while (next < used.size() && used[next]) ++next;
    port = next;
  }
  const PortNumber most = on.ports == 0 ? most_ports : on.ports;
  if (port > most)
    throw Error("switch \"{}\" has {} ports, there is no port {}", on.name, most, port);
  if (port >= used.size()) used.resize(std::size_t{port} + 1, false);
  if (used[port]) throw Error("port {} of switch \"{}\" is used twice", port, on.name);
  used[port] = true;
  return port;
}

void FabricBuilder::claim_name(const std::string& name, const char* kind) {
  if (name.empty()) throw Error("a {} has no name", kind);
  if (name.size() > longest_name)
    throw Error("the name of a {} is {} bytes long (\"{}…\"); at most {} are possible", kind,
                name.size(), name.substr(0, 20), longest_name);
  for (const char letter : name)
    if (static_cast<unsigned char>(letter) < 0x20 || letter == '"' || letter == '\\' ||
        letter == 0x7F)
      throw Error("the name of a {} contains a quote, a backslash or a control character", kind);
  auto& names = kind[0] == 's' ? switch_names_ : host_names_;
  if (!names.insert(name).second) throw Error("{} \"{}\" appears twice", kind, name);
}

void FabricBuilder::claim_guid(Guid guid, const std::string& owner) {
  if (guid == 0) return;
  const auto [place, fresh] = guids_.emplace(guid, owner);
  if (!fresh)
    throw Error("GUID 0x{:016x} belongs to both \"{}\" and \"{}\"", guid, place->second, owner);
}

void FabricBuilder::claim_lid(Lid lid, const std::string& owner) {
  if (lid == 0) return;
  if (lid >= first_multicast_lid)
    throw Error("\"{}\" has LID {}; unicast LIDs end at {}", owner, lid, first_multicast_lid - 1);
  const auto [place, fresh] = lids_.emplace(lid, owner);
  if (!fresh) throw Error("LID {} belongs to both \"{}\" and \"{}\"", lid, place->second, owner);
}

Fabric FabricBuilder::build() && {
  for (SwitchId s : switches_.ids())
    if (switches_[s].ports == 0)
      switches_[s].ports = static_cast<PortNumber>(used_[s.index()].size() - 1);
  return {std::move(name_), std::move(switches_), std::move(hosts_), std::move(links_)};
}

}  // namespace weft
