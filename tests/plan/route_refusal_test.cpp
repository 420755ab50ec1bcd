// SPDX-License-Identifier: Apache-2.0
// Engines that cannot serve a fabric say why; wrong specs say what would be right.
#include <gtest/gtest.h>

#include "fabric/builder.hpp"
#include "plan/topo/topology.hpp"
#include "support/fabrics.hpp"
#include "support/routes.hpp"

namespace weft::test {
namespace {

std::string refusal(const Fabric& fabric, const std::string& spec) {
  const Routed out = route(fabric, spec);
  return std::holds_alternative<Refused>(out) ? std::get<Refused>(out).why : "";
}

std::string wrong(const Fabric& fabric, const std::string& spec) {
  try {
    route(fabric, spec);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

Fabric grid(std::vector<std::vector<int>> places, LinkList links) {
  FabricBuilder builder("grid");
  for (std::size_t i = 0; i < places.size(); ++i) {
    const SwitchId s = builder.add_switch({"s" + std::to_string(i), 0, 0, 0, places[i]});
    builder.add_host({"h" + std::to_string(i), s});
  }
  for (auto [a, b] : links)
    builder.connect(SwitchId(static_cast<std::size_t>(a)), SwitchId(static_cast<std::size_t>(b)),
                    {});
  return std::move(builder).build();
}

TEST(Refusals, DimensionOrder) {
  EXPECT_EQ(refusal(ring(4), "dor"), "needs coordinates; switch \"s0\" has none");
  EXPECT_EQ(refusal(grid({{0, 0}, {1, 0}, {0, 1}}, {{0, 1}, {0, 2}}), "dor"),
            "needs a switch at every place of the grid; 3 of 4 are there");
  EXPECT_EQ(refusal(grid({{0, 0}, {1}}, {{0, 1}}), "dor"),
            "the coordinates of switch \"s1\" do not fit those of \"s0\"");
  EXPECT_EQ(refusal(grid({{0, 0}, {1, 0}, {0, 1}, {1, 1}}, {{0, 1}, {0, 2}, {0, 3}}), "dor"),
            "a link joins \"s0\" and \"s3\", which differ in 2 coordinates; one is needed");
  EXPECT_EQ(refusal(grid({{0}, {1}, {2}}, {{0, 1}}), "dor"),
            "a link is missing at switch \"s2\" towards \"s0\"");
  EXPECT_EQ(
      refusal(grid({{0}, {1}, {2}, {3}, {4}}, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 3}}), "dor"),
      "dimension 0 is neither a line, a ring nor complete: switch \"s0\" has no link to "
      "coordinate 2");
  EXPECT_EQ(refusal(make_fabric("torus:dims=4x4"), "xy"),
            "needs a mesh of two dimensions without wrap links; dor serves the others");
  EXPECT_EQ(refusal(make_fabric("torus:dims=4x4x4x4x4"), "dor:lanes=service"),
            "16 service levels serve 4 dimensions; use lanes=turn");
}

TEST(Refusals, TooFewLanes) {
  EXPECT_EQ(refusal(ring(12), "sbp:lanes=5"),
            "needs a lane per link: 6 from switch \"s6\" to \"s0\", and there are 5 lanes");
  EXPECT_EQ(refusal(ring(5), "lash:lanes=1"),
            "with 1 lane none is left for the routes between switches \"s2\" and \"s4\"");
  EXPECT_EQ(refusal(ring(5), "dfsssp:lanes=1"), "cannot break every cycle with 1 lane");
}

TEST(Refusals, TooManyPairsToBalanceOneByOne) {
  EXPECT_EQ(refusal(make_fabric("torus:dims=20x20"), "updown:form=source"),
            "routes of 160000 pairs of switches are too many to balance one by one; use "
            "form=tables, or select=low_port");
}

TEST(Refusals, Trees) {
  EXPECT_EQ(refusal(ring(4), "dmodk"),
            "needs a tree with its hosts on the leaves; \"s0\" and \"s1\" are linked and both have "
            "hosts");
  EXPECT_EQ(refusal(ring(5), "dmodk"),
            "needs a tree; \"s0\" and \"s1\" are linked at the same height");
  // Two leaves below different tops: between them a route would go down and up again.
  FabricBuilder builder("zigzag");
  for (const char* name : {"a", "b", "c", "x", "y"}) builder.add_switch({name});
  for (std::size_t leaf = 0; leaf < 3; ++leaf)
    builder.add_host({"h" + std::to_string(leaf), SwitchId(leaf)});
  for (auto [low, high] : {std::pair{0, 3}, std::pair{1, 3}, std::pair{1, 4}, std::pair{2, 4}})
    builder.connect(SwitchId(static_cast<std::size_t>(low)),
                    SwitchId(static_cast<std::size_t>(high)), {});
  EXPECT_EQ(refusal(std::move(builder).build(), "nca"),
            "needs a tree; no route leads up and then down from \"c\" to \"a\"");
}

TEST(Refusals, EmptyFabric) {
  const Fabric nothing = FabricBuilder("nothing").build();
  for (const RoutingEngineRow& row : engines())
    EXPECT_EQ(refusal(nothing, std::string(row.name)), "the fabric has no switches");
}

TEST(WrongSpecs, SayWhatWouldBeRight) {
  const Fabric fabric = ring(4);
  EXPECT_EQ(wrong(fabric, "fastest"),
            "no routing engine is called \"fastest\"; there are: minhop xy dor updown prefix sbp "
            "lash dl min dmodk nca sssp dfsssp nue valiant romm xy_yx ugal ugal_g par min_adaptive "
            "updown_adaptive");
  EXPECT_EQ(wrong(fabric, "updown:rot=s1"),
            "updown: unknown parameter \"rot\"; it takes tree root select columns form lanes; "
            "did you mean root?");
  EXPECT_EQ(wrong(fabric, "updown:root=s9"),
            "updown: root=s9: write auto, tops, first, central, far, best or the name of a switch");
  EXPECT_EQ(wrong(fabric, "updown:root=tops"),
            "updown: root=tops: needs a tree with its hosts on the leaves; \"s0\" and \"s1\" are "
            "linked and both have hosts");
  EXPECT_EQ(wrong(fabric, "updown:tree=oak"), "updown: tree=oak: it can be bfs, dfs");
  EXPECT_EQ(wrong(fabric, "dl:lanes=0"), "dl: lanes=0: a whole number from 1 to 64 is needed");
  EXPECT_EQ(wrong(fabric, "nue:lanes=99"), "nue: lanes=99: a whole number from 1 to 64 is needed");
  EXPECT_EQ(wrong(fabric, "minhop:select=random"),
            "minhop: select=random: it can be low_port, balanced");
}

TEST(WrongSpecs, BestRootOfALargeFabric) {
  EXPECT_EQ(wrong(make_fabric("torus:dims=24x24"), "updown:root=best"),
            "updown: root=best: best tries every switch, for up to 512 of them; this fabric has "
            "576: name a switch, or use first, central or far");
}

}  // namespace
}  // namespace weft::test
