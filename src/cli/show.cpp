// SPDX-License-Identifier: Apache-2.0
// weft show: a fabric, a switch or a route in words.
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>

#include "base/error.hpp"
#include "cli/inputs.hpp"
#include "cli/verbs.hpp"
#include "fabric/walk.hpp"
#include "plan/check/bisection.hpp"
#include "plan/check/survey.hpp"
#include "plan/route/parts/orientation.hpp"

namespace weft::cli {
namespace {

std::string distance_text(const Fabric& fabric) {
  std::uint64_t pairs = 0;
  std::uint64_t sum = 0;
  std::uint32_t most = 0;
  for (SwitchId from : fabric.switches()) {
    const auto distance = distances(fabric, from);
    for (SwitchId to : fabric.switches()) {
      const std::uint64_t weight = fabric.hosts_on(from).size() * fabric.hosts_on(to).size();
      if (distance[to] == unreachable || weight == 0) continue;
      pairs += weight;
      sum += weight * (distance[to] + 1);
      most = std::max(most, distance[to] + 1);
    }
  }
  if (pairs == 0) return "no hosts";
  return fmt::format("{:.2f} switches between hosts on average, {} at most",
                     static_cast<double>(sum) / static_cast<double>(pairs), most);
}

template <class Count>
std::string histogram(std::size_t n, Count count) {
  std::map<std::size_t, std::size_t> by_value;
  for (std::size_t i = 0; i < n; ++i) ++by_value[count(i)];
  std::string out;
  for (const auto& [value, times] : by_value)
    out += fmt::format("{}{} on {}", out.empty() ? "" : ", ", value, times);
  return out;
}

void show_fabric(const Fabric& fabric) {
  const auto component = components(fabric);
  const std::size_t parts =
      component.empty() ? 0
                        : *std::max_element(component.begin(), component.end()) + std::size_t{1};
  std::map<std::string, std::size_t> wires;
  for (LinkId l : fabric.links())
    ++wires[fmt::format("{}, {}", to_text(fabric[l].wire.speed), to_text(fabric[l].wire.delay))];
  std::cout << fmt::format("{}\n", fabric.name());
  std::cout << fmt::format(
      "  {}, {}, {} between switches, {}\n", counted(fabric.switch_count(), "switch", "switches"),
      counted(fabric.host_count(), "host", "hosts"), counted(fabric.link_count(), "link", "links"),
      parts == 1 ? "connected" : fmt::format("in {} parts", parts));
  std::cout << fmt::format(
      "  links per switch: {}\n",
      histogram(fabric.switch_count(), [&](auto i) { return fabric.out(SwitchId(i)).size(); }));
  std::cout << fmt::format("  hosts per switch: {}\n",
                           histogram(fabric.switch_count(),
                                     [&](auto i) { return fabric.hosts_on(SwitchId(i)).size(); }));
  for (const auto& [wire, count] : wires)
    std::cout << fmt::format("  {} links of {}\n", count, wire);
  std::cout << fmt::format("  {}\n", distance_text(fabric));
  const Bisection cut = bisection_width(fabric);
  std::cout << fmt::format("  bisection: {}{}\n", cut.exact ? "" : "at most ",
                           counted(cut.links, "link", "links"));
}

void show_switch(const Fabric& fabric, SwitchId s) {
  const Switch& data = fabric[s];
  std::cout << data.name;
  if (!data.at.empty()) {
    std::string at;
    for (int x : data.at) at += fmt::format("{}{}", at.empty() ? "" : ",", x);
    std::cout << fmt::format(" at ({})", at);
  }
  if (data.guid != 0) std::cout << fmt::format(", GUID 0x{:016x}", data.guid);
  if (data.lid != 0) std::cout << fmt::format(", LID {}", data.lid);
  std::cout << '\n';
  for (std::uint32_t p = 1; p <= data.ports; ++p) {
    const auto port = static_cast<PortNumber>(p);
    const Neighbour next = fabric.at_port(s, port);
    std::string what = "-";
    if (next.host.valid()) what = "host " + fabric[next.host].name;
    if (next.host.valid() && fabric[next.host].lid != 0)
      what += fmt::format(", LID {}", fabric[next.host].lid);
    if (next.channel.valid())
      what = fmt::format("{} port {}, {}", fabric[fabric.to(next.channel)].name,
                         fabric.in_port(next.channel), to_text(fabric.wire(next.channel).speed));
    std::cout << fmt::format("  port {:<3} {}\n", p, what);
  }
}

}  // namespace

Action add_show(Arguments& arguments) {
  struct Options {
    std::string fabric, tables, on, from, to;
  };
  auto options = std::make_shared<Options>();
  arguments.required("fabric", options->fabric, "fabric file or topology");
  arguments.optional("tables", options->tables, "tables, to show routes of");
  arguments.option("--switch", options->on, "show what is on the ports of this switch");
  arguments.option("--from", options->from, "show the route from this host");
  arguments.option("--to", options->to, "to this one");
  arguments.together("--from", "--to");
  return [options] {
    const Fabric fabric = find_fabric(options->fabric);
    if (!options->on.empty()) {
      show_switch(fabric, switch_named(fabric, options->on));
    } else if (!options->from.empty()) {
      if (options->tables.empty()) throw Error("a route is part of tables: name their file too");
      const Tables tables = read_tables(read_source(options->tables), fabric);
      const HostId a = host_named(fabric, options->from);
      const HostId b = host_named(fabric, options->to);
      std::cout << to_text(fabric, a, b, Walker(fabric, tables)(a, b)) << '\n';
    } else {
      show_fabric(fabric);
    }
    return exit_fine;
  };
}

}  // namespace weft::cli
