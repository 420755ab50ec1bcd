// SPDX-License-Identifier: Apache-2.0
// OpenSM's QoS policy and the lanes in its settings: what is read from them, and what is said about
// those that cannot be read.
#include <gtest/gtest.h>

#include <fstream>

#include "fabric/infiniband/import.hpp"
#include "fabric/infiniband/lane_settings.hpp"
#include "fabric/infiniband/qos_policy.hpp"
#include "format_support.hpp"
#include "infiniband_support.hpp"
#include "support/files.hpp"

namespace weft::test::infiniband_policy {
namespace {

using infiniband::PathLevels;

const std::string policy =
    "# who talks to whom\n"
    "port-groups\n"
    "  port-group\n    name: first\n    use: one\n    port-guid: 0x2001\n  end-port-group\n"
    "  port-group\n    name: others # two\n    port-guid: 0x2011, 0x2012\n  end-port-group\n"
    "  port-group\n    name: all\n    port-guid: 0x2000-0x20ff\n  end-port-group\n"
    "end-port-groups\n"
    "qos-levels\n"
    "  qos-level\n    name: DEFAULT\n    sl: 1\n  end-qos-level\n"
    "  qos-level\n    name: fast\n    sl: 5\n  end-qos-level\n"
    "  qos-level\n    name: slow\n    sl: 2\n  end-qos-level\n"
    "end-qos-levels\n"
    "qos-match-rules\n"
    "  qos-match-rule\n    source: first\n    destination: others\n    qos-level-name: fast\n"
    "  end-qos-match-rule\n"
    "  qos-match-rule\n    source: all, first\n    destination: others\n"
    "    qos-level-name: slow\n  end-qos-match-rule\n"
    "end-qos-match-rules\n";

PathLevels levels_of(const std::string& text) {
  return infiniband::read_policy({"file", text}, infiniband_fabric());
}
std::vector<int> towards(const PathLevels& levels, Lid lid) {
  const std::vector<std::uint8_t> row = levels.to(lid);
  return {row.begin(), row.end()};
}
std::string message(const std::string& what, const std::string& by) {
  return message_of([&] { levels_of(replaced(policy, what, by)); });
}

TEST(QosPolicy, FirstRuleThatMatchesCounts) {
  ASSERT_TRUE(infiniband::recognises_policy(policy));
  const PathLevels levels = levels_of(policy);
  EXPECT_EQ(levels.count(), 8U) << "of h0 to both, of both to each other and to two LIDs of h0";
  EXPECT_EQ(levels.most(), 5);
  EXPECT_EQ(towards(levels, 4), (std::vector<int>{5, 0, 2})) << "none to itself";
  EXPECT_EQ(towards(levels, 6), (std::vector<int>{5, 2, 0}));
  EXPECT_EQ(towards(levels, 2), (std::vector<int>{0, 1, 1})) << "the default";
  EXPECT_EQ(towards(levels, 3), (std::vector<int>{0, 1, 1})) << "all LIDs are alike";
}

TEST(QosPolicy, RulesWithoutGroupsAreForAll) {
  const PathLevels levels = levels_of(replaced(policy, "source: first\n", ""));
  EXPECT_EQ(towards(levels, 4), (std::vector<int>{5, 0, 5}));
}

TEST(QosPolicy, OthersAreNotTaken) {
  for (const char* line : {"service-id: 0x1000", "qos-class: 3", "pkey: 0x7fff"})
    EXPECT_FALSE(infiniband::recognises_policy(
        replaced(policy, "source: first", std::string(line) + "\n    source: first")))
        << line;
  EXPECT_FALSE(infiniband::recognises_policy("qos-ulps\n  default: 0\nend-qos-ulps\n"));
  EXPECT_FALSE(infiniband::recognises_policy("log_flags 0x03\n"));
  EXPECT_FALSE(infiniband::recognises_policy(""));
}

TEST(QosPolicy, MessagesSayWhatWouldBeRight) {
  EXPECT_EQ(message("port-guid: 0x2001", "port-guid: here"),
            "file:6: \"here\" is not a GUID; write 0x0002c90200000001");
  EXPECT_EQ(message("sl: 5", "sl: 16"),
            "file:24: \"16\" is not a service level; a number up to 15 is needed");
  EXPECT_EQ(message("source: first", "source: nobody"),
            "file:32: there is no port-group \"nobody\"");
  EXPECT_EQ(message("qos-level-name: fast", "qos-level-name: faster"),
            "file:32: the rule needs one of the qos-levels, not \"faster\"");
  EXPECT_EQ(message("source: first", "pkey: 0x7fff"),
            "file:33: \"pkey\" is not read here: levels are, that depend on ports alone");
  EXPECT_EQ(message("    name: first\n", ""), "file:5: a port-group has its name before its ports");
  EXPECT_EQ(message("    name: DEFAULT\n", ""), "file:19: a qos-level has its name before its sl");
  EXPECT_EQ(message("  end-port-group\n", ""), "file:7: \"port-group\" is out of place here");
  EXPECT_EQ(message("  end-qos-match-rule\nend-qos-match-rules\n", ""),
            "file:40: the file is cut off: a qos-match-rule does not end");
  EXPECT_EQ(message("0x2011, 0x2012", "0x7001, 0x7002, 0x7003, 0x7004"),
            "file:1: these are service levels of another fabric: of 6 ports it has 2");
}

const std::string settings =
    "# QoS\nqos TRUE\nqos_max_vls 8\nqos_sl2vl 0,1,2,3,4,5,6,7,0,1,2,3,4,5,6,7\n"
    "qos_ca_sl2vl (null)\nqos_swe_sl2vl (null)\n";

TEST(LaneSettings, AreTheSameAtAllPorts) {
  ASSERT_TRUE(infiniband::recognises_lane_settings(settings));
  const Fabric fabric = infiniband_fabric();
  const auto lane = [&](const std::string& text, unsigned level) {
    const auto maps = infiniband::read_lane_settings({"file", text}, fabric);
    EXPECT_EQ(maps.missing, 0U);
    return int{maps.map(SwitchId(1), fabric[SwitchId(1)], 1, 3, level)};
  };
  EXPECT_EQ(lane(settings, 9), 1);
  EXPECT_EQ(lane(settings + "qos_swe_sl2vl 3,3,3,3,3,3,3,3,3,6,3,3,3,3,3,3\n", 9), 6);
}

TEST(LaneSettings, OthersAreNotTaken) {
  EXPECT_FALSE(infiniband::recognises_lane_settings(replaced(settings, "TRUE", "FALSE")));
  EXPECT_FALSE(infiniband::recognises_lane_settings("qos TRUE\nqos_sl2vl (null)\n"));
  EXPECT_FALSE(infiniband::recognises_lane_settings("qos TRUE\n#qos_sl2vl 0,1\n"));
}

TEST(LaneSettings, MessagesSayWhatWouldBeRight) {
  const auto message = [](const std::string& lanes) {
    return message_of([&] {
      infiniband::read_lane_settings({"file", "qos TRUE\nqos_sl2vl " + lanes + "\n"},
                                     infiniband_fabric());
    });
  };
  EXPECT_EQ(message("0,1"), "file:2: 2 lanes; there is one for each of 16 service levels");
  EXPECT_EQ(message("0,x"), "file:2: \"x\" is not a lane; a number up to 15 is needed");
}

TEST(ImportWithFabric, ReadsTablesAlone) {
  const weft::testing::TemporaryFolder folder;
  const Fabric fabric = infiniband_fabric();
  const auto put = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder / name) << text;
  };
  put("lfts",
      "Unicast lids guid 0x1000 \n0x0004 1\n0x0006 2\nUnicast lids guid 0x1001 \n0x0002 1\n"
      "0x0004 4\n0x0006 3\nUnicast lids guid 0x1002 \n0x0002 3\n");
  put("opensm.conf", settings);
  put("qos-policy.conf", policy);
  EXPECT_FALSE(infiniband::folder_has_topology(folder.path()));
  const auto subnet = infiniband::import_folder(folder.path(), fabric);
  ASSERT_TRUE(subnet.tables);
  const auto& service = std::get<ServiceLanes>(subnet.tables->lanes);
  EXPECT_EQ(service.of(fabric, subnet.tables->to_host[HostId(1)], HostId(0)), 5);
  EXPECT_EQ(subnet.tables->lane_count, 6);
  EXPECT_EQ(subnet.files.at(1).what, "lanes (VLs) of service levels");
  EXPECT_EQ(subnet.files.at(2).what, "service levels of 8 paths");
}

}  // namespace
}  // namespace weft::test::infiniband_policy
