// SPDX-License-Identifier: Apache-2.0
// Fabrics and tables without some of their parts.
#include "fabric/without.hpp"

#include <gtest/gtest.h>

#include "../base/message.hpp"
#include "fabric/builder.hpp"
#include "fabric/walk.hpp"
#include "support/fabrics.hpp"

namespace weft::test {
namespace {

/// A ring of four switches with two hosts each, of which one has an awkward name.
Fabric small_ring() { return ring(4, 2); }

TEST(Without, NamesOfPartsInAnyForm) {
  FabricBuilder builder("named");
  const SwitchId a = builder.add_switch({.name = "MF0,leaf:1", .guid = 0x1F});
  const SwitchId b = builder.add_switch({.name = "spine", .lid = 9});
  builder.connect(a, b, {});
  builder.connect(a, b, {});
  builder.add_host({.name = "n1", .on = a});
  const Fabric fabric = std::move(builder).build();
  const Removal by_name = removal_from(fabric, "link=MF0,leaf:1:2,host=n1,switch=spine");
  EXPECT_EQ(by_name.links, (std::set{LinkId(1)}));
  EXPECT_EQ(by_name.hosts, (std::set{HostId(0)}));
  EXPECT_EQ(by_name.switches, (std::set{b}));
  EXPECT_EQ(removal_from(fabric, "link=lid 9:1").links, (std::set{LinkId(0)})) << "its other end";
  EXPECT_EQ(removal_from(fabric, "link=0x1f:3").hosts, (std::set{HostId(0)})) << "a host is there";
  EXPECT_EQ(removal_from(fabric, "link=spine:1,spine:2").links.size(), 2U);
  EXPECT_TRUE(removal_from(fabric, "").empty());
  EXPECT_EQ(to_text(fabric, by_name), "link=MF0,leaf:1:2,switch=spine,host=n1");
}

TEST(Without, NamesInQuotes) {
  FabricBuilder builder("named");
  const SwitchId a = builder.add_switch({.name = "a,link=b:1"});
  const SwitchId b = builder.add_switch({.name = "b"});
  const SwitchId c = builder.add_switch({.name = "c, rack 2 MF0;c:SX6036/U1"});
  builder.connect(a, b, {});
  builder.connect(b, c, {});
  const Fabric fabric = std::move(builder).build();
  const Removal removal = removal_from(fabric, "switch=\"a,link=b:1\",b,link=\"c, rack 2\":1");
  EXPECT_EQ(removal.switches, (std::set{a, b}));
  EXPECT_EQ(removal.links, (std::set{LinkId(1)}));
}

TEST(Without, WrongNames) {
  const Fabric fabric = small_ring();
  const auto wrong = [&](const char* text) {
    return message_of([&] { removal_from(fabric, text); });
  };
  EXPECT_EQ(wrong("link=s0"),
            "without \"link=s0\": a link is named by a switch and its port, as in link=s0:3; write "
            "link=SWITCH:PORT, switch=NAME or host=NAME, with commas between several");
  EXPECT_NE(wrong("link=s0:x").find("\"x\" is not the number of a port"), std::string::npos);
  EXPECT_NE(wrong("link=s0:9").find("nothing is connected to port 9 of \"s0\", which has 4 ports"),
            std::string::npos);
  EXPECT_NE(wrong("cable=s0:1").find("neither a link, a switch nor a host"), std::string::npos);
  EXPECT_EQ(wrong("switch=s9"),
            "the fabric has no switch \"s9\"; its switches are \"s0\" to \"s3\"");
  EXPECT_NE(wrong("link=s0:1,s9:1").find("no switch \"s9\""), std::string::npos);
}

TEST(Without, WhatRemainsKeepsItsNamesAndPorts) {
  const Fabric fabric = small_ring();
  const Remainder rest = without(fabric, "switch=s1,link=s3:1,host=h0");
  EXPECT_EQ(rest.fabric.switch_count(), 3U);
  EXPECT_EQ(rest.fabric.host_count(), 5U);
  EXPECT_EQ(rest.fabric.link_count(), 1U);
  for (SwitchId s : fabric.switches()) {
    if (!rest.switches[s].valid()) continue;
    EXPECT_EQ(rest.fabric[rest.switches[s]], fabric[s]) << "also as many ports";
  }
  for (HostId h : fabric.hosts()) {
    if (!rest.hosts[h].valid()) continue;
    Host host = rest.fabric[rest.hosts[h]];
    EXPECT_EQ(host.on, rest.switches[fabric[h].on]);
    host.on = fabric[h].on;
    EXPECT_EQ(host, fabric[h]);
  }
  EXPECT_EQ(rest.note, "without link s0:2 - s3:1, switch s1, host h0, and so without hosts h2, h3");
  EXPECT_EQ(without(fabric, "host=h0").note, "without host h0");
  EXPECT_EQ(without(fabric, "").note, "");
  EXPECT_EQ(without(fabric, "").fabric, fabric);
}

/// Hosts are reached by the tables that remain as long as their routes avoid what is gone.
TEST(Without, TablesLeadWhereTheyLed) {
  const Fabric fabric = small_ring();
  Tables tables{"by hand", IdVector<HostId, ColumnId>(8)};
  DestinationTables next(4, 4, here);
  for (HostId h : fabric.hosts()) tables.to_host[h] = ColumnId(fabric[h].on.index());
  for (std::size_t to = 0; to < 4; ++to)  // all the way round by the link to the next switch
    for (SwitchId s : fabric.switches())
      for (ChannelId c : fabric.out(s))
        if (s.index() != to && fabric.to(c).index() == (s.index() + 1) % 4)
          next[ColumnId(to)][s.index()] = fabric.out_port(c);
  tables.paths = next;
  tables.groups = {{"all", {HostId(0), HostId(3), HostId(6)}, {}, 0, {{SwitchId(1), {1, 2, 3}}}},
                   {"gone", {HostId(0)}, HostId(2), 0, {}}};
  const Remainder rest = without(fabric, "switch=s1");
  const Tables left = tables_without(tables, fabric, rest);
  EXPECT_NO_THROW(require_fit(rest.fabric, left));
  Walker walk(rest.fabric, left);
  const auto end = [&](const char* from, const char* to) {
    return walk(*rest.fabric.find_host(from), *rest.fabric.find_host(to)).end;
  };
  EXPECT_EQ(end("h4", "h0"), RouteEnd::reached) << "s2, s3, s0";
  EXPECT_EQ(end("h0", "h4"), RouteEnd::dead_port) << "s0, and s1 is gone";
  EXPECT_EQ(left.groups.size(), 1U);
  EXPECT_EQ(left.groups[0].members.size(), 2U);
  EXPECT_TRUE(left.groups[0].out.empty()) << "its only switch is gone";
  const Tables routes = tables_without(as_source_routes(fabric, tables), fabric, rest);
  EXPECT_NO_THROW(require_fit(rest.fabric, routes));
  Walker walk_routes(rest.fabric, routes);
  EXPECT_EQ(walk_routes(*rest.fabric.find_host("h4"), *rest.fabric.find_host("h0")).end,
            RouteEnd::reached);
}

}  // namespace
}  // namespace weft::test
