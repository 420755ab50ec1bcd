// SPDX-License-Identifier: Apache-2.0
// The files of ibdmchk and ibdiagnet that hold a topology or unicast tables: what they say, and
// what is said about broken ones.
#include <gtest/gtest.h>

#include "fabric/format/infiniband_rate.hpp"
#include "format_support.hpp"
#include "infiniband_support.hpp"

namespace weft::test::infiniband_formats {
namespace {

std::vector<PortNumber> column(const Tables& tables, ColumnId id) {
  const auto row = std::get<DestinationTables>(tables.paths)[id];
  return {row.begin(), row.end()};
}

// --- opensm.fdbs

const std::string tables_text =
    "dump_ucast_routes: Switch 0x0000000000001000\n"
    "LID    : Port : Hops : Optimal\n"
    "0x0001 : UNREACHABLE\n"
    "0x0002 : 004  : 01   : yes\n"
    "0x0003 : 004  : 01   : yes\n"
    "0x0004 : 001  : 02   : No 255 hop path possible via port 255!\n"
    "0x0006 : 002  : 02   : yes\n"
    "0x000B : 000  : 00   : yes\n"
    "\n"
    "dump_ucast_routes: Switch 0x0000000000001001\n"
    "LID    : Port : Hops : Optimal\n"
    "0x0002 : 001  : 02   : yes\n"
    "0x0003 : 002  : 02   : yes\n"
    "0x0004 : 004  : 01   : yes\n"
    "0x0006 : 003  : 01   : yes\n";

TEST(Fdbs, Golden) {
  const Fabric fabric = infiniband_fabric();
  const Tables tables = read_tables({"file", tables_text}, fabric);
  EXPECT_EQ(column(tables, tables.to_host[HostId(0)]), (std::vector<PortNumber>{here, 1, no_port}));
  EXPECT_EQ(column(tables, tables.to_host[HostId(1)]), (std::vector<PortNumber>{1, here, no_port}));
  EXPECT_EQ(column(tables, tables.to_host[HostId(2)]), (std::vector<PortNumber>{2, here, no_port}));
  ASSERT_EQ(tables.further.size(), 1U) << "the second LID of h0";
  EXPECT_EQ(tables.further[0].host, HostId(0));
  EXPECT_EQ(tables.further[0].lid, 1U);
  EXPECT_EQ(column(tables, tables.further[0].column), (std::vector<PortNumber>{here, 2, no_port}));
  EXPECT_TRUE(tables.to_switch[SwitchId(0)].valid());
  EXPECT_FALSE(tables.to_switch[SwitchId(1)].valid());
  EXPECT_NO_THROW(require_fit(fabric, tables));
}

TEST(Fdbs, ForeignSwitchesAndLidsAreSkipped) {
  const Tables tables =
      read_tables({"file", "osm_ucast_mgr_dump_ucast_routes: Switch 0x7777\n0x0002 : 099  : 01\n" +
                               tables_text + "0x0005 : 001\n"},
                  infiniband_fabric());
  EXPECT_EQ(tables, read_tables({"file", tables_text}, infiniband_fabric()));
}

TEST(Fdbs, Messages) {
  const std::string head = "dump_ucast_routes: Switch 0x1000\n";
  const std::pair<std::string, const char*> cases[] = {
      {"", "1: none of its entries belongs to this fabric; the GUIDs or LIDs must agree"},
      {"dump_ucast_routes: Switch 0x7\n0x0002 : 001",
       "1: none of its entries belongs to this fabric; the GUIDs or LIDs must agree"},
      {head + "0x0005 : 001",
       "1: none of its entries belongs to this fabric; the GUIDs or LIDs must agree"},
      {"dump_ucast_routes: Switch x", "1: \"x\" is not a GUID; write 0x0002c90200000001"},
      {"0x0002 : 001", "1: an entry before the first \"dump_ucast_routes: Switch 0x…\" line"},
      {head + "0x0002 : 005", "2: switch \"a\" has 4 ports, there is no port 5"},
      {head + "0x0002 :",
       "2: \"0x0002 :\" is not an entry; write 0x0001 : 005 (LID, decimal port)"},
      {head + "0x0002 : 001\n0x0002 : 002",
       "3: LID 0x0002 has port 2 here and another one before; keep one"},
  };
  for (const auto& [text, message] : cases)
    EXPECT_EQ(tables_message(text, infiniband_fabric(), "fdbs"), "file:" + std::string(message));
}

TEST(Fdbs, LidsThatClash) {
  FabricBuilder builder("net");
  const SwitchId a = builder.add_switch({"a", 4, 0x1000, 5});
  builder.add_host({"h", a, 1, {}, 0x2000, 0x2001, 4, 1, 1});
  EXPECT_EQ(tables_message(tables_text, std::move(builder).build(), "fdbs"),
            "net: LID 5 (0x0005) belongs to both \"h\" and \"a\"; each port has its own");
}

/// Engines of weft know one LID of a host; a subnet manager that gives it two needs routes to both.
TEST(Opensm, FurtherLidsAreReachedAsTheFirst) {
  const Fabric fabric = infiniband_fabric();
  Tables tables = read_tables({"file", tables_text}, fabric);
  const ColumnId second = tables.further[0].column;
  EXPECT_EQ(read_tables({"file", written(fabric, tables, "opensm")}, fabric).further.size(), 1U);
  tables.further.clear();
  const Tables again = read_tables({"file", written(fabric, tables, "opensm")}, fabric);
  ASSERT_EQ(again.further.size(), 1U);
  EXPECT_EQ(again.further[0].column, again.to_host[HostId(0)]);
  EXPECT_NE(column(tables, second), column(again, again.further[0].column));
}

// --- opensm-subnet.lst

/// One of the two lines of a link of two switches.
std::string listed(std::string_view a, std::string_view b) {
  return fmt::format("{{ SW {} }} {{ SW {} }} PHY=4x LOG=ACT SPD=10\n", a, b);
}

const std::string end_a = "Ports:04 NodeGUID:1000 PortGUID:1000 {a} LID:000B PN:01";
const std::string end_b = "Ports:04 NodeGUID:1001 PortGUID:1001 {b} LID:000C PN:02";
const std::string end_c = "Ports:04 NodeGUID:1002 PortGUID:1002 {c} LID:000D PN:03";

TEST(SubnetList, Golden) {
  const std::string host =
      "{ CA Ports:02 NodeGUID:0000000000002000 PortGUID:0000000000002002 {h HCA-1} LID:0011 PN:02 "
      "} ";
  const std::string port =
      "{ SW Ports:04 NodeGUID:0000000000001001 PortGUID:0000000000001001 {b} LID:000C PN:03 } ";
  const std::string speed = "PHY=4x LOG=ACT SPD=50\n";
  const Fabric fabric = parsed(
      listed(end_a, end_b) + listed(end_b, end_a) + host + port + speed + port + host + speed, "");
  EXPECT_EQ(fabric.name(), "file");
  ASSERT_EQ(fabric.switch_count(), 2U);
  ASSERT_EQ(fabric.link_count(), 1U) << "both lines of the link are the same one";
  ASSERT_EQ(fabric.host_count(), 1U);
  EXPECT_EQ(fabric[SwitchId(0)], (Switch{"a", 4, 0x1000, 11}));
  EXPECT_EQ(fabric[SwitchId(1)], (Switch{"b", 4, 0x1001, 12}));
  EXPECT_EQ(fabric[LinkId(0)],
            (Link{{SwitchId(0), 1}, {SwitchId(1), 2}, {*infiniband_rate("4xQDR"), {}}}));
  EXPECT_EQ(
      fabric[HostId(0)],
      (Host{"h HCA-1", SwitchId(1), 3, {*infiniband_rate("4xHDR"), {}}, 0x2000, 0x2002, 17, 2}));
}

TEST(SubnetList, Messages) {
  const std::string form =
      "not a link; write { SW Ports:08 … NodeGUID:… PortGUID:… {name} LID:0011 PN:01 } { … } "
      "PHY=4x LOG=ACT SPD=10";
  const std::pair<std::string, std::string> cases[] = {
      {listed(end_a, end_b) + listed(end_b, end_a).substr(0, 70), "2: " + form},
      {listed(end_a, "Ports:04 {b} LID:000C PN:02"), "1: " + form},
      {listed(end_a, "Ports:04 NodeGUID:1001 {b} LID:000C"), "1: " + form},
      {listed(end_a, "Ports:04 NodeGUID:g {b} PN:01"), "1: \"g\" is not a hexadecimal number"},
      {listed(end_a, replaced(end_b, "PN:02", "PN:05")), "1: port 5 of \"b\", which has 4"},
      {listed(end_a, end_b) + listed(end_c, end_b), "2: port 2 of \"b\" leads elsewhere in line 1"},
      {listed(end_a, end_b) + listed(end_c, replaced(end_b, "LID:000C PN:02", "LID:0009 PN:03")),
       "2: switch \"b\" has LID 9 here and 12 in line 1"},
      {listed(end_a, end_b) + listed(end_b, end_a) +
           listed(replaced(end_b, "PN:02", "PN:04"), end_c),
       "3: the link from port 4 of \"b\" to port 3 of \"c\" has no line of its other end; is the "
       "file cut off?"},
  };
  for (const auto& [text, message] : cases)
    EXPECT_EQ(fabric_message(text, "subnet_lst"), "file:" + message);
}

// --- ibdiagnet2.db_csv

const std::string database_text =
    "# ibdiagnet\n"
    "START_NODES\n"
    "NodeDesc,NumPorts,NodeType,NodeGUID\n"
    "\"a, first\",4,2,0x0000000000001000\n"
    "\"h HCA-1\",1,1,0x0000000000002000\n"
    "\"Mellanox Technologies Aggregation Node\",1,1,0x0000000000003000\n"
    "END_NODES\n"
    "START_PORTS\n"
    "NodeGuid,PortGuid,PortNum,LID,LMC,LinkWidthActv,LinkSpeedActv,Unused\n"
    "0x0000000000001000,0x0000000000001000,0,11,0,N/A,N/A,7\n"
    "0x0000000000001000,0x0000000000001000,1,0,0,2,4,7\n"
    "0x0000000000002000,0x0000000000002001,1,2,1,2,4,7\n"
    "END_PORTS\n"
    "START_WHATEVER\n"
    "A,B\n"
    "1,2\n"
    "END_WHATEVER\n"
    "START_LINKS\n"
    "NodeGuid1,PortNum1,NodeGuid2,PortNum2\n"
    "0x0000000000001000,1,0x0000000000002000,1\n"
    "0x0000000000003000,1,0x0000000000001000,3\n"
    "END_LINKS\n";

TEST(DbCsv, Golden) {
  const Fabric fabric = parsed(database_text, "");
  ASSERT_EQ(fabric.switch_count(), 1U);
  ASSERT_EQ(fabric.host_count(), 2U);
  EXPECT_EQ(fabric[SwitchId(0)], (Switch{"a, first", 4, 0x1000, 11}));
  EXPECT_EQ(
      fabric[HostId(0)],
      (Host{"h HCA-1", SwitchId(0), 1, {*infiniband_rate("4xQDR"), {}}, 0x2000, 0x2001, 2, 1, 1}));
  EXPECT_EQ(fabric[HostId(1)].role, HostRole::aggregation);
}

TEST(DbCsv, Messages) {
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"END_LINKS\n", "", "21: the file is cut off: section LINKS has no end"},
      {"\"h HCA-1\",1,1,0x0000000000002000", "\"h HCA-1\",1,4,0x0000000000002000",
       "5: NodeType 4: 1 (adapter), 2 (switch) and 3 (router) are known"},
      {"\"h HCA-1\",1,1,0x0000000000002000", "\"h HCA-1\",1,1,0x0000000000001000",
       "5: GUID 0x0000000000001000 belongs to a second node; each has its own"},
      {"\"h HCA-1\",1,1", "\"h HCA-1\",70000,1",
       "5: NumPorts: \"70000\" is not a number that fits here"},
      {"\"h HCA-1\",1,1", "\"h HCA-1\",,1", "5: a value of NumPorts is needed here"},
      {"0x2001,1,2,1,2", "0x2001,1,2,8,2", "12: LMC 8; up to 7 are possible"},
      {"1,0x0000000000002000,1\n", "1,0x0000000000007777,1\n",
       "20: a link of a node that section NODES does not have"},
      {"1,0x0000000000002000,1\n", "1,0x0000000000002000,2\n",
       "20: there is no port 2 at node 0x0000000000002000"},
      {"0x0000000000001000,3\n", "0x0000000000001000,1\n",
       "21: port 1 of node 0x0000000000001000 has a second link, first in line 20"},
  };
  for (const auto& [what, by, message] : cases) {
    std::string text = replaced(database_text, "0x0000000000002001", "0x2001");
    EXPECT_EQ(fabric_message(replaced(text, what, by), "db_csv"), "file:" + std::string(message));
  }
}

/// dump_fts writes further LIDs of a port in another form.
TEST(Lfts, FurtherLidsOfDumpFts) {
  const Fabric fabric = infiniband_fabric();
  const Tables tables =
      read_tables({"file",
                   "Unicast lids [0x0-0x6] of switch Lid 12 guid 0x0000000000001001 (b):\n"
                   "0x0002 001 : (Channel Adapter portguid 0x0000000000002001: 'h0')\n"
                   "0x0003 002 : (path #2 out of 2: portguid 0x0000000000002001)\n"},
                  fabric);
  const auto& next = std::get<DestinationTables>(tables.paths);
  ASSERT_EQ(tables.further.size(), 1U);
  EXPECT_EQ(tables.further[0].host, HostId(0));
  EXPECT_EQ(tables.further[0].lid, 1U);
  EXPECT_EQ(next[tables.to_host[HostId(0)]][1], 1);
  EXPECT_EQ(next[tables.further[0].column][1], 2);
}

}  // namespace
}  // namespace weft::test::infiniband_formats
