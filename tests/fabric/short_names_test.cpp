// SPDX-License-Identifier: Apache-2.0
// Short names of switches and hosts, and texts with them.
#include "fabric/short_names.hpp"

#include <gtest/gtest.h>

#include "fabric/builder.hpp"

namespace weft::test {
namespace {

TEST(ShortNames, WhatStandsBeforeTheHardware) {
  const std::pair<const char*, const char*> cases[] = {
      {"leaf03 MF0;ib-sw03:SX6036/U1", "leaf03"},
      {"MF0;leaf03:MQM8700/U1", "leaf03"},
      {"node017 HCA-1", "node017"},
      {"node017 mlx5_0", "node017"},
      {"node017.cluster hfi1_1", "node017.cluster"},
      {"MF0;:MQM8700/U1", "MF0;:MQM8700/U1"},
      {"MF0;leaf03", "MF0;leaf03"},
      {" HCA-1", " HCA-1"},
      {"Mellanox Technologies Aggregation Node", "Mellanox Technologies Aggregation Node"},
      {"", ""},
  };
  for (const auto& [name, cut] : cases) EXPECT_EQ(short_name(name), cut);
}

TEST(ShortNames, BeginningsEndWhereWordsDo) {
  const char* const name = "leaf03 MF0;ib-sw03:SX6036/U1";
  for (const char* text : {"leaf03", "leaf03 MF0", "leaf03 MF0;ib-sw03"})
    EXPECT_TRUE(begins_name(text, name)) << text;
  for (const char* text :
       {"", "leaf", "leaf0", "ib-sw03", "leaf03 MF0;ib-sw03:SX6036/U1", "leaf033"})
    EXPECT_FALSE(begins_name(text, name)) << text;
  EXPECT_TRUE(begins_name("ib-sw03", "MF0;ib-sw03:SX6036/U1"));
  EXPECT_TRUE(begins_name("leaf03", "leaf03, rack 7, row B"));
}

TEST(ShortNames, InTexts) {
  FabricBuilder builder("named");
  const SwitchId a = builder.add_switch({.name = "leaf1 MF0;sw1:SX6036/U1"});
  builder.add_host({.name = "node1 HCA-1", .on = a});
  builder.add_host({.name = "node2 HCA-1", .on = a});
  builder.add_host({.name = "node2 HCA-2", .on = a});
  builder.add_host({.name = "leaf2 HCA-1", .on = a});
  builder.add_switch({.name = "leaf2"});
  const ShortNames names(std::move(builder).build());
  EXPECT_EQ(names.in("leaf1 MF0;sw1:SX6036/U1:3 > node1 HCA-1, node1 HCA-1"),
            "leaf1:3 > node1, node1");
  EXPECT_EQ(names.in("node2 HCA-1 and node2 HCA-2"), "node2 HCA-1 and node2 HCA-2") << "not unique";
  EXPECT_EQ(names.in("leaf2 HCA-1"), "leaf2 HCA-1") << "a switch is called so";
  EXPECT_EQ(names.in("my-node1 HCA-1, node1 HCA-10"), "my-node1 HCA-1, node1 HCA-10");
}

}  // namespace
}  // namespace weft::test
