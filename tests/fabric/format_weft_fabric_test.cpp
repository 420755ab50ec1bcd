// SPDX-License-Identifier: Apache-2.0
// weft's own form of a fabric.
#include <gtest/gtest.h>

#include "format_support.hpp"

namespace weft::test::format_weft_fabric {
namespace {

const std::string small = R"(weft = "fabric 1"
name = "small"
speed = "6Gb/s"
delay = "0ps"
switches = [
  ["s0", 8, {at = [0, -1]}],
  ["s1", 4, {guid = "0x0002c90200000001", lid = 7}],
]
hosts = [
  ["h0", "s0", 5],
  ["h1", "s1", 1, {guid = "0x0000000000000010", port_guid = "0x0000000000000012", lid = 1, nic_port = 2, speed = "2Gb/s", delay = "25ns"}],
]
links = [
  ["s0", 1, "s1", 2],
  ["s0", 2, "s1", 3, {speed = "12Gb/s"}],
]
)";

TEST(WeftFabric, ReadsWhatItWrites) {
  const Fabric fabric = parsed(small, "weft");
  EXPECT_EQ(fabric.name(), "small");
  EXPECT_EQ(fabric[SwitchId(0)], (Switch{"s0", 8, 0, 0, {0, -1}}));
  EXPECT_EQ(fabric[SwitchId(1)], (Switch{"s1", 4, 0x2c90200000001, 7, {}}));
  const Wire six{gigabits_per_second(6), Duration{0}};
  EXPECT_EQ(fabric[HostId(0)], (Host{"h0", SwitchId(0), 5, six, 0, 0, 0, 1}));
  const Wire two{gigabits_per_second(2), delay_from("25ns")};
  EXPECT_EQ(fabric[HostId(1)], (Host{"h1", SwitchId(1), 1, two, 0x10, 0x12, 1, 2}));
  EXPECT_EQ(fabric[LinkId(0)], (Link{{SwitchId(0), 1}, {SwitchId(1), 2}, six}));
  EXPECT_EQ(fabric[LinkId(1)].wire.speed, gigabits_per_second(12));
  EXPECT_EQ(written(fabric, "weft"), small);
}

TEST(WeftFabric, ShortForms) {
  const Fabric fabric = parsed(R"(
    # by hand
    weft = "fabric 1"
    switches = ["a", ["b"], ["c", 0], ["d", 9]]
    hosts = [["h", "a"], ["i", "a", 0]]
    links = [["a", "b"], ["a", "b", 1], ["a", 1, "c"], ["a", 0, "d", 0]]
  )",
                               "weft");
  EXPECT_EQ(fabric.name(), "file");
  EXPECT_EQ(fabric[HostId(0)].port, 2) << "1 is named by a link";
  EXPECT_EQ(fabric[HostId(1)].port, 3);
  EXPECT_EQ(fabric[LinkId(0)].a.port, 4);
  EXPECT_EQ(fabric[LinkId(0)].b.port, 2) << "1 is named by the next link";
  EXPECT_EQ(fabric[LinkId(1)].b.port, 1);
  EXPECT_EQ(fabric[LinkId(2)].a.port, 1);
  EXPECT_EQ(fabric[SwitchId(0)].ports, 6);
  EXPECT_EQ(fabric[SwitchId(3)].ports, 9);
  EXPECT_EQ(fabric[LinkId(0)].wire, Wire{});
}

TEST(WeftFabric, LineEndsOfWindows) {
  std::string text;
  for (const char letter : small) text += letter == '\n' ? "\r\n" : std::string{letter};
  EXPECT_EQ(parsed(text, "weft"), parsed(small, "weft"));
}

TEST(WeftFabric, SpeedsSurviveToTheBit) {
  // Found by the random fabrics: speeds went through a double and came back rounded.
  constexpr std::int64_t speeds[] = {4'503'599'627'370'497, 9'007'199'254'740'993,
                                     9'199'999'999'999'999'999, 1'500'000'001};
  for (const std::int64_t speed : speeds) {
    FabricBuilder builder("f");
    builder.add_switch({"s0", 2});
    builder.add_switch({"s1", 2});
    builder.connect(SwitchId(0), SwitchId(1), {{speed}, Duration{speed}});
    const Fabric fabric = std::move(builder).build();
    EXPECT_EQ(parsed(written(fabric, "weft"), "weft"), fabric) << speed;
  }
}

struct Case {
  std::string_view what, by, message;
};

TEST(WeftFabric, Messages) {
  const Case cases[] = {
      {"fabric 1", "fabric 2",
       "1: not a fabric of a known version; it begins with weft = \"fabric 1\""},
      {"name =", "nam =",
       "2: \"nam\" is not known here; there are: weft, name, speed, delay, latency, switches, "
       "hosts, links"},
      {"\"small\"", "3", "1: name: a text in quotes is needed"},
      {"\"small\"", "\"a\\nb\"",
       "1: the fabric's name \"a?b\" contains control characters; write plain text"},
      {"\"6Gb/s\"", "\"6\"",
       "1: \"6\" is not a speed: write a number and one of Tb/s, Gb/s, Mb/s, kb/s, b/s, TB/s, "
       "GB/s, MB/s, kB/s, B/s"},
      {"\"6Gb/s\"", "6", "1: speed: write it as \"6Gb/s\" or \"25ns\""},
      {"\"25ns\"", "\"0.1\"",
       "11: \"0.1\" is not a delay: write a number and one of s, ms, us, ns, ps, cycles"},
      {"\"2Gb/s\"", "\"0Gb/s\"", "11: a link needs a speed above zero"},
      {"\"2Gb/s\"", "\"1e99Gb/s\"",
       "11: \"1e99Gb/s\" is not a speed: write a number and one of Tb/s, Gb/s, Mb/s, kb/s, b/s, "
       "TB/s, GB/s, MB/s, kB/s, B/s"},
      {"[\"s0\", 8, {at = [0, -1]}]", "8",
       "6: a row of the form [\"name\", ports, {guid, lid, at, latency}] is expected"},
      {"[\"s0\", 8, {at = [0, -1]}]", "[]",
       "6: a row of the form [\"name\", ports, {guid, lid, at, latency}] is expected"},
      {"{at = [0, -1]}", "{at = [0, -1]}, 3",
       "6: a row of the form [\"name\", ports, {guid, lid, at, latency}] is expected"},
      {"at =", "as =", "6: \"as\" is not known here; there are: guid, lid, at, latency"},
      {"[0, -1]", "0", "6: at: write coordinates as [0, 1]"},
      {"-1]", "9999999999]",
       "6: a coordinate: a whole number from -1000000000 to 1000000000 is needed"},
      {"\"s0\", 8", "\"s0\", 65001", "6: a port number: a whole number from 0 to 65000 is needed"},
      {"\"s0\", 8", "\"s0\", -1", "6: a port number: a whole number from 0 to 65000 is needed"},
      {"\"0x0002c90200000001\"", "5", "7: guid: write it as \"0x0002c90200000001\""},
      {"\"0x0002c90200000001\"", "\"0x\"", "7: guid: write it as \"0x0002c90200000001\""},
      {"lid = 7", "lid = 65536", "7: lid: a whole number from 0 to 65535 is needed"},
      {"lid = 7", "lid = 65535", "7: \"s1\" has LID 65535; unicast LIDs end at 49151"},
      {"lid = 7", "lid = 1", "11: LID 1 belongs to both \"s1\" and \"h1\""},
      {"[\"s1\", 4", "[\"s0\", 4",
       "11: no switch is called \"s1\"; it must be in the list of switches"},
      {"\"s0\", 5]", "\"s9\", 5]",
       "10: no switch is called \"s9\"; it must be in the list of switches"},
      {"\"s0\", 5]", "\"s0\", 1]", "14: port 1 of switch \"s0\" is used twice"},
      {"\"s0\", 5]", "\"s0\", 9]", "10: switch \"s0\" has 8 ports, there is no port 9"},
      {"\"h1\"", "\"h0\"", "11: host \"h0\" appears twice"},
      {"0x0000000000000012", "0x0002c90200000001",
       "11: GUID 0x0002c90200000001 belongs to both \"s1\" and \"h1\""},
      {"\"s1\", 2]", "\"s0\", 2]", "14: a link joins switch \"s0\" with itself"},
      {"\"s1\", 2]", "\"s1\", 2, 3]",
       "14: a row of the form [\"switch\", port, \"switch\", port, {speed, delay}] is expected"},
      {"speed = \"12Gb/s\"", "width = 4",
       "15: \"width\" is not known here; there are: speed, delay"},
      {"hosts = [", "hosts = 3 # [", "10: Error while parsing table header: expected ']'"},
  };
  for (const auto& [what, by, message] : cases)
    EXPECT_EQ(fabric_message(replaced(small, what, by), "weft").substr(0, 5 + message.size()),
              "file:" + std::string(message));
  EXPECT_EQ(fabric_message("weft = \"fabric 1\"\nhosts = 3", "weft"),
            "file:2: hosts: a list of rows is needed");
  EXPECT_EQ(fabric_message("weft = \"fabric 1\"\nswitches = [\"a\", \"a\"]", "weft"),
            "file:2: switch \"a\" appears twice");
}

TEST(WeftFabric, HostileTexts) {
  const std::string head = "weft = \"fabric 1\"\n";
  EXPECT_EQ(fabric_message(head + "name = \"" + std::string(10'000'000, 'n') + "\"", "weft"),
            "file:1: the fabric's name is 10000000 bytes long; at most 4000 are possible");
  EXPECT_EQ(
      fabric_message(head + "switches = [\"\\n" + std::string(10'000'000, 's') + "\"]", "weft"),
      "file:2: the name of a switch is 10000001 bytes long (\"?sssssssssssssssssss…\"); at most "
      "255 "
      "are possible");
  EXPECT_EQ(fabric_message(head + "switches = [\"a\\u0007\"]", "weft"),
            "file:2: the name of a switch contains a quote, a backslash or a control character");
  EXPECT_NE(fabric_message(head + "x = " + std::string(100'000, '['), "weft").find("file:2: "),
            std::string::npos);
}

TEST(WeftFabric, LongDottedKeysDoNotOverflowTheStack) {
  const std::string head = "weft = \"fabric 1\"\n";
  const auto repeated = [](std::string_view part) {
    std::string out = "x";
    for (int i = 0; i < 300'000; ++i) out += part;
    return out;
  };
  const std::string message = "file:2: a key has more than 16 parts; make it shorter";
  EXPECT_EQ(fabric_message(head + repeated(".x") + " = 1", "weft"), message);
  EXPECT_EQ(fabric_message(head + "[" + repeated(".x") + "]", "weft"), message);
  EXPECT_EQ(fabric_message(head + repeated(".\",\"") + " = 1", "weft"), message);
  EXPECT_EQ(fabric_message(head + repeated(". '=' ") + " = 1", "weft"), message);
  EXPECT_EQ(
      fabric_message(head + "y = [\"\"\"it's\"\"\"\"\", {" + repeated(".x") + " = 1}]", "weft"),
      message);
  EXPECT_EQ(fabric_message(head + "y = ['''\"''', \"\\\"\", {" + repeated(".x") + "=1}]", "weft"),
            message);
  EXPECT_EQ(fabric_message(head + "y = ['''it's one''', {" + repeated(".x") + "=1}]", "weft"),
            message);
  EXPECT_EQ(fabric_message(head + "y = \"\"\"\\", "weft").substr(0, 7), "file:2:");
}

TEST(WeftFabric, DotsInNamesAreNoKeys) {
  const std::string name = "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t";
  const Fabric fabric =
      parsed("weft = \"fabric 1\" # " + name + "\nswitches = [\"" + name + "\"]", "weft");
  EXPECT_EQ(fabric[SwitchId(0)].name, name);
  const std::string head = "weft = \"fabric 1\"\nswitches = []\n";
  EXPECT_EQ(parsed(head + "name = '''it's " + name + "'''", "weft").name(), "it's " + name);
}

TEST(WeftFabric, EveryNameOfAFabric) {
  for (const std::string name : {" x ", "\"", "\\", "\\u0041", "'", "#", "ü"})
    EXPECT_EQ(parsed(written(FabricBuilder(name).build(), "weft"), "weft").name(), name);
}

TEST(WeftFabric, AShortFileCannotAskForMillionsOfPorts) {
  std::string text = "weft = \"fabric 1\"\nswitches = [\n";
  for (int i = 0; i < 20; ++i) text += "[\"s" + std::to_string(i) + "\", 65000],\n";
  EXPECT_EQ(
      fabric_message(text + "]", "weft"),
      "file:19: more than 1054048 ports up to here; a file of 342 bytes cannot mean that many "
      "(leave the port count out, or 0)");
  text = "weft = \"fabric 1\"\nswitches = [\"z\"";
  std::string hosts = "]\nhosts = [[\"h\", \"z\"]";
  for (int i = 0; i < 20; ++i) {
    text += ", \"s" + std::to_string(i) + "\"";
    hosts += ",\n[\"h" + std::to_string(i) + "\", \"s" + std::to_string(i) + "\", 65000]";
  }
  EXPECT_NE(fabric_message(text + hosts + "]", "weft").find("file:20: more than "),
            std::string::npos);
  EXPECT_EQ(parsed("weft = \"fabric 1\"\nswitches = [[\"s\", 65000]]", "weft")[SwitchId(0)].ports,
            65000);
}

TEST(WeftFabric, PortsRunOut) {
  std::string text = "weft = \"fabric 1\"\nswitches = [\"s\"]\nhosts = [\n";
  for (int i = 0; i < 65001; ++i) text += "[\"h" + std::to_string(i) + "\", \"s\"],\n";
  EXPECT_EQ(fabric_message(text + "]", "weft"),
            "file:65004: switch \"s\" has 65000 ports, there is no port 65001");
}

TEST(WeftFabric, LatenciesOfSwitches) {
  const std::string text =
      "weft = \"fabric 1\"\nname = \"f\"\nspeed = \"8Gb/s\"\ndelay = \"0ps\"\nlatency = \"130ns\"\n"
      "switches = [\n  [\"a\", 2],\n  [\"b\", 2, {latency = \"90ns\"}],\n  [\"c\", 2],\n]\n"
      "hosts = [\n]\nlinks = [\n  [\"a\", 1, \"b\", 1],\n  [\"b\", 2, \"c\", 1],\n]\n";
  const Fabric fabric = read_fabric({"f.toml", text});
  EXPECT_EQ(fabric[SwitchId(0)].latency, duration_from("130ns"));
  EXPECT_EQ(fabric[SwitchId(1)].latency, duration_from("90ns"));
  EXPECT_EQ(written(fabric, "weft"), text);
}

}  // namespace
}  // namespace weft::test::format_weft_fabric
