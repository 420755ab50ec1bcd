// SPDX-License-Identifier: Apache-2.0
// Links that are slower than others of their kind.
#include "fabric/slow_links.hpp"

#include <gtest/gtest.h>

#include "fabric/builder.hpp"

namespace weft::test {
namespace {

using SlowLines = std::vector<std::string>;

/// Two switches with so many links of these speeds, in Gb/s, and hosts.
Fabric with_speeds(const std::vector<std::int64_t>& links, const std::vector<std::int64_t>& hosts) {
  FabricBuilder builder("speeds");
  const SwitchId a = builder.add_switch({.name = "a MF0;sw1:SX6036/U1"});
  const SwitchId b = builder.add_switch({.name = "b"});
  for (const std::int64_t speed : links) builder.connect(a, b, {gigabits_per_second(speed)});
  for (std::size_t i = 0; i < hosts.size(); ++i)
    builder.add_host(
        {.name = "h" + std::to_string(i), .on = a, .wire = {gigabits_per_second(hosts[i])}});
  return std::move(builder).build();
}

TEST(SlowLinks, OneLineForAKind) {
  EXPECT_EQ(slow_links(with_speeds({}, {})), SlowLines{});
  EXPECT_EQ(slow_links(with_speeds({100, 100}, {25, 25})), SlowLines{}) << "kinds may differ";
  EXPECT_EQ(slow_links(with_speeds({100, 100, 25, 200}, {50})),
            SlowLines{"1 link between switches is slower than the usual 100Gb/s: a:3 - b:3 "
                      "(25Gb/s)"});
  EXPECT_EQ(slow_links(with_speeds({}, {9, 9, 9, 9, 9, 9, 1, 2, 3, 4, 5, 10})),
            SlowLines{"5 links of hosts are slower than the usual 9Gb/s: h6 (1Gb/s), h7 (2Gb/s), "
                      "h8 (3Gb/s), h9 (4Gb/s) and 1 more"});
}

}  // namespace
}  // namespace weft::test
