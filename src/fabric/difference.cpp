// SPDX-License-Identifier: Apache-2.0
// Matches switches and hosts of two fabrics, and then their cables by the ports at both ends.
#include "fabric/difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/speed_text.hpp"
#include "base/words.hpp"
#include "fabric/inverse.hpp"

namespace weft {
namespace {

/// The partners in `found` of the things in `expected`, by a key of both or else by name.
template <class Id, class Key>
IdVector<Id, Id> partners_of(const Fabric& expected, const Fabric& found, IdRange<Id> ours,
                             IdRange<Id> theirs, Key key) {
  std::unordered_map<Guid, Id> by_key;
  std::unordered_map<std::string, Id> by_name;
  for (Id id : theirs) {
    if (key(found[id]) != 0) by_key.emplace(key(found[id]), id);
    by_name.emplace(found[id].name, id);
  }
  IdVector<Id, Id> out(ours.size());
  IdVector<Id, bool> taken(theirs.size(), false);
  for (Id id : ours)
    if (const auto same = by_key.find(key(expected[id]));
        key(expected[id]) != 0 && same != by_key.end()) {
      out[id] = same->second;
      taken[same->second] = true;
    }
  for (Id id : ours)
    if (const auto same = by_name.find(expected[id].name);
        !out[id].valid() && same != by_name.end() && !taken[same->second]) {
      out[id] = same->second;
      taken[same->second] = true;
    }
  return out;
}

/// "LID 12", or "LIDs 12 to 15".
std::string lids_text(Lid lid, unsigned lmc) {
  if (lmc == 0) return fmt::format("LID {}", lid);
  return fmt::format("LIDs {} to {}", lid, lid + (1U << lmc) - 1);
}

std::string guid_text(Guid guid) {
  return guid == 0 ? "no GUID" : fmt::format("GUID 0x{:016x}", guid);
}

class FabricComparison {
 public:
  FabricComparison(const Fabric& expected, const Fabric& found)
      : expected_(expected),
        found_(found),
        partner_(partners(expected, found)),
        switches_(partner_.switches),
        hosts_(partner_.hosts),
        switches_back_(inverse(switches_, found.switch_count())),
        hosts_back_(inverse(hosts_, found.host_count())) {}

  std::vector<FabricDifference> run() {
    compare_switches();
    compare_hosts();
    compare_cables();
    std::stable_sort(out_.begin(), out_.end(),
                     [](const auto& a, const auto& b) { return a.kind < b.kind; });
    return std::move(out_);
  }

 private:
  using Kind = DifferenceKind;
  FabricDifference& add(Kind kind, std::string what, std::string expected = {},
                        std::string found = {}) {
    out_.push_back({kind, std::move(what), std::move(expected), std::move(found), {}, {}, {}});
    return out_.back();
  }
  static std::string contents(const Fabric& fabric, SwitchId s) {
    return fmt::format("{} and {}",
                       counted(fabric.out(s).size(), "cable to switches", "cables to switches"),
                       counted(fabric.hosts_on(s).size(), "host", "hosts"));
  }
  static std::string end_text(const Fabric& fabric, SwitchId on, PortNumber port) {
    return fmt::format("{}:{}", fabric[on].name, port);
  }
  /// What is at a port: "s1:2", "host h5" or "nothing".
  static std::string beyond(const Fabric& fabric, SwitchId on, PortNumber port) {
    const Neighbour next = fabric.at_port(on, port);
    if (next.host.valid()) return "host " + fabric[next.host].name;
    if (!next.channel.valid()) return "nothing";
    return end_text(fabric, fabric.to(next.channel), fabric.in_port(next.channel));
  }
  /// Null where both are alike.
  FabricDifference* compare_wires(const std::string& what, const Wire& was, const Wire& is) {
    if (was.speed == is.speed) return nullptr;
    return &add(is.speed < was.speed ? Kind::cable_slower : Kind::cable_faster, what,
                speed_text(was.speed), speed_text(is.speed));
  }
  template <class Thing>
  void compare_names(Kind kind, std::string_view word, const Thing& was, const Thing& is) {
    if (was.name != is.name)
      add(kind, fmt::format("{} {}", word, was.name), "the name " + was.name,
          "the name " + is.name);
  }

  /// Plans have no LIDs.
  void compare_lids(const std::string& what, std::pair<Lid, unsigned> was,
                    std::pair<Lid, unsigned> is) {
    if (was.first != 0 && is.first != 0 && was != is)
      add(Kind::lid_changed, what, lids_text(was.first, was.second),
          lids_text(is.first, is.second));
  }

  void compare_switches() {
    for (SwitchId s : expected_.switches()) {
      const Switch& was = expected_[s];
      if (!switches_[s].valid()) {
        add(Kind::switch_missing, "switch " + was.name, contents(expected_, s)).of_switch = s;
        continue;
      }
      const Switch& is = found_[switches_[s]];
      compare_names(Kind::switch_changed, "switch", was, is);
      if (was.guid != is.guid)
        add(Kind::switch_changed, "switch " + was.name, guid_text(was.guid), guid_text(is.guid))
            .of_switch = s;
      if (was.ports != is.ports)
        add(Kind::switch_changed, "switch " + was.name, counted(was.ports, "port", "ports"),
            counted(is.ports, "port", "ports"))
            .of_switch = s;
      compare_lids("switch " + was.name, {was.lid, 0}, {is.lid, 0});
    }
    for (SwitchId s : found_.switches())
      if (!switches_back_[s].valid())
        add(Kind::switch_new, "switch " + found_[s].name, {}, contents(found_, s));
  }

  void compare_hosts() {
    for (HostId h : expected_.hosts()) {
      const Host& was = expected_[h];
      const std::string place = end_text(expected_, was.on, was.port);
      if (!hosts_[h].valid()) {
        if (switches_[was.on].valid())
          add(Kind::host_missing, "host " + was.name, place).of_host = h;
        continue;
      }
      const Host& is = found_[hosts_[h]];
      compare_names(Kind::host_changed, "host", was, is);
      if (was.port_guid != is.port_guid)
        add(Kind::host_changed, "host " + was.name, guid_text(was.port_guid),
            guid_text(is.port_guid));
      if (switches_[was.on] != is.on || was.port != is.port)
        add(Kind::host_moved, "host " + was.name, place, end_text(found_, is.on, is.port)).of_host =
            h;
      if (auto* slower = compare_wires("host " + was.name, was.wire, is.wire)) slower->of_host = h;
      compare_lids("host " + was.name, {was.lid, was.lmc}, {is.lid, is.lmc});
    }
    for (HostId h : found_.hosts())
      if (!hosts_back_[h].valid() && switches_back_[found_[h].on].valid())
        add(Kind::host_new, "host " + found_[h].name, {},
            end_text(found_, found_[h].on, found_[h].port));
  }

  /// The link of `found` that joins the same ports; none when another or nothing does.
  LinkId same_link(const Link& link) const {
    const ChannelId c = found_.channel_at(switches_[link.a.on], link.a.port);
    const bool same =
        c.valid() && found_.to(c) == switches_[link.b.on] && found_.in_port(c) == link.b.port;
    return same ? link_of(c) : LinkId::none();
  }

  void compare_cables() {
    std::vector<bool> explained(found_.link_count(), false);
    for (LinkId l : expected_.links()) {
      const Link& link = expected_[l];
      if (!switches_[link.a.on].valid() || !switches_[link.b.on].valid()) continue;
      const LinkId same = same_link(link);
      if (same.valid()) {
        explained[same.index()] = true;
        if (auto* other = compare_wires(cable_text(link), link.wire, found_[same].wire))
          other->of_link = l;
      }
    }
    // Each cable once, so that of two that were swapped both are named; then what else their ends
    // are joined to.
    std::vector<LinkId> others;
    for (LinkId l : expected_.links()) {
      const Link& link = expected_[l];
      if (switches_[link.a.on].valid() && switches_[link.b.on].valid() && !same_link(link).valid())
        others.push_back(l);
    }
    for (const LinkId l : others)
      if (!is_plugged(expected_[l]))
        add(Kind::cable_missing, cable_text(expected_[l]), speed_text(expected_[l].wire.speed))
            .of_link = l;
    std::set<std::pair<SwitchId, PortNumber>> ports_of_hosts;
    for (int pass = 0; pass < 2; ++pass)
      for (const LinkId l : others) add_moved(l, explained, ports_of_hosts);
    for (LinkId l : found_.links()) {
      const Link& link = found_[l];
      if (explained[l.index()] || !switches_back_[link.a.on].valid() ||
          !switches_back_[link.b.on].valid())
        continue;
      add(Kind::cable_new,
          fmt::format("{} - {}", end_text(found_, link.a.on, link.a.port),
                      end_text(found_, link.b.on, link.b.port)),
          {}, speed_text(link.wire.speed));
    }
  }

  /// "s0:1 - s4:2", of the expected fabric.
  std::string cable_text(const Link& link) const {
    return fmt::format("{} - {}", end_text(expected_, link.a.on, link.a.port),
                       end_text(expected_, link.b.on, link.b.port));
  }

  /// Whether something is found at one of its ends.
  bool is_plugged(const Link& link) const {
    const auto has_something = [&](LinkEnd end) {
      const Neighbour next = found_.at_port(switches_[end.on], end.port);
      return next.channel.valid() || next.host.valid();
    };
    return has_something(link.a) || has_something(link.b);
  }

  /// Names one end of a cable that is joined to something else, which was not named before.
  void add_moved(LinkId l, std::vector<bool>& explained,
                 std::set<std::pair<SwitchId, PortNumber>>& ports_of_hosts) {
    const Link& link = expected_[l];
    for (const auto& [end, other] : {std::pair{link.a, link.b}, std::pair{link.b, link.a}}) {
      const SwitchId on = switches_[end.on];
      const Neighbour next = found_.at_port(on, end.port);
      if (!next.channel.valid() && !next.host.valid()) continue;
      if (next.channel.valid() && explained[link_of(next.channel).index()]) continue;
      if (next.host.valid() && !ports_of_hosts.emplace(on, end.port).second) continue;
      if (next.channel.valid()) explained[link_of(next.channel).index()] = true;
      add(Kind::cable_moved, end_text(expected_, end.on, end.port),
          end_text(expected_, other.on, other.port), beyond(found_, on, end.port))
          .of_link = l;
      return;
    }
  }

  const Fabric& expected_;
  const Fabric& found_;
  Partners partner_;
  const IdVector<SwitchId, SwitchId>& switches_;
  const IdVector<HostId, HostId>& hosts_;
  IdVector<SwitchId, SwitchId> switches_back_;
  IdVector<HostId, HostId> hosts_back_;
  std::vector<FabricDifference> out_{};
};

}  // namespace

Partners partners(const Fabric& expected, const Fabric& found) {
  return {partners_of(expected, found, expected.switches(), found.switches(),
                      [](const Switch& s) { return s.guid; }),
          partners_of(expected, found, expected.hosts(), found.hosts(),
                      [](const Host& h) { return h.port_guid; })};
}

std::string_view to_text(DifferenceKind kind) {
  switch (kind) {
    case DifferenceKind::switch_missing:
      return "switches missing";
    case DifferenceKind::switch_new:
      return "switches that nobody expects";
    case DifferenceKind::switch_changed:
      return "switches changed";
    case DifferenceKind::host_missing:
      return "hosts missing";
    case DifferenceKind::host_new:
      return "hosts that nobody expects";
    case DifferenceKind::host_moved:
      return "hosts moved";
    case DifferenceKind::host_changed:
      return "hosts changed";
    case DifferenceKind::cable_missing:
      return "cables missing";
    case DifferenceKind::cable_new:
      return "cables that nobody expects";
    case DifferenceKind::cable_moved:
      return "cables moved";
    case DifferenceKind::cable_slower:
      return "slower than expected";
    case DifferenceKind::cable_faster:
      return "faster than expected";
    case DifferenceKind::lid_changed:
      return "LIDs changed";
  }
  return "";
}

std::vector<FabricDifference> differences(const Fabric& expected, const Fabric& found) {
  return FabricComparison(expected, found).run();
}

}  // namespace weft
