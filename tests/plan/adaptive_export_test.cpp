// SPDX-License-Identifier: Apache-2.0
// Adaptive tables written for InfiniBand and read back: the same sets of candidates.
#include "fabric/infiniband/adaptive_export.hpp"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "base/error.hpp"
#include "fabric/choice_routes.hpp"
#include "fabric/infiniband/adaptive_choices.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
#include "support/choices.hpp"
#include "support/worked_choices.hpp"

namespace weft::adaptive_export {
namespace {

Fabric fabric_of(const std::string& spec) { return make_fabric(Spec::parse(spec)); }

Tables routed(const Fabric& fabric, const std::string& engine) {
  return std::get<Tables>(route(fabric, engine));
}

std::string text_of(const Fabric& fabric, const Tables& tables) {
  std::ostringstream out;
  infiniband::write_adaptive(out, infiniband::adaptive_switches(fabric, tables));
  return out.str();
}

NotedTables read_back(const Fabric& fabric, const std::string& text) {
  const Source source{"x.far", text};
  const auto switches = infiniband::read_adaptive(source);
  return infiniband::with_adaptive_groups(
      source, fabric, infiniband::static_tables(source, fabric, switches).tables, switches, {});
}

/// (preference, port) of what packets may take; at the last switch, the port of the host.
std::set<std::pair<unsigned, PortNumber>> candidates(const Fabric& fabric, const Tables& tables,
                                                     PhaseId phase, SwitchId at, HostId to) {
  const auto& choices = std::get<ChoiceTables>(tables.paths);
  const ColumnId column = column_of(tables, choices, phase, to);
  const ChoiceTables::Entry entry = choices.next[column][at.index()];
  if (entry == ChoiceTables::at_end) return {{0, fabric[to].port}};
  if (entry == ChoiceTables::no_route) return {};
  std::set<std::pair<unsigned, PortNumber>> out;
  for (const auto& each : choices.candidates(entry)) out.emplace(each.preference, each.port);
  return out;
}

/// Whatever the phases of packets, wherever they come to. Returns how many sets left a choice.
std::size_t expect_same(const Fabric& fabric, const Tables& tables, const Tables& back) {
  std::size_t choices = 0;
  ChoiceRoutes routes(fabric, tables, ChoiceRoutes::FollowedLids::first);
  for (std::size_t aim = 0; aim < routes.host_aims(); ++aim) {
    routes.explore(aim);
    for (const HostId to : routes.aims()[aim].hosts)
      for (const auto& position : routes.positions()) {
        const auto wanted = candidates(fabric, tables, position.phase, position.at, to);
        EXPECT_EQ(candidates(fabric, back, 0, position.at, to), wanted)
            << fabric[position.at].name << " to " << fabric[to].name;
        choices += wanted.size() > 1 ? 1 : 0;
      }
  }
  return choices;
}

std::string refusal(const Fabric& fabric, const Tables& tables) {
  try {
    infiniband::adaptive_switches(fabric, tables);
  } catch (const RefusedError& error) {
    return error.what();
  }
  return "";
}

void expect_round_trip(const Fabric& fabric, const Tables& tables) {
  const std::string text = text_of(fabric, tables);
  const NotedTables back = read_back(fabric, text);
  EXPECT_TRUE(back.notes.empty()) << back.notes.front();
  require_fit(fabric, back.tables);
  EXPECT_GT(expect_same(fabric, tables, back.tables), 0U);
  EXPECT_EQ(text_of(fabric, back.tables), text);
  EXPECT_TRUE(infiniband::odd_entries(fabric, infiniband::read_adaptive({"x.far", text})).empty());
}

TEST(AdaptiveExport, OfFatTreesIsReadBackTheSame) {
  for (const std::string spec : {"clos3:radix=4", "clos3:radix=8", "tree:k=3,n=3", "clos2:links=2",
                                 "xgft:children=4x4,parents=1x2,links=2"}) {
    SCOPED_TRACE(spec);
    const Fabric fabric = fabric_of(spec);
    expect_round_trip(fabric, routed(fabric, "updown_adaptive"));
  }
}

/// Where a packet that went down has fewer ports than one that did not, they are not InfiniBand's.
TEST(AdaptiveExport, OfRandomGraphsIsReadBackTheSameOrRefused) {
  int written = 0, refused = 0;
  for (int seed = 1; seed <= 20; ++seed)
    for (const std::string shape : {"random_irregular:switches=16,links=26,seed={}",
                                    "random_regular:switches=16,degree=4,seed={}"}) {
      const std::string spec = fmt::format(fmt::runtime(shape), seed);
      SCOPED_TRACE(spec);
      const Fabric fabric = fabric_of(spec);
      const Tables tables = routed(fabric, "updown_adaptive");
      const std::string why = refusal(fabric, tables);
      if (why.empty()) {
        expect_round_trip(fabric, tables);
        ++written;
      } else {
        EXPECT_NE(why.find("it depends on the phase"), std::string::npos) << why;
        ++refused;
      }
    }
  EXPECT_GT(written, 5);
  EXPECT_GT(refused, 0);
}

TEST(AdaptiveExport, EqualSetsOfASwitchAreOneGroup) {
  const Fabric fabric = fabric_of("clos3:radix=4");
  for (const auto& each :
       infiniband::adaptive_switches(fabric, routed(fabric, "updown_adaptive"))) {
    std::set<std::vector<PortNumber>> sets;
    for (const auto& [number, group] : each.groups) EXPECT_TRUE(sets.insert(group.ports).second);
    EXPECT_LE(sets.size(), 1U) << "all ports up";
    for (const auto& entry : each.entries.at(0)) {
      EXPECT_EQ(entry.state == "Free", entry.group != 0);
      if (entry.group == 0) continue;
      EXPECT_EQ(entry.port, each.groups.at({entry.group, 0}).ports.front());
    }
  }
}

TEST(AdaptiveExport, PreferencesAreSubGroups) {
  const auto [ring, tables] = test::ring_with_escape_port(4);
  const Tables back = read_back(ring, text_of(ring, tables)).tables;
  EXPECT_GT(expect_same(ring, tables, back), 0U);
}

TEST(AdaptiveExport, OnePortPerEntryIsStatic) {
  const Fabric fabric = fabric_of("ring:switches=4");
  for (const auto& each : infiniband::adaptive_switches(fabric, routed(fabric, "updown")))
    EXPECT_FALSE(each.adapts());
}

TEST(AdaptiveExport, WhatInfiniBandCannotDoIsRefused) {
  const Fabric torus = fabric_of("torus:dims=4x4");
  EXPECT_EQ(refusal(torus, routed(torus, "min_adaptive")),
            "min_adaptive: switch \"s1\" names port 2 with lane 2: InfiniBand's groups name ports, "
            "and lanes follow from the service level");
  EXPECT_EQ(
      refusal(torus, routed(torus, "valiant")),
      "valiant: packets have intermediate destinations; InfiniBand's switches know their last "
      "one alone");
  EXPECT_EQ(refusal(torus, routed(torus, "dor")),
            "dor: lanes follow from the lane before: in InfiniBand they follow from the service "
            "level");
  EXPECT_EQ(refusal(torus, as_source_routes(torus, routed(torus, "updown"))),
            "updown: source routes: InfiniBand's switches go by destination");
}

/// Of either order of dimensions, on one lane.
TEST(AdaptiveExport, PhasesThatMatterAreRefused) {
  const Fabric mesh = test::square_mesh(2);
  Tables tables =
      test::choice_tables(mesh, 1, {Phase{"xy"}, Phase{"yx"}}, [](int phase, int at, int to) {
        const std::vector<int> minimal = test::minimal_in_mesh(2, at, to);
        return std::vector<test::WantedHop>{
            {phase == 0 ? minimal.front() : minimal.back(), 0, phase}};
      });
  EXPECT_EQ(refusal(mesh, tables), "") << "packets start in the first one only";
  std::get<ChoiceTables>(tables.paths).starts = {0, 1};
  tables.engine = "o1turn";
  EXPECT_EQ(
      refusal(mesh, tables),
      "o1turn: at switch \"s3\" it depends on the phase of packets to \"h0\" which ports they "
      "may take; InfiniBand's switches know their destination alone");
}

}  // namespace
}  // namespace weft::adaptive_export
