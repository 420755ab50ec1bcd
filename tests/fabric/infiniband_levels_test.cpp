// SPDX-License-Identifier: Apache-2.0
// Service levels of paths and the lanes that switches give them: every form of the dumps, broken
// ones, and what tables make of both.
#include <gtest/gtest.h>

#include "fabric/infiniband/service_levels.hpp"
#include "format_support.hpp"
#include "infiniband_support.hpp"

namespace weft::test::infiniband_levels {
namespace {

using infiniband::LaneMaps;
using infiniband::PathLevels;

LaneMaps maps_of(const std::string& text) {
  return infiniband::read_lane_maps({"file", text}, infiniband_fabric());
}
PathLevels levels_of(const std::string& text) {
  return infiniband::read_path_levels({"file", text}, infiniband_fabric());
}
unsigned lane(const LaneMaps& maps, std::size_t on, PortNumber in, PortNumber out, unsigned level) {
  const Fabric fabric = infiniband_fabric();
  return maps.map(SwitchId(on), fabric[SwitchId(on)], in, out, level);
}
/// By source host, towards a LID.
std::vector<int> towards(const PathLevels& levels, Lid lid) {
  const std::vector<std::uint8_t> row = levels.to(lid);
  return {row.begin(), row.end()};
}

const std::string opensm_lanes =
    "Switch 0x0000000000001000, base LID 11, \"a\"\n"
    "#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15\n"
    "#--------------------------------------------------------\n"
    "1   2   : 0  1  2  3  4  5  6  7  0  1  2  3  4  5  6  15 \n"
    "4   1   : 7  6  5  4  3  2  1  0  7  6  5  4  3  2  1  0 \n"
    "\n"
    "Channel Adapter 0x0000000000002001, base LID 2, \"h0\"\n"
    "#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15\n"
    "0   1   : 3  3  3  3  3  3  3  3  3  3  3  3  3  3  3  3 \n"
    "Switch 0x0000000000007777, base LID 99, \"other\"\n"
    "1   9   : 1  1  1  1  1  1  1  1  1  1  1  1  1  1  1  1 \n";

TEST(LaneMaps, OpensmsForm) {
  ASSERT_TRUE(infiniband::recognises_lane_maps(opensm_lanes));
  const LaneMaps maps = maps_of(opensm_lanes);
  EXPECT_EQ(maps.map.levels, 16);
  EXPECT_EQ(lane(maps, 0, 1, 2, 6), 6U);
  EXPECT_EQ(lane(maps, 0, 1, 2, 15), 15U);
  EXPECT_EQ(lane(maps, 0, 4, 1, 0), 7U);
  EXPECT_EQ(lane(maps, 0, 0, 1, 0), 0U) << "rows of adapters are theirs";
  // Of 4 x 3 turns at a, 4 x 3 at b, and none at c, which has one cable, two are listed.
  EXPECT_EQ(maps.missing, 22U);
  EXPECT_EQ(maps.note, "lanes of 1 switch that this fabric does not have are skipped");
}

TEST(LaneMaps, IbdiagnetsForm) {
  const std::string text =
      "0x0000000000001000 1 2 0x01 0x23 0x45 0x67 0x01 0x23 0x45 0x6f\n"
      "0x0000000000001000 4 1 0x76 0x54 0x32 0x10 0x76 0x54 0x32 0x10\n"
      "0x0000000000007777 1 9 0x11 0x11 0x11 0x11 0x11 0x11 0x11 0x11\n"
      "0x0000000000007777 2 9 0x11 0x11 0x11 0x11 0x11 0x11 0x11 0x11\n";
  ASSERT_TRUE(infiniband::recognises_lane_maps(text));
  const LaneMaps maps = maps_of(text);
  EXPECT_EQ(maps.map, maps_of(opensm_lanes).map);
}

TEST(LaneMaps, OfAnotherFabricAreRefused) {
  const std::string packed = " 1 2 0x00 0x00 0x00 0x00 0x00 0x00 0x00 0x00\n";
  EXPECT_EQ(
      message_of([&] {
        maps_of("0x1000" + packed + "0x7777" + packed + "0x7777" + packed + "0x8888" + packed);
      }),
      "file:1: these are lanes of another fabric: of 3 switches it has 1");
  EXPECT_NO_THROW(maps_of("0x1000" + packed + "0x2000" + packed + "0x7777" + packed));
}

TEST(LaneMaps, Messages) {
  const std::string head = "Switch 0x1000, base LID 11, \"a\"\n";
  const std::string lanes = " : 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0";
  const std::pair<std::string, const char*> cases[] = {
      {"Switch x, base", "1: \"x,\" is not a GUID; write 0x0002c90200000001"},
      {head + "1 2" + lanes, "2: a row has in-port, out-port, a colon and 16 lanes"},
      {head + "1 2" + lanes + " 16", "2: \"16\" is not a lane; a number up to 15 is needed"},
      {head + "1 5" + lanes + " 0",
       "2: \"5\" is not a port of the switch; a number up to 4 is needed"},
      {"0x1000 1 2 0x01 0x23 0x45 0x67 0x01 0x23 0x45 0x167",
       "1: \"0x167\" is not two lanes; a number up to 255 is needed"},
  };
  for (const auto& [text, message] : cases)
    EXPECT_EQ(message_of([&, text = text] { maps_of(text); }), "file:" + std::string(message));
}

/// From h0 to h1 on level 3, to h2 on 1; from both ports of the other NIC to h0's second LID on 5.
const std::string listed_levels =
    "# source GUID, LID, level\n0x0000000000002000 4 3\n0x0000000000002000 6 1\n"
    "0x0000000000002010 3 5\n0x0000000000007777 4 9\n";

TEST(PathLevels, IbdiagnetsForm) {
  ASSERT_TRUE(infiniband::recognises_path_levels(listed_levels));
  const PathLevels levels = levels_of(listed_levels);
  EXPECT_EQ(towards(levels, 4), (std::vector<int>{3, 0, 0}));
  EXPECT_EQ(towards(levels, 6), (std::vector<int>{1, 0, 0}));
  EXPECT_EQ(towards(levels, 3), (std::vector<int>{0, 5, 5}));
  EXPECT_EQ(towards(levels, 2), (std::vector<int>{0, 0, 0})) << "nothing is said";
  EXPECT_EQ(levels.most(), 5);
  EXPECT_EQ(levels.count(), 4U);
}

TEST(PathLevels, OpensmsForm) {
  const std::string text =
      "Channel Adapter 0x0000000000002001, base LID 2, \"h0\"\n# LID : SL\n0x0004 : 3\n"
      "0x0006 : 1\nSwitch 0x0000000000001000, base LID 11, \"a\"\n0x0004 : 7\n"
      "Channel Adapter 0x0000000000002012, base LID 6, \"h2\"\n0x0003 : 5\n";
  ASSERT_TRUE(infiniband::recognises_path_levels(text));
  const PathLevels levels = levels_of(text);
  EXPECT_EQ(towards(levels, 4), (std::vector<int>{3, 0, 0}));
  EXPECT_EQ(towards(levels, 3), (std::vector<int>{0, 0, 5})) << "one port of the NIC";
}

TEST(PathLevels, NumberedForm) {
  // Hosts 0, 1, 2 are those with LIDs 2, 4, 6.
  const std::string text = "0 1 3 4\n0 2 1 6\n1 0 5 2\n2 0 4 2\n";
  ASSERT_TRUE(infiniband::recognises_path_levels(text));
  const PathLevels levels = levels_of(text);
  EXPECT_EQ(towards(levels, 4), (std::vector<int>{3, 0, 0}));
  EXPECT_EQ(towards(levels, 6), (std::vector<int>{1, 0, 0}));
  EXPECT_EQ(towards(levels, 2), (std::vector<int>{0, 5, 4}));
}

TEST(PathLevels, OfAnotherFabricAreRefused) {
  const char* const message =
      "file:1: these are service levels of another fabric: of 3 paths it has 1";
  const std::string texts[] = {"0x2000 4 1\n0x7777 4 1\n0x7778 4 1\n",
                               "0x2000 4 1\n0x2000 99 1\n0x2000 98 1\n",
                               "Channel Adapter 0x2001, base LID 2\n0x0004 : 3\n0x0099 : 3\n"
                               "Channel Adapter 0x7777, base LID 9\n0x0004 : 3\n"
                               "Switch 0x7777, base LID 9\n0x0004 : 3\n",
                               "1 2 0 6\n3 1 0 4\n1 3 0 99\n"};
  for (const std::string& text : texts)
    EXPECT_EQ(message_of([&] { levels_of(text); }), message) << text;
  EXPECT_NO_THROW(levels_of("0x2000 4 1\n0x2000 11 1\n0x2000 12 1\n")) << "paths to switches";
}

TEST(PathLevels, Messages) {
  const std::pair<std::string, const char*> cases[] = {
      {"", "1: none of its paths belongs to this fabric; the GUIDs or LIDs must agree"},
      {"0x7777 4 1", "1: none of its paths belongs to this fabric; the GUIDs or LIDs must agree"},
      {"0x2000 5 1", "1: none of its paths belongs to this fabric; the GUIDs or LIDs must agree"},
      {"0x2000 4 16", "1: \"16\" is not a service level; a number up to 15 is needed"},
      {"0x2000 70000 1", "1: \"70000\" is not a LID; a number up to 65535 is needed"},
      {"0xg 4 1", "1: \"0xg\" is not a GUID; write 0x0002c90200000001"},
      {"0x2000 4 1\n0x2000 6",
       "2: not a path; write 0x0002c90200000001 17 3 (source GUID, LID, level)"},
      {"0 1 3 4\n", "1: source 0 is nobody's destination, so its LID is not known"},
  };
  for (const auto& [text, message] : cases)
    EXPECT_EQ(message_of([&, text = text] { levels_of(text); }), "file:" + std::string(message));
}

Tables unicast() {
  return read_tables({"file",
                      "Unicast lids guid 0x1000\n0x0002 4\n0x0003 4\n0x0004 1\n0x0006 1\n"
                      "Unicast lids guid 0x1001\n0x0002 1\n0x0003 1\n0x0004 4\n0x0006 3\n"},
                     infiniband_fabric(), "opensm");
}

TEST(WithLevels, WithoutMapsALevelIsALane) {
  const Fabric fabric = infiniband_fabric();
  const Tables plain = unicast();
  ASSERT_EQ(plain.to_host[HostId(1)], plain.to_host[HostId(2)]) << "h1 and h2 share a column";
  const Tables tables = with_levels(fabric, plain, levels_of(listed_levels), std::nullopt);
  const auto& service = std::get<ServiceLanes>(tables.lanes);
  EXPECT_FALSE(service.map);
  EXPECT_EQ(tables.lane_count, 6);
  EXPECT_NE(tables.to_host[HostId(1)], tables.to_host[HostId(2)]) << "their levels differ";
  EXPECT_EQ(service.of(fabric, tables.to_host[HostId(1)], HostId(0)), 3);
  EXPECT_EQ(service.of(fabric, tables.to_host[HostId(2)], HostId(0)), 1);
  ASSERT_EQ(tables.further.size(), 1U);
  EXPECT_EQ(service.of(fabric, tables.further[0].column, HostId(2)), 5);
  EXPECT_EQ(service.of(fabric, tables.to_host[HostId(0)], HostId(2)), 0) << "of the first LID";
  EXPECT_NO_THROW(require_fit(fabric, tables));
}

TEST(WithLevels, MapsAreKeptUnlessTheyChangeNothing) {
  const Fabric fabric = infiniband_fabric();
  const PathLevels levels = levels_of(listed_levels);
  LaneMaps maps = maps_of(opensm_lanes);
  const Tables tables = with_levels(fabric, unicast(), levels, maps);
  const auto& service = std::get<ServiceLanes>(tables.lanes);
  ASSERT_TRUE(service.map);
  EXPECT_EQ(service.map->levels, 6) << "0 to 5 are used";
  EXPECT_EQ((*service.map)(SwitchId(0), fabric[SwitchId(0)], 4, 1, 5), 2);
  EXPECT_EQ(tables.lane_count, 8);
  EXPECT_NO_THROW(require_fit(fabric, tables));
  for (std::vector<Lane>& lanes : maps.map.lane)
    for (std::size_t i = 0; i < lanes.size(); ++i) lanes[i] = static_cast<Lane>(i % 16);
  const Tables same = with_levels(fabric, unicast(), levels, maps);
  EXPECT_FALSE(std::get<ServiceLanes>(same.lanes).map);
  EXPECT_EQ(same, with_levels(fabric, unicast(), levels, std::nullopt));
}

}  // namespace
}  // namespace weft::test::infiniband_levels
