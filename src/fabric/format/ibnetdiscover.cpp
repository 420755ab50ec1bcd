// SPDX-License-Identifier: Apache-2.0
// The text that ibnetdiscover prints and ibsim reads: a record per switch and NIC, a line per
// connected port. Names, GUIDs, LIDs, ports and speeds survive; coordinates are not held.
//
// Beyond what ibnetdiscover prints, the comment "# Fabric: name" keeps the fabric's name, a speed
// that InfiniBand has no name for is written as "6Gb/s", and a delay as "25ns" behind the speed.
// Switches and hosts keep the order of the file; links are ordered by switch and port. Left out are
// NICs without a link and cables from a switch to itself. Aggregation nodes (SHARP) are known by
// their description.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "fabric/format/addresses.hpp"
#include "fabric/format/formats.hpp"
#include "fabric/format/infiniband_rate.hpp"
#include "fabric/format/parsing/draft.hpp"
#include "fabric/format/parsing/ibnetdiscover_records.hpp"
#include "fabric/format/parsing/text.hpp"

namespace weft::ibnetdiscover {
namespace {

/// The description of what reduces data inside a switch.
constexpr std::string_view aggregation_text = "Aggregation Node";

/// Makes the Fabric; every link must be listed at both ends, alike.
class Assembler {
 public:
  Assembler(const Source& source, const Records& records)
      : source_(source), nodes_(records.nodes), draft_(source, records.fabric_name) {
    for (const NodeRecord& node : nodes_) {
      by_id_.emplace(node.id, &node);
      if (node.kind == NodeKind::switch_node || !node.links.empty())
        ++uses_[{node.kind, node.name}];
      for (const PortLine& link : node.links) lines_[&node].emplace(link.port, &link);
    }
  }

  Fabric assemble() && {
    for (const NodeRecord& node : nodes_)
      if (node.kind == NodeKind::switch_node)
        switches_.emplace(
            &node, draft_.add({unique_name(node), node.ports, node.guid, node.lid}, node.line));
    for (const NodeRecord& node : nodes_)
      if (node.kind != NodeKind::switch_node) add_hosts(node);
    for (const NodeRecord& node : nodes_)
      if (node.kind == NodeKind::switch_node) add_links(node);
    return std::move(draft_).build();
  }

 private:
  std::string id(const NodeRecord& node) const {
    return node.guid == 0 ? std::string(node.id) : id_of(node.kind, node.guid);
  }
  std::string unique_name(const NodeRecord& node) const {
    return uses_.at({node.kind, node.name}) == 1 ? node.name
                                                 : fmt::format("{} [{}]", node.name, id(node));
  }

  static HostRole role_of(const NodeRecord& node) {
    if (node.kind == NodeKind::router) return HostRole::router;
    const bool aggregates = node.name.find(aggregation_text) != std::string::npos;
    return aggregates ? HostRole::aggregation : HostRole::computer;
  }

  void add_hosts(const NodeRecord& node) {
    bool first = true;
    for (const PortLine& link : node.links) {
      const NodeRecord& peer = peer_of(node, link);
      if (peer.kind != NodeKind::switch_node)
        fail(source_, link.line, "a cable from NIC to NIC; hosts need a switch between them");
      Host h;
      h.name = first ? unique_name(node)
                     : fmt::format("{} [{}:{}]", without_suffix(node.name, id(node)), id(node),
                                   link.port);
      h.on = switches_.at(&peer);
      h.port = link.peer_port;
      h.wire = wire(link, *lines_[&peer].at(link.peer_port));
      h.guid = node.guid;
      h.port_guid = link.guid;
      h.lid = link.lid;
      h.nic_port = link.port;
      h.lmc = link.lmc;
      h.role = role_of(node);
      draft_.add(std::move(h), link.line);
      first = false;
    }
  }

  void add_links(const NodeRecord& node) {
    for (const auto& [port, link] : lines_[&node]) {
      const NodeRecord& peer = peer_of(node, *link);
      if (peer.kind != NodeKind::switch_node || &peer == &node) continue;
      const SwitchId a = switches_.at(&node);
      const SwitchId b = switches_.at(&peer);
      if (b < a) continue;
      const PortLine& back = *lines_[&peer].at(link->peer_port);
      draft_.add(Link{{a, port}, {b, link->peer_port}, wire(*link, back)}, link->line);
    }
  }

  /// The node at the other end. Throws Error unless it lists the link as well.
  const NodeRecord& peer_of(const NodeRecord& node, const PortLine& link) {
    const auto found = by_id_.find(link.peer);
    if (found == by_id_.end())
      fail(source_, link.line,
           "\"{}\" has no record here; every node needs a Switch or Ca line; is the file cut off?",
           shown(link.peer));
    const NodeRecord& peer = *found->second;
    const auto back = lines_[&peer].find(link.peer_port);
    if (back == lines_[&peer].end())
      fail(source_, link.line,
           "the link is listed at this end only; the record of \"{}\" (line {}) needs [{}] "
           "\"{}\"[{}]{}",
           shown(peer.id), peer.line, link.peer_port, shown(node.id), link.port,
           &peer == &nodes_.back() ? "; is the file cut off?" : "");
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
  const std::vector<NodeRecord>& nodes_;
  Draft draft_;
  std::unordered_map<std::string_view, const NodeRecord*> by_id_;
  std::map<std::pair<NodeKind, std::string>, int> uses_;
  std::unordered_map<const NodeRecord*, std::map<PortNumber, const PortLine*>> lines_;
  std::unordered_map<const NodeRecord*, SwitchId> switches_;
};

}  // namespace

Fabric assemble(const Source& source, const Records& records) {
  return Assembler(source, records).assemble();
}

Fabric read(const Source& source) { return assemble(source, parse(source)); }

// --- writing

namespace {

/// "4xQDR", or the speed and delay of a wire that InfiniBand has no name for.
std::string wire_text(const Wire& wire) {
  std::string out = infiniband_name(wire.speed).value_or(to_text(wire.speed));
  if (wire.delay != Delay{}) out += " " + to_text(wire.delay);
  return out;
}

/// Descriptions by GUID. A suffix that the reader would append again is left out: where several
/// names, all of them with suffixes, are the same without.
class Descriptions {
 public:
  void add(NodeKind kind, Guid guid, const std::string& name) {
    if (!texts_.emplace(guid, name).second) return;
    const std::string id = id_of(kind, guid);
    const std::string bare = without_suffix(name, id);
    TextSharers& group = groups_[bare];
    group.all_have_it = group.all_have_it && name == fmt::format("{} [{}]", bare, id);
    group.guids.push_back(guid);
  }
  void shorten() {
    for (const auto& [bare, group] : groups_)
      if (group.all_have_it && group.guids.size() > 1)
        for (const Guid guid : group.guids) texts_[guid] = bare;
  }
  const std::string& operator[](Guid guid) const { return texts_.at(guid); }

 private:
  struct TextSharers {
    bool all_have_it = true;
    std::vector<Guid> guids{};
  };
  std::unordered_map<Guid, std::string> texts_;
  std::unordered_map<std::string, TextSharers> groups_;
};

NodeKind kind_of(const Host& host) {
  return host.role == HostRole::router ? NodeKind::router : NodeKind::nic;
}

class IbnetdiscoverWriter {
 public:
  IbnetdiscoverWriter(std::ostream& stream, const Fabric& fabric)
      : out_(stream), fabric_(with_addresses(fabric)) {
    for (SwitchId s : fabric_.switches())
      switch_texts_.add(NodeKind::switch_node, fabric_[s].guid, fabric_[s].name);
    for (HostId h : fabric_.hosts())
      nic_texts_.add(kind_of(fabric_[h]), fabric_[h].guid, fabric_[h].name);
    switch_texts_.shorten();
    nic_texts_.shorten();
  }

  void write() {
    out_.print("#\n# Topology file: generated by weft\n#\n# Fabric: {}\n",
               one_line(fabric_.name()));
    for (SwitchId s : fabric_.switches()) write_switch(s);
    std::vector<std::vector<HostId>> nics;
    std::unordered_map<Guid, std::size_t> place;
    for (HostId h : fabric_.hosts()) {
      const auto [found, fresh] = place.emplace(fabric_[h].guid, nics.size());
      if (fresh) nics.emplace_back();
      nics[found->second].push_back(h);
    }
    for (const auto& ports : nics) write_nic(ports);
  }

 private:
  void write_switch(SwitchId id) {
    const Switch& s = fabric_[id];
    out_.print("\nswitchguid=0x{0:x}({0:x})\nSwitch\t{1} \"S-{0:016x}\"\t\t# \"{2}\"", s.guid,
               s.ports, switch_texts_[s.guid]);
    out_.print(" base port 0 lid {} lmc 0\n", s.lid);
    for (std::size_t port = 1; port <= s.ports; ++port) {
      const auto [channel, host] = fabric_.at_port(id, static_cast<PortNumber>(port));
      if (host.valid()) {
        const Host& h = fabric_[host];
        out_.print("[{}]\t\"{}\"[{}]({:x}) \t\t# \"{}\" lid {} {}\n", port,
                   id_of(kind_of(h), h.guid), h.nic_port, h.port_guid, nic_texts_[h.guid], h.lid,
                   wire_text(h.wire));
      } else if (channel.valid()) {
        const Switch& peer = fabric_[fabric_.to(channel)];
        out_.print("[{}]\t\"S-{:016x}\"[{}]\t\t# \"{}\" lid {} {}\n", port, peer.guid,
                   fabric_.in_port(channel), switch_texts_[peer.guid], peer.lid,
                   wire_text(fabric_.wire(channel)));
      }
    }
  }

  /// All ports of one NIC, in one record.
  void write_nic(const std::vector<HostId>& ports) {
    PortNumber most = 1;
    for (HostId h : ports) most = std::max(most, fabric_[h].nic_port);
    const Guid guid = fabric_[ports.front()].guid;
    const NodeKind kind = kind_of(fabric_[ports.front()]);
    const bool router = kind == NodeKind::router;
    out_.print("\n{}=0x{:x}\n{}\t{} \"{}\"\t\t# \"{}\"\n", router ? "rtguid" : "caguid", guid,
               router ? "Rt" : "Ca", most, id_of(kind, guid), nic_texts_[guid]);
    for (HostId id : ports) {
      const Host& h = fabric_[id];
      const Switch& s = fabric_[h.on];
      out_.print("[{}]({:x}) \t\"S-{:016x}\"[{}]\t\t# lid {} lmc {} \"{}\" lid {} {}\n", h.nic_port,
                 h.port_guid, s.guid, h.port, h.lid, h.lmc, switch_texts_[s.guid], s.lid,
                 wire_text(h.wire));
    }
  }

  Printer out_;
  Fabric fabric_;
  Descriptions switch_texts_, nic_texts_;
};

}  // namespace

void write(std::ostream& stream, const Fabric& fabric) {
  IbnetdiscoverWriter(stream, fabric).write();
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
