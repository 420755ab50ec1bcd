// SPDX-License-Identifier: Apache-2.0
// Takes parts out of fabrics and tables.
#include "fabric/without.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/words.hpp"
#include "fabric/builder.hpp"
#include "fabric/inverse.hpp"
#include "fabric/names.hpp"

namespace weft {
namespace {

constexpr std::array removal_kinds{"link=", "switch=", "host="};

bool begins_removal(std::string_view text) {
  return std::any_of(removal_kinds.begin(), removal_kinds.end(),
                     [&](const char* kind) { return text.starts_with(kind); });
}

/// The place of the comma that ends the first part, or the end. Names may have commas of their own:
/// one that ends a part has another part behind it.
std::size_t end_of_removal(std::string_view text) {
  for (std::size_t at = open_comma(text); at < text.size(); at = open_comma(text, at + 1))
    if (at + 1 == text.size() || begins_removal(text.substr(at + 1))) return at;
  return text.size();
}

[[noreturn]] void reject_removal(std::string_view part, std::string_view why) {
  throw Error(
      "without \"{}\": {}; write link=SWITCH:PORT, switch=NAME or host=NAME, with commas "
      "between several",
      part.substr(0, 60), why);
}

class RemovalReader {
 public:
  explicit RemovalReader(const Fabric& fabric) : fabric_(fabric) {}

  void read(std::string_view part) {
    const std::size_t equals = part.find('=');
    if (!begins_removal(part)) reject_removal(part, "it is neither a link, a switch nor a host");
    part_ = part;
    read(part.substr(0, equals), part.substr(equals + 1));
  }
  Removal take() { return std::move(out_); }

 private:
  /// A name with a comma that nothing is called stands for several.
  void read(std::string_view kind, std::string_view value) {
    const std::size_t comma = open_comma(value);
    try {
      if (kind == "switch")
        out_.switches.insert(switch_called(fabric_, unquoted(value)));
      else if (kind == "host")
        out_.hosts.insert(host_called(fabric_, unquoted(value)));
      else
        add_link(value);
    } catch (const Error&) {
      if (comma == value.size()) throw;
      read(kind, value.substr(0, comma));
      read(kind, value.substr(comma + 1));
    }
  }
  void add_link(std::string_view value) {
    const std::size_t colon = value.rfind(':');
    if (colon == std::string_view::npos)
      reject_removal(part_, "a link is named by a switch and its port, as in link=s0:3");
    const SwitchId on = switch_called(fabric_, unquoted(value.substr(0, colon)));
    const std::string_view digits = value.substr(colon + 1);
    PortNumber port = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (problem != std::errc() || end != digits.data() + digits.size())
      reject_removal(part_, fmt::format("\"{}\" is not the number of a port", digits));
    const Neighbour beyond = fabric_.at_port(on, port);
    if (beyond.host.valid())
      out_.hosts.insert(beyond.host);
    else if (beyond.channel.valid())
      out_.links.insert(link_of(beyond.channel));
    else
      reject_removal(part_,
                     fmt::format("nothing is connected to port {} of \"{}\", which has {}", port,
                                 fabric_[on].name, counted(fabric_[on].ports, "port", "ports")));
  }

  const Fabric& fabric_;
  std::string_view part_{};
  Removal out_{};
};

/// "a, b, c and 5 more".
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 4;
  if (names.size() <= shown + 1) return fmt::format("{}", fmt::join(names, ", "));
  const std::vector<std::string> first(names.begin(), names.begin() + shown);
  return fmt::format("{} and {} more", fmt::join(first, ", "), names.size() - shown);
}

std::string note_about(const Fabric& fabric, const Removal& removal) {
  if (removal.empty()) return {};
  std::vector<std::string> gone;
  for (const LinkId l : removal.links)
    gone.push_back(fmt::format("link {}:{} - {}:{}", fabric[fabric[l].a.on].name, fabric[l].a.port,
                               fabric[fabric[l].b.on].name, fabric[l].b.port));
  for (const SwitchId s : removal.switches) gone.push_back("switch " + fabric[s].name);
  for (const HostId h : removal.hosts) gone.push_back("host " + fabric[h].name);
  std::vector<std::string> hosts;  // that go with their switch
  for (const HostId h : fabric.hosts())
    if (removal.takes(fabric, h) && removal.hosts.count(h) == 0) hosts.push_back(fabric[h].name);
  std::string parts = "without " + some_of(gone);
  if (hosts.empty()) return parts;
  return fmt::format("{}, and so without {} {}", parts, hosts.size() == 1 ? "host" : "hosts",
                     some_of(hosts));
}

SourceRoutes routes_without(const SourceRoutes& routes, const Remainder& rest) {
  SourceRoutes out(rest.fabric.switch_count());
  const auto before = inverse(rest.switches, rest.fabric.switch_count());
  for (const auto& ports : routes.link_groups()) out.add_links(ports);
  for (ColumnId c : routes.ids())
    for (SwitchId from : before) {
      const auto tags = routes.route(c, from);
      out.push_back(tags ? std::optional(std::vector<PortNumber>(tags->begin(), tags->end()))
                         : std::nullopt);
    }
  return out;
}

/// The values of a grid for the switches, or hosts, that remain.
template <class Value, class Source>
Grid<Value> grid_without(const Grid<Value>& grid, const IdVector<Source, Source>& left,
                         std::size_t count) {
  Grid<Value> out(grid.size(), count, Value{});
  for (ColumnId c : grid.ids())
    for (Source s : left.ids())
      if (left[s].valid()) out[c][left[s].index()] = grid[c][s.index()];
  return out;
}

/// Candidates whose link is gone are no choice any more; where no other is left, they stay, as the
/// ports of destination tables do.
std::vector<Candidate> candidates_without(std::span<const Candidate> all, const Fabric& rest,
                                          SwitchId s) {
  std::vector<Candidate> out;
  for (const Candidate& c : all) {
    const Neighbour next = rest.at_port(s, c.port);
    if (next.channel.valid() || next.host.valid()) out.push_back(c);
  }
  if (out.empty()) out.assign(all.begin(), all.end());
  return out;
}

ChoiceTables choices_without(const ChoiceTables& choices, const Remainder& rest) {
  ChoiceTables out(choices.size(), rest.fabric.switch_count());
  for (const SwitchId s : rest.switches.ids()) {
    const SwitchId now = rest.switches[s];
    if (!now.valid()) continue;
    std::vector<ChoiceTables::Entry> known(choices.set_count(), ChoiceTables::no_route);
    for (const ColumnId c : choices.ids()) {
      const ChoiceTables::Entry entry = choices.next[c][s.index()];
      ChoiceTables::Entry& left = out.next[c][now.index()];
      left = entry;
      if (entry >= choices.set_count()) continue;
      if (known[entry] == ChoiceTables::no_route)
        known[entry] = out.add(candidates_without(choices.candidates(entry), rest.fabric, now));
      left = known[entry];
    }
  }
  out.phases = choices.phases;
  for (Phase& phase : out.phases) {
    if (phase.to_host.empty()) continue;
    const IdVector<HostId, ColumnId> before = std::exchange(phase.to_host, {});
    phase.to_host.assign(rest.fabric.host_count(), ColumnId::none());
    for (const HostId h : before.ids())
      if (rest.hosts[h].valid()) phase.to_host[rest.hosts[h]] = before[h];
  }
  out.starts = choices.starts;
  out.start_rule = choices.start_rule;
  out.decision = choices.decision;
  out.intermediates.rule = choices.intermediates.rule;
  for (const ColumnId c : choices.intermediates.columns) {
    const auto row = out.next[c];
    if (std::find(row.begin(), row.end(), ChoiceTables::at_end) != row.end())
      out.intermediates.columns.push_back(c);
  }
  const auto& region = choices.intermediates.region;
  for (const SwitchId s : region.empty() ? IdVector<SwitchId, SwitchId>{}
                                         : inverse(rest.switches, rest.fabric.switch_count()))
    out.intermediates.region.push_back(region[s]);
  return out;
}

TurnLanes lanes_without(const TurnLanes& lanes, const Remainder& rest) {
  TurnLanes out(rest.fabric, LaneOp::keep(), LaneOp::keep());
  for (SwitchId s : rest.switches.ids()) {
    const SwitchId now = rest.switches[s];
    if (!now.valid()) continue;
    const std::uint32_t ports = rest.fabric[now].ports;
    for (std::uint32_t in = 0; in <= ports; ++in)
      for (std::uint32_t by = 0; by <= ports; ++by) {
        const auto from = static_cast<PortNumber>(in);
        const auto to = static_cast<PortNumber>(by);
        out.at(now, from, to) = lanes.at(s, from, to);
      }
  }
  return out;
}

ServiceLanes lanes_without(const ServiceLanes& lanes, const Remainder& rest) {
  ServiceLanes out{lanes.by_host
                       ? grid_without(lanes.level, rest.hosts, rest.fabric.host_count())
                       : grid_without(lanes.level, rest.switches, rest.fabric.switch_count()),
                   lanes.map, lanes.by_host};
  if (!out.map) return out;
  out.map->lane.clear();
  for (SwitchId s : inverse(rest.switches, rest.fabric.switch_count()))
    out.map->lane.push_back(lanes.map->lane[s.index()]);
  return out;
}

OneLane lanes_without(const OneLane& lanes, const Remainder&) { return lanes; }

/// Nothing for a group whose root, only sender or members are gone.
std::optional<Group> group_without(const Group& group, const Remainder& rest) {
  Group out{group.name, {}, {}, group.lane};
  for (HostId h : group.members)
    if (rest.hosts[h].valid()) out.members.push_back(rest.hosts[h]);
  if (group.source) out.source = rest.hosts[*group.source];
  if (group.root) out.root = rest.switches[*group.root];
  out.level = group.level;
  const bool lost = (out.source && !out.source->valid()) || (out.root && !out.root->valid());
  if (lost || out.members.empty()) return std::nullopt;
  const auto leads_on = [&](SwitchId s, PortNumber port) {
    const Neighbour next = rest.fabric.at_port(s, port);
    return next.channel.valid() || next.host.valid();
  };
  for (const PortSet& set : group.out) {
    PortSet left{rest.switches[set.on], {}};
    for (PortNumber port : set.ports)
      if (left.on.valid() && leads_on(left.on, port)) left.ports.push_back(port);
    if (!left.ports.empty()) out.out.push_back(std::move(left));
  }
  for (const UpPort& up : group.up)
    if (rest.switches[up.on].valid() && leads_on(rest.switches[up.on], up.port))
      out.up.push_back({rest.switches[up.on], up.port});
  return out;
}

}  // namespace

Removal removal_from(const Fabric& fabric, std::string_view text) {
  RemovalReader reader(fabric);
  while (!text.empty()) {
    const std::size_t end = end_of_removal(text);
    reader.read(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.take();
}

std::string to_text(const Fabric& fabric, const Removal& removal) {
  constexpr std::size_t shown = 4;
  std::vector<std::string> parts;
  for (const LinkId l : removal.links)
    parts.push_back(fmt::format("link={}:{}", fabric[fabric[l].a.on].name, fabric[l].a.port));
  for (const SwitchId s : removal.switches) parts.push_back("switch=" + fabric[s].name);
  for (const HostId h : removal.hosts) parts.push_back("host=" + fabric[h].name);
  const std::size_t more = parts.size() - std::min(parts.size(), shown);
  parts.resize(parts.size() - more);
  return fmt::format("{}{}", fmt::join(parts, ","),
                     more > 0 ? fmt::format(",… ({} more)", more) : "");
}

Remainder without(const Fabric& fabric, const Removal& removal) {
  FabricBuilder builder(
      removal.empty() ? fabric.name()
                      : fmt::format("{} without {}", fabric.name(), to_text(fabric, removal)));
  IdVector<SwitchId, SwitchId> switches(fabric.switch_count());
  IdVector<HostId, HostId> hosts(fabric.host_count());
  for (SwitchId s : fabric.switches())
    if (removal.switches.count(s) == 0) switches[s] = builder.add_switch(fabric[s]);
  for (LinkId l : fabric.links()) {
    if (removal.takes(fabric, l)) continue;
    Link link = fabric[l];
    link.a.on = switches[link.a.on];
    link.b.on = switches[link.b.on];
    builder.add_link(link);
  }
  for (HostId h : fabric.hosts()) {
    if (removal.takes(fabric, h)) continue;
    Host host = fabric[h];
    host.on = switches[host.on];
    hosts[h] = builder.add_host(std::move(host));
  }
  return {std::move(builder).build(), std::move(switches), std::move(hosts),
          note_about(fabric, removal)};
}

Remainder without(const Fabric& fabric, std::string_view text) {
  return without(fabric, removal_from(fabric, text));
}

Tables tables_without(const Tables& tables, const Fabric& before, const Remainder& rest) {
  Tables out{tables.engine, IdVector<HostId, ColumnId>(rest.fabric.host_count())};
  for (HostId h : before.hosts())
    if (rest.hosts[h].valid()) out.to_host[rest.hosts[h]] = tables.to_host[h];
  if (!tables.to_switch.empty()) out.to_switch.assign(rest.fabric.switch_count(), {});
  for (SwitchId s : tables.to_switch.ids())
    if (rest.switches[s].valid()) out.to_switch[rest.switches[s]] = tables.to_switch[s];
  for (const auto& [host, lid, column] : tables.further)
    if (rest.hosts[host].valid()) out.further.push_back({rest.hosts[host], lid, column});
  if (const auto* next = std::get_if<DestinationTables>(&tables.paths))
    out.paths = grid_without(*next, rest.switches, rest.fabric.switch_count());
  else if (const auto* choices = std::get_if<ChoiceTables>(&tables.paths))
    out.paths = choices_without(*choices, rest);
  else
    out.paths = routes_without(std::get<SourceRoutes>(tables.paths), rest);
  out.lane_count = tables.lane_count;
  std::visit([&](const auto& lanes) { out.lanes = lanes_without(lanes, rest); }, tables.lanes);
  for (const Group& group : tables.groups)
    if (auto left = group_without(group, rest)) out.groups.push_back(std::move(*left));
  return out;
}

std::optional<Remainder> only_computers(const Fabric& fabric) {
  Removal others;
  for (HostId h : fabric.hosts())
    if (fabric[h].role != HostRole::computer) others.hosts.insert(h);
  if (others.empty()) return std::nullopt;
  return without(fabric, others);
}

}  // namespace weft
