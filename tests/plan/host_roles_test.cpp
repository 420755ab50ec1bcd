// SPDX-License-Identifier: Apache-2.0
// Aggregation nodes and routers have routes, but no traffic; further LIDs have routes of their own.
#include <gtest/gtest.h>

#include <algorithm>

#include "fabric/route_set.hpp"
#include "fabric/without.hpp"
#include "plan/check/check.hpp"
#include "plan/difference/tables_difference.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
#include "support/fabrics.hpp"

namespace weft::test::host_roles {
namespace {

const Finding& finding(const Checked& checked, std::string_view check) {
  for (const Finding& each : checked.findings)
    if (each.check == check) return each;
  throw Error("no such check");
}

TEST(HostRoles, OnlyComputersHaveTraffic) {
  const Fabric mesh = make_fabric("mesh:dims=3x3,hosts=2");
  const Fabric both = with_aggregation(mesh);
  const Checked plain = run_checks(mesh, std::get<Tables>(route(mesh, "xy")));
  const Checked more = run_checks(both, std::get<Tables>(route(both, "xy")));
  for (const char* check : {"hops", "load", "matchings", "bisection"})
    EXPECT_EQ(finding(plain, check).numbers, finding(more, check).numbers) << check;
  EXPECT_EQ(finding(plain, "reach").numbers.at("pairs"), 18 * 18);
  EXPECT_EQ(finding(more, "reach").numbers.at("pairs"), 27 * 27);
}

TEST(HostRoles, OnlyComputersKeepsTablesRight) {
  const Fabric mesh = make_fabric("mesh:dims=3x3,hosts=2");
  const Fabric both = with_aggregation(mesh);
  const Tables tables = std::get<Tables>(route(both, "dfsssp"));
  const auto rest = only_computers(both);
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->fabric.host_count(), mesh.host_count());
  EXPECT_FALSE(run_checks(rest->fabric, tables_without(tables, both, *rest)).bad());
  EXPECT_FALSE(only_computers(mesh));
}

TEST(HostRoles, DifferencesCountComputers) {
  const Fabric both = with_aggregation(make_fabric("mesh:dims=3x3,hosts=2"));
  const Tables before = std::get<Tables>(route(both, "xy"));
  const Tables after = std::get<Tables>(route(both, "updown"));
  const auto rest = only_computers(both);
  const TablesDifference all = compare_tables(both, before, after);
  const TablesDifference computers = compare_tables(
      rest->fabric, tables_without(before, both, *rest), tables_without(after, both, *rest));
  EXPECT_EQ(all.before.load, computers.before.load);
  EXPECT_EQ(all.after.mean_hops(), computers.after.mean_hops());
  EXPECT_EQ(all.changed_pairs, computers.changed_pairs);
  EXPECT_GT(all.changed_pairs, 0U);
  EXPECT_GT(all.changed_entries, computers.changed_entries);
}

TEST(FurtherLids, AreJudged) {
  const Fabric ring = make_fabric("ring:switches=4");
  Tables tables = std::get<Tables>(route(ring, "updown"));
  EXPECT_FALSE(run_checks(ring, tables).bad());
  // Further LIDs all clockwise: they close the circle that the first ones leave open.
  auto& next = std::get<DestinationTables>(tables.paths);
  for (HostId h : ring.hosts()) {
    std::vector<PortNumber> column;
    for (SwitchId s : ring.switches())
      column.push_back(s == ring[h].on ? here : ring.out_port(ring.out(s)[0]));
    tables.further.push_back({h, 1, next.push_back(column)});
  }
  const Checked circle = run_checks(ring, tables);
  EXPECT_EQ(finding(circle, "reach").verdict, Verdict::fine);
  EXPECT_EQ(finding(circle, "reach").numbers.at("lost_by_further_lids"), 0);
  EXPECT_EQ(finding(circle, "deadlock").verdict, Verdict::bad);
  const std::vector<std::string>& waits = finding(circle, "deadlock").details;
  EXPECT_TRUE(std::any_of(waits.begin(), waits.end(),
                          [](const std::string& wait) { return wait.ends_with(" by LID + 1"); }));
  next[tables.further.front().column][2] = no_port;
  const Checked cut = run_checks(ring, tables);
  EXPECT_EQ(finding(cut, "reach").verdict, Verdict::bad);
  EXPECT_GT(finding(cut, "reach").numbers.at("lost_by_further_lids"), 0);
  const std::vector<std::string>& lost = finding(cut, "reach").details;
  ASSERT_EQ(lost.size(), 2U);
  EXPECT_TRUE(lost[1].starts_with("one of them, to h0 by LID + 1: h1 -> ")) << lost[1];
  const FurtherLid second{HostId(0), 1};
  EXPECT_TRUE(lost[1].ends_with(route_text(ring, tables, HostId(1), second))) << lost[1];
  EXPECT_NE(route_text(ring, tables, HostId(1), HostId(0)),
            route_text(ring, tables, HostId(1), second));
}

}  // namespace
}  // namespace weft::test::host_roles
