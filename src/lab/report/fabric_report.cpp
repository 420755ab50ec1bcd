// SPDX-License-Identifier: Apache-2.0
// Human-readable reports on a fabric, a switch and tables.
#include <algorithm>
#include <array>
#include <map>
#include <ostream>
#include <set>

#include "base/rng.hpp"
#include "base/speed_text.hpp"
#include "fabric/fat_tree.hpp"
#include "fabric/without.hpp"
#include "lab/report/report.hpp"
#include "plan/check/bisection.hpp"
#include "plan/check/survey.hpp"
#include "plan/route/algorithms/orientation.hpp"

namespace weft {
namespace {

struct Observers {
  std::vector<SwitchId> switches;
  bool all = true;
};

/// The switches with hosts, or in a large fabric random ones of them.
Observers observers(const Fabric& fabric) {
  constexpr std::size_t most_visits = 40'000'000;
  std::vector<SwitchId> out;
  for (SwitchId s : fabric.switches())
    if (!fabric.hosts_on(s).empty()) out.push_back(s);
  const std::size_t most = most_visits / std::max<std::size_t>(fabric.switch_count(), 1) + 1;
  if (out.size() <= most) return {std::move(out)};
  Rng(1).shuffle(out);
  out.resize(most);
  return {std::move(out), false};
}

std::string distance_text(const Fabric& fabric) {
  std::uint64_t pairs = 0;
  std::uint64_t sum = 0;
  std::uint32_t most = 0;
  const Observers sources = observers(fabric);
  for (SwitchId from : sources.switches) {
    const auto distance = distances(fabric, from);
    for (SwitchId to : fabric.switches()) {
      const std::uint64_t weight = fabric.hosts_on(from).size() * fabric.hosts_on(to).size();
      if (distance[to] == unreachable || weight == 0) continue;
      pairs += weight;
      sum += weight * (distance[to] + 1);
      most = std::max(most, distance[to] + 1);
    }
  }
  if (pairs == 0) return "-";
  return fmt::format(
      "{:.2f} switches between hosts on average, {} at most{}",
      static_cast<double>(sum) / static_cast<double>(pairs), most,
      sources.all ? "" : fmt::format(" (seen from {} switches)", sources.switches.size()));
}

/// How many of the hosts are none that programs run on.
std::string others_text(const Fabric& fabric) {
  std::size_t aggregation = 0, routers = 0;
  for (HostId h : fabric.hosts()) {
    aggregation += fabric[h].role == HostRole::aggregation ? 1 : 0;
    routers += fabric[h].role == HostRole::router ? 1 : 0;
  }
  std::string out;
  if (aggregation > 0)
    out += "; " + counted(aggregation, "is an aggregation node", "are aggregation nodes");
  if (routers > 0) out += "; " + counted(routers, "is a router", "are routers");
  return out;
}

std::string bisection_text(const Fabric& fabric) {
  constexpr std::size_t most_switches = 4096;  // the search takes seconds beyond
  if (fabric.switch_count() > most_switches)
    return fmt::format("not searched for in more than {} switches", most_switches);
  const Bisection cut = bisection_width(fabric);
  return (cut.exact ? "" : "at most ") + counted(cut.links, "link", "links");
}

/// "4 on every switch", or "4 on 15, 2 on 1".
template <class Count>
std::string histogram(const Fabric& fabric, Count count) {
  std::map<std::size_t, std::size_t, std::greater<>> by_value;
  for (SwitchId s : fabric.switches()) ++by_value[count(s)];
  if (by_value.size() == 1) return fmt::format("{} on every switch", by_value.begin()->first);
  std::string out;
  for (const auto& [value, times] : by_value)
    out += fmt::format("{}{} on {}", out.empty() ? "" : ", ", value,
                       out.empty() ? counted(times, "switch", "switches") : std::to_string(times));
  return out.empty() ? "-" : out;
}

std::string wire_text(const Wire& wire) {
  const std::string speed = speed_text(wire.speed);
  return wire.delay == Delay{} ? speed : fmt::format("{} and {}", speed, to_text(wire.delay));
}

std::string wires_text(const Fabric& fabric) {
  std::map<std::string, std::size_t> wires;
  for (LinkId l : fabric.links()) ++wires[wire_text(fabric[l].wire)];
  std::string out;
  for (const auto& [wire, count] : wires)
    out += fmt::format("{}{} of {}", out.empty() ? "" : ", ", count, wire);
  return out.empty() ? "-" : out;
}

std::string port_text(const Fabric& fabric, const Neighbour& next) {
  if (next.channel.valid())
    return fmt::format("{} port {}, {}", fabric[fabric.to(next.channel)].name,
                       fabric.in_port(next.channel), wire_text(fabric.wire(next.channel)));
  if (!next.host.valid()) return "-";
  const Host& host = fabric[next.host];
  return fmt::format("host {}{}", host.name,
                     host.lid == 0 ? "" : fmt::format(", LID {}", host.lid));
}

/// The same for tables that leave choices: a host counts for every port that packets to it may
/// take.
std::map<PortNumber, std::size_t> hosts_by_candidate(const Fabric& fabric, const Tables& tables,
                                                     const ChoiceTables& choices, SwitchId s) {
  std::map<PortNumber, std::size_t> out;
  for (HostId h : fabric.hosts()) {
    std::set<PortNumber> ports;
    for (std::size_t p = 0; p < choices.phases.size(); ++p) {
      if (choices.phases[p].to_intermediate) continue;
      const ColumnId column = column_of(tables, choices, static_cast<PhaseId>(p), h);
      const ChoiceTables::Entry entry =
          column.valid() ? choices.next[column][s.index()] : ChoiceTables::no_route;
      if (entry == ChoiceTables::at_end) ports.insert(fabric[h].port);
      if (entry >= choices.set_count()) continue;
      for (const Candidate& c : choices.candidates(entry)) ports.insert(c.port);
    }
    for (const PortNumber port : ports) ++out[port];
  }
  return out;
}

/// How many hosts the tables reach through each port of a switch.
std::map<PortNumber, std::size_t> hosts_by_port(const Fabric& fabric, const Tables& tables,
                                                SwitchId s) {
  std::map<PortNumber, std::size_t> out;
  const auto* next = std::get_if<DestinationTables>(&tables.paths);
  if (const auto* choices = std::get_if<ChoiceTables>(&tables.paths))
    return hosts_by_candidate(fabric, tables, *choices, s);
  for (HostId h : fabric.hosts()) {
    if (next == nullptr || !tables.to_host[h].valid()) continue;
    const PortNumber port = (*next)[tables.to_host[h]][s.index()];
    if (port != no_port) ++out[port == here ? fabric[h].port : port];
  }
  return out;
}

void write_choices(std::ostream& out, const ChoiceTables& choices) {
  std::size_t most = 1, several = 0;
  for (ChoiceTables::Entry set = 0; set < choices.set_count(); ++set) {
    const std::size_t size = choices.candidates(set).size();
    most = std::max(most, size);
    several += size > 1 ? 1 : 0;
  }
  out << fmt::format("  choices    {} with several candidates, at most {}\n",
                     counted(several, "set", "sets"), most);
  if (choices.phases.size() == 1) return;
  for (std::size_t p = 0; p < choices.phases.size(); ++p) {
    const Phase& phase = choices.phases[p];
    const bool starts =
        std::find(choices.starts.begin(), choices.starts.end(), p) != choices.starts.end();
    const std::string aim =
        phase.to_intermediate
            ? fmt::format("to one of {}, then phase {}",
                          counted(choices.intermediates.columns.size(), "intermediate destination",
                                  "intermediate destinations"),
                          phase.next)
            : "to hosts";
    out << fmt::format("  phase {}    {}: {}{}{}\n", p, phase.name, aim,
                       phase.detour ? fmt::format(", or detour in phase {}", *phase.detour) : "",
                       starts ? "; packets start here" : "");
  }
}

}  // namespace

void write_fabric(std::ostream& out, const Fabric& fabric) {
  const auto component = components(fabric);
  std::size_t parts = 0;
  for (std::uint32_t part : component) parts = std::max<std::size_t>(parts, part + 1);
  out << fmt::format("{}\n  size       {}, {}, {} between switches, {}\n", fabric.name(),
                     counted(fabric.switch_count(), "switch", "switches"),
                     counted(fabric.host_count(), "host", "hosts"),
                     counted(fabric.link_count(), "link", "links"),
                     parts > 1 ? fmt::format("in {} parts", parts) : "connected");
  out << fmt::format("  links      {}\n",
                     histogram(fabric, [&](SwitchId s) { return fabric.out(s).size(); }));
  out << fmt::format("  hosts      {}{}\n",
                     histogram(fabric, [&](SwitchId s) { return fabric.hosts_on(s).size(); }),
                     others_text(fabric));
  out << fmt::format("  wires      {}\n", wires_text(fabric));
  const std::optional<Remainder> computers = only_computers(fabric);
  out << fmt::format("  distance   {}\n", distance_text(computers ? computers->fabric : fabric));
  out << fmt::format("  bisection  {}\n", bisection_text(fabric));
  const auto tree = FatTree::find(fabric);
  if (const auto* found = std::get_if<FatTree>(&tree); found != nullptr && found->levels() > 1)
    out << fmt::format("  tree       {}\n", found->describe());
}

void write_tables_summary(std::ostream& out, const Fabric& fabric, const Tables& tables) {
  constexpr std::array forms{"out-port by destination", "source routes", "choices by destination"};
  const char* lanes = std::holds_alternative<OneLane>(tables.lanes)     ? ""
                      : std::holds_alternative<TurnLanes>(tables.lanes) ? ", by in- and out-port"
                                                                        : ", by service level";
  out << fmt::format("tables of {}\n  form       {}, {}\n  lanes      {}{}\n", tables.engine,
                     forms[tables.paths.index()],
                     counted(column_count(tables), "column", "columns"), tables.lane_count, lanes);
  if (const auto* choices = std::get_if<ChoiceTables>(&tables.paths))
    write_choices(out, *choices);
  else if (leave_choices(tables))
    out << fmt::format("  choices    {}\n",
                       counted(std::get<SourceRoutes>(tables.paths).link_groups().size(),
                               "group of links", "groups of links"));
  for (const Group& group : tables.groups)
    out << fmt::format("  group      {}: {}{}{}\n", group.name,
                       counted(group.members.size(), "member", "members"),
                       group.source ? " from " + fabric[*group.source].name : "",
                       group.root ? " by " + fabric[*group.root].name : "");
}

void write_switch(std::ostream& out, const Fabric& fabric, SwitchId s, const Tables* tables) {
  const Switch& data = fabric[s];
  out << data.name;
  if (!data.at.empty()) out << fmt::format(" at ({})", fmt::join(data.at, ","));
  if (data.guid != 0) out << fmt::format(", GUID 0x{:016x}", data.guid);
  if (data.lid != 0) out << fmt::format(", LID {}", data.lid);
  out << '\n';
  const auto reached =
      tables == nullptr ? std::map<PortNumber, std::size_t>{} : hosts_by_port(fabric, *tables, s);
  for (std::uint32_t p = 1; p <= data.ports; ++p) {
    const auto port = static_cast<PortNumber>(p);
    const Neighbour next = fabric.at_port(s, port);
    const auto hosts = reached.find(port);
    out << fmt::format(
        "  port {:<3} {}{}\n", p, port_text(fabric, next),
        hosts == reached.end() || next.host.valid()
            ? ""
            : fmt::format(", the next hop to {}", counted(hosts->second, "host", "hosts")));
  }
}

}  // namespace weft
