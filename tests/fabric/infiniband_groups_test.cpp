// SPDX-License-Identifier: Apache-2.0
// Multicast tables and adaptive tables as dumps have them, and what is said about broken ones.
#include <gtest/gtest.h>

#include <sstream>

#include "fabric/infiniband/adaptive_tables.hpp"
#include "fabric/infiniband/multicast_tables.hpp"
#include "format_support.hpp"
#include "infiniband_support.hpp"

namespace weft::test::infiniband_groups {
namespace {

using infiniband::AdaptiveSwitch;

std::vector<Group> groups_of(const std::string& text) {
  return infiniband::read_multicast({"file", text}, infiniband_fabric()).groups;
}

const std::string listed_groups =
    "Switch 0x0000000000001000\nLID    : Out Port(s)\n0xC001 : 0x001  0x004 \n"
    "0xC002 : 0x000  0x003 \n\nSwitch 0x0000000000001001\nLID    : Out Port(s)\n"
    "0xC001 : 0x003  0x001 \nSwitch 0x0000000000007777\nLID    : Out Port(s)\n0xC001 : 0x099 \n";

TEST(Multicast, OpensmsForm) {
  ASSERT_TRUE(infiniband::recognises_multicast(listed_groups));
  const std::vector<Group> groups = groups_of(listed_groups);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].name, "0xc001");
  EXPECT_EQ(groups[0].members, (std::vector<HostId>{HostId(0), HostId(2)}));
  EXPECT_EQ(groups[0].out, (std::vector<PortSet>{{SwitchId(0), {1, 4}}, {SwitchId(1), {3, 1}}}));
  EXPECT_TRUE(groups[1].members.empty());
  EXPECT_EQ(groups[1].out, (std::vector<PortSet>{{SwitchId(0), {3}}})) << "port 0 is the switch";
  EXPECT_EQ(infiniband::read_multicast({"file", listed_groups}, infiniband_fabric()).note,
            "tables of 1 switch that this fabric does not have are skipped");
}

TEST(Multicast, IbroutesForm) {
  const std::string text =
      "Multicast mlids [0xc000-0xc3ff] of switch Lid 11 guid 0x0000000000001000 (a):\n"
      "            0       \n"
      "     Ports: 0 1 2 3 4\n"
      " MLid\n"
      "0xc001        x     x \n"
      "0xc002      x     x   \n"
      "2 valid mlids dumped \n"
      "Multicast mlids [0xc000-0xc3ff] of switch Lid 12 guid 0x0000000000001001 (b):\n"
      " MLid\n"
      "0xc001        x   x   \n";
  ASSERT_TRUE(infiniband::recognises_multicast(text));
  const std::vector<Group> groups = groups_of(text);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].out, (std::vector<PortSet>{{SwitchId(0), {1, 4}}, {SwitchId(1), {1, 3}}}));
  EXPECT_EQ(groups[1], groups_of(listed_groups)[1]);
}

TEST(Multicast, OfAnotherFabricAreRefused) {
  const std::string text = "Switch 0x1000\nLID    : Out Port(s)\nSwitch 0x7777\nSwitch 0x8888\n";
  EXPECT_EQ(message_of([&] { groups_of(text); }),
            "file:1: these are tables of another fabric: of 3 switches it has 1");
}

TEST(Multicast, Messages) {
  const std::string head = "Switch 0x1000\nLID    : Out Port(s)\n";
  const std::pair<std::string, const char*> cases[] = {
      {"Switch x\n", "1: \"x\" is not a GUID; write 0x0002c90200000001"},
      {"Multicast mlids of switch 3",
       "1: \"Multicast mlids\" must name the switch by \"guid 0x…\""},
      {head + "0xC001 0x001", "3: write 0xC001 : 0x003 0x005 (LID, ports)"},
      {head + "0xC001 : 0x0g", "3: \"0x0g\" is not a port; a number up to 65000 is needed"},
      {head + "0xC0001 : 0x001",
       "3: \"0xC0001\" is not a multicast LID; a number up to 65535 is needed"},
      {head + "0xC001 : 0x005", "3: switch \"a\" has 4 ports, there is no port 5"},
  };
  for (const auto& [text, message] : cases)
    EXPECT_EQ(message_of([&, text = text] { groups_of(text); }), "file:" + std::string(message));
}

// --- adaptive tables

const std::string adaptive_text =
    "File version: 1\n"
    "Switch 0x0000000000001000 Ports 4\n"
    "Groups Definition:\n"
    "Group  Sub Group  WHBF  Ports\n"
    "------------------------------\n"
    "1      0          0     1,2,\n"
    "2      0          0\n"
    "LFT Definition:\n"
    "PLFT_NUM: 0, top: 0x0006\n"
    "LID     Static Port  Lid State  Group\n"
    "--------------------------------------\n"
    "0x0002  4            Static     0\n"
    "0x0004  1            Free       1\n"
    "0x0006  3            HBF        1\n"
    "Switch 0x0000000000001001\n"
    "Groups Definition:\n"
    "Group  Sub Group  WHBF  Ports\n"
    "---\n"
    "LFT Definition:\n"
    "PLFT_NUM: 0, top: 0x0002\n"
    "LID     Static Port  Lid State  Group\n"
    "---\n"
    "0x0002  1            Static     0\n";

std::vector<AdaptiveSwitch> adaptive_of(const std::string& text) {
  return infiniband::read_adaptive({"file", text});
}

TEST(AdaptiveTables, Golden) {
  ASSERT_TRUE(infiniband::recognises_adaptive(adaptive_text));
  const std::vector<AdaptiveSwitch> read = adaptive_of(adaptive_text);
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].guid, 0x1000U);
  ASSERT_EQ(read[0].groups.size(), 2U);
  EXPECT_EQ(read[0].groups.at({1, 0}).ports, (std::vector<PortNumber>{1, 2}));
  EXPECT_TRUE(read[0].groups.at({2, 0}).ports.empty());
  ASSERT_EQ(read[0].entries.at(0).size(), 3U);
  EXPECT_EQ(read[0].entries.at(0)[1].lid, 4);
  EXPECT_EQ(read[0].entries.at(0)[1].port, 1U);
  EXPECT_EQ(read[0].entries.at(0)[1].state, "Free");
  EXPECT_EQ(read[0].entries.at(0)[1].group, 1U);
  EXPECT_TRUE(read[0].adapts());
  EXPECT_FALSE(read[1].adapts());
  EXPECT_EQ(
      infiniband::odd_entries(infiniband_fabric(), read),
      std::vector<std::string>{"switch \"a\": static port 3 of LID 0x0006 is not in its group 1"});
}

TEST(AdaptiveTables, WhatIsWrittenComesBack) {
  const auto text = [](const std::vector<AdaptiveSwitch>& switches) {
    std::ostringstream out;
    infiniband::write_adaptive(out, switches);
    return out.str();
  };
  const std::string once = text(adaptive_of(adaptive_text));
  EXPECT_EQ(text(adaptive_of(once)), once);
  EXPECT_NE(once.find("\n1 0 0 1,2,\n2 0 0 \n"), std::string::npos) << once;
  EXPECT_NE(once.find("\n0x0004 1 Free 1\n0x0006 3 HBF 1\nSwitch 0x0000000000001001\n"),
            std::string::npos)
      << once;
}

TEST(AdaptiveTables, StaticPortsAreTables) {
  const Fabric fabric = infiniband_fabric();
  const NotedTables noted =
      infiniband::static_tables({"file", adaptive_text}, fabric, adaptive_of(adaptive_text));
  EXPECT_EQ(noted.notes, std::vector<std::string>{
                             "1 of 3 switches have no entries: the file does not list them"});
  const Tables& tables = noted.tables;
  const auto row = std::get<DestinationTables>(tables.paths)[tables.to_host[HostId(0)]];
  EXPECT_EQ((std::vector<PortNumber>{row.begin(), row.end()}),
            (std::vector<PortNumber>{here, 1, no_port}));
  EXPECT_TRUE(tables.to_host[HostId(2)].valid());
}

TEST(AdaptiveTables, Messages) {
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"Switch 0x0000000000001001", "Switch x",
       "15: \"x\" is not a GUID; write 0x0002c90200000001"},
      {"Free ", "Fre ", "13: LID 0x0004 has state \"Fre\"; there are Bounded, Free, HBF, Static"},
      // The line that lacks a field is named, not the one that follows.
      {"1            Free       1", "1",
       "13: LID 0x0004 has state \"0x0006\"; there are Bounded, Free, HBF, Static"},
      {"Switch 0x0000000000001000 Ports 4\n", "", "2: \"Groups\" stands before the first Switch"},
      {"1,2,", "1,x,", "6: \"x\" is not a port; a number up to 65000 is needed"},
      {"0x0004  1 ", "0x0004  z ", "13: \"z\" is not a port; a number up to 65000 is needed"},
      {"PLFT_NUM: 0", "PLFT_NUM: 300",
       "9: \"300\" is not the number of a table; a number up to 255 is needed"},
      {"0x0002  1            Static     0\n", "what\n", "23: \"what\" is not expected here"},
  };
  for (const auto& [what, by, message] : cases)
    EXPECT_EQ(
        message_of([&, what = what, by = by] { adaptive_of(replaced(adaptive_text, what, by)); }),
        "file:" + std::string(message));
  const std::size_t tables = adaptive_text.find("LFT Def");
  EXPECT_EQ(message_of([&] { adaptive_of(adaptive_text.substr(0, tables)); }),
            "file:7: the file is cut off: \"LFT\" is missing");
  EXPECT_EQ(message_of([&] { adaptive_of(adaptive_text.substr(0, tables + 50)); }),
            "file:10: the file is cut off: a table has no rows");
}

}  // namespace
}  // namespace weft::test::infiniband_groups
