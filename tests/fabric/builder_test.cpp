// SPDX-License-Identifier: Apache-2.0
// FabricBuilder: how ports are assigned, and every message of what it refuses.
#include "fabric/builder.hpp"

#include <gtest/gtest.h>

#include "format_support.hpp"

namespace weft::test {
namespace {

/// A builder with switches a, b (4 ports) and c.
struct Start {
  FabricBuilder builder{"start"};
  SwitchId a = builder.add_switch({"a"});
  SwitchId b = builder.add_switch({"b", 4});
  SwitchId c = builder.add_switch({"c"});
};

std::string switch_message(const Switch& s) {
  Start start;
  return message_of([&] { start.builder.add_switch(s); });
}

std::string host_message(const Host& h) {
  Start start;
  return message_of([&] { start.builder.add_host(h); });
}

std::string link_message(const Link& link) {
  Start start;
  return message_of([&] { start.builder.add_link(link); });
}

// --- what it makes

TEST(FabricBuilder, GivesTheNextFreePort) {
  Start start;
  auto& [builder, a, b, c] = start;
  builder.add_host({"h0", a, 2});
  builder.connect(a, b, {});
  builder.add_host({"h1", a});
  builder.add_link({{b, 0}, {a, 4}});
  builder.connect(c, a, {});
  const Fabric fabric = std::move(builder).build();
  EXPECT_EQ(fabric[LinkId(0)].a.port, 1);
  EXPECT_EQ(fabric[LinkId(0)].b.port, 1);
  EXPECT_EQ(fabric[HostId(1)].port, 3) << "2 is taken";
  EXPECT_EQ(fabric[LinkId(1)].a.port, 2);
  EXPECT_EQ(fabric[LinkId(2)].b.port, 5) << "4 is taken";
}

TEST(FabricBuilder, CountsPortsWhereNoneAreSaid) {
  Start start;
  start.builder.add_host({"h0", start.a, 7});
  start.builder.add_host({"h1", start.b, 2});
  const Fabric fabric = std::move(start.builder).build();
  EXPECT_EQ(fabric[start.a].ports, 7) << "up to the last one used";
  EXPECT_EQ(fabric[start.b].ports, 4) << "as said";
  EXPECT_EQ(fabric[start.c].ports, 0) << "none used";
}

TEST(FabricBuilder, KeepsWhatItIsGiven) {
  Start start;
  const Wire wire{gigabits_per_second(2), delay_from("7ns")};
  const HostId h = start.builder.add_host({"h", start.a, 3, wire, 0x10, 0x11, 5, 2});
  const SwitchId d = start.builder.add_switch({"d", 9, 0x20, 6, {1, 2}});
  EXPECT_EQ(start.builder.switch_count(), 4U);
  EXPECT_EQ(start.builder.host_count(), 1U);
  EXPECT_EQ(start.builder[d].name, "d");
  EXPECT_EQ(start.builder[h].name, "h");
  const Fabric fabric = std::move(start.builder).build();
  EXPECT_EQ(fabric[h], (Host{"h", start.a, 3, wire, 0x10, 0x11, 5, 2}));
  EXPECT_EQ(fabric[d], (Switch{"d", 9, 0x20, 6, {1, 2}}));
  EXPECT_EQ(fabric.name(), "start");
}

TEST(FabricBuilder, AHostMayBeCalledLikeASwitch) {
  Start start;
  start.builder.add_host({"a", start.b});
  const Fabric fabric = std::move(start.builder).build();
  EXPECT_EQ(fabric.find_host("a"), HostId(0));
  EXPECT_EQ(fabric.find_switch("a"), start.a);
}

TEST(FabricBuilder, ZeroIsNoGuidAndNoLid) {
  Start start;
  start.builder.add_host({"h0", start.a});
  start.builder.add_host({"h1", start.a});
  EXPECT_EQ(start.builder.host_count(), 2U);
}

TEST(FabricBuilder, TwoPortsOfANicShareItsGuid) {
  Start start;
  start.builder.add_host({"h0", start.a, 0, {}, 0x10, 0x11, 0, 1});
  start.builder.add_host({"h1", start.a, 0, {}, 0x10, 0x12, 0, 2});
  EXPECT_EQ(start.builder.host_count(), 2U);
}

TEST(FabricBuilder, ASwitchMayHaveTheMostPorts) {
  Start start;
  const SwitchId d = start.builder.add_switch({"d", most_ports});
  start.builder.add_host({"h", d, most_ports});
  start.builder.add_host({"g", start.a, most_ports});
  const Fabric fabric = std::move(start.builder).build();
  EXPECT_EQ(fabric.at_port(d, most_ports).host, HostId(0));
  EXPECT_EQ(fabric[start.a].ports, most_ports);
}

// --- what it refuses

TEST(FabricBuilder, RefusesNames) {
  const std::string control = " contains a quote, a backslash or a control character";
  EXPECT_EQ(switch_message({""}), "a switch has no name");
  EXPECT_EQ(host_message({"", SwitchId(0)}), "a host has no name");
  EXPECT_EQ(switch_message({"a"}), "switch \"a\" appears twice");
  EXPECT_EQ(switch_message({std::string(255, 'n')}), "(no error)");
  EXPECT_EQ(switch_message({std::string(256, 'n')}),
            "the name of a switch is 256 bytes long (\"nnnnnnnnnnnnnnnnnnnn…\"); at most 255 are "
            "possible");
  EXPECT_EQ(host_message({std::string(256, 'n'), SwitchId(0)}),
            "the name of a host is 256 bytes long (\"nnnnnnnnnnnnnnnnnnnn…\"); at most 255 are "
            "possible");
  for (const char* wrong : {"a\"b", "a\\b", "a\nb", "\t", "a\x7F"}) {
    EXPECT_EQ(switch_message({wrong}), "the name of a switch" + control);
    EXPECT_EQ(host_message({wrong, SwitchId(0)}), "the name of a host" + control);
  }
  EXPECT_EQ(switch_message({std::string(1, '\0')}), "the name of a switch" + control);
  EXPECT_EQ(switch_message({"Überweg 1, 'x'"}), "(no error)");
}

TEST(FabricBuilder, RefusesAHostThatAppearsTwice) {
  Start start;
  start.builder.add_host({"h", start.a});
  EXPECT_EQ(message_of([&] {
              start.builder.add_host({"h", start.b});
            }),
            "host \"h\" appears twice");
}

TEST(FabricBuilder, RefusesTooManyPorts) {
  EXPECT_EQ(switch_message({"d", 65'001}),
            "switch \"d\" has 65001 ports; at most 65000 are possible");
}

TEST(FabricBuilder, RefusesGuidsThatAreTaken) {
  Start start;
  start.builder.add_switch({"d", 0, 0x2c9});
  start.builder.add_host({"h", start.a, 0, {}, 0x10, 0x11});
  EXPECT_EQ(message_of([&] {
              start.builder.add_switch({"e", 0, 0x2c9});
            }),
            "GUID 0x00000000000002c9 belongs to both \"d\" and \"e\"");
  EXPECT_EQ(message_of([&] {
              start.builder.add_host({"i", start.a, 0, {}, 0x12, 0x2c9});
            }),
            "GUID 0x00000000000002c9 belongs to both \"d\" and \"i\"");
  EXPECT_EQ(message_of([&] {
              start.builder.add_host({"j", start.a, 0, {}, 0x10, 0x13});
            }),
            "port 1 of the NIC with GUID 0x0000000000000010 appears twice, again as \"j\"");
}

TEST(FabricBuilder, RefusesLids) {
  Start start;
  start.builder.add_switch({"d", 0, 0, 5});
  start.builder.add_switch({"last", 0, 0, 49'151});
  EXPECT_EQ(message_of([&] {
              start.builder.add_host({"h", start.a, 0, {}, 0, 0, 5});
            }),
            "LID 5 belongs to both \"d\" and \"h\"");
  EXPECT_EQ(switch_message({"m", 0, 0, 49'152}), "\"m\" has LID 49152; unicast LIDs end at 49151");
  EXPECT_EQ(host_message({"m", SwitchId(0), 0, {}, 0, 0, 65'535}),
            "\"m\" has LID 65535; unicast LIDs end at 49151");
}

TEST(FabricBuilder, RefusesPorts) {
  Start start;
  FabricBuilder& builder = start.builder;
  for (int i = 1; i <= 4; ++i) builder.add_host({"h" + std::to_string(i), start.b});
  EXPECT_EQ(message_of([&] {
              builder.add_host({"h5", start.b});
            }),
            "switch \"b\" has 4 ports, there is no port 5");
  EXPECT_EQ(message_of([&] { builder.connect(start.a, start.b, {}); }),
            "switch \"b\" has 4 ports, there is no port 5");
  EXPECT_EQ(message_of([&] {
              builder.add_host({"h6", start.b, 2});
            }),
            "port 2 of switch \"b\" is used twice");
  EXPECT_EQ(host_message({"h", SwitchId(0), 65'001}),
            "switch \"a\" has 65000 ports, there is no port 65001");
  EXPECT_EQ(link_message({{SwitchId(0), 1}, {SwitchId(1), 5}}),
            "switch \"b\" has 4 ports, there is no port 5");
}

TEST(FabricBuilder, RefusesALinkToItself) {
  EXPECT_EQ(link_message({{SwitchId(2), 1}, {SwitchId(2), 2}}),
            "a link joins switch \"c\" with itself");
}

TEST(FabricBuilder, RefusesALinkWithoutSpeed) {
  for (const std::int64_t speed : {0, -1}) {
    EXPECT_EQ(link_message({{SwitchId(0)}, {SwitchId(1)}, {{speed}}}),
              "switches \"a\" and \"b\": a link needs a speed above zero");
    EXPECT_EQ(host_message({"h", SwitchId(0), 0, {{speed}}}),
              "host \"h\": a link needs a speed above zero");
  }
  EXPECT_EQ(host_message({"h", SwitchId(0), 0, {{1}}}), "(no error)");
}

TEST(FabricBuilderDeathTest, AnUnknownSwitchIsABug) {
  const char* bug = "weft: bug: a link end names a switch that was not added";
  EXPECT_DEATH(host_message({"h", SwitchId(3)}), bug);
  EXPECT_DEATH(host_message({"h"}), bug);
  EXPECT_DEATH(link_message({}), bug);
  EXPECT_DEATH(link_message({{SwitchId(0)}, {SwitchId(3)}}), bug);
}

}  // namespace
}  // namespace weft::test
