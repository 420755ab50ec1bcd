// SPDX-License-Identifier: Apache-2.0
// Layouts and pictures of fabrics: what holds on every topology of the catalogue and on imported
// fabrics, and which layout each gets.
#include "lab/draw/layout.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <pugixml.hpp>
#include <set>
#include <sstream>

#include "fabric/builder.hpp"
#include "lab/draw/fabric_picture.hpp"
#include "lab/report/report.hpp"
#include "plan/check/survey.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
#include "support/paths.hpp"

namespace weft::test::layouts_of_fabrics {
namespace {

std::vector<std::string> drawn_fabrics() {
  std::vector<std::string> out;
  for (const auto& row : topologies())
    if (row.name != "file") out.emplace_back(row.name);
  const std::string recorded = testing::source_dir().string() + "/tests/recorded/opensm/";
  for (const char* spec :
       {"torus:dims=3x4x5", "mesh:dims=2x2x2x2x3", "hypercube:dims=7", "ring:switches=3",
        "ring:switches=2", "hyperx:dims=3x4,width=2", "clos3:radix=8",
        "xgft:children=3x4x2,parents=1x2x3", "clos2:leaves=3,spines=2,hosts=40,links=5",
        "dragonfly:a=8,p=4,h=4", "dragonfly:a=1,h=4", "chain:hosts=1x2x3x4x5,links=2",
        "random_irregular:switches=80,links=120", "random_regular:switches=1050,degree=6",
        "myrinet_clos:hosted=leaves"})
    out.emplace_back(spec);
  for (const char* name : {"irr16"}) out.push_back(recorded + name + "/ibnetdiscover.txt");
  return out;
}

class EveryFabric : public ::testing::TestWithParam<std::string> {
 protected:
  const Fabric fabric = find_fabric(GetParam());
  const FabricLayout layout = layout_of(fabric);
};

std::string svg_of(const FabricPicture& picture) {
  std::ostringstream out;
  write_svg(out, picture);
  return out.str();
}

TEST_P(EveryFabric, SwitchesHaveSpotsOfTheirOwnOnTheCanvas) {
  ASSERT_EQ(layout.at.size(), fabric.switch_count());
  std::set<std::pair<double, double>> taken;
  for (const Spot& at : layout.at) {
    EXPECT_TRUE(taken.insert({std::round(at.x), std::round(at.y)}).second)
        << at.x << ' ' << at.y << ": two switches within a pixel";
    EXPECT_GE(at.x, 5);
    EXPECT_GE(at.y, 5);
    EXPECT_LE(at.x, layout.width - 5);
    EXPECT_LE(at.y, layout.height - 5);
  }
}

TEST_P(EveryFabric, PicturesAreXmlWithASquareForEachSwitchAndTheSameEveryTime) {
  const std::string text = svg_of({fabric});
  EXPECT_EQ(text, svg_of({fabric}));
  pugi::xml_document page;
  ASSERT_TRUE(page.load_string(text.c_str(), pugi::parse_full));
  EXPECT_EQ(page.select_nodes("//rect[@class='switch']").size(), fabric.switch_count());
  EXPECT_TRUE(page.select_nodes("//script").empty());
  const std::string path = page.select_node("//path[@class='link']").node().attribute("d").value();
  EXPECT_EQ(static_cast<std::size_t>(std::count(path.begin(), path.end(), 'M')),
            fabric.link_count());
  EXPECT_EQ(text.find("nan"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Fabrics, EveryFabric, ::testing::ValuesIn(drawn_fabrics()));

/// What all names begin or end with says nothing, unless it is part of a word.
TEST(FabricPictures, NamesWithoutWhatAllHave) {
  const auto labels = [](const std::vector<std::string>& names) {
    FabricBuilder builder("named");
    for (const std::string& name : names) builder.add_switch({.name = name});
    for (std::size_t i = 1; i < names.size(); ++i)
      builder.connect(SwitchId(i - 1), SwitchId(i), Wire{});
    const Fabric fabric = std::move(builder).build();
    pugi::xml_document page;
    EXPECT_TRUE(page.load_string(svg_of({fabric}).c_str()));
    std::vector<std::string> out;
    for (const auto& node : page.select_nodes("//text[@class='soft name']"))
      out.emplace_back(node.node().text().get());
    return out;
  };
  using Labels = std::vector<std::string>;
  EXPECT_EQ(labels({"MF0;leaf1:X/U1", "MF0;leaf12:X/U1", "MF0;spine:X/U1"}),
            (Labels{"leaf1", "leaf12", "spine"}));
  EXPECT_EQ(labels({"s1", "s2", "s11"}), (Labels{"s1", "s2", "s11"}));
  EXPECT_EQ(labels({"a-1", "a-1b"}), (Labels{"1", "1b"}));
  EXPECT_EQ(labels({"x", "x-x"}), (Labels{"x", "x-x"}));
}

/// Where all links carry as much, none has the hottest colour.
TEST(FabricPictures, NoLinkIsHotWhereAllAreAlike) {
  const Fabric fabric = make_fabric("ring:switches=4");
  LoadMap loads{.of = {}, .unit = "routes", .places = 0};
  const std::string hottest = "#c9184a";
  const auto drawn = [&](double first) {
    loads.of = decltype(loads.of)(fabric.channel_count(), 3);
    loads.of[ChannelId(0)] = first;
    return svg_of({fabric, &loads});
  };
  const auto lines = [&](const std::string& text) {
    pugi::xml_document page;
    EXPECT_TRUE(page.load_string(text.c_str()));
    return page.select_nodes(("//path[@class='line'][@stroke='" + hottest + "']").c_str()).size();
  };
  EXPECT_EQ(lines(drawn(3)), 0U);
  EXPECT_EQ(lines(drawn(60)), 1U);
}

TEST(Layouts, FollowTheStructure) {
  const std::vector<std::pair<std::string, std::string>> expected{
      {"tree", "levels"},      {"clos3", "levels"},          {"fat_tree_242", "levels"},
      {"ring", "circle"},      {"complete", "circle"},       {"torus", "grid"},
      {"mesh:dims=9", "grid"}, {"hypercube", "grid"},        {"hyperx", "grid"},
      {"iba_mesh", "grid"},    {"dragonfly", "groups"},      {"rhinet2_a", "force"},
      {"crossbar", "force"},   {"random_irregular", "force"}};
  for (const auto& [spec, name] : expected)
    EXPECT_EQ(layout_of(make_fabric(spec)).name, name) << spec;
}

/// Levels are found from the graph alone, and a few hosts above the leaves do not hide them.
TEST(Layouts, LevelsOfATreeWithoutCoordinates) {
  FabricBuilder builder("imported");
  for (const char* name : {"spine;1", "leaf:a", "leaf:b", "spine;2", "leaf:c"})
    builder.add_switch({.name = name});
  for (const std::size_t spine : {0U, 3U})
    for (const std::size_t leaf : {1U, 2U, 4U})
      builder.add_link({{SwitchId(spine), 0}, {SwitchId(leaf), 0}});
  for (std::size_t i = 0; i < 12; ++i)
    builder.add_host(
        {.name = "h" + std::to_string(i), .on = SwitchId(i % 3 == 2 ? 4U : 1 + i % 3)});
  builder.add_host({.name = "manager", .on = SwitchId(0)});
  const Fabric fabric = std::move(builder).build();
  const FabricLayout layout = layout_of(fabric);
  EXPECT_EQ(layout.name, "levels");
  EXPECT_EQ(layout.at[SwitchId(0)].y, layout.at[SwitchId(3)].y);
  EXPECT_EQ(layout.at[SwitchId(1)].y, layout.at[SwitchId(4)].y);
  EXPECT_LT(layout.at[SwitchId(0)].y, layout.at[SwitchId(1)].y) << "hosts are at the bottom";
}

TEST(Layouts, LevelsOfTreesAreOrderedAndPodsStayTogether) {
  const Fabric fabric = make_fabric("clos3:radix=8");
  const FabricLayout layout = layout_of(fabric);
  std::map<double, std::size_t, std::greater<>> rows;  // from the bottom
  for (const SwitchId s : fabric.switches()) ++rows[layout.at[s].y];
  std::vector<std::size_t> sizes;
  for (const auto& [y, count] : rows) sizes.push_back(count);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{32, 32, 16}));
  for (const LinkId id : fabric.links()) {
    const Spot a = layout.at[fabric[id].a.on], b = layout.at[fabric[id].b.on];
    const bool lower = std::max(a.y, b.y) == rows.begin()->first;
    EXPECT_TRUE(!lower || std::abs(a.x - b.x) <= layout.width / 8) << "a pod is an eighth of it";
  }
}

TEST(Layouts, NeighboursOfATorusAreNeighboursAndWrapLinksAreArcs) {
  const Fabric fabric = make_fabric("torus:dims=5x4");
  const FabricLayout layout = layout_of(fabric);
  std::size_t arcs = 0;
  for (const LinkId id : fabric.links()) {
    const Spot a = layout.at[fabric[id].a.on], b = layout.at[fabric[id].b.on];
    const double length = std::abs(a.x - b.x) + std::abs(a.y - b.y);
    arcs += layout.bow[id] != 0 ? 1 : 0;
    EXPECT_TRUE(layout.bow[id] != 0 || std::abs(length - layout.pitch) < 1e-6) << length;
  }
  EXPECT_EQ(arcs, 5U + 4U);
}

TEST(FabricPictures, NameTheHotLinksAndColourBothDirections) {
  const Fabric fabric = make_fabric("chain:hosts=2x2x2");
  LoadMap loads{IdVector<ChannelId, double>(fabric.channel_count()), "routes", 0};
  loads.of[ChannelId(1)] = 7;
  loads.of[ChannelId(2)] = 3;
  EXPECT_EQ(hot_channels(loads.of, 5), (std::vector<ChannelId>{ChannelId(1), ChannelId(2)}));
  pugi::xml_document page;
  ASSERT_TRUE(page.load_string(svg_of({fabric, &loads, "of <minhop>"}).c_str()));
  const auto words = page.select_nodes("//text[@class='ink']");
  ASSERT_EQ(words.size(), 2U);
  EXPECT_EQ(std::string(words.begin()->node().text().get()), "s1:1 > s0:1: 7 routes");
  EXPECT_EQ(page.select_nodes("//path[@class='line']").size(), 2U) << "two colours";
  EXPECT_EQ(page.select_nodes("//path[@class='unused']").size(), 1U);
  EXPECT_EQ(page.select_nodes("//circle[@class='mark']").size(), 4U)
      << "on links, and in the legend";
}

TEST(FabricPictures, OfRoutesAgreeWithTheCheckOfLoads) {
  const Fabric fabric = make_fabric("torus:dims=4x4,hosts=2");
  const Routed routed = route(fabric, "minhop");
  const LoadMap loads = routes_over(fabric, std::get<Tables>(routed));
  std::ostringstream out;
  write_hot_links(out, fabric, loads);
  EXPECT_EQ(out.str().substr(0, out.str().find('\n')), "hot links  s15:4 > s11:3  56 routes");
  const auto equal = route(fabric, "dor");
  EXPECT_EQ(equally_hot_text(routes_over(fabric, std::get<Tables>(equal)).of, {ChannelId(0)}),
            "and 63 more with as many");
}

}  // namespace
}  // namespace weft::test::layouts_of_fabrics
