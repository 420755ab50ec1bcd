// SPDX-License-Identifier: Apache-2.0
// Tables of the same fabric at another time.
#include "fabric/rematch.hpp"

#include <gtest/gtest.h>

#include "fabric/builder.hpp"
#include "format_support.hpp"
#include "infiniband_support.hpp"

namespace weft::test {
namespace {

Tables tables_of(const Fabric& fabric) {
  return read_tables({"file",
                      "Unicast lids guid 0x1000\n0x0002 4\n0x0003 4\n0x0004 1\n0x0006 2\n"
                      "Unicast lids guid 0x1001\n0x0002 1\n0x0003 2\n0x0004 4\n0x0006 3\n"},
                     fabric, "opensm");
}

/// The small fabric with its switches and hosts in another order, changed by a function of a host.
template <class Change>
Fabric changed(Change change) {
  const Fabric fabric = infiniband_fabric();
  FabricBuilder builder("later");
  IdVector<SwitchId, SwitchId> now(fabric.switch_count());
  for (std::size_t i = fabric.switch_count(); i-- > 0;)
    now[SwitchId(i)] = builder.add_switch(fabric[SwitchId(i)]);
  for (std::size_t i = fabric.host_count(); i-- > 0;) {
    Host host = fabric[HostId(i)];
    host.on = now[host.on];
    change(host);
    builder.add_host(std::move(host));
  }
  for (LinkId l : fabric.links()) {
    Link link = fabric[l];
    link.a.on = now[link.a.on];
    link.b.on = now[link.b.on];
    builder.add_link(link);
  }
  return std::move(builder).build();
}

TEST(Rematch, LidsAndOrder) {
  const Fabric before = infiniband_fabric();
  const Fabric now = changed([](Host& host) { host.lid = static_cast<Lid>(host.lid + 100); });
  const NotedTables matched = rematch(tables_of(before), before, now);
  EXPECT_EQ(matched.notes,
            std::vector<std::string>{"3 hosts have other LIDs there; matched by GUID"});
  const auto& next = std::get<DestinationTables>(matched.tables.paths);
  const HostId h0 = *now.find_host("h0"), h2 = *now.find_host("h2");
  const SwitchId a = *now.find_switch("a"), b = *now.find_switch("b");
  EXPECT_EQ(next[matched.tables.to_host[h0]][a.index()], here);
  EXPECT_EQ(next[matched.tables.to_host[h0]][b.index()], 1);
  EXPECT_EQ(next[matched.tables.to_host[h2]][a.index()], 2);
  ASSERT_EQ(matched.tables.further.size(), 1U) << "the second LID";
  EXPECT_EQ(matched.tables.further[0].host, h0);
}

TEST(Rematch, HostsThatComeGoAndMove) {
  const Fabric before = infiniband_fabric();
  const Fabric now = changed([](Host& host) {
    if (host.name == "h0") host.lmc = 0;
    if (host.name == "h1") {
      host.port_guid = 0x9999;
      host.name = "new";
      host.port = 3;
    }
    if (host.name == "h2") host.port = 4;
  });
  const NotedTables matched = rematch(tables_of(before), before, now);
  EXPECT_EQ(matched.notes,
            (std::vector<std::string>{"1 host is at another port there, and so has no routes",
                                      "1 host is not there, and so has no routes"}));
  EXPECT_TRUE(matched.tables.further.empty()) << "h0 has one LID now";
  EXPECT_TRUE(matched.tables.to_host[*now.find_host("h0")].valid());
  EXPECT_FALSE(matched.tables.to_host[*now.find_host("new")].valid());
  EXPECT_FALSE(matched.tables.to_host[*now.find_host("h2")].valid());
}

TEST(Rematch, OtherSwitchesAreAnotherFabric) {
  const Fabric before = infiniband_fabric();
  const auto message = [&](const Switch& third) {
    FabricBuilder builder("other");
    builder.add_switch(before[SwitchId(0)]);
    builder.add_switch(before[SwitchId(1)]);
    builder.add_switch(third);
    const Fabric other = std::move(builder).build();
    return message_of([&] { rematch(tables_of(before), before, other); });
  };
  EXPECT_EQ(message({"d", 4, 0x7777}),
            "they are for another fabric: 1 of 3 switches are not there");
  EXPECT_EQ(message({"c", 8, 0x1002}),
            "they are for another fabric: switch \"c\" has 4 ports there, and 8 here");
}

}  // namespace
}  // namespace weft::test
