// SPDX-License-Identifier: Apache-2.0
// The text that ibnetdiscover prints and ibsim reads: a record per switch and NIC, a line per
// connected port. Names, GUIDs, LIDs, ports and speeds survive; coordinates are not held.
//
// Beyond what ibnetdiscover prints, the comment "# Fabric: name" keeps the fabric's name, a speed
// that InfiniBand has no name for is written as "6Gb/s", and a delay as "25ns" behind the speed.
// Switches and hosts keep the order of the file; links are ordered by switch and port. Left out are
// NICs without a link, cables from a switch to itself, and all LIDs but the first (LMC).
#include <algorithm>
#include <map>
#include <unordered_map>

#include "fabric/format/addresses.hpp"
#include "fabric/format/draft.hpp"
#include "fabric/format/ibnetdiscover_records.hpp"
#include "fabric/format/infiniband_rate.hpp"
#include "fabric/format/rows.hpp"
#include "fabric/format/text.hpp"

namespace weft::ibnetdiscover {
namespace {

/// Makes the Fabric; every link must be listed at both ends, alike.
class Assembler {
 public:
  Assembler(const Source& source, const Records& records)
      : source_(source), nodes_(records.nodes), draft_(source, records.fabric_name) {
    for (const Node& node : nodes_) {
      by_id_.emplace(node.id, &node);
      if (node.kind == Kind::switch_node || !node.links.empty()) ++uses_[{node.kind, node.name}];
      for (const PortLine& link : node.links) lines_[&node].emplace(link.port, &link);
    }
  }

  Fabric assemble() && {
    for (const Node& node : nodes_)
      if (node.kind == Kind::switch_node)
        switches_.emplace(
            &node, draft_.add({unique_name(node), node.ports, node.guid, node.lid}, node.line));
    for (const Node& node : nodes_)
      if (node.kind == Kind::nic) add_hosts(node);
    for (const Node& node : nodes_)
      if (node.kind == Kind::switch_node) add_links(node);
    return std::move(draft_).build();
  }

 private:
  std::string id(const Node& node) const {
    return node.guid == 0 ? std::string(node.id) : id_of(node.kind, node.guid);
  }
  std::string unique_name(const Node& node) const {
    return uses_.at({node.kind, node.name}) == 1 ? node.name
                                                 : fmt::format("{} [{}]", node.name, id(node));
  }

  void add_hosts(const Node& node) {
    bool first = true;
    for (const PortLine& link : node.links) {
      const Node& peer = peer_of(node, link);
      if (peer.kind == Kind::nic)
        fail(source_, link.line, "a cable from NIC to NIC; hosts need a switch between them");
      Host h;
      h.name =
          first ? unique_name(node) : fmt::format("{} [{}:{}]", node.name, id(node), link.port);
      h.on = switches_.at(&peer);
      h.port = link.peer_port;
      h.wire = wire(link, *lines_[&peer].at(link.peer_port));
      h.guid = node.guid;
      h.port_guid = link.guid;
      h.lid = link.lid;
      h.nic_port = link.port;
      draft_.add(std::move(h), link.line);
      first = false;
    }
  }

  void add_links(const Node& node) {
    for (const auto& [port, link] : lines_[&node]) {
      const Node& peer = peer_of(node, *link);
      if (peer.kind == Kind::nic || &peer == &node) continue;
      const SwitchId a = switches_.at(&node);
      const SwitchId b = switches_.at(&peer);
      if (b < a) continue;
      const PortLine& back = *lines_[&peer].at(link->peer_port);
      draft_.add(Link{{a, port}, {b, link->peer_port}, wire(*link, back)}, link->line);
    }
  }

  /// The node at the other end, which has been seen to list the link as well.
  const Node& peer_of(const Node& node, const PortLine& link) {
    const auto found = by_id_.find(link.peer);
    if (found == by_id_.end())
      fail(source_, link.line, "\"{}\" has no record here; every node needs a Switch or Ca line",
           shown(link.peer));
    const Node& peer = *found->second;
    const auto back = lines_[&peer].find(link.peer_port);
    if (back == lines_[&peer].end())
      fail(source_, link.line,
           "the link is listed at this end only; the record of \"{}\" (line {}) needs [{}] "
           "\"{}\"[{}]",
           shown(peer.id), peer.line, link.peer_port, shown(node.id), link.port);
    if (back->second->peer != node.id || back->second->peer_port != link.port)
      fail(source_, link.line,
           "the other end (line {}) says that it leads to \"{}\"[{}]; it should be \"{}\"[{}]",
           back->second->line, shown(back->second->peer), back->second->peer_port, shown(node.id),
           link.port);
    return peer;
  }

  /// A link is as fast as its slower end.
  static Wire wire(const PortLine& a, const PortLine& b) {
    Wire out;
    if (a.speed && b.speed)
      out.speed = std::min(*a.speed, *b.speed);
    else if (a.speed || b.speed)
      out.speed = a.speed ? *a.speed : *b.speed;
    out.delay = std::max(a.delay, b.delay);
    return out;
  }

  const Source& source_;
  const std::vector<Node>& nodes_;
  Draft draft_;
  std::unordered_map<std::string_view, const Node*> by_id_;
  std::map<std::pair<Kind, std::string>, int> uses_;
  std::unordered_map<const Node*, std::map<PortNumber, const PortLine*>> lines_;
  std::unordered_map<const Node*, SwitchId> switches_;
};

}  // namespace

Fabric read(const Source& source) {
  const Records records = parse(source);
  return Assembler(source, records).assemble();
}

// --- writing
// ---------------------------------------------------------------------------------------

namespace {

/// "4xQDR", or what says the same of a wire that InfiniBand does not have.
std::string wire_text(const Wire& wire) {
  std::string out = infiniband_name(wire.speed).value_or(to_text(wire.speed));
  if (wire.delay != Duration{0}) out += " " + to_text(wire.delay);
  return out;
}

std::string description(const Switch& s) {
  return without_suffix(s.name, id_of(Kind::switch_node, s.guid));
}
std::string description(const Host& h) { return without_suffix(h.name, id_of(Kind::nic, h.guid)); }

void write_switch(Printer& out, const Fabric& fabric, SwitchId id) {
  const Switch& s = fabric[id];
  out.print(
      "\nswitchguid=0x{0:x}({0:x})\nSwitch\t{1} \"S-{0:016x}\"\t\t# \"{2}\" base port 0 lid {3} "
      "lmc 0\n",
      s.guid, s.ports, description(s), s.lid);
  for (std::size_t port = 1; port <= s.ports; ++port) {
    const auto [channel, host] = fabric.at_port(id, static_cast<PortNumber>(port));
    if (host.valid()) {
      const Host& h = fabric[host];
      out.print("[{}]\t\"H-{:016x}\"[{}]({:x}) \t\t# \"{}\" lid {} {}\n", port, h.guid, h.nic_port,
                h.port_guid, description(h), h.lid, wire_text(h.wire));
    } else if (channel.valid()) {
      const Switch& peer = fabric[fabric.to(channel)];
      out.print("[{}]\t\"S-{:016x}\"[{}]\t\t# \"{}\" lid {} {}\n", port, peer.guid,
                fabric.in_port(channel), description(peer), peer.lid,
                wire_text(fabric.wire(channel)));
    }
  }
}

/// All ports of one NIC, in one record.
void write_nic(Printer& out, const Fabric& fabric, const std::vector<HostId>& ports) {
  PortNumber most = 1;
  for (HostId h : ports) most = std::max(most, fabric[h].nic_port);
  const Host& first = fabric[ports.front()];
  out.print("\ncaguid=0x{0:x}\nCa\t{1} \"H-{0:016x}\"\t\t# \"{2}\"\n", first.guid, most,
            description(first));
  for (HostId id : ports) {
    const Host& h = fabric[id];
    const Switch& s = fabric[h.on];
    out.print("[{}]({:x}) \t\"S-{:016x}\"[{}]\t\t# lid {} lmc 0 \"{}\" lid {} {}\n", h.nic_port,
              h.port_guid, s.guid, h.port, h.lid, description(s), s.lid, wire_text(h.wire));
  }
}

}  // namespace

void write(std::ostream& stream, const Fabric& without_addresses) {
  const Fabric fabric = with_addresses(without_addresses);
  Printer out(stream);
  out.print("#\n# Topology file: generated by weft\n#\n# Fabric: {}\n", one_line(fabric.name()));
  for (SwitchId s : fabric.switches()) write_switch(out, fabric, s);
  std::vector<std::vector<HostId>> nics;
  std::unordered_map<Guid, std::size_t> place;
  for (HostId h : fabric.hosts()) {
    const auto [found, fresh] = place.emplace(fabric[h].guid, nics.size());
    if (fresh) nics.emplace_back();
    nics[found->second].push_back(h);
  }
  for (const auto& ports : nics) write_nic(out, fabric, ports);
}

bool recognises(std::string_view text) {
  for (Lines lines(text.substr(0, 1 << 16)); lines.next();) {
    std::string_view rest = lines.text;
    if (rest.starts_with("switchguid=") || rest.starts_with("caguid=")) return true;
    const std::string_view word = take_word(rest);
    if ((word == "Switch" || word == "Ca" || word == "Hca") &&
        rest.find('"') != std::string_view::npos)
      return true;
  }
  return false;
}

}  // namespace weft::ibnetdiscover
