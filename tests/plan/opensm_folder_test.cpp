// SPDX-License-Identifier: Apache-2.0
// Folders for OpenSM: what is read back from them has the routes and lanes of the tables, for every
// engine that stock OpenSM can do; the others are refused in words.
#include "plan/export/opensm_folder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "fabric/builder.hpp"
#include "fabric/format/format.hpp"
#include "fabric/infiniband/import.hpp"
#include "fabric/walk.hpp"
#include "fabric/without.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
#include "support/fabrics.hpp"
#include "support/files.hpp"
#include "support/routes.hpp"

namespace weft::test::opensm_folder {
namespace {

using weft::testing::TemporaryFolder;

OpensmPlan planned(const Fabric& fabric, const Tables& tables) {
  auto plan = plan_opensm(fabric, tables);
  if (const auto* refused = std::get_if<Refused>(&plan)) throw Error("{}", refused->why);
  return std::get<OpensmPlan>(std::move(plan));
}

std::string text_of(const OpensmPlan& plan, const std::string& name) {
  for (const OpensmFile& file : opensm_files(plan, "/place")) {
    if (file.name != name) continue;
    std::ostringstream out;
    file.write(out);
    return out.str();
  }
  return "none";
}

/// What weft reads from the files.
Tables read_back(const OpensmPlan& plan) {
  const TemporaryFolder folder;
  for (const OpensmFile& file : opensm_files(plan, folder.path())) {
    std::ofstream out(folder / file.name);
    file.write(out);
  }
  return infiniband::import_folder(folder.path(), plan.fabric).tables.value();
}

std::string why_not(const Fabric& fabric, const Tables& tables) {
  const auto plan = plan_opensm(fabric, tables);
  return std::holds_alternative<Refused>(plan) ? std::get<Refused>(plan).why : "(not refused)";
}

std::size_t pairs_that_differ(const Fabric& fabric, const Tables& tables, const Tables& held) {
  Walker ours(fabric, tables), theirs(fabric, held);
  std::size_t out = 0;
  for (HostId from : fabric.hosts())
    for (HostId to : fabric.hosts())
      if (from != to) out += ours(from, to).hops != theirs(from, to).hops ? 1 : 0;
  return out;
}

/// Levels as well as lanes: those of pairs whose switches are the same do not matter.
std::size_t levels_that_differ(const Fabric& fabric, const Tables& tables, const Tables& held) {
  const auto* service = std::get_if<ServiceLanes>(&tables.lanes);
  const auto* again = std::get_if<ServiceLanes>(&held.lanes);
  std::size_t out = 0;
  for (HostId from : fabric.hosts())
    for (HostId to : fabric.hosts()) {
      if (from == to || service == nullptr) continue;
      const unsigned found = again == nullptr ? 0U : again->of(fabric, held.to_host[to], from);
      out += service->of(fabric, tables.to_host[to], from) != found ? 1 : 0;
    }
  return out;
}

/// All tables are read back as they were, and multicast does not break a proof. Says whether stock
/// OpenSM can do it.
bool survives(const Fabric& fabric, const Tables& tables) {
  const auto made = plan_opensm(fabric, tables);
  if (std::holds_alternative<Refused>(made)) return false;
  const OpensmPlan& plan = std::get<OpensmPlan>(made);
  const Tables held = read_back(plan);
  EXPECT_EQ(pairs_that_differ(fabric, tables, held), 0U);
  EXPECT_EQ(levels_that_differ(fabric, tables, held), 0U);
  const bool free = std::holds_alternative<Certificate>(deadlock(fabric, tables));
  EXPECT_EQ(std::holds_alternative<Certificate>(deadlock(fabric, held)), free);
  const Tables both = with_groups(held, plan.fabric, plan.tree, {{{plan.multicast_lane, {}}}});
  EXPECT_NO_THROW(require_fit(plan.fabric, both));
  if (free && plan.lane_count() < usual_lanes) {
    EXPECT_TRUE(std::holds_alternative<Certificate>(deadlock(plan.fabric, both)));
  }
  return true;
}

TEST(OpensmFolder, HoldsWhatStockOpensmCanDo) {
  const std::set<std::string> never{"sbp", "nca"};
  std::set<std::string> met;
  for (const char* spec :
       {"mesh:dims=4x3,hosts=2", "torus:dims=5x5", "torus:dims=6,hosts=2", "tree:k=3,n=2",
        "random_irregular:switches=10,links=20,hosts=2,parallel=2,bare=2,seed=3"}) {
    const Fabric fabric = make_fabric(spec);
    for (const char* engine :
         {"minhop", "xy", "dor", "dor:lanes=service", "updown", "updown:lanes=3", "prefix", "sbp",
          "lash:lanes=8", "dl", "dmodk", "nca", "sssp", "dfsssp:lanes=8", "nue", "nue:lanes=4"}) {
      SCOPED_TRACE(fmt::format("{} on {}", engine, spec));
      const Routed out = route(fabric, engine);
      if (std::holds_alternative<Refused>(out)) continue;
      if (survives(fabric, std::get<Tables>(out))) met.insert(engine);
    }
  }
  for (const char* engine :
       {"minhop", "xy", "dor", "dor:lanes=service", "updown", "updown:lanes=3", "prefix",
        "lash:lanes=8", "dl", "dmodk", "sssp", "dfsssp:lanes=8", "nue", "nue:lanes=4"})
    EXPECT_TRUE(met.contains(engine)) << engine;
  for (const std::string& engine : never) EXPECT_FALSE(met.contains(engine)) << engine;
}

TEST(OpensmFolder, HoldsTablesOfRandomFabrics) {
  std::size_t several = 0;
  for (int i = 0; i < tries(30); ++i) {
    const Fabric fabric = random_fabric(static_cast<std::uint64_t>(i), 16);
    for (const char* engine : {"updown:lanes=2", "dfsssp:lanes=8", "lash:lanes=8", "nue:lanes=3"}) {
      SCOPED_TRACE(fmt::format("{} on {}, seed {}", engine, fabric.name(), i));
      const Routed out = route(fabric, engine);
      if (std::holds_alternative<Refused>(out)) continue;
      const Tables& tables = std::get<Tables>(out);
      survives(fabric, tables);
      several += tables.lane_count > 1 ? 1U : 0U;
    }
  }
  EXPECT_GT(several, 0U);
}

/// a - b - c in a row, two LIDs a host; b has no host.
Fabric with_two_lids() {
  FabricBuilder builder("row");
  const SwitchId a = builder.add_switch({"a", 4, 0x1000, 11});
  const SwitchId b = builder.add_switch({"b", 4, 0x1001, 12});
  const SwitchId c = builder.add_switch({"c", 4, 0x1002, 13});
  builder.add_host({"h0", a, 4, {}, 0x2000, 0x2001, 2, 1, 1});
  builder.add_host({"h1", c, 4, {}, 0x2010, 0x2011, 4, 1, 1});
  builder.add_link({{a, 1}, {b, 1}, {}});
  builder.add_link({{b, 2}, {c, 1}, {}});
  return std::move(builder).build();
}

TEST(OpensmFolder, AllLidsAreReached) {
  const Fabric fabric = with_two_lids();
  const OpensmPlan plan = planned(fabric, routed(fabric, "updown"));
  const std::string lfts = text_of(plan, "lfts.dump");
  EXPECT_NE(lfts.find("guid 0x0000000000001000 ('a'):\n"
                      "0x0002 004 # Channel Adapter portguid 0x0000000000002001: 'h0'\n"
                      "0x0003 004 # Channel Adapter portguid 0x0000000000002001: 'h0'\n"
                      "0x0004 001 # Channel Adapter portguid 0x0000000000002011: 'h1'\n"
                      "0x0005 001 # Channel Adapter portguid 0x0000000000002011: 'h1'\n"
                      "0x000b 000 # Switch portguid 0x0000000000001000: 'a'\n"
                      "0x000c 001 # Switch portguid 0x0000000000001001: 'b'\n"
                      "0x000d 001 # Switch portguid 0x0000000000001002: 'c'\n"
                      "7 lids dumped\n"),
            std::string::npos)
      << lfts;
  EXPECT_EQ(text_of(plan, "guid2lid"),
            "0x0000000000002001 0x0002 0x0003\n\n0x0000000000002011 0x0004 0x0005\n\n"
            "0x0000000000001000 0x000b 0x000b\n\n0x0000000000001001 0x000c 0x000c\n\n"
            "0x0000000000001002 0x000d 0x000d\n\n");
  EXPECT_EQ(text_of(plan, "lid-matrix.dump"),
            "Switch: guid 0x0000000000001000\n"
            "0x000b: 00 # portguid 0x0000000000001000\n"
            "0x000c: ff 01 # portguid 0x0000000000001001\n"
            "0x000d: ff 02 # portguid 0x0000000000001002\n"
            "Switch: guid 0x0000000000001001\n"
            "0x000b: ff 01 # portguid 0x0000000000001000\n"
            "0x000c: 00 # portguid 0x0000000000001001\n"
            "0x000d: ff ff 01 # portguid 0x0000000000001002\n"
            "Switch: guid 0x0000000000001002\n"
            "0x000b: ff 02 # portguid 0x0000000000001000\n"
            "0x000c: ff 01 # portguid 0x0000000000001001\n"
            "0x000d: 00 # portguid 0x0000000000001002\n");
  EXPECT_EQ(text_of(plan, "opensm.conf"),
            "# Settings of OpenSM for the tables of updown, written by weft.\n"
            "routing_engine file,no_fallback\nlfts_file /place/lfts.dump\n"
            "lid_matrix_dump_file /place/lid-matrix.dump\nlmc 1\n");
  EXPECT_EQ(text_of(plan, "qos-policy.conf"), "none");
}

/// The same without LIDs, which guid2lid has.
Fabric without_lids(const Fabric& fabric) {
  FabricBuilder builder(fabric.name());
  for (SwitchId s : fabric.switches()) {
    Switch copy = fabric[s];
    copy.lid = 0;
    builder.add_switch(std::move(copy));
  }
  for (HostId h : fabric.hosts()) {
    Host copy = fabric[h];
    copy.lid = 0;
    builder.add_host(std::move(copy));
  }
  for (LinkId link : fabric.links()) builder.add_link(fabric[link]);
  return std::move(builder).build();
}

TEST(OpensmFolder, LidsComeBackFromGuid2lid) {
  for (const Fabric& fabric : {make_fabric("tree:k=2,n=2"), with_two_lids()}) {
    const OpensmPlan plan = planned(fabric, routed(fabric, "updown"));
    const TemporaryFolder folder;
    std::ofstream topology(folder / "fabric.toml");
    find_row(fabric_formats(), "format", "weft").write(topology, without_lids(plan.fabric));
    topology.close();
    std::ofstream(folder / "guid2lid") << text_of(plan, "guid2lid");
    EXPECT_TRUE(infiniband::folder_fabric(folder.path()) == plan.fabric) << fabric.name();
  }
}

/// Levels 0 and 1 between the hosts of two switches, and a lane for each.
Tables two_levels(const Fabric& fabric) {
  Tables tables = routed(fabric, "updown:columns=switch");
  ServiceLanes lanes{Grid<std::uint8_t>(column_count(tables), fabric.switch_count(), 0)};
  lanes.level[tables.to_host[HostId(1)]][0] = 1;
  tables.lanes = std::move(lanes);
  tables.lane_count = 2;
  return tables;
}

TEST(OpensmFolder, PolicyGroupsPortsWithTheSameLevels) {
  const Fabric fabric = with_two_lids();
  Tables tables = two_levels(fabric);
  const OpensmPlan plan = planned(fabric, tables);
  EXPECT_EQ(text_of(plan, "qos-policy.conf"),
            "# Service levels of pairs of ports, written by weft for its tables.\n"
            "port-groups\n"
            "  port-group\n    name: to0\n    port-guid: 0x0000000000002001\n  end-port-group\n"
            "  port-group\n    name: to1\n    port-guid: 0x0000000000002011\n  end-port-group\n"
            "  port-group\n    name: from0\n    port-guid: 0x0000000000002011\n  end-port-group\n"
            "  port-group\n    name: from1\n    port-guid: 0x0000000000002001\n  end-port-group\n"
            "end-port-groups\n\n"
            "qos-levels\n"
            "  qos-level\n    name: DEFAULT\n    sl: 0\n  end-qos-level\n"
            "  qos-level\n    name: SL1\n    sl: 1\n  end-qos-level\n"
            "end-qos-levels\n\n"
            "qos-match-rules\n"
            "  qos-match-rule\n    source: from1\n    destination: to1\n    qos-level-name: SL1\n"
            "  end-qos-match-rule\n"
            "end-qos-match-rules\n");
  const std::string settings = text_of(plan, "opensm.conf");
  for (const char* line : {"\nqos_policy_file /place/qos-policy.conf\n", "\nqos TRUE\n",
                           "\nqos_max_vls 2\n", "\nqos_sl2vl 0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n",
                           "\nqos_vlarb_low 0:64,1:64\n", "\nqos_ca_sl2vl 0,1,",
                           "\nqos_swe_sl2vl 0,1,", "\nqos_sw0_sl2vl 0,1,", "\nqos_rtr_sl2vl 0,1,"})
    EXPECT_NE(settings.find(line), std::string::npos) << line << "in\n" << settings;
}

TEST(OpensmFolder, LanesOfLevelsAreKept) {
  const Fabric fabric = with_two_lids();
  Tables tables = two_levels(fabric);
  std::get<ServiceLanes>(tables.lanes).map = uniform_map(fabric, {2, 5});
  tables.lane_count = 6;
  const OpensmPlan plan = planned(fabric, tables);
  EXPECT_NE(text_of(plan, "opensm.conf").find("qos_swe_sl2vl 2,5,2,2,"), std::string::npos);
  EXPECT_TRUE(survives(fabric, tables));
}

TEST(OpensmFolder, MulticastGetsItsOwnLaneWhereItWouldDeadlock) {
  const Fabric fabric = make_fabric("torus:dims=5x5");
  bool met = false;
  for (const char* engine : {"nue", "nue:lanes=2", "dfsssp:lanes=8", "lash:lanes=8"}) {
    const Routed out = route(fabric, engine);
    if (std::holds_alternative<Refused>(out)) continue;
    const OpensmPlan plan = planned(fabric, std::get<Tables>(out));
    if (plan.multicast_level == 0) continue;
    met = true;
    EXPECT_EQ(text_of(plan, "partitions.conf"),
              fmt::format("Default=0x7fff, ipoib, sl={} : ALL=full ;\n", plan.multicast_level));
    EXPECT_NE(text_of(plan, "opensm.conf").find("partition_config_file /place/partitions.conf\n"),
              std::string::npos);
    EXPECT_EQ(plan.multicast_lane, plan.lane_count() - 1);
  }
  EXPECT_TRUE(met);
}

TEST(OpensmFolder, RefusalsSayWhy) {
  const Fabric torus = make_fabric("torus:dims=5x5");
  EXPECT_EQ(why_not(torus, routed(torus, "dor:lanes=service")),
            "dor:lanes=service: its lanes depend on the ports that a packet comes by and leaves "
            "by, and stock OpenSM gives all ports of switches the same lanes: weft's "
            "plugin of OpenSM sets them (opensm -R weft; dfsssp, lash, nue and updown need none)");
  EXPECT_EQ(why_not(torus, routed(torus, "dor")).substr(0, 62),
            "dor: packets change their lane on the way (from h3 to h0, from");
  EXPECT_EQ(why_not(torus, routed(torus, "minhop:form=source")),
            "minhop:form=source: its routes are lists of ports from the source on; InfiniBand's "
            "switches go by destination");
  EXPECT_EQ(why_not(torus, routed(torus, "nue:lanes=12")),
            "nue:lanes=12: it needs 12 lanes; adapters and switches of InfiniBand have 8 data "
            "lanes");
  EXPECT_EQ(why_not(torus, routed(torus, "nue:lanes=20")),
            "nue:lanes=20: it uses service level 19; InfiniBand has those from 0 to 15");
  Tables unknown = routed(torus, "minhop");
  unknown.lanes = OneLane{true};
  EXPECT_EQ(why_not(torus, unknown),
            "minhop: the service levels of its paths are not known (ibdiagnet's .psl has them)");
}

TEST(OpensmFolder, RefusesWhatLidsCannotHave) {
  const Fabric fabric = with_two_lids();
  Tables tables = two_levels(fabric);
  auto& next = std::get<DestinationTables>(tables.paths);
  const std::vector<PortNumber> same(next[tables.to_host[HostId(1)]].begin(),
                                     next[tables.to_host[HostId(1)]].end());
  tables.further = {{HostId(1), 1, next.push_back(same)}};
  std::get<ServiceLanes>(tables.lanes).level.push_back(std::vector<std::uint8_t>{0, 0, 0});
  EXPECT_EQ(why_not(fabric, tables),
            "updown:columns=switch: the service levels to the LIDs of host \"h1\" differ, and "
            "OpenSM's policy goes by ports, not by LIDs");
  FabricBuilder builder("unlike");
  const SwitchId a = builder.add_switch({"a", 4});
  builder.add_host({"h0", a, 1, {}, 0x2000, 0x2001, 2, 1, 1});
  builder.add_host({"h1", a, 2, {}, 0x2010, 0x2011, 4, 1});
  const Fabric unlike = std::move(builder).build();
  EXPECT_EQ(why_not(unlike, routed(unlike, "updown")),
            "updown: host \"h0\" has 2 LIDs and \"h1\" has 1; OpenSM gives all ports as many");
  FabricBuilder large("large");
  large.add_host({"h", large.add_switch({"s", 255})});
  const Fabric wide = std::move(large).build();
  EXPECT_EQ(why_not(wide, routed(wide, "updown")),
            "updown: switch \"s\" has 255 ports; InfiniBand allows 254");
  FabricBuilder many("many");
  for (int i = 0; i < 200; ++i) {
    const SwitchId s = many.add_switch({fmt::format("s{}", i), 254});
    for (int k = 0; k < 250; ++k) many.add_host({fmt::format("h{}_{}", i, k), s});
  }
  EXPECT_EQ(why_not(std::move(many).build(), Tables{"none", {}}),
            "none: 50200 hosts and switches need LIDs; InfiniBand has 49151");
}

TEST(OpensmFolder, SwitchesWithoutHostsAnswer) {
  // A top switch that has lost its link to a leaf is on no route to it, but has to reach it.
  const Fabric whole = make_fabric("tree:k=3,n=2");
  const Fabric fabric = without(whole, "link=s3:1").fabric;
  const Tables tables = std::get<Tables>(route(fabric, "dmodk"));
  const auto missing = [&](const Tables& of) {
    const auto& next = std::get<DestinationTables>(of.paths);
    std::size_t out = 0;
    for (ColumnId column : next.ids())
      for (const PortNumber port : next[column]) out += port == no_port ? 1 : 0;
    return out;
  };
  EXPECT_EQ(missing(tables), 3U);
  const OpensmPlan plan = planned(fabric, tables);
  EXPECT_EQ(missing(plan.tables), 0U);
  EXPECT_EQ(pairs_that_differ(plan.fabric, tables, plan.tables), 0U);
  EXPECT_TRUE(std::holds_alternative<Certificate>(deadlock(plan.fabric, plan.tables)));
}

}  // namespace
}  // namespace weft::test::opensm_folder
