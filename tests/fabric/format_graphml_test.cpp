// SPDX-License-Identifier: Apache-2.0
// GraphML, our own and that of other programs; and Graphviz, which is only written.
#include <gtest/gtest.h>

#include <regex>

#include "format_support.hpp"

namespace weft::test::format_graphml {
namespace {

constexpr auto format = "graphml";

std::string graph(const std::string& inner) {
  return "<graphml>\n<graph edgedefault=\"undirected\">\n" + inner + "</graph></graphml>";
}

const std::string small = graph(
    "<node id=\"a\"/>\n"
    "<node id=\"b\"><data key=\"ports\">4</data></node>\n"
    "<node id=\"h\"><data key=\"kind\">host</data></node>\n"
    "<edge source=\"a\" target=\"b\"><data key=\"target_port\">2</data></edge>\n"
    "<edge source=\"b\" target=\"h\"><data key=\"speed\">2Gb/s</data></edge>\n");

TEST(Graphml, Reads) {
  const Fabric fabric = parsed(small, format);
  EXPECT_EQ(fabric.name(), "file");
  EXPECT_EQ(fabric[SwitchId(0)].name, "a");
  EXPECT_EQ(fabric[SwitchId(1)].ports, 4);
  EXPECT_EQ(fabric[HostId(0)].on, SwitchId(1));
  EXPECT_EQ(fabric[HostId(0)].wire.speed, gigabits_per_second(2));
  EXPECT_EQ(fabric[LinkId(0)].b.port, 2);
  EXPECT_EQ(parsed(written(fabric, format), format), fabric);
}

TEST(Graphml, ReadsGraphsOfNetworkx) {
  const Fabric fabric = parsed(R"(<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d1" for="edge" attr.name="weight" attr.type="double"/>
  <key id="d0" for="node" attr.name="kind" attr.type="string"/>
  <graph edgedefault="undirected">
    <node id="0"/><node id="1"/>
    <node id="leaf"/>
    <node id="x"><data key="d0">host</data></node>
    <edge source="0" target="1"><data key="d1">0.5</data></edge>
    <edge source="1" target="leaf"/>
    <edge source="x" target="1"/>
  </graph>
</graphml>)",
                               format);
  EXPECT_EQ(fabric.switch_count(), 3) << "a leaf is a switch unless its kind says host";
  EXPECT_EQ(fabric.host_count(), 1);
  EXPECT_EQ(fabric.link_count(), 2);
  EXPECT_EQ(fabric[SwitchId(1)].ports, 3);
}

// Other programs know data only by what a <key> declares.
TEST(Graphml, DeclaresTheDataThatItWrites) {
  static const std::regex data("<(graph|node|edge)|<data key=\"([a-z_]+)\">");
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const std::string text = written(RandomFabric(seed).make(), format);
    std::string element;
    for (std::sregex_iterator at(text.begin(), text.end(), data), end; at != end; ++at) {
      if ((*at)[1].matched) element = (*at)[1];
      if (!(*at)[2].matched) continue;
      const std::string key = (*at)[2];
      const auto declared = [&](const std::string& of) {
        return text.find(fmt::format(
                   R"(<key id="{0}" for="{1}" attr.name="{0}" attr.type="string" />)", key, of)) !=
               std::string::npos;
      };
      EXPECT_TRUE(declared(element) || declared("all")) << key << " of " << element;
    }
  }
}

TEST(Graphml, SwitchAndHostOfOneName) {
  FabricBuilder builder("<&\">");
  builder.add_switch({" x ", 4});
  builder.add_host({" x ", SwitchId(0), 1, {}});
  builder.add_host({" ", SwitchId(0), 2, {}});
  const Fabric fabric = std::move(builder).build();
  EXPECT_EQ(parsed(written(fabric, format), format), fabric);
}

struct Case {
  std::string_view what, by, message;
};

TEST(Graphml, Messages) {
  const Case cases[] = {
      {"</graph>", "", "8: not XML: Start-end tags mismatch"},
      {"<graph ", "<grape ", "8: not XML: Start-end tags mismatch"},
      {"\"undirected\"", "\"directed\"",
       "2: a directed graph; links go both ways, so make it undirected"},
      {"id=\"b\"", "id=\"a\"", "4: node \"a\" appears twice"},
      {">4<", ">x<", "4: ports: \"x\" is not a whole number up to 65000"},
      {">4<", ">65001<", "4: ports: \"65001\" is not a whole number up to 65000"},
      {"ports\">4", "guid\">g", "4: guid: \"g\" is not a GUID; write 0x0002c90200000001"},
      {"ports\">4", "at\">0 y", "4: at: \"y\" is not a coordinate; write 0 1"},
      {">host<", ">router<", "5: kind \"router\" is neither switch nor host"},
      {"source=\"a\"", "source=\"q\"", "6: the source of the edge is \"q\", which is no node"},
      {"source=\"a\"", "source=\"b\"", "6: a link joins switch \"b\" with itself"},
      {"source=\"b\"", "source=\"h\"",
       "7: an edge from host to host; hosts need a switch between them"},
      {"source=\"b\" target=\"h\"", "source=\"b\" target=\"a\"",
       "5: host \"h\" has no edge; it needs one"},
      {"source=\"a\" target=\"b\"", "source=\"h\" target=\"b\"",
       "7: host \"h\" has a second edge; one is possible"},
      {"2Gb/s", "fast",
       "7: \"fast\" is not a speed: write a number and one of Tb/s, Gb/s, Mb/s, kb/s, b/s, TB/s, "
       "GB/s, MB/s, kB/s, B/s"},
      {"2Gb/s", "0Gb/s", "7: a link needs a speed above zero"},
      {"2</data>", "5</data>", "6: switch \"b\" has 4 ports, there is no port 5"},
  };
  for (const auto& [what, by, message] : cases)
    EXPECT_EQ(fabric_message(replaced(small, what, by), format), "file:" + std::string(message));
  EXPECT_EQ(fabric_message("<graphml></graphml>", format),
            "file:1: there is no <graph> in a <graphml>");
}

TEST(Graphml, EntitiesAreNotExpanded) {
  std::string text = "<!DOCTYPE bomb [<!ENTITY a0 \"ha\">";
  for (int i = 1; i < 40; ++i) text += fmt::format("<!ENTITY a{} \"&a{};&a{};\">", i, i - 1, i - 1);
  text += "]>\n" + graph("<node id=\"&a39;\"/>\n");
  EXPECT_EQ(parsed(text, format)[SwitchId(0)].name, "&a39;");
}

TEST(Graphml, DeepNesting) {
  std::string text;
  for (int i = 0; i < 300'000; ++i) text += "<x>";
  EXPECT_EQ(fabric_message(text, format), "file:1: not XML: Start-end tags mismatch");
  for (int i = 0; i < 300'000; ++i) text += "</x>";
  EXPECT_EQ(parsed(graph(text), format).switch_count(), 0);
}

TEST(Dot, Draws) {
  FabricBuilder builder("a \"square\"");
  builder.add_switch({"s0", 4, 0, 0, {0, 2}});
  builder.add_switch({"s1", 4});
  builder.add_host({"h0", SwitchId(0), 3, {}});
  builder.add_host({"h1", SwitchId(1), 3, {}});
  builder.connect(SwitchId(0), SwitchId(1), {gigabits_per_second(6), delay_from("25ns")});
  EXPECT_EQ(written(std::move(builder).build(), "dot"), R"(graph "a \"square\"" {
  node [shape=point, width=0.05];
  s0 [shape=box, width=0.3, label="s0", pos="0,200"];
  h0 [xlabel="h0", pos="0,167"];
  h0 -- s0 [headlabel="3", tooltip="8Gb/s"];
  s1 [shape=box, width=0.3, label="s1"];
  h1 [xlabel="h1"];
  h1 -- s1 [headlabel="3", tooltip="8Gb/s"];
  s0 -- s1 [taillabel="1", headlabel="1", tooltip="6Gb/s 25ns"];
}
)");
}

}  // namespace
}  // namespace weft::test::format_graphml
