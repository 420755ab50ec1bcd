// SPDX-License-Identifier: Apache-2.0
// Switches and hosts by name, GUID and LID.
#include "fabric/names.hpp"

#include <gtest/gtest.h>

#include "fabric/builder.hpp"
#include "format_support.hpp"

namespace weft::test {
namespace {

Fabric named() {
  FabricBuilder builder("named");
  const SwitchId a =
      builder.add_switch({.name = "MF0;leaf1:MQM8700/U1", .guid = 0x98039b0300a1b2c3, .lid = 12});
  builder.add_switch({.name = "lid 12", .guid = 0x1, .lid = 14});
  builder.add_host(
      {.name = "node1 HCA-1", .on = a, .guid = 0x10, .port_guid = 0x11, .lid = 4, .lmc = 2});
  builder.add_host({.name = "node2 port 1", .on = a, .guid = 0x20, .port_guid = 0x21, .lid = 8});
  builder.add_host(
      {.name = "node2 port 2", .on = a, .guid = 0x20, .port_guid = 0x22, .lid = 9, .nic_port = 2});
  return std::move(builder).build();
}

TEST(FabricNames, ByNameGuidAndLid) {
  const Fabric fabric = named();
  const SwitchId a(0), b(1);
  EXPECT_EQ(switch_called(fabric, "MF0;leaf1:MQM8700/U1"), a);
  EXPECT_EQ(switch_called(fabric, "0x98039b0300a1b2c3"), a);
  EXPECT_EQ(switch_called(fabric, "lid:12"), a);
  EXPECT_EQ(switch_called(fabric, "LID12"), a);
  EXPECT_EQ(switch_called(fabric, "lid=0xe"), b);
  EXPECT_EQ(switch_called(fabric, "lid 12"), b) << "a name comes before a LID";
  EXPECT_EQ(host_called(fabric, "0x11"), HostId(0));
  EXPECT_EQ(host_called(fabric, "0x10"), HostId(0)) << "of its NIC";
  EXPECT_EQ(host_called(fabric, "0x22"), HostId(2));
  EXPECT_EQ(host_called(fabric, "lid 8"), HostId(1));
}

TEST(FabricNames, ByTheBeginningOfAName) {
  const Fabric fabric = named();
  EXPECT_EQ(switch_called(fabric, "leaf1"), SwitchId(0));
  EXPECT_EQ(switch_called(fabric, "MF0;leaf1"), SwitchId(0));
  EXPECT_EQ(host_called(fabric, "node1"), HostId(0));
  EXPECT_EQ(host_called(fabric, "lid 6"), HostId(0)) << "a further LID";
  EXPECT_EQ(further_lid_called(fabric, HostId(0), "lid 6"), 2U);
  EXPECT_EQ(further_lid_called(fabric, HostId(0), "lid 4"), 0U);
  EXPECT_EQ(further_lid_called(fabric, HostId(0), "node1"), 0U);
  EXPECT_FALSE(find_host_called(fabric, "lid 3"));
  EXPECT_FALSE(find_host_called(fabric, "node"));
  EXPECT_FALSE(find_host_called(fabric, "node2"));
  EXPECT_EQ(message_of([&] { host_called(fabric, "node2"); }),
            "2 hosts begin with \"node2\": \"node2 port 1\", \"node2 port 2\"");
  EXPECT_EQ(message_of([&] { host_called(fabric, "node"); }),
            "3 hosts begin with \"node\": \"node1 HCA-1\", \"node2 port 1\", \"node2 port 2\"");
  EXPECT_EQ(
      message_of([&] { switch_called(fabric, "laef1"); }),
      "the fabric has no switch \"laef1\"; its switches are \"MF0;leaf1:MQM8700/U1\" to \"lid "
      "12\"; did you mean leaf1?");
}

TEST(FabricNames, Quotes) {
  EXPECT_EQ(unquoted("\"a, b\""), "a, b");
  EXPECT_EQ(unquoted("a\""), "a\"");
  EXPECT_EQ(unquoted("\""), "\"");
  EXPECT_EQ(unquoted("\"a\",\"b\""), "\"a\",\"b\"");
  EXPECT_EQ(open_comma("\"a,b\",c"), 5U);
  EXPECT_EQ(open_comma("a,b,c", 2), 3U);
  EXPECT_EQ(open_comma("\"a,b"), 4U);
}

TEST(FabricNames, WhatNobodyIsCalled) {
  const Fabric fabric = named();
  EXPECT_FALSE(find_host_called(fabric, "0x20")) << "two ports have it";
  EXPECT_FALSE(find_host_called(fabric, "0x"));
  EXPECT_FALSE(find_host_called(fabric, "lid 0"));
  EXPECT_FALSE(find_host_called(fabric, "lid"));
  EXPECT_FALSE(find_switch_called(fabric, "lid 7")) << "of a host";
  EXPECT_EQ(message_of([&] { host_called(fabric, "noed1 HCA-1"); }),
            "the fabric has no host \"noed1 HCA-1\"; its hosts are \"node1 HCA-1\" to \"node2 port "
            "2\"; did you mean node1 HCA-1?");
  EXPECT_EQ(message_of([&] { host_called(fabric, "node3 HCA-1"); }),
            "the fabric has no host \"node3 HCA-1\"; its hosts are \"node1 HCA-1\" to \"node2 port "
            "2\"");
}

}  // namespace
}  // namespace weft::test
