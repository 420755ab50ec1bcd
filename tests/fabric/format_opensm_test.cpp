// SPDX-License-Identifier: Apache-2.0
// OpenSM's forwarding tables: recorded runs, the rules by which OpenSM reads, and broken files.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "fabric/format/parsing/text.hpp"
#include "fabric/walk.hpp"
#include "format_support.hpp"

namespace weft::test::format_opensm {
namespace {

constexpr auto format = "opensm";

/// a - b by two links (ports 1, 2), c on port 3 of a without a host; NIC ports on a, b, b.
Fabric small() {
  FabricBuilder builder("small");
  const SwitchId a = builder.add_switch({"a", 4, 0x1000, 11});
  const SwitchId b = builder.add_switch({"b", 4, 0x1001, 12});
  const SwitchId c = builder.add_switch({"c", 4, 0x1002, 13});
  builder.add_host({"h0", a, 4, {}, 0x2000, 0x2001, 1, 1});
  builder.add_host({"h1", b, 4, {}, 0x2010, 0x2011, 2, 1});
  builder.add_host({"h2", b, 3, {}, 0x2010, 0x2012, 3, 2});
  builder.add_link({{a, 1}, {b, 1}, {}});
  builder.add_link({{a, 2}, {b, 2}, {}});
  builder.add_link({{a, 3}, {c, 3}, {}});
  return std::move(builder).build();
}

Tables parsed_tables(const std::string& text) {
  return read_tables({"file", text}, small(), format);
}

/// Out-port at each switch towards a host.
std::vector<PortNumber> ports_towards(const Tables& tables, std::size_t host) {
  const auto row = std::get<DestinationTables>(tables.paths)[tables.to_host[HostId(host)]];
  return {row.begin(), row.end()};
}

/// "guid lid port" of every entry, and the lines that are no entries.
std::set<std::string> entries(const std::string& text) {
  std::set<std::string> out;
  std::string block;
  for (Lines lines(text); lines.next();) {
    if (lines.text.starts_with("Unicast")) block = lines.text;
    out.insert(block + " | " + std::string(lines.text));
  }
  return out;
}

struct Recorded {
  const char* fabric;
  const char* run;
};

class OpensmRecorded : public ::testing::TestWithParam<Recorded> {};

TEST_P(OpensmRecorded, ComesBackEntryForEntry) {
  const Fabric fabric =
      read_fabric(read_source(recorded(std::string(GetParam().fabric) + "/ibnetdiscover.txt")));
  const Source dump = read_source(
      recorded(std::string(GetParam().fabric) + "/" + GetParam().run + "/opensm-lfts.dump"));
  const Tables tables = read_tables(dump, fabric);
  EXPECT_EQ(tables.engine, "opensm");
  EXPECT_EQ(entries(written(fabric, tables, format)), entries(dump.text));
  EXPECT_EQ(read_tables({"again", written(fabric, tables, format)}, fabric), tables);
  const Source own{"own", written(fabric, tables, "weft")};
  EXPECT_EQ(read_tables(own, fabric), tables);
  Walker walk(fabric, tables);
  for (HostId from : fabric.hosts())
    for (HostId to : fabric.hosts()) EXPECT_EQ(walk(from, to).end, RouteEnd::reached);
}

TEST_P(OpensmRecorded, ColumnsAreShared) {
  const Fabric fabric =
      read_fabric(read_source(recorded(std::string(GetParam().fabric) + "/ibnetdiscover.txt")));
  const Tables tables = read_tables(read_source(recorded(std::string(GetParam().fabric) + "/" +
                                                         GetParam().run + "/opensm-lfts.dump")),
                                    fabric);
  EXPECT_LT(column_count(tables), fabric.host_count() + fabric.switch_count());
  std::set<std::vector<PortNumber>> different;
  const auto& next = std::get<DestinationTables>(tables.paths);
  for (ColumnId c : next.ids()) different.insert({next[c].begin(), next[c].end()});
  EXPECT_EQ(different.size(), column_count(tables));
}

INSTANTIATE_TEST_SUITE_P(Runs, OpensmRecorded,
                         ::testing::Values(Recorded{"mesh4x4", "dor"}, Recorded{"mesh4x4", "lash"},
                                           Recorded{"mesh4x4", "dfsssp"}, Recorded{"irr16", "updn"},
                                           Recorded{"irr16", "nue1"}),
                         [](const auto& info) {
                           return std::string(info.param.fabric) + "_" + info.param.run;
                         });

TEST(Opensm, TheOwnPortIsHereAndOthersStay) {
  const Tables tables = parsed_tables(
      "Unicast lids guid 0x1000 \n0x0001 004\n0x0002 2\nUnicast lids guid 0x1001\n0x0001 1\n0x0002 "
      "3\n"
      "0x0003 0\n");
  EXPECT_EQ(ports_towards(tables, 0), (std::vector<PortNumber>{here, 1, no_port}));
  EXPECT_EQ(ports_towards(tables, 1), (std::vector<PortNumber>{2, 3, no_port}))
      << "h2's port, a mistake";
  EXPECT_FALSE(tables.to_host[HostId(2)].valid()) << "port 0 does not lead to the host";
  EXPECT_TRUE(tables.to_switch.empty());
}

TEST(Opensm, PortGuidsCountMoreThanLids) {
  const Tables tables = parsed_tables(
      "Unicast lids [0x0-0x20] of switch DR path slid 0; dlid 0; 0,1 guid 0x1000 (a):\n"
      "0x0065 001 : (Channel Adapter portguid 0x0000000000002011: 'h1')\n"
      "0x0066 002 : (Channel Adapter portguid 0x0000000000002011: 'h1')\n"
      "0x0001 004 : (Channel Adapter portguid 0x9999: 'h0')\n"
      "0x000b 000 : (Switch portguid 0x1000: 'a')\n"
      "0x0077 003 : (Channel Adapter portguid 0x7777: 'gone')\n");
  EXPECT_EQ(ports_towards(tables, 1), (std::vector<PortNumber>{1, no_port, no_port}))
      << "the first LID";
  EXPECT_FALSE(tables.to_host[HostId(0)].valid()) << "somebody else had its LID";
  EXPECT_TRUE(tables.to_switch[SwitchId(0)].valid());
  EXPECT_FALSE(tables.to_switch[SwitchId(1)].valid());
}

TEST(Opensm, WithoutGuidsOfItsOwnAFabricGoesByLid) {
  FabricBuilder builder("bare");
  const SwitchId a = builder.add_switch({"a", 4, 0, 9});
  builder.add_host({"h", a, 1, {}, 0, 0, 4});
  const Tables tables = read_tables(
      {"file", "Unicast lids guid 0x100000\n0x0004 001 : (Channel Adapter portguid 0x2011: 'h')\n"},
      std::move(builder).build());
  EXPECT_TRUE(tables.to_host[HostId(0)].valid());
}

/// ibroute says so of a LID that cannot be reached.
TEST(Opensm, Port255IsNone) {
  const Tables tables = parsed_tables(
      "Unicast lids guid 0x1000\n0x0001 004\n0x0002 255 : (illegal port)\n"
      "Unicast lids guid 0x1001\n0x0002 4\n");
  EXPECT_EQ(ports_towards(tables, 1), (std::vector<PortNumber>{no_port, here, no_port}));
}

TEST(Opensm, SkipsUnknownSwitchesRemarksAndMulticast) {
  const Tables tables = parsed_tables(
      "# 0x0001 999\nUnicast lids guid 0x7777\r\n0x0001 999\r\nUnicast lids guid 0x1000\r\n"
      "0x0001 004\r\n1 lids dumped\r\nMulticast mlids [0xc000] of switch a guid 0x1000\r\n0xc001 "
      "x\r\n");
  EXPECT_EQ(ports_towards(tables, 0), (std::vector<PortNumber>{here, no_port, no_port}));
}

TEST(Opensm, RoutesToSwitches) {
  // By to_switch, else as to the switch's first host, else along a shortest path.
  Tables tables = parsed_tables(
      "Unicast lids guid 0x1000\n0x0001 004\n0x0002 2\n0x0003 1\nUnicast lids guid 0x1001\n"
      "0x0001 2\n0x0002 4\n0x0003 3\nUnicast lids guid 0x1002\n0x0001 3\n0x0002 3\n0x0003 3\n"
      "0x000b 1\n");
  const auto text = written(small(), tables, format);
  const auto listed = entries(text);
  const auto has = [&](const char* block, const char* entry) {
    return std::any_of(listed.begin(), listed.end(), [&](const std::string& line) {
      return line.find(block) != std::string::npos && line.find(entry) != std::string::npos;
    });
  };
  EXPECT_TRUE(has("('c')", "| 0x000b 001 # Switch portguid 0x0000000000001000: 'a'")) << "given";
  EXPECT_TRUE(has("('a')", "| 0x000b 000")) << text;
  EXPECT_TRUE(has("('a')", "| 0x000c 001")) << "as to h2 on port 3 of b";
  EXPECT_TRUE(has("('b')", "| 0x000c 000"));
  EXPECT_TRUE(has("('a')", "| 0x000d 003")) << "the tree";
  EXPECT_TRUE(has("('b')", "| 0x000d 001"));
  EXPECT_TRUE(has("('c')", "| 0x000d 000"));
  const Tables again = parsed_tables(text);
  EXPECT_EQ(ports_towards(again, 2), ports_towards(tables, 2));
  EXPECT_EQ(written(small(), again, format), text);
}

TEST(Opensm, AFabricWithoutAddressesIsWrittenLikeItsTopology) {
  const Fabric mesh = read_fabric(read_source(recorded("mesh4x4/mesh4x4.topo")));
  FabricBuilder builder("bare");
  for (SwitchId s : mesh.switches()) builder.add_switch({mesh[s].name, mesh[s].ports});
  for (HostId h : mesh.hosts())
    builder.add_host({mesh[h].name, mesh[h].on, mesh[h].port, mesh[h].wire});
  for (LinkId l : mesh.links()) builder.add_link(mesh[l]);
  const Fabric bare = std::move(builder).build();
  const Source dump = read_source(recorded("mesh4x4/dor/opensm-lfts.dump"));
  const Tables tables = read_tables(dump, bare);
  const Fabric imported = parsed(written(bare, "ibnetdiscover"), "ibnetdiscover");
  EXPECT_EQ(written(bare, tables, format), written(imported, tables, format));
  EXPECT_EQ(entries(written(bare, tables, format)), entries(dump.text));
}

TEST(Opensm, Messages) {
  const std::string head = "Unicast lids guid 0x1000\n";
  const std::pair<std::string, const char*> cases[] = {
      {"", "1: none of its entries belongs to this fabric; the GUIDs or LIDs must agree"},
      {"Unicast lids guid 0x7\n0x0001 1",
       "1: none of its entries belongs to this fabric; the GUIDs or LIDs must agree"},
      {head + "0x0063 1",
       "1: none of its entries belongs to this fabric; the GUIDs or LIDs must agree"},
      {"Unicast lids of switch 3", "1: \"Unicast lids\" must name the switch by \"guid 0x…\""},
      {"Unicast lids guid x", "1: \"x\" is not a GUID; write 0x0002c90200000001"},
      {"0x0001 1", "1: an entry before the first \"Unicast lids … guid 0x…\" line"},
      {head + "0x0001 5", "2: switch \"a\" has 4 ports, there is no port 5"},
      {head + "0x0001 254", "2: switch \"a\" has 4 ports, there is no port 254"},
      {head + "0x0001 99999",
       "2: \"0x0001 99999\" is not an entry; write 0x0001 005 (LID, decimal port)"},
      {head + "0x0001", "2: \"0x0001 \" is not an entry; write 0x0001 005 (LID, decimal port)"},
      {head + "0x10001 1",
       "2: \"0x10001 1\" is not an entry; write 0x0001 005 (LID, decimal port)"},
      {head + "0x0001 1 # portguid 0xg", "2: \"0xg\" is not a GUID; write 0x0002c90200000001"},
      {head + "0x0001 1\n0x0001 1\n0x0001 2",
       "4: LID 0x0001 has port 2 here and another one before; keep one"},
  };
  for (const auto& [text, message] : cases)
    EXPECT_EQ(tables_message(text, small(), format), "file:" + std::string(message));
}

TEST(Opensm, WhatCannotBeWritten) {
  const Tables tables = parsed_tables("Unicast lids guid 0x1000\n0x0001 004\n");
  EXPECT_EQ(message_of([&] { written(small(), as_source_routes(small(), tables), format); }),
            "opensm: its tables go by destination; source routes cannot be written");
  FabricBuilder wide("wide");
  wide.add_switch({"s", 255});
  EXPECT_EQ(message_of([&] { written(std::move(wide).build(), Tables{}, format); }),
            "opensm: switch \"s\" has 255 ports; InfiniBand allows 254");
  FabricBuilder large("large");
  for (int i = 0; i < 49'152; ++i) large.add_switch({"s" + std::to_string(i), 1});
  EXPECT_EQ(message_of([&] { written(std::move(large).build(), Tables{}, format); }),
            "opensm: 49152 hosts and switches need LIDs; InfiniBand has 49151");
}

}  // namespace
}  // namespace weft::test::format_opensm
