// SPDX-License-Identifier: Apache-2.0
// The InfiniBand mesh paper's worked examples: LIDs (3.1), forwarding tables (3.2, 3.3.1) and
// multicast forwarding tables (3.3.2).
#include <map>
#include <set>

#include "fabric/walk.hpp"
#include "papers/ibamesh/experiments.hpp"
#include "papers/runner/expected.hpp"
#include "plan/check/check.hpp"
#include "plan/mcast/mcast.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"

namespace weft::papers::ibamesh {
namespace {

Fabric mesh(int m, int n) { return make_fabric(fmt::format("iba_mesh:m={},n={}", m, n)); }

bool lids_are_unique(const Fabric& fabric) {
  std::set<Lid> lids;
  for (HostId h : fabric.hosts()) lids.insert(fabric[h].lid);
  return lids.size() == fabric.host_count() && !lids.contains(0);
}

/// All ports on the route from N(2,2), out and in, as section 3.3.2 lists them.
std::string traversed(const Fabric& fabric, const Tables& tables, Lid lid) {
  Walker walk(fabric, tables);
  const HostId from = fabric.hosts_on(switch_named(fabric, "N(2,2)")).front();
  std::string out;
  for (const Hop& hop : walk(from, host_with_lid(fabric, lid)).hops)
    out += fmt::format("{}{}_{} {}_{}", out.empty() ? "" : " ",
                       fabric[fabric.from(hop.channel)].name, fabric.out_port(hop.channel),
                       fabric[fabric.to(hop.channel)].name, fabric.in_port(hop.channel));
  return out;
}

/// The out-ports of a group by switch, ports of hosts left out as in the paper's example.
std::map<std::string, std::string> ports_without_hosts(const Fabric& fabric, const Group& group) {
  std::map<std::string, std::string> out;
  for (const PortSet& set : group.out)
    for (PortNumber port : set.ports) {
      if (fabric.at_port(set.on, port).host.valid()) continue;
      std::string& ports = out[fabric[set.on].name];
      ports += fmt::format("{}{}", ports.empty() ? "" : " ", port);
    }
  return out;
}

Finding multicast_finding(const Fabric& fabric, const Tables& tables) {
  for (const Finding& finding : run_checks(fabric, tables).findings)
    if (finding.check == "multicast") return finding;
  invariant(false, "there is no multicast check");
  return {};
}

}  // namespace

SwitchId switch_named(const Fabric& fabric, const std::string& name) {
  const auto found = fabric.find_switch(name);
  invariant(found.has_value(), "the mesh lacks a switch of the paper");
  return *found;
}

HostId host_with_lid(const Fabric& fabric, Lid lid) {
  for (HostId h : fabric.hosts())
    if (fabric[h].lid == lid) return h;
  invariant(false, "the mesh lacks a LID of the paper");
  return {};
}

Tables xy_tables(const Fabric& fabric) {
  Routed routed = route(fabric, "xy");
  invariant(std::holds_alternative<Tables>(routed), "xy refuses a mesh");
  return std::get<Tables>(std::move(routed));
}

Section lids(const IbameshContext& context) {
  constexpr int largest = 8;
  Answers answers(context.stated, "lids");
  const Fabric four = mesh(4, 4);
  answers.exact("nodes", fmt::format("{}", four.host_count()));
  const HostId host = four.hosts_on(switch_named(four, "N(3,2)")).front();
  answers.exact("N(3,2)", fmt::format("{}", four[host].lid));
  int wrong = 0;
  for (int m = 1; m <= largest; ++m)
    for (int n = 1; n <= largest; ++n) wrong += lids_are_unique(mesh(m, n)) ? 0 : 1;
  answers.claim("unique", wrong == 0,
                fmt::format("checked on all {} meshes up to {}x{}, with x*n + y + 1: the printed "
                            "x*m + y + 1 gives one LID to two hosts where n > m",
                            largest * largest, largest, largest));
  return {.id = "lids", .about = {}, .answers = std::move(answers).done()};
}

Section forwarding(const IbameshContext& context) {
  Answers answers(context.stated, "lft");
  const Fabric fabric = mesh(5, 5);
  const Tables tables = xy_tables(fabric);
  const auto& next = std::get<DestinationTables>(tables.paths);
  const ColumnId column = tables.to_host[host_with_lid(fabric, 4)];
  for (const char* name : {"N(2,2)", "N(1,2)", "N(0,2)"})
    answers.exact(name, fmt::format("{}", next[column][switch_named(fabric, name).index()]));
  const std::vector<std::pair<const char*, Lid>> paths{
      {"P", 4}, {"Q", 5}, {"R", 19}, {"S", 23}, {"T", 21}};
  for (const auto& [name, lid] : paths) answers.exact(name, traversed(fabric, tables, lid));
  return {.id = "lft", .about = {}, .answers = std::move(answers).done()};
}

Section multicast_forwarding(const IbameshContext& context) {
  Answers answers(context.stated, "mft");
  const Fabric fabric = mesh(5, 5);
  Tables tables = xy_tables(fabric);
  GroupRequest request{"paper", {}, fabric.hosts_on(switch_named(fabric, "N(2,2)")).front(), 0};
  for (Lid lid : std::initializer_list<Lid>{4, 5, 19, 21, 23})
    request.members.push_back(host_with_lid(fabric, lid));
  const Grouped made = make_group({fabric, tables, request}, "union");
  tables.groups.push_back(std::get<Group>(made));
  auto ports = ports_without_hosts(fabric, tables.groups.front());
  for (const char* name : {"N(2,2)", "N(1,2)", "N(0,2)", "N(0,3)", "N(3,2)", "N(4,2)", "N(4,1)"}) {
    answers.exact(name, ports[name]);
    ports.erase(name);
  }
  std::string others;
  for (const auto& [name, set] : ports) others += fmt::format(" {}={}", name, set);
  answers.exact("others", others.empty() ? "none" : others.substr(1));
  const Finding finding = multicast_finding(fabric, tables);
  answers.claim("delivers", finding.verdict == Verdict::fine,
                finding.summary +
                    "; the printed sets lack the five ports to the members' hosts, "
                    "which tables that run need and the comparison leaves out");
  return {.id = "mft", .about = {}, .answers = std::move(answers).done()};
}

}  // namespace weft::papers::ibamesh
