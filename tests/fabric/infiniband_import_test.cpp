// SPDX-License-Identifier: Apache-2.0
// Folders with the dumps of a subnet: which files are read, what is missing for which check, and
// what is said about broken ones.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fabric/infiniband/import.hpp"
#include "format_support.hpp"
#include "infiniband_support.hpp"
#include "support/files.hpp"

namespace weft::test::infiniband_import {
namespace {

using infiniband::Subnet;
using weft::testing::TemporaryFolder;

const std::string lfts =
    "Unicast lids [0x0-0xd] of switch Lid 11 guid 0x1000 (a):\n0x0002 4\n0x0003 4\n0x0004 1\n"
    "0x0006 2\nUnicast lids [0x0-0xd] of switch Lid 12 guid 0x1001 (b):\n0x0002 1\n0x0003 2\n"
    "0x0004 4\n0x0006 3\nUnicast lids [0x0-0xd] of switch Lid 13 guid 0x1002 (c):\n0x0002 3\n";
const std::string fdbs =
    "dump_ucast_routes: Switch 0x1000\nLID    : Port : Hops : Optimal\n0x0002 : 004 : 01 : yes\n";
const std::string log =
    "Nov 17 12:00:00 [A] 0x02 -> osm_ucast_mgr_process: minhop tables configured on all switches\n"
    "Nov 17 12:00:09 [A] 0x02 -> osm_ucast_mgr_process: dfsssp tables configured on all switches\n";
/// Of all paths that the tables have.
const std::string levels =
    "0x0000000000002000 4 3\n0x0000000000002000 6 3\n0x0000000000002010 2 0\n"
    "0x0000000000002010 3 1\n0x0000000000002010 4 0\n0x0000000000002010 6 0\n";
const std::string groups = "Switch 0x1000\nLID    : Out Port(s)\n0xC001 : 0x001  0x004 \n";
const std::string one_lane = "0x0000000000001000 4 1 0x00 0x00 0x00 0x00 0x00 0x00 0x00 0x00\n";
const std::string lanes = "0x0000000000001000 4 1 0x01 0x23 0x45 0x67 0x01 0x23 0x45 0x67\n";

const std::string no_topology =
    ": no topology; what ibnetdiscover prints, opensm-subnet.lst, or ibdiagnet's .lst or .db_csv "
    "is "
    "needed";

std::string topology() { return written(infiniband_fabric(), "ibnetdiscover"); }

class ImportFolder : public ::testing::Test {
 protected:
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  Subnet imported() const { return infiniband::import_folder(folder_.path()); }
  std::string message() const {
    std::string text = message_of([&] { imported(); });
    while (text.find(folder_.path()) != std::string::npos)
      text = replaced(text, folder_.path(), "DIR");
    return text;
  }
  static std::string what(const Subnet& subnet, const std::string& name) {
    for (const auto& file : subnet.files)
      if (file.name == name) return file.what;
    return "none";
  }
  TemporaryFolder folder_;
};

TEST_F(ImportFolder, AllFiles) {
  put("net.topo", topology());
  put("opensm-lfts.dump", lfts);
  put("opensm.fdbs", fdbs);
  put("opensm.mcfdbs", groups);
  put("lanes.slvl", lanes);
  put("levels.psl", levels);
  put("opensm.log", log);
  put("notes.md", "what I did\n");
  std::filesystem::create_directory(folder_ / "old");
  const Subnet subnet = imported();
  EXPECT_TRUE(subnet.fabric == parsed(topology(), "ibnetdiscover"));
  EXPECT_EQ(what(subnet, "net.topo"), "the fabric: 3 switches, 3 hosts, 3 links");
  EXPECT_EQ(what(subnet, "opensm-lfts.dump"), "unicast tables of 3 switches");
  EXPECT_EQ(what(subnet, "opensm.fdbs"), "not read: opensm-lfts.dump is taken");
  EXPECT_EQ(what(subnet, "opensm.mcfdbs"), "1 multicast group");
  EXPECT_EQ(what(subnet, "lanes.slvl"), "lanes (VLs) of service levels");
  EXPECT_EQ(what(subnet, "levels.psl"), "service levels of 10 paths");
  EXPECT_EQ(what(subnet, "opensm.log"), "the engine: dfsssp") << "the last one that it names";
  EXPECT_EQ(what(subnet, "notes.md"), "not read: nothing that is known here");
  EXPECT_EQ(what(subnet, "old"), "none");
  EXPECT_TRUE(subnet.missing.empty());
  EXPECT_EQ(subnet.notes, std::vector<std::string>{"lanes.slvl: nothing on 23 pairs of connected "
                                                   "ports; lane 0 is taken there"});
  ASSERT_TRUE(subnet.tables);
  EXPECT_EQ(subnet.tables->engine, "opensm, dfsssp");
  EXPECT_TRUE(std::holds_alternative<ServiceLanes>(subnet.tables->lanes));
  EXPECT_EQ(subnet.tables->groups.size(), 1U);
  EXPECT_EQ(subnet.tables->further.size(), 1U);
  EXPECT_NO_THROW(require_fit(subnet.fabric, *subnet.tables));
}

TEST_F(ImportFolder, OnlyATopology) {
  put("net.topo", topology());
  const Subnet subnet = imported();
  EXPECT_FALSE(subnet.tables);
  EXPECT_EQ(subnet.missing, std::vector<std::string>{
                                "no forwarding tables (opensm-lfts.dump, dump_fts, .fdbs): only "
                                "the topology can be judged"});
}

TEST_F(ImportFolder, LevelsThatAreMissing) {
  put("net.topo", topology());
  put("opensm-lfts.dump", lfts);
  put("opensm.mcfdbs", groups);
  EXPECT_TRUE(imported().missing.empty()) << "one lane, as far as is known";
  put("lanes.slvl", one_lane);
  EXPECT_TRUE(imported().missing.empty());
  put("lanes.slvl", lanes);
  EXPECT_EQ(imported().missing,
            std::vector<std::string>{
                "tables of an engine with several lanes without the service levels of paths "
                "(.psl): a deadlock cannot be judged unless there is none on a single lane"});
  put("opensm.log", log);
  const Subnet subnet = imported();
  ASSERT_EQ(subnet.missing.size(), 1U);
  EXPECT_TRUE(subnet.missing[0].starts_with("tables of dfsssp without the service levels"));
  EXPECT_EQ(std::get<OneLane>(subnet.tables->lanes), OneLane{true});
  put("levels.psl", levels);
  EXPECT_TRUE(imported().missing.empty());
  std::filesystem::remove(folder_ / "lanes.slvl");
  EXPECT_EQ(imported().missing,
            std::vector<std::string>{"no lanes of service levels (opensm-sl2vl.dump, .slvl): each "
                                     "level is taken for a lane of its own"});
}

TEST_F(ImportFolder, LevelsOfSomePathsAreMissing) {
  put("net.topo", topology());
  put("opensm-lfts.dump", lfts);
  put("opensm.mcfdbs", groups);
  put("lanes.slvl", lanes);
  const std::pair<const char*, const char*> cases[] = {
      {"0x0000000000002000 4 3\n", "1 of 8"},
      {"0x0000000000002010 3 1\n", "2 of 8"},
  };
  for (const auto& [line, count] : cases) {
    put("levels.psl", replaced(levels, line, ""));
    const Subnet subnet = imported();
    EXPECT_EQ(subnet.missing,
              std::vector<std::string>{
                  fmt::format("service levels of {} paths are missing: a deadlock cannot be judged "
                              "unless there is none on a single lane",
                              count)});
    EXPECT_EQ(std::get<OneLane>(subnet.tables->lanes), OneLane{true});
  }
}

TEST_F(ImportFolder, SwitchesWithoutTables) {
  put("net.topo", topology());
  put("opensm.fdbs", fdbs);
  const Subnet subnet = imported();
  EXPECT_EQ(what(subnet, "opensm.fdbs"), "unicast tables of 1 switch");
  EXPECT_EQ(subnet.notes,
            std::vector<std::string>{"2 switches of the topology without forwarding tables"});
}

TEST_F(ImportFolder, LidsOfTheCache) {
  FabricBuilder builder("bare");
  const SwitchId a = builder.add_switch({"a", 4, 0x1000});
  builder.add_host({"h", a, 1, {}, 0x2000, 0x2001});
  std::string text = written(std::move(builder).build(), "ibnetdiscover");
  for (const char* lid : {" lid 1", " lid 2"})
    for (std::size_t at = 0; (at = text.find(lid)) != std::string::npos;) text.erase(at, 6);
  put("net.topo", text);
  put("guid2lid", "0x0000000000002001 0x0004 0x0007\n\n0x0000000000001000 0x0009 0x0009\n\n");
  const Subnet subnet = imported();
  EXPECT_EQ(what(subnet, "guid2lid"), "gives LIDs where the topology has none");
  EXPECT_EQ(subnet.fabric[SwitchId(0)].lid, 9);
  EXPECT_EQ(subnet.fabric[HostId(0)].lid, 4);
  EXPECT_EQ(subnet.fabric[HostId(0)].lmc, 2);
}

TEST_F(ImportFolder, FurtherLidsThatAListOfLinksDoesNotHave) {
  const std::string a = "{ SW Ports:04 NodeGUID:1000 PortGUID:1000 {a} LID:0009 PN:01 } ";
  const std::string h = "{ CA Ports:01 NodeGUID:2000 PortGUID:2001 {h} LID:0004 PN:01 } ";
  const std::string speed = "PHY=4x LOG=ACT SPD=10\n";
  put("net.lst", a + h + speed + h + a + speed);
  EXPECT_EQ(imported().fabric[HostId(0)].lmc, 0);
  put("guid2lid", "0x0000000000002001 0x0004 0x0005\n\n");
  EXPECT_EQ(imported().fabric[HostId(0)].lmc, 1);
  put("guid2lid", "0x0000000000002001 0x0006 0x0007\n\n");
  EXPECT_EQ(imported().fabric[HostId(0)].lid, 4) << "an old cache";
  EXPECT_EQ(imported().fabric[HostId(0)].lmc, 0);
}

TEST_F(ImportFolder, FilesThatAreNotNeeded) {
  put("net.topo", topology());
  put("neighbors", "0x0000000000001000:1 0x0000000000001001:1\n\n");
  put("guid2mkey", "0x0000000000001000 0x0000000000000000\n\n");
  put("opensm-lid-matrix.dump", "Switch: guid 0x0000000000001000\n0x000b: 00 01 # portguid\n");
  put("opensm-updn-roots.dump", "0x1000\n0x1001\n");
  put("opensm.opts", "#\n# DEVICE ATTRIBUTES OPTIONS\n#\nguid 0x1000\n");
  put("partitions.conf", "Default=0x7fff,ipoib:ALL=full;\n");
  put("opensm-sa.dump", "MC Group 0xC001 : mgid=0xff12\n");
  put("counters.csv", "NodeGUID,PortNum,PortXmitData\n");
  put("topo.xz",
      "\xfd"
      "7zXZ and more");
  const Subnet subnet = imported();
  const std::pair<const char*, const char*> cases[] = {
      {"neighbors", "OpenSM's cache of neighbours"},
      {"guid2mkey", "management keys"},
      {"opensm-lid-matrix.dump", "numbers of hops"},
      {"opensm-updn-roots.dump", "a list of GUIDs, such as roots"},
      {"opensm.opts", "settings of OpenSM"},
      {"partitions.conf", "settings of OpenSM"},
      {"opensm-sa.dump", "OpenSM's database"},
      {"counters.csv", "counters of ports"},
  };
  for (const auto& [name, words] : cases)
    EXPECT_EQ(what(subnet, name), std::string("not needed: ") + words);
  EXPECT_EQ(replaced(what(subnet, "topo.xz"), folder_.path(), "DIR"),
            "not read: compressed with xz; weft reads gzip and zstd: unxz DIR/topo.xz");
}

TEST_F(ImportFolder, ASingleFile) {
  put("net.topo", topology());
  const Subnet subnet = infiniband::import_folder(folder_ / "net.topo");
  EXPECT_EQ(what(subnet, "net.topo"), "the fabric: 3 switches, 3 hosts, 3 links");
  put("opensm-lfts.dump", lfts);
  EXPECT_EQ(message_of([&] { infiniband::import_folder(folder_ / "opensm-lfts.dump"); }),
            (folder_ / "opensm-lfts.dump") + no_topology);
}

TEST_F(ImportFolder, WhereATopologyMayBe) {
  put("topo.bz2", "BZh91AY&SY and more");
  std::filesystem::create_directories(folder_ / "old/older");
  std::filesystem::create_directory(folder_ / "empty");
  EXPECT_EQ(message(), "DIR: no topology among its 1 file" + no_topology.substr(13) +
                           "; topo.bz2 is compressed with bzip2; weft reads gzip and zstd: bunzip2 "
                           "DIR/topo.bz2");
  std::filesystem::remove(folder_ / "topo.bz2");
  put("old/older/net.topo", topology());
  EXPECT_EQ(message(), "DIR: no topology among its 0 files" + no_topology.substr(13));
  put("old/net.topo", topology());
  EXPECT_EQ(message(), "DIR: no topology among its 0 files" + no_topology.substr(13) +
                           "; did you mean DIR/old?");
}

TEST_F(ImportFolder, TablesWithOtherLids) {
  put("net.topo", topology());
  const std::string dump =
      "Unicast lids [0x0-0xd] of switch Lid 11 guid 0x1000 (a):\n"
      "0x0002 004 # Channel Adapter portguid 0x2001: 'h0'\n"
      "0x0003 004 # Channel Adapter portguid 0x2001: 'h0'\n"
      "0x0014 001 # Channel Adapter portguid 0x2011: 'h1'\n"
      "0x0016 001 : (Channel Adapter portguid 0x2012: 'h2')\n"
      "Unicast lids [0x0-0xd] of switch Lid 12 guid 0x1001 (b):\n"
      "0x0014 004 # Channel Adapter portguid 0x2011: 'h1'\n";
  put("opensm-lfts.dump", dump);
  const Subnet subnet = imported();
  ASSERT_EQ(subnet.notes.size(), 2U) << "and a switch without tables";
  EXPECT_EQ(subnet.notes[0], "opensm-lfts.dump: 2 hosts have other LIDs there; matched by GUID");
  const auto& next = std::get<DestinationTables>(subnet.tables->paths);
  EXPECT_EQ(next[subnet.tables->to_host[HostId(1)]][1], here);
}

TEST_F(ImportFolder, TablesOfPortsThatAreGone) {
  put("net.topo", topology());
  const std::string before =
      "Unicast lids [0x0-0xd] of switch Lid 11 guid 0x1000 (a):\n"
      "0x000b 000 # Switch portguid 0x1000: 'a'\n"
      "0x0002 004 # Channel Adapter portguid 0x2001: 'h0'\n"
      "0x0004 003 # Channel Adapter portguid 0x7777: 'gone'\n"
      "0x0006 002 # Channel Adapter portguid 0x7778: 'gone as well'\n"
      "0x0007 001 # Channel Adapter portguid 0x2011: 'h1'\n"
      "0x000c 001 # Switch portguid 0x9001: 'b'\n";
  put("opensm-lfts.dump", before +
                              "Unicast lids [0x0-0xd] of switch Lid 12 guid 0x1001 (b):\n"
                              "0x000c 000 # Switch portguid 0x9001: 'b'\n"
                              "0x000b 002 # Switch portguid 0x1000: 'a'\n"
                              "Unicast lids [0x0-0xd] of switch Lid 14 guid 0x8888 (gone):\n"
                              "0x0002 001 # Channel Adapter portguid 0x2001: 'h0'\n");
  const Subnet subnet = imported();
  EXPECT_EQ(subnet.notes,
            (std::vector<std::string>{
                "opensm-lfts.dump: 1 host has another LID there; matched by GUID",
                "opensm-lfts.dump: entries to 2 ports that this fabric does not have are skipped",
                "opensm-lfts.dump: tables of 1 switch that this fabric does not have are skipped",
                "1 switch of the topology without forwarding tables"}));
  const Tables& tables = *subnet.tables;
  const auto& next = std::get<DestinationTables>(tables.paths);
  EXPECT_EQ(next[tables.to_host[HostId(1)]][0], 1) << "not what LID 4 was for";
  EXPECT_FALSE(tables.to_host[HostId(2)].valid()) << "nothing leads to it yet";
  EXPECT_EQ(next[tables.to_switch[SwitchId(1)]][0], 1) << "its own port has another GUID";
}

TEST_F(ImportFolder, TwoTopologies) {
  put("net.topo", topology());
  put("opensm-lfts.dump", lfts);
  put("opensm-subnet.lst", "{ SW NodeGUID:1 } not looked at\n");
  EXPECT_TRUE(imported().notes.empty()) << "OpenSM writes one of its own";
  put("old.topo", topology());
  EXPECT_EQ(imported().notes,
            std::vector<std::string>{"2 topologies: net.topo is taken, old.topo is not read"});
  put("opensm-lfts.dump", "Unicast lids guid 0x7777\n0x0002 1\n");
  EXPECT_TRUE(message().ends_with("; there are 3 topologies, of which net.topo is taken"))
      << message();
}

TEST_F(ImportFolder, LidsOfAnotherFabric) {
  put("net.topo", topology());
  const std::string others =
      "0x0000000000007777 0x0014 0x0014\n\n0x0000000000007778 0x0016 0x0016\n\n";
  put("guid2lid", "0x0000000000002001 0x0002 0x0003\n\n" + others);
  EXPECT_TRUE(message().starts_with("DIR/guid2lid:1: these are LIDs of another fabric: of "));
  EXPECT_TRUE(message().ends_with(" ports of this fabric it has 1")) << message();
  // A part that is cut off has the cache of the whole.
  const Fabric fabric = parsed(topology(), "ibnetdiscover");
  std::string own;
  for (SwitchId s : fabric.switches())
    own += fmt::format("0x{:016x} 0x0020 0x0020\n\n", fabric[s].guid);
  for (HostId h : fabric.hosts())
    own += fmt::format("0x{:016x} 0x0030 0x0030\n\n", fabric[h].port_guid);
  put("guid2lid", own + others + others + others);
  EXPECT_EQ(imported().fabric.host_count(), fabric.host_count());
}

TEST_F(ImportFolder, Messages) {
  EXPECT_EQ(message(),
            "DIR: no topology among its 0 files; what ibnetdiscover prints, opensm-subnet.lst, or "
            "ibdiagnet's .lst or .db_csv is needed");
  put("opensm-lfts.dump", lfts);
  EXPECT_TRUE(message().starts_with("DIR: no topology among its 1 file; "));
  put("net.topo", topology().substr(0, 400));
  EXPECT_NE(message().find("DIR/net.topo:"), std::string::npos) << "cut off: " << message();
  put("net.topo", topology());
  put("opensm-lfts.dump", "Unicast lids guid 0x7777\n0x0002 1\n");
  EXPECT_EQ(message(),
            "DIR/opensm-lfts.dump:1: none of its entries belongs to this fabric; the GUIDs or LIDs "
            "must agree");
  put("opensm-lfts.dump", lfts);
  put("levels.psl", "0x0000000000007777 4 3\n");
  EXPECT_EQ(message(),
            "DIR/levels.psl:1: none of its paths belongs to this fabric; the GUIDs or LIDs must "
            "agree");
}

TEST(ImportRecorded, DfssspNeedsItsLevels) {
  const TemporaryFolder folder;
  const std::string at = recorded("mesh4x4/");
  std::filesystem::copy(at + "ibnetdiscover.txt", folder.path());
  std::filesystem::copy(at + "dfsssp/opensm-lfts.dump", folder.path());
  std::ofstream(folder / "opensm.log") << log;
  const Subnet subnet = infiniband::import_folder(folder.path());
  EXPECT_EQ(subnet.fabric.switch_count(), 16U);
  EXPECT_EQ(subnet.missing.size(), 2U) << "levels, and multicast";
}

}  // namespace
}  // namespace weft::test::infiniband_import
