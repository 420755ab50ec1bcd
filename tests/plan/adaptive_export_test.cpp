// SPDX-License-Identifier: Apache-2.0
// Adaptive tables written for InfiniBand and read back: the same sets of candidates.
#include "fabric/infiniband/adaptive_export.hpp"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "base/error.hpp"
#include "fabric/infiniband/adaptive_choices.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
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
std::vector<std::pair<unsigned, PortNumber>> candidates(const Fabric& fabric, const Tables& tables,
                                                        ColumnId column, SwitchId at, HostId to) {
  const auto& choices = std::get<ChoiceTables>(tables.paths);
  const ChoiceTables::Entry entry = choices.next[column][at.index()];
  if (entry == ChoiceTables::at_end) return {{0, fabric[to].port}};
  if (entry == ChoiceTables::no_route) return {};
  std::vector<std::pair<unsigned, PortNumber>> out;
  for (const Candidate& each : choices.candidates(entry))
    out.emplace_back(each.preference, each.port);
  std::sort(out.begin(), out.end());
  return out;
}

/// Returns how many entries left a choice.
std::size_t expect_same(const Fabric& fabric, const Tables& tables, const Tables& back) {
  std::size_t choices = 0;
  for (const HostId to : fabric.hosts())
    for (const SwitchId at : fabric.switches()) {
      const auto wanted = candidates(fabric, tables, tables.to_host[to], at, to);
      EXPECT_EQ(candidates(fabric, back, back.to_host[to], at, to), wanted)
          << fabric[at].name << " to " << fabric[to].name;
      choices += wanted.size() > 1 ? 1 : 0;
    }
  return choices;
}

TEST(AdaptiveExport, WhatIsReadBackIsTheSame) {
  for (const std::string spec :
       {"clos3:radix=4", "clos3:radix=8", "tree:k=3,n=3",
        "random_regular:switches=12,degree=4,seed=3", "random_irregular:switches=20,seed=9"}) {
    const Fabric fabric = fabric_of(spec);
    const Tables tables = routed(fabric, "updown_adaptive");
    const std::string text = text_of(fabric, tables);
    const NotedTables back = read_back(fabric, text);
    EXPECT_TRUE(back.notes.empty()) << spec << ": " << back.notes.front();
    EXPECT_GT(expect_same(fabric, tables, back.tables), 0U) << spec;
    EXPECT_EQ(text_of(fabric, back.tables), text) << spec;
    EXPECT_TRUE(
        infiniband::odd_entries(fabric, infiniband::read_adaptive({"x.far", text})).empty());
  }
}

TEST(AdaptiveExport, EqualSetsOfASwitchAreOneGroup) {
  const Fabric fabric = fabric_of("clos3:radix=4");
  for (const auto& each :
       infiniband::adaptive_switches(fabric, routed(fabric, "updown_adaptive"))) {
    std::set<std::vector<PortNumber>> sets;
    for (const auto& [number, ports] : each.groups) EXPECT_TRUE(sets.insert(ports).second);
    EXPECT_LE(sets.size(), 1U) << "all ports up";
    for (const auto& entry : each.entries.at(0)) {
      EXPECT_EQ(entry.state == "Free", entry.group != 0);
      if (entry.group == 0) continue;
      EXPECT_EQ(entry.port, each.groups.at({entry.group, 0}).front());
    }
  }
}

TEST(AdaptiveExport, PreferencesAreSubGroups) {
  const auto [ring, tables] = test::ring_with_escape_port(4);
  Tables one_lane = tables;
  const Tables back = read_back(ring, text_of(ring, one_lane)).tables;
  EXPECT_GT(expect_same(ring, one_lane, back), 0U);
}

TEST(AdaptiveExport, OnePortPerEntryIsStatic) {
  const Fabric fabric = fabric_of("ring:switches=4");
  for (const auto& each : infiniband::adaptive_switches(fabric, routed(fabric, "updown")))
    EXPECT_FALSE(each.adapts());
}

std::string refusal(const Fabric& fabric, const Tables& tables) {
  try {
    infiniband::adaptive_switches(fabric, tables);
  } catch (const RefusedError& error) {
    return error.what();
  }
  return "";
}

TEST(AdaptiveExport, WhatInfiniBandCannotDoIsRefused) {
  const Fabric torus = fabric_of("torus:dims=4x4");
  EXPECT_EQ(refusal(torus, routed(torus, "min_adaptive")),
            "min_adaptive: switch \"s0\" names port 4 with lane 1: InfiniBand's groups name ports, "
            "and lanes follow from the service level");
  EXPECT_EQ(refusal(torus, routed(torus, "valiant")),
            "valiant: packets have 2 phases; InfiniBand's switches know their destination alone");
  EXPECT_EQ(refusal(torus, routed(torus, "dor")),
            "dor: lanes follow from the lane before: in InfiniBand they follow from the service "
            "level");
  EXPECT_EQ(refusal(torus, as_source_routes(torus, routed(torus, "updown"))),
            "updown: source routes: InfiniBand's switches go by destination");
}

}  // namespace
}  // namespace weft::adaptive_export
