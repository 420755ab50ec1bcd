// SPDX-License-Identifier: Apache-2.0
// BookSim's anynet.
#include <gtest/gtest.h>

#include "format_support.hpp"

namespace weft::test::format_anynet {
namespace {

constexpr auto format = "anynet";

TEST(Anynet, ReadsWhatItWrites) {
  const std::string text = "router 0 node 0 node 1 3 router 1 15\nrouter 1 node 2 router 0 15\n";
  const Fabric fabric = parsed(text, format);
  EXPECT_EQ(fabric[SwitchId(0)].name, "s0");
  EXPECT_EQ(fabric[HostId(2)].name, "h2");
  EXPECT_EQ(fabric[HostId(0)].wire, Wire{});
  EXPECT_EQ(fabric[HostId(1)].wire.delay, Delay::cycles(2));
  EXPECT_EQ(fabric[LinkId(0)].wire.delay, Delay::cycles(14));
  EXPECT_EQ(fabric[LinkId(0)].a.port, 3) << "behind the hosts";
  EXPECT_EQ(written(fabric, format), text);
}

TEST(Anynet, ALinkAtBothEndsIsOneLink) {
  const Fabric fabric =
      parsed("router 0 router 1 5\nrouter 1 router 0 5\nnode 0 router 1\r\n\n", format);
  EXPECT_EQ(fabric.link_count(), 1);
  EXPECT_EQ(fabric[HostId(0)].on, SwitchId(1));
  EXPECT_EQ(parsed("router 0 router 1 5\nrouter 1 node 0\n", format), fabric);
}

TEST(Anynet, ARouterNeedsNoLineOfItsOwn) {
  const Fabric fabric = parsed("router 0 router 1\nnode 0 router 2\nrouter 0 router 2\n", format);
  EXPECT_EQ(fabric.switch_count(), 3);
  EXPECT_EQ(fabric.link_count(), 2);
}

/// Three switches in a line.
Fabric line(const Wire& first, const Wire& second) {
  FabricBuilder builder("f");
  for (const char* name : {"a", "b", "c"}) builder.add_switch({name, 4});
  builder.connect(SwitchId(0), SwitchId(1), first);
  builder.connect(SwitchId(2), SwitchId(1), second);
  return std::move(builder).build();
}

/// Besides the first one: BookSim's channels take a cycle at least.
TEST(Anynet, TimesAreRoundedUpToCyclesOfTheFastestLink) {
  const auto text = [](const Wire& first, const char* delay) {
    return written(line(first, {gigabits_per_second(8), delay_from(delay)}), format);
  };
  const Wire same, faster{gigabits_per_second(16), {}}, fastest{{std::int64_t{1} << 62}, {}};
  const std::string none = "router 0 router 1\nrouter 1 router 2\nrouter 2\n";
  const auto latency = [](std::string_view cycles) {
    return fmt::format("router 0 router 1\nrouter 1 router 2 {0}\nrouter 2 router 1 {0}\n", cycles);
  };
  EXPECT_EQ(text(same, "0ns"), none);
  EXPECT_EQ(text(same, "1ps"), latency("2"));
  EXPECT_EQ(text(same, "8ns"), latency("2"));
  EXPECT_EQ(text(same, "8.001ns"), latency("3"));
  EXPECT_EQ(text(faster, "8ns"), latency("3"));
  EXPECT_EQ(text(faster, "8cycles"), latency("9"));
  EXPECT_EQ(text(fastest, "8ps"), latency("9"));
  EXPECT_EQ(written(parsed("router 0\n", format), format), "router 0\n");
}

TEST(Anynet, DelaysThatAreTooLongCannotBeWritten) {
  const auto message = [](const char* delay) {
    return message_of([&] { written(line({}, {Wire{}.speed, delay_from(delay)}), format); });
  };
  EXPECT_EQ(written(line({}, {Wire{}.speed, Delay::cycles(4'294'967'294)}), format),
            "router 0 router 1\nrouter 1 router 2 4294967295\nrouter 2 router 1 4294967295\n");
  EXPECT_EQ(message("4294967295cycles"),
            "anynet: a link with a delay of 4294967295cycles is too long; 4294967294 cycles are "
            "the most");
  EXPECT_EQ(message("9223372036854775807cycles"),
            "anynet: a link with a delay of 9223372036854775807cycles is too long; 4294967294 "
            "cycles are the most");
  EXPECT_EQ(message("100s"),
            "anynet: a link with a delay of 100s is too long; 4294967294 cycles are the most");
}

TEST(Anynet, ParallelLinksCannotBeWritten) {
  FabricBuilder builder("f");
  builder.add_switch({"a", 4});
  builder.add_switch({"b", 4});
  builder.connect(SwitchId(0), SwitchId(1), {});
  builder.connect(SwitchId(0), SwitchId(1), {});
  const Fabric fabric = std::move(builder).build();
  EXPECT_EQ(message_of([&] { written(fabric, format); }),
            "anynet: two links join \"a\" and \"b\"; the format holds one");
}

TEST(Anynet, Messages) {
  const std::pair<const char*, const char*> cases[] = {
      {"router 0\nswitch 1", "2: \"switch\" is neither \"router\" nor \"node\""},
      {"router 0 router 1 5 6", "1: \"6\" is neither \"router\" nor \"node\""},
      {"router", "1: \"\" is not the number of a router"},
      {"router -1", "1: \"-1\" is not the number of a router"},
      {"router 0 node 99999999999", "1: \"99999999999\" is not the number of a node"},
      {"router 0 node 0 0", "1: \"0\" is not a latency; whole cycles, 1 or more, are needed"},
      {"router 0 node 0 x", "1: \"x\" is not a latency; whole cycles, 1 or more, are needed"},
      {"node 0 node 1", "1: node 0 is attached to a node; it needs a router"},
      {"router 0 router 0", "1: router 0 is linked to itself"},
      {"router 0 router 1 5\nrouter 1 router 0 6",
       "2: the link is in line 1 already, otherwise attached or with another latency"},
      {"router 0 router 1\nrouter 1 router 0\nrouter 0 router 1 6",
       "3: the link is in line 1 already, otherwise attached or with another latency"},
      {"router 0 node 0\nrouter 1 node 0",
       "2: the node is in line 1 already, otherwise attached or with another latency"},
      {"router 1", "1: router 0 is missing; they are numbered from 0 without gaps"},
      {"router 0 node 0 node 4294967295",
       "1: node 1 is missing; they are numbered from 0 without gaps"},
  };
  for (const auto& [text, message] : cases)
    EXPECT_EQ(fabric_message(text, format), "file:" + std::string(message));
}

}  // namespace
}  // namespace weft::test::format_anynet
