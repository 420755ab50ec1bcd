// SPDX-License-Identifier: Apache-2.0
// Choice tables from InfiniBand's adaptive forwarding tables. The dumps are made by hand.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.hpp"
#include "base/message.hpp"
#include "fabric/infiniband/adaptive_choices.hpp"
#include "fabric/infiniband/import.hpp"
#include "fabric/route_set.hpp"
#include "format_support.hpp"
#include "infiniband_support.hpp"

namespace weft::test::infiniband_choices {
namespace {

const std::string dump =
    "# made by hand\n"
    "File version: 1\n"
    "Switch 0x0000000000001000 en_sl: 0xffff\n"
    "Groups Definition:\n"
    "Group  Sub Group  WHBF  Ports\n"
    "------------------------------\n"
    "1      0          0     1,\n"
    "1      1          0     2,\n"
    "2      0          0     1,2,\n"
    "LFT Definition:\n"
    "PLFT_NUM: 0, top: 0x0006\n"
    "LID     Static Port  Lid State  Group\n"
    "--------------------------------------\n"
    "0x0002  4            Static     0\n"
    "0x0004  1            Free       2\n"
    "0x0006  1            HBF        1\n"
    "Switch 0x0000000000001001 en_sl:0xffff\n"
    "Groups Definition:\n"
    "Group  Sub Group  WHBF  Ports\n"
    "---\n"
    "3 0 0 1,2,\n"
    "LFT Definition:\n"
    "PLFT_NUM: 0, top: 0x0006\n"
    "LID     Static Port  Lid State  Group\n"
    "---\n"
    "0x0002 2 Bounded 3\n"
    "0x0004 4 Static 0\n"
    "0x0006 3 Static 0\n"
    "Switch 0x0000000000001002\n"
    "Groups Definition: Group  Sub Group  WHBF  Ports\n---\n"
    "LFT Definition:\n"
    "PLFT_NUM: 0, top: 0x0004\n"
    "LID     Static Port  Lid State  Group\n"
    "---\n"
    "0x0002 3 Static 0\n"
    "0x0004 3 Static 0\n"
    "0x0006 3 Static 0\n";

NotedTables read_dump(const std::string& text, std::optional<unsigned> mask = std::nullopt) {
  const Fabric fabric = infiniband_fabric();
  const Source source{"file", text};
  const auto switches = infiniband::read_adaptive(source);
  NotedTables out = infiniband::with_adaptive_groups(
      source, fabric, infiniband::static_tables(source, fabric, switches).tables, switches, mask);
  require_fit(fabric, out.tables);
  return out;
}

std::string route(const Tables& tables, std::size_t from, std::size_t to) {
  return route_text(infiniband_fabric(), tables, HostId(from), HostId(to));
}

TEST(AdaptiveChoices, GroupsAreCandidates) {
  const NotedTables read = read_dump(dump);
  const Tables& tables = read.tables;
  const auto& choices = std::get<ChoiceTables>(tables.paths);
  EXPECT_EQ(choices.phases, std::vector{Phase{}});
  EXPECT_EQ(route(tables, 0, 1), "h0 -> a:1|2 lane 0 -> b:4 -> h1");
  EXPECT_EQ(route(tables, 1, 0), "h1 -> b:1|2 lane 0 -> a:4 -> h0");
  EXPECT_TRUE(read.notes.empty()) << read.notes.front();
  const auto preferred = choices.candidates(choices.next[tables.to_host[HostId(2)]][0]);
  ASSERT_EQ(preferred.size(), 2U);
  EXPECT_EQ(preferred[0], (Candidate{1, Candidate::by_lanes, 0, 0}));
  EXPECT_EQ(preferred[1], (Candidate{2, Candidate::by_lanes, 0, 1})) << "a later sub-group";
  const Source again{"file", written(infiniband_fabric(), tables, "weft")};
  EXPECT_EQ(read_tables(again, infiniband_fabric(), "weft"), tables);
}

/// Host h0 has LIDs 2 and 3.
std::string dump_with_lid_3(const std::string& at_b) {
  return replaced(replaced(dump, "0x0004 4 Static 0\n", "0x0003 " + at_b + "\n0x0004 4 Static 0\n"),
                  "0x0002  4            Static     0\n",
                  "0x0002  4            Static     0\n0x0003 4 Static 0\n");
}

TEST(AdaptiveChoices, GroupsOfFurtherLids) {
  const auto at_b = [](const NotedTables& read) {
    std::vector<PortNumber> ports;
    const auto& choices = std::get<ChoiceTables>(read.tables.paths);
    EXPECT_EQ(read.tables.further.size(), 1U);
    EXPECT_EQ(read.tables.further.at(0).host, HostId(0));
    EXPECT_EQ(read.tables.further.at(0).lid, 1U);
    for (const Candidate& c : choices.candidates(choices.next[read.tables.further[0].column][1]))
      ports.push_back(c.port);
    return ports;
  };
  const NotedTables same = read_dump(dump_with_lid_3("2 Free 3"));
  EXPECT_EQ(at_b(same), (std::vector<PortNumber>{1, 2}));
  EXPECT_TRUE(same.notes.empty());
  const NotedTables other = read_dump(dump_with_lid_3("1 Static 0"));
  EXPECT_EQ(at_b(other), std::vector<PortNumber>{1});
  EXPECT_NE(other.tables.further[0].column, other.tables.to_host[HostId(0)]);
  EXPECT_EQ(route(other.tables, 1, 0), "h1 -> b:1|2 lane 0 -> a:4 -> h0");
  const Source again{"file", written(infiniband_fabric(), other.tables, "weft")};
  EXPECT_EQ(read_tables(again, infiniband_fabric(), "weft"), other.tables);
  const NotedTables phases =
      read_dump(replaced(dump_with_lid_3("2 Free 3"), "en_sl: 0xffff", "en_sl: 0x0001"));
  EXPECT_TRUE(phases.tables.further.empty());
  EXPECT_EQ(phases.notes, std::vector<std::string>{
                              "routes to 1 further LID are left out: where service levels adapt at "
                              "different switches, first LIDs only are judged"});
}

TEST(AdaptiveChoices, FurtherLidsHaveOnePhase) {
  Tables tables = read_dump(replaced(dump, "en_sl: 0xffff", "en_sl: 0x0001")).tables;
  tables.further = {{HostId(0), 1, tables.to_host[HostId(0)]}};
  EXPECT_EQ(message_of([&] { require_fit(infiniband_fabric(), tables); }),
            "host \"h0\" has further LIDs; tables with several phases have none");
}

TEST(AdaptiveChoices, LevelsOutsideOfTheMaskTakeStaticPorts) {
  // Service levels are not known: packets may be of either kind.
  const Tables tables = read_dump(replaced(dump, "en_sl: 0xffff", "en_sl: 0x0001")).tables;
  const auto& choices = std::get<ChoiceTables>(tables.paths);
  ASSERT_EQ(choices.phases.size(), 2U);
  EXPECT_EQ(choices.starts, (std::vector<PhaseId>{0, 1}));
  EXPECT_EQ(choices.start_rule, StartRule::random);
  const auto at = [&](PhaseId phase) {
    return choices.candidates(choices.next[column_of(tables, choices, phase, HostId(1))][0]);
  };
  EXPECT_EQ(at(0).size(), 2U);
  ASSERT_EQ(at(1).size(), 1U);
  EXPECT_EQ(at(1)[0], (Candidate{1, Candidate::by_lanes, 1, 0}));
  EXPECT_EQ(choices.phases[1].name, "adaptive") << "at b it still is";
}

TEST(AdaptiveChoices, LevelsOfPathsChooseThePhase) {
  const Fabric fabric = infiniband_fabric();
  const Source source{"file", dump};
  auto switches = infiniband::read_adaptive(source);
  for (auto& each : switches) each.levels.reset();
  Tables before = infiniband::static_tables(source, fabric, switches).tables;
  before.lane_count = 2;
  ServiceLanes lanes;
  for (const ColumnId c : std::get<DestinationTables>(before.paths).ids())
    lanes.level.push_back(std::vector<std::uint8_t>(3, static_cast<std::uint8_t>(c.index() % 2)));
  before.lanes = lanes;
  const Tables tables =
      infiniband::with_adaptive_groups(source, fabric, before, switches, 0x0002).tables;
  require_fit(fabric, tables);
  const auto& choices = std::get<ChoiceTables>(tables.paths);
  EXPECT_EQ(choices.start_rule, StartRule::level);
  EXPECT_EQ(choices.starts, (std::vector<PhaseId>{0, 1}));
  EXPECT_EQ(choices.phases[0].name, "static");
  EXPECT_EQ(choices.phases[1].name, "adaptive");
  EXPECT_EQ(route(tables, 1, 0), "h1 -> b:2 lane 0 -> a:4 -> h0");
  EXPECT_EQ(route(tables, 0, 1), "h0 -> a:1|2 lane 1 -> b:4 -> h1");
}

TEST(AdaptiveChoices, Notes) {
  const auto notes = [](const std::string& what, const std::string& by) {
    return read_dump(replaced(dump, what, by)).notes;
  };
  EXPECT_EQ(notes("Free       2", "Free       9"),
            std::vector<std::string>{
                "switch \"a\": group 9 has no ports; packets to 1 LID take their static ones"});
  EXPECT_EQ(notes("2      0          0     1,2,", "2      0          0     1,4,2,"),
            std::vector<std::string>{})
      << "a host's port";
  EXPECT_EQ(notes("3 0 0 1,2,", "3 0 0 1,2,4,"), std::vector<std::string>{});
}

TEST(AdaptiveChoices, Messages) {
  const auto message = [](const std::string& what, const std::string& by) {
    return message_of([&] { read_dump(replaced(dump, what, by)); });
  };
  EXPECT_EQ(message("2      0          0     1,2,", "2      0          0     1,7,"),
            "file:9: switch \"a\" has 4 ports; its group 2 names port 7");
  EXPECT_EQ(message("Switch 0x0000000000001001",
                    "PLFT_NUM: 1, top: 0x0002\nLID Static\n---\n0x0002 4 Static 0\n"
                    "Switch 0x0000000000001001"),
            "file:3: switch \"a\" has different forwarding tables 0 and 1 (PLFT_NUM); which one a "
            "packet takes depends on its in-port and service level, which is not said here");
  EXPECT_EQ(message("0x0004  1            Free       2", "0x0004  9            Free       2"),
            "file:15: switch \"a\" has 4 ports, there is no port 9");
  EXPECT_EQ(message("0x0004 4 Static 0\n0x0006 3", "0x0004 4 Static 0\n0x0004 3"),
            "file:28: LID 0x0004 has port 3 here and another one before; keep one");
  EXPECT_EQ(message("2      0          0     1,2,", "1      1          0     1,2,"),
            "file:9: group 1, sub-group 1 is also in line 8; keep one");
  EXPECT_EQ(message("Switch 0x0000000000001001", "Switch 0x0000000000001000"),
            "file:17: switch 0x0000000000001000 is also in line 3; keep one");
  EXPECT_EQ(message("en_sl: 0xffff", "en_sl: all"),
            "file:3: \"all\" is not a mask of service levels; a number up to 65535 is needed");
}

std::string message_of_static(const std::string& text) {
  return message_of([&] {
    const Source source{"file", text};
    infiniband::static_tables(source, infiniband_fabric(), infiniband::read_adaptive(source));
  });
}

TEST(AdaptiveChoices, TablesOfAnotherFabric) {
  EXPECT_EQ(message_of_static(dump), "(no error)");
  std::string others = dump;
  for (const char* guid : {"0x0000000000001001", "0x0000000000001002"})
    others = replaced(others, guid, "0x00000000000020" + std::string(guid).substr(16));
  EXPECT_EQ(message_of_static(others),
            "file:1: these are tables of another fabric: of 3 switches it has 1");
  EXPECT_EQ(message_of_static(replaced(others, "0x0000000000001000", "0x0000000000002000")),
            "file:1: none of its entries belongs to this fabric; the GUIDs or LIDs must agree");
  // The same switches with other LIDs.
  std::string lids = dump;
  for (const char* lid : {"0x0002", "0x0004"})
    for (int i = 0; i < 3; ++i) {
      const std::size_t at = lids.find("\n" + std::string(lid) + " ");
      if (at != std::string::npos) lids.replace(at + 3, 4, std::string("01") + (lid + 4));
    }
  EXPECT_EQ(message_of_static(lids),
            "file:1: these are tables of another fabric: of 3 LIDs it has 1");
  // The hosts of a and b have swapped theirs.
  const std::string swapped = replaced(
      replaced(replaced(dump, "0x0002  4            Static     0\n0x0004  1            Free",
                        "0x0004  4            Static     0\n0x0002  1            Free"),
               "0x0002 2 Bounded", "0x0004 2 Bounded"),
      "0x0004 4 Static 0\n0x0006 3", "0x0002 4 Static 0\n0x0006 3");
  EXPECT_EQ(message_of_static(swapped),
            "file:1: these are tables of another fabric: of 3 hosts, 1 are at the ports that the "
            "tables of their switches name");
}

TEST(AdaptiveChoices, UnknownLidsAreNamed) {
  const Source source{"file", replaced(dump, "0x0002 2 Bounded 3\n",
                                       "0x0002 2 Bounded 3\n0x0044 2 Free 3\n0x0045 1 Free 3\n")};
  const NotedTables read =
      infiniband::static_tables(source, infiniband_fabric(), infiniband::read_adaptive(source));
  EXPECT_EQ(read.notes, std::vector<std::string>{
                            "entries to 2 LIDs that this fabric does not have are skipped; "
                            "the first is 0x0044 in line 27"});
}

TEST(AdaptiveChoices, AFolderWithDumps) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("weft-far-{}", ::getpid());
  std::filesystem::create_directory(folder);
  const Fabric fabric = infiniband_fabric();
  const auto put = [&](const char* name, const std::string& text) {
    write_file((folder / name).string(), [&](std::ostream& out) { out << text; });
  };
  put("topology.txt", written(fabric, "ibnetdiscover"));
  put("ibdiagnet2.far", replaced(dump, " en_sl: 0xffff", ""));
  put("opensm.conf", "ar_sl_mask 0xFFFE\n");
  const infiniband::Subnet subnet = infiniband::import_folder(folder.string());
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(subnet.tables);
  const auto& choices = std::get<ChoiceTables>(subnet.tables->paths);
  EXPECT_EQ(choices.phases.size(), 2U) << "level 0 is static at a";
}

}  // namespace
}  // namespace weft::test::infiniband_choices
