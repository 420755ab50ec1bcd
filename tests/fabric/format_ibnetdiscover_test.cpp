// SPDX-License-Identifier: Apache-2.0
// ibnetdiscover's text: recorded fabrics, names that must be distinguished, and broken files.
#include <gtest/gtest.h>

#include "fabric/format/addresses.hpp"
#include "fabric/format/infiniband_rate.hpp"
#include "format_support.hpp"

namespace weft::test::format_ibnetdiscover {
namespace {

constexpr auto format = "ibnetdiscover";

Fabric again(const Fabric& fabric) { return parsed(written(fabric, format), format); }

// Two switches of one name with two links, and a NIC with two ports.
const std::string small = R"(# Fabric: two racks
vendid=0x2c9
switchguid=0x100000(100000)
Switch	8 "S-0000000000100000"		# "sw" base port 0 lid 3 lmc 0
[1]	"S-0000000000100004"[2]		# "sw" lid 4 4xQDR
[2][ext 7]	"S-0000000000100004"[1]		# "sw" lid 4 6Gb/s 25ns
[5]	"H-0000000000200000"[1](200001) 		# "h # 0" lid 1 4xEDR
[6]	"H-0000000000200000"[2](200002) 		# "h # 0" lid 2 1xSDR

switchguid=0x100004(100004)
Switch	8 "S-0000000000100004"		# "sw" enhanced port 0 lid 4 lmc 0
[2]	"S-0000000000100000"[1]		# "sw" lid 3 4xQDR
[1]	"S-0000000000100000"[2]		# "sw" lid 3 6Gb/s 25ns

caguid=0x200000
Ca	2 "H-0000000000200000"		# "h # 0"
[1](200001) 	"S-0000000000100000"[5]		# lid 1 lmc 0 "sw" lid 3 4xEDR
[2](200002) 	"S-0000000000100000"[6]		# lid 2 lmc 0 "sw" lid 3 1xSDR
)";

TEST(Ibnetdiscover, Reads) {
  const Fabric fabric = parsed(small, format);
  EXPECT_EQ(fabric.name(), "two racks");
  EXPECT_EQ(fabric[SwitchId(0)], (Switch{"sw [S-0000000000100000]", 8, 0x100000, 3, {}}));
  EXPECT_EQ(fabric[SwitchId(1)], (Switch{"sw [S-0000000000100004]", 8, 0x100004, 4, {}}));
  const SwitchId on(0);
  EXPECT_EQ(fabric[HostId(0)],
            (Host{"h # 0", on, 5, {gigabits_per_second(100), {}}, 0x200000, 0x200001, 1, 1}));
  EXPECT_EQ(fabric[HostId(1)], (Host{"h # 0 [H-0000000000200000:2]",
                                     on,
                                     6,
                                     {gigabits_per_second(2), {}},
                                     0x200000,
                                     0x200002,
                                     2,
                                     2}));
  EXPECT_EQ(fabric[LinkId(0)],
            (Link{{on, 1}, {SwitchId(1), 2}, {gigabits_per_second(32), Duration{0}}}));
  EXPECT_EQ(fabric[LinkId(1)],
            (Link{{on, 2}, {SwitchId(1), 1}, {gigabits_per_second(6), delay_from("25ns")}}));
}

TEST(Ibnetdiscover, WritesTheDescriptionsItRead) {
  const Fabric fabric = parsed(small, format);
  const std::string text = written(fabric, format);
  EXPECT_NE(text.find("Switch\t8 \"S-0000000000100000\"\t\t# \"sw\" base port 0 lid 3 lmc 0\n"
                      "[1]\t\"S-0000000000100004\"[2]\t\t# \"sw\" lid 4 4xQDR\n"
                      "[2]\t\"S-0000000000100004\"[1]\t\t# \"sw\" lid 4 6Gb/s 25ns\n"
                      "[5]\t\"H-0000000000200000\"[1](200001) \t\t# \"h # 0\" lid 1 4xEDR\n"
                      "[6]\t\"H-0000000000200000\"[2](200002) \t\t# \"h # 0\" lid 2 1xSDR\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("[S-0"), std::string::npos) << "no suffix in the file";
  EXPECT_EQ(parsed(text, format), fabric);
}

TEST(Ibnetdiscover, RecordedFabricsSurvive) {
  for (const char* file : {"mesh4x4/ibnetdiscover.txt", "irr16/ibnetdiscover.txt"}) {
    const Fabric fabric = read_fabric(read_source(recorded(file)));
    EXPECT_EQ(again(fabric), fabric) << file;
  }
  const Fabric irregular = read_fabric(read_source(recorded("irr16/ibnetdiscover.txt")));
  EXPECT_EQ(irregular.switch_count(), 16);
  EXPECT_EQ(irregular.host_count(), 64);
  EXPECT_EQ(irregular.link_count(), 31);
  EXPECT_EQ(irregular[SwitchId(0)].name, "sw_8") << "the order of the file";
}

TEST(Ibnetdiscover, FilesOfIbsimGetLids) {
  for (const char* file : {"mesh4x4/mesh4x4.topo", "irr16/irr16.topo"}) {
    const Fabric fabric = read_fabric(read_source(recorded(file)));
    EXPECT_EQ(fabric[HostId(0)].lid, 0);
    EXPECT_EQ(again(fabric), with_addresses(fabric)) << file;
    EXPECT_EQ(again(again(fabric)), again(fabric)) << file;
  }
}

TEST(Ibnetdiscover, ReadsIbsimsShortForm) {
  const Fabric fabric = parsed(R"(
# by hand
Switch 4 "Switch1"
[1] "Switch2"[2] w=4 s=2
# a remark
[3] "Hca1"[1]
@ ignored
[4] "Hca1"[2]

Switch 4 "Switch2" # "top"
[2] "Switch1"[1]
[1] "Rt1"[1]
module="x"

Hca 2 "Hca1"
[1] "Switch1"[3]
[2] "Switch1"[4]

Rt 1 "Rt1"
[1] "Switch2"[1]

Ca 1 "unplugged"
)",
                               format);
  EXPECT_EQ(fabric[SwitchId(0)].name, "Switch1");
  EXPECT_EQ(fabric[SwitchId(1)].name, "top");
  EXPECT_EQ(fabric.host_count(), 3);
  EXPECT_EQ(fabric[HostId(0)].name, "Hca1");
  EXPECT_EQ(fabric[HostId(1)].name, "Hca1 [Hca1:2]");
  EXPECT_EQ(fabric[HostId(2)].name, "Rt1");
  EXPECT_EQ(fabric[HostId(2)].on, SwitchId(1));
  EXPECT_EQ(fabric[LinkId(0)].wire, Wire{});
  EXPECT_EQ(again(fabric), with_addresses(fabric));
}

TEST(Ibnetdiscover, GuidsFromNodeIds) {
  const Fabric fabric = parsed("Switch 4 \"S-0002c902004885a8\"\n", format);
  EXPECT_EQ(fabric[SwitchId(0)].guid, 0x0002c902004885a8);
}

TEST(Ibnetdiscover, ACableFromASwitchToItselfIsLeftOut) {
  const Fabric fabric = parsed("Switch 4 \"a\"\n[1] \"a\"[2]\n[2] \"a\"[1]\n", format);
  EXPECT_EQ(fabric.link_count(), 0);
}

TEST(Ibnetdiscover, ALinkIsAsFastAsItsSlowerEnd) {
  const auto speed = [](const char* a, const char* b) {
    const std::string text = "Switch 2 \"a\"\n[1] \"b\"[1] # " + std::string(a) +
                             "\n\nSwitch 2 \"b\"\n[1] \"a\"[1] # " + b + "\n";
    return parsed(text, format)[LinkId(0)].wire;
  };
  EXPECT_EQ(speed("4xEDR", "4xQDR").speed, gigabits_per_second(32));
  EXPECT_EQ(speed("", "4xQDR").speed, gigabits_per_second(32));
  EXPECT_EQ(speed("4xQDR", "9x???").speed, gigabits_per_second(32));
  EXPECT_EQ(speed("4xQDR 5ns", "4xQDR 7ns").delay, delay_from("7ns"));
  EXPECT_EQ(speed("4xQDR 2cycles", "4xQDR").delay, Delay::cycles(2));
}

TEST(Ibnetdiscover, OnlyTheCommentTellsSpeedAndLid) {
  const auto fabric = [](const std::string& more) {
    return parsed("Switch 2 \"a\"\n[1] \"h\"[1]\n\nCa 1 \"h\"\n[1] \"a\"[1] " + more + "\n",
                  format);
  };
  const Host plain = fabric("")[HostId(0)];
  EXPECT_EQ(fabric("lid 7 2Gb/s 5ns")[HostId(0)], plain);
  EXPECT_EQ(fabric("lid 7 2Gb/s 5ns #")[HostId(0)], plain);
  Host told = plain;
  told.lid = 7;
  told.wire = {gigabits_per_second(2), delay_from("5ns")};
  EXPECT_EQ(fabric("# lid 7 \"a\" 2Gb/s 5ns")[HostId(0)], told);
}

TEST(Ibnetdiscover, NamesWithSuffixes) {
  const auto names = [](const std::vector<std::string>& descriptions) {
    std::string text;
    for (std::size_t i = 0; i < descriptions.size(); ++i)
      text += fmt::format("Switch 2 \"S-{:016x}\" # \"{}\"\n\n", i + 1, descriptions[i]);
    const Fabric fabric = parsed(text, format);
    EXPECT_EQ(again(fabric), with_addresses(fabric)) << text;
    std::vector<std::string> out;
    for (SwitchId s : fabric.switches()) out.push_back(fabric[s].name);
    return out;
  };
  using Names = std::vector<std::string>;
  const std::string one = "x [S-0000000000000001]";
  const std::string two = "x [S-0000000000000002]";
  EXPECT_EQ(names({"x", "y"}), (Names{"x", "y"}));
  EXPECT_EQ(names({"x", "x"}), (Names{one, two}));
  EXPECT_EQ(names({one, "y"}), (Names{one, "y"})) << "as it stands in the file";
  EXPECT_EQ(names({one, "x"}), (Names{one, "x"}));
  EXPECT_EQ(names({one, two}), (Names{one, two}));
  EXPECT_EQ(names({one, "y", "x", "x"}).front(), one);
  EXPECT_EQ(names({"x [S-0000000000000001:7]", "x"}).front(), "x [S-0000000000000001:7]");
  EXPECT_EQ(names({""}), (Names{"S-0000000000000001"}));
}

TEST(Ibnetdiscover, NamesBesideNodesWithoutGuid) {
  // Found by fuzzing: of two switches with one description, only one had a GUID.
  const Fabric fabric = parsed(
      "Switch 8 \"a\" # \"sw\"\n\nSwitch 8 \"S-0000000000100004\" # \"sw\"\n\n"
      "Switch 8 \"b\" # \"x\"\n[1] \"H-0000000000000007\"[1]\n[2] \"H-0000000000000007\"[2]\n"
      "[3] \"h\"[1]\n\nCa 2 \"H-0000000000000007\" # \"h\"\n[1] \"b\"[1]\n[2] \"b\"[2]\n\n"
      "Ca 1 \"h\"\n[1] \"b\"[3]\n",
      format);
  EXPECT_EQ(fabric[SwitchId(0)].name, "sw [a]");
  EXPECT_EQ(fabric[SwitchId(1)].name, "sw [S-0000000000100004]");
  EXPECT_EQ(fabric[HostId(1)].name, "h [H-0000000000000007:2]");
  EXPECT_EQ(again(fabric), with_addresses(fabric));
}

TEST(Ibnetdiscover, LineEndsOfWindows) {
  std::string text;
  for (const char letter : small) text += letter == '\n' ? "\r\n" : std::string{letter};
  EXPECT_EQ(parsed(text, format), parsed(small, format));
}

struct Case {
  std::string_view what, by, message;
};

TEST(Ibnetdiscover, Messages) {
  const Case cases[] = {
      // a link listed at one end only
      {"\n[2](200002)", "\n# ",
       "8: the link is listed at this end only; the record of \"H-0000000000200000\" (line 16) "
       "needs [2] \"S-0000000000100000\"[6]; is the file cut off?"},
      {"[5]\t", "#\t",
       "17: the link is listed at this end only; the record of \"S-0000000000100000\" (line 4) "
       "needs [5] \"H-0000000000200000\"[1]"},
      // ends that contradict each other
      {"\"S-0000000000100000\"[1]\t", "\"S-0000000000100000\"[5]\t",
       "5: the other end (line 12) says that it leads to \"S-0000000000100000\"[5]; it should be "
       "\"S-0000000000100000\"[1]"},
      {"[6]\t\"H", "[5]\t\"H",
       "8: port 5 of \"S-0000000000100000\" is used twice, first in line 7"},
      {"[6]\t\"H", "[9]\t\"H", "8: \"9\" is not a port of this node; a number up to 8 is needed"},
      {"[6]\t\"H", "[0]\t\"H", "8: port 0 has no cable; ports count from 1"},
      {"0200000\"[2](", "0200000\"[0](", "8: port 0 has no cable; ports count from 1"},
      {"0200000\"[2](", "0200000\"[99999999999999999999](",
       "8: \"99999999999999999999\" is not a port number; a number up to 65000 is needed"},
      {"\"H-0000000000200000\"[2]", "\"H-1\"[2]",
       "18: the other end (line 8) says that it leads to \"H-1\"[2]; it should be "
       "\"H-0000000000200000\"[2]"},
      {"Ca\t2 \"H-0000000000200000\"", "Ca\t2 \"x\"",
       "17: the other end (line 7) says that it leads to \"H-0000000000200000\"[1]; it should be "
       "\"x\"[1]"},
      {"\"S-0000000000100000\"[5]", "\"none\"[5]",
       "17: \"none\" has no record here; every node needs a Switch or Ca line; is the file "
       "cut off?"},
      {"\"S-0000000000100000\"[5]", "\"H-0000000000200000\"[2]",
       "17: the other end (line 18) says that it leads to \"S-0000000000100000\"[6]; it should be "
       "\"H-0000000000200000\"[1]"},
      // taken twice
      {"switchguid=0x100004", "switchguid=0x100000",
       "11: GUID 0x0000000000100000 belongs to a second node; each has its own"},
      {"Switch\t8 \"S-0000000000100004\"", "Switch\t8 \"S-0000000000100000\"",
       "11: node \"S-0000000000100000\" has a second record; each node has one"},
      {"\n[2](200002)", "\n[2](200001)",
       "18: GUID 0x0000000000200001 belongs to both \"h # 0\" and \"h # 0 "
       "[H-0000000000200000:2]\""},
      {"lid 2 lmc", "lid 1 lmc",
       "18: LID 1 belongs to both \"h # 0\" and \"h # 0 [H-0000000000200000:2]\""},
      // not of the form
      {"Switch\t8 \"", "Switch\t-8 \"",
       "4: \"-8\" is not a number of ports; a number up to 65000 is needed"},
      {"Switch\t8 \"", "Switch\t70000 \"",
       "4: \"70000\" is not a number of ports; a number up to 65000 is needed"},
      {"Switch\t8 \"S-0000000000100000\"\t\t# \"sw\" base", "Switch\t8 x",
       "4: this line is not of the form Switch 8 \"id\"  # \"name\" lid 1"},
      {"lid 3 lmc", "lid 70000 lmc", "4: \"70000\" is not a LID; a number up to 65535 is needed"},
      {"lid 1 lmc", "lid x lmc", "17: \"x\" is not a LID; a number up to 65535 is needed"},
      {"=0x100004", "=0xyz", "10: \"0xyz\" is not a GUID; write 0x0002c90200000001"},
      {"\n[2](200002)", "\n[2](x)", "18: \"x\" is not a GUID; write 2c90200000001"},
      {"\n[2](200002)", "\n[2",
       "18: \"2 ?\"S-0000000000100000\"[6\" is not a port of this node; a number up to 2 is "
       "needed"},
      {"\n[2](200002)", "\n[2](200002",
       "18: this line is not of the form [1] \"id of the other end\"[2]"},
      {"\"S-0000000000100000\"[6]", "\"S-0000000000100000\" [6]",
       "18: this line is not of the form [1] \"id of the other end\"[2]"},
      {"vendid=0x2c9", "[1] \"x\"[1]",
       "2: a port before any Switch or Ca line; it belongs below one"},
      {"6Gb/s 25ns", "0Gb/s", "6: a link needs a speed above zero"},
      {"6Gb/s 25ns", "6Xb/s",
       "6: \"6Xb/s\" is not a speed: write a number and one of Tb/s, Gb/s, Mb/s, kb/s, b/s, TB/s, "
       "GB/s, MB/s, kB/s, B/s"},
      {"6Gb/s 25ns", "4xQDR 2fs",
       "6: \"2fs\" is not a delay: write a number and one of s, ms, us, ns, ps, cycles"},
  };
  for (const auto& [what, by, message] : cases)
    EXPECT_EQ(fabric_message(replaced(small, what, by), format), "file:" + std::string(message));
}

TEST(Ibnetdiscover, HostsNeedASwitch) {
  EXPECT_EQ(fabric_message("Ca 1 \"a\"\n[1] \"b\"[1]\n\nCa 1 \"b\"\n[1] \"a\"[1]\n", format),
            "file:2: a cable from NIC to NIC; hosts need a switch between them");
}

TEST(Ibnetdiscover, TruncatedAnywhere) {
  // Cut anywhere, it is either an error in one line or a smaller fabric, never a crash.
  const std::string text = read_source(recorded("mesh4x4/ibnetdiscover.txt")).text;
  for (std::size_t size = 0; size < text.size(); size += 37) {
    const std::string message = fabric_message(text.substr(0, size), format);
    EXPECT_EQ(message.find('\n'), std::string::npos);
    EXPECT_TRUE(size < 400 || size > 8600 || message.starts_with("file:")) << size << message;
  }
}

TEST(InfinibandRate, NamesAndRates) {
  const auto rate = [](const char* name) { return infiniband_rate(name)->bits_per_second; };
  EXPECT_EQ(rate("1xSDR"), 2'000'000'000);
  EXPECT_EQ(rate("4xDDR"), 16'000'000'000);
  EXPECT_EQ(rate("4xQDR"), 32'000'000'000);
  EXPECT_EQ(rate("4xFDR10"), 40'000'000'000);
  EXPECT_EQ(rate("4xFDR"), 54'545'454'544);
  EXPECT_EQ(rate("4xEDR"), 100'000'000'000);
  EXPECT_EQ(rate("2xHDR"), 100'000'000'000);
  EXPECT_EQ(rate("8xNDR"), 800'000'000'000);
  EXPECT_EQ(rate("4xXDR"), 800'000'000'000);
  EXPECT_EQ(rate("12xQDR"), 96'000'000'000);
  for (const char* text : {"", "4x", "4xqdr", "3xQDR", "4xQDRs", "x4QDR", "12x"})
    EXPECT_FALSE(infiniband_rate(text)) << text;
  for (const char* name : {"4xSDR", "4xDDR", "4xQDR", "4xFDR10", "4xFDR", "4xEDR", "4xHDR", "4xNDR",
                           "4xXDR", "1xSDR", "12xFDR"})
    EXPECT_EQ(infiniband_name(*infiniband_rate(name)), name);
  EXPECT_FALSE(infiniband_name(gigabits_per_second(6)));
}

TEST(WithAddresses, FillsInWhatIsMissing) {
  FabricBuilder builder("f");
  builder.add_switch({"a", 4, 0, 1});
  builder.add_switch({"b", 4, 0x100000, 0});
  builder.add_host({"h", SwitchId(0), 1, {}});
  builder.add_host({"i", SwitchId(0), 2, {}, 0x200011, 0, 0, 2});
  const Fabric fabric = with_addresses(std::move(builder).build());
  EXPECT_EQ(fabric[SwitchId(0)].guid, 0x1'00100000) << "0x100000 is taken";
  EXPECT_EQ(fabric[SwitchId(1)].guid, 0x100000);
  EXPECT_EQ(fabric[HostId(0)].guid, 0x200000);
  EXPECT_EQ(fabric[HostId(0)].port_guid, 0x200001);
  EXPECT_EQ(fabric[HostId(1)].guid, 0x200011);
  EXPECT_EQ(fabric[HostId(1)].port_guid, 0x200013);
  EXPECT_EQ(fabric[HostId(0)].lid, 2) << "1 is taken";
  EXPECT_EQ(fabric[HostId(1)].lid, 3);
  EXPECT_EQ(fabric[SwitchId(0)].lid, 1);
  EXPECT_EQ(fabric[SwitchId(1)].lid, 4);
  EXPECT_EQ(with_addresses(fabric), fabric);
}

TEST(WithAddresses, MoreThanInfiniBandHas) {
  FabricBuilder builder("f");
  for (int i = 0; i < 49'152; ++i) builder.add_switch({"s" + std::to_string(i), 1});
  const Fabric fabric = with_addresses(std::move(builder).build());
  EXPECT_EQ(fabric[SwitchId(0)].lid, 0);
  EXPECT_EQ(fabric[SwitchId(49'151)].guid, 0x10bfff);
}

}  // namespace
}  // namespace weft::test::format_ibnetdiscover
