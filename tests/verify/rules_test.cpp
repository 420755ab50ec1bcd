// SPDX-License-Identifier: Apache-2.0
// The rules of docs/certificate.md, one by one, on texts as short as they can be: each fails where
// the verifier would leave the rule out.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "plan/check/deadlock.hpp"
#include "plan/topo/topology.hpp"
#include "plan/verify/verify_text.hpp"
#include "support/routes.hpp"
#include "verify/verify.hpp"

namespace weft::test::rules {
namespace {

std::string verdict(const std::string& fabric, const std::string& tables,
                    const std::string& certificate) {
  return verifier::verify({"f", fabric}, {"t", tables}, {"c", certificate}).value_or("holds");
}

/// Switches in a line, a - b - c: port 1 to the left, 2 to the right, hosts ha, hb, hc on port 3
/// and ia, ib, ic on port 4.
const std::string line =
    "weft = \"fabric 1\"\n"
    "switches = [[\"a\", 4], [\"b\", 4], [\"c\", 4]]\n"
    "hosts = [[\"ha\", \"a\", 3], [\"hb\", \"b\", 3], [\"hc\", \"c\", 3],\n"
    "         [\"ia\", \"a\", 4], [\"ib\", \"b\", 4], [\"ic\", \"c\", 4]]\n"
    "links = [[\"a\", 2, \"b\", 1], [\"b\", 2, \"c\", 1]]\n";

std::string head(int lanes, const std::string& paths = "destination") {
  return "weft tables 1\nlanes " + std::to_string(lanes) + "\ncolumns hosts switches\npaths " +
         paths + "\nswitches a b c\n";
}
std::string numbers(int lanes, const std::string& lines) {
  return "weft certificate 1\nlanes " + std::to_string(lanes) + "\n" + lines;
}
std::string on_line(const std::string& tables, const std::string& certificate, int lanes = 1) {
  return verdict(line, head(lanes) + tables, numbers(lanes, certificate));
}

TEST(Rules, EqualNumbersAreNoProof) {
  const Fabric fabric = make_fabric("torus:dims=4x4");
  const Tables tables = routed(fabric, "minhop:select=low_port");
  ASSERT_TRUE(std::holds_alternative<DependencyCycle>(deadlock(fabric, tables)));
  const Certificate ones{1, std::vector<std::uint32_t>(fabric.channel_count(), 1)};
  const auto wrong = verify(fabric, tables, ones);
  ASSERT_TRUE(wrong);
  EXPECT_NE(wrong->find("has number 1 and waits for"), std::string::npos) << *wrong;
}

TEST(Rules, NumbersIncreaseAlongRoutes) {
  EXPECT_EQ(on_line("to hc: 2 2 .\n", "a 2: 0\nb 2: 1\n"), "holds");
  EXPECT_EQ(
      on_line("to hc: 2 2 .\n", "a 2: 1\nb 2: 1\n"),
      "from ha to hc: a port 2 lane 0 has number 1 and waits for b port 2 lane 0 with number 1");
  EXPECT_EQ(
      on_line("to hc: 2 2 .\n", "a 2: 2\nb 2: 1\n"),
      "from ha to hc: a port 2 lane 0 has number 2 and waits for b port 2 lane 0 with number 1");
  EXPECT_EQ(on_line("to hc: 2 2 .\n", "a 2: 0\n"), "from ha to hc: b port 2 lane 0 has no number");
  EXPECT_EQ(on_line("to hc: 2 2 .\n", "b 2: 0\n"), "from ha to hc: a port 2 lane 0 has no number");
  EXPECT_EQ(verdict(line, head(1) + "to hc: 2 2 .\n", numbers(2, "a 2: 0 -\nb 2: 1 -\n")),
            "the certificate is for 2 lanes, the tables have 1");
}

TEST(Rules, ALostPacketIsNoDeadlockButALoopIs) {
  EXPECT_EQ(on_line("to hc: 2 - .\n", ""), "holds");
  EXPECT_EQ(on_line("to hc: 1 1 .\n", ""), "holds");  // b to a, where port 1 leads nowhere
  EXPECT_EQ(on_line("to hc: 2 3 .\n", ""), "holds");  // to the wrong host
  EXPECT_NE(on_line("to hc: 2 1 .\n", "a 2: 0\nb 1: 1\n"), "holds");
  EXPECT_NE(on_line("to hc: 2 1 .\n", "a 2: 1\nb 1: 0\n"), "holds");
}

TEST(Rules, OnlyColumnsOfHostsCount) {
  EXPECT_EQ(on_line("to | c: 2 2 .\nto hb: 2 . 1\n", ""), "holds");
  EXPECT_NE(on_line("to hc | c: 2 2 .\n", ""), "holds");
  EXPECT_NE(on_line("to hb: 2 . 1\nto hc: 2 2 .\n", ""), "holds") << "every column";
}

TEST(Rules, LanesFollowTheirRule) {
  const std::string column = "to hc: 2 2 .\n";
  EXPECT_EQ(on_line(column, "a 2: 0 -\nb 2: 1 -\n", 2), "holds");
  EXPECT_EQ(on_line("levels\n" + column + "level 1\n", "a 2: - 0\nb 2: - 1\n", 2), "holds");
  EXPECT_EQ(on_line("levels\n" + column + "level 1 0 0\n", "a 2: - 0\nb 2: - 1\n", 2), "holds");
  EXPECT_NE(on_line("levels\n" + column + "level 0 1 0\n", "a 2: - 0\nb 2: - 1\n", 2), "holds");
  EXPECT_EQ(on_line("levels\nto ha: . 1 1\nlevel 1\n", "c 1: - 0\nb 1: - 1\n", 2), "holds")
      << "one level for all";
  const std::string backwards =
      "weft tables 1\nlanes 2\ncolumns hosts\npaths destination\nswitches c b a\nlevels\n";
  EXPECT_EQ(
      verdict(line, backwards + "to hc: . 2 2\nlevel 0 0 1\n", numbers(2, "a 2: - 0\nb 2: - 1\n")),
      "holds")
      << "levels in the order of the switches";
  const auto turns = [&](const std::string& marks, const std::string& lines,
                         const std::string& certificate) {
    return on_line("turns from hosts " + marks + "\n" + lines + column, certificate, 2);
  };
  EXPECT_EQ(turns("0 otherwise +", "", "a 2: 0 -\nb 2: - 1\n"), "holds");
  EXPECT_EQ(turns("1 otherwise -", "", "a 2: - 0\nb 2: 1 -\n"), "holds");
  EXPECT_EQ(turns("1 otherwise =", "", "a 2: - 0\nb 2: - 1\n"), "holds");
  EXPECT_EQ(turns("+ otherwise 0", "", "a 2: - 0\nb 2: 1 -\n"), "holds");
  EXPECT_EQ(turns("1 otherwise +", "", "a 2: - 0\nb 2: 1 2\n"),
            "from ha to hc: b port 2: the lane does not exist");
  EXPECT_EQ(turns("0 otherwise -", "", "a 2: 0 0\nb 2: 1 2\n"),
            "from ha to hc: b port 2: the lane does not exist");
  EXPECT_EQ(turns("x otherwise =", "", "a 2: 0 0\nb 2: 1 2\n"),
            "from ha to hc: a port 2: the lane does not exist");
  EXPECT_EQ(turns("0 otherwise =", "turn b 1: 1\n", "a 2: 0 -\nb 2: - 1\n"), "holds");
  EXPECT_EQ(turns("0 otherwise =", "turn b 1: 0 0 1 0 0\n", "a 2: 0 -\nb 2: - 1\n"), "holds");
  EXPECT_EQ(turns("0 otherwise =", "turn b 2: 1\n", "a 2: 0 -\nb 2: 1 -\n"), "holds");
  EXPECT_EQ(turns("0 otherwise =", "turn c 1: x\n", "a 2: 0 -\nb 2: 1 -\n"), "holds")
      << "the lane to a host does not matter";
  const auto map = [&](const std::string& lines, const std::string& certificate) {
    return on_line("levels 2: 0 1\n" + lines + column + "level 1 0 0\n", certificate, 2);
  };
  EXPECT_EQ(map("", "a 2: - 0\nb 2: - 1\n"), "holds");
  EXPECT_EQ(map("map b 1 2: 1 0\n", "a 2: - 0\nb 2: 1 -\n"), "holds");
  EXPECT_EQ(map("map b 2 1: 1 0\n", "a 2: - 0\nb 2: - 1\n"), "holds");
  EXPECT_NE(map("map b 1 2: 1 0\n", "a 2: - 0\nb 2: - 1\n"), "holds");
}

TEST(Rules, HostsOfASwitchMayStartOnDifferentLanes) {
  const std::string column = "to hc: 2 2 .\n";
  const std::string first_only = "a 2: 0 -\nb 2: 1 -\n", both = "a 2: 0 1\nb 2: 2 3\n";
  EXPECT_EQ(on_line("turns from hosts 0 otherwise =\nturn a 4: 1\n" + column, both, 2), "holds");
  EXPECT_EQ(on_line("turns from hosts 0 otherwise =\nturn a 4: 1\n" + column, first_only, 2),
            "from ia to hc: a port 2 lane 1 has no number");
  // The map keeps the second host on lane 1, which its level would not.
  const std::string map = "levels 1: 0\nmap a 4 2: 1\nmap b 1 2: 1\n";
  EXPECT_EQ(on_line(map + column, "a 2: 0 1\nb 2: - 2\n", 2), "holds");
  EXPECT_EQ(on_line(map + column, "a 2: 0 -\nb 2: - 2\n", 2),
            "from ia to hc: a port 2 lane 1 has no number");
}

/// The line with a fourth switch, d, and its host hd.
std::string on_long_line(const std::string& paths, const std::string& tables,
                         const std::string& certificate) {
  const std::string fabric =
      "weft = \"fabric 1\"\nswitches = [[\"a\", 4], [\"b\", 4], [\"c\", 4], [\"d\", 4]]\n"
      "hosts = [[\"ha\", \"a\", 3], [\"hb\", \"b\", 3], [\"hd\", \"d\", 3]]\n"
      "links = [[\"a\", 2, \"b\", 1], [\"b\", 2, \"c\", 1], [\"c\", 2, \"d\", 1]]\n";
  return verdict(
      fabric,
      "weft tables 1\nlanes 2\ncolumns hosts\npaths " + paths + "\nswitches a b c d\n" + tables,
      numbers(2, certificate));
}

TEST(Rules, LevelsOfAMapAreFollowedApart) {
  // Packets of both levels leave b on lane 0, and c on the lane of their level.
  const std::string tables =
      "levels 2: 0 1\nmap b 1 2: 0 0\nmap b 3 2: 0 0\nto hd: 2 2 2 .\nlevel 0 1 0 0\n";
  EXPECT_EQ(on_long_line("destination", tables, "a 2: 0 -\nb 2: 1 -\nc 2: 2 2\n"), "holds");
  EXPECT_EQ(on_long_line("destination", tables, "a 2: 0 -\nb 2: 1 -\nc 2: 2 -\n"),
            "from hb to hd: c port 2 lane 1 has no number");
}

TEST(Rules, ColumnsAreFollowedApart) {
  EXPECT_EQ(on_line("levels 2: 0 0\nto hb: 2 . 1\nlevel 1\nto hc: 2 2 .\nlevel 1\n", ""),
            "from ha to hc: a port 2 lane 0 has no number");
  EXPECT_EQ(on_line("levels 2: 0 0\nto hb: 2 . 1\nlevel 1\n"
                    "group g lane 0: ha\nout a: 2\nout b: 2\n",
                    ""),
            "group g: a port 2 lane 0 has no number");
}

TEST(Rules, RestsOfRoutesAreFollowedApart) {
  // On the way from b to c, one packet has to turn back.
  EXPECT_EQ(on_long_line("source", "to hd: 2 2 2, 2 1, -, .\n",
                         "a 2: 0 -\nb 2: 1 -\nc 2: 2 -\nc 1: 2 -\n"),
            "holds");
  EXPECT_EQ(on_long_line("source", "to hd: 2 2 2, 2 1, -, .\n", "a 2: 0 -\nb 2: 1 -\nc 2: 2 -\n"),
            "from hb to hd: c port 1 lane 0 has no number");
}

TEST(Rules, EveryChoiceIsFollowed) {
  const std::string two =
      "weft = \"fabric 1\"\nswitches = [[\"a\", 3], [\"b\", 4], [\"c\", 4]]\n"
      "hosts = [[\"ha\", \"a\", 3], [\"hc\", \"c\", 3]]\n"
      "links = [[\"a\", 1, \"b\", 1], [\"a\", 2, \"b\", 2], [\"b\", 3, \"c\", 1], [\"b\", 4, "
      "\"c\", 2]]\n";
  const std::string tables = head(1, "source") + "links g0: 1 2\nlinks g1: 3 4 9\n";
  const std::string adaptive = tables + "to hc: g0 g1, -, .\n";
  EXPECT_EQ(verdict(two, adaptive, numbers(1, "a 1: 0\na 2: 1\nb 3: 2\nb 4: 3\n")), "holds");
  EXPECT_NE(verdict(two, adaptive, numbers(1, "a 1: 0\na 2: 2\nb 3: 2\nb 4: 3\n")), "holds");
  EXPECT_NE(verdict(two, adaptive, numbers(1, "a 1: 0\na 2: 1\nb 3: 2\n")), "holds");
  EXPECT_NE(verdict(two, adaptive, numbers(1, "a 1: 3\na 2: 1\nb 3: 2\nb 4: 4\n")), "holds");
  const std::string fixed = tables + "to hc: 2 4, -, .\n";
  EXPECT_EQ(verdict(two, fixed, numbers(1, "a 2: 0\nb 4: 1\n")), "holds");
  // The same tags left, on the same channel, are followed once; others are not the same.
  const std::string ends = tables + "to hc: 1 3, -, .\nto ha: 1 4, -, .\n";
  EXPECT_NE(verdict(two, ends, numbers(1, "a 1: 0\nb 3: 1\n")), "holds");
  EXPECT_EQ(verdict(two, ends, numbers(1, "a 1: 0\nb 3: 1\nb 4: 1\n")), "holds");
}

TEST(Rules, GroupsWithoutARoot) {
  const std::string group = "out a: 2 3\nout b: 1 2 3\nout c: 1 3\n";
  const std::string up = "a 2: 0\nb 2: 1\n", down = "c 1: 0\nb 1: 1\n";
  EXPECT_EQ(on_line("group all lane 0: ha hb hc\n" + group, up + down), "holds");
  EXPECT_EQ(on_line("group all lane 0: ha hb hc\n" + group, up + "c 1: 1\nb 1: 1\n"),
            "group all: c port 1 lane 0 has number 1 and waits for b port 1 lane 0 with number 1");
  EXPECT_EQ(on_line("group all lane 0: ha hb hc\n" + group, up),
            "group all: c port 1 lane 0 has no number");
  EXPECT_EQ(on_line("group all lane 0 source ha: ha hb hc\n" + group, up), "holds");
  EXPECT_EQ(on_line("group all lane 0 source ha: hb hc\n" + group, up), "holds");
  EXPECT_NE(on_line("group all lane 0 source hc: ha hb\n" + group, up), "holds");
  EXPECT_NE(on_line("group all lane 0: ic\n" + group, up), "holds");
  EXPECT_EQ(on_line("group all lane 1: ha hb hc\n" + group,
                    "a 2: - 0\nb 2: - 1\nc 1: - 0\nb 1: - 1\n", 2),
            "holds");
  EXPECT_NE(on_line("group all lane 1: ha hb hc\n" + group,
                    "a 2: 0 -\nb 2: 1 -\nc 1: 0 -\nb 1: 1 -\n", 2),
            "holds");
  // A group after columns by a map: what their packets have passed is not passed by the group.
  EXPECT_NE(on_line("levels 2: 0 0\nto hc: 2 2 .\nlevel 1\ngroup g lane 0: ic\n" + group, up),
            "holds");
  EXPECT_NE(on_line("group f lane 0 source ha: hb\n" + group + "group g lane 0 source hc: hb\n" +
                        "out c: 1\nout b: 1\n",
                    up),
            "holds");
}

TEST(Rules, AnArrivalWaitsForCircuitsAtTheHost) {
  // Circuits from a as root take the links to all hosts on port 3.
  const std::string rooted =
      "group all lane 0 root a: ha hb hc\nup 1: b c\nout a: 2 3\nout b: 2 3\nout c: 3\n";
  const std::string order = "c 1: 0\nb 1: 1\na 2: 2\nb 2: 3\nb 3: 7\nc 3: 8\na 3: 9\n";
  EXPECT_EQ(on_line(rooted, order), "holds");
  EXPECT_EQ(on_line("to hc: 2 2 .\n" + rooted, order), "holds");
  EXPECT_EQ(on_line("to ha: . 1 1\n" + rooted, order), "holds");
  // A group without a root whose copies come to a host that circuits reach.
  const std::string plain = "group plain lane 0 source hc: ia\nout c: 1\nout b: 1\nout a: ";
  EXPECT_EQ(on_line(rooted + plain + "3\n", order), "holds");
  EXPECT_EQ(on_line(rooted + plain + "4\n", order), "holds");
  // On lanes of their own, only the links to hosts are shared.
  const std::string own = "group all lane 1 root a: ha hb hc\nout a: 2 3\nout b: 2 3\nout c: 3\n";
  const std::string high = "a 2: - 2\nb 2: - 3\nb 3: 7 -\nc 3: 8 -\na 3: 9 -\n";
  EXPECT_EQ(on_line(own, high, 2), "holds");
  EXPECT_EQ(on_line("to ha: . 1 1\n" + own, high + "c 1: 0 -\nb 1: 8 -\n", 2), "holds");
  EXPECT_EQ(
      on_line("to ha: . 1 1\n" + own, high + "c 1: 0 -\nb 1: 9 -\n", 2),
      "from hb to ha: b port 1 lane 0 has number 9 and waits for a port 3 lane 0 with number 9");
  EXPECT_EQ(on_line("to ia: . 1 1\n" + own, high + "c 1: 0 -\nb 1: 9 -\n", 2), "holds")
      << "no circuit comes to that host";
  EXPECT_EQ(
      on_line("to ha ic: 2 2 .\n" + own, "a 2: 0 2\nb 2: 20 3\nb 3: 7 -\nc 3: 8 -\na 3: 9 -\n", 2),
      "holds")
      << "at c, the packet is for ic";
  EXPECT_NE(on_line("to ia: 3 1 1\n" + own, high + "c 1: 0 -\nb 1: 9 -\n", 2), "holds")
      << "delivered to the wrong host";
  EXPECT_NE(on_line(own + plain + "3\n", high + "c 1: 0 -\nb 1: 9 -\n", 2), "holds");
  EXPECT_EQ(on_line(own + plain + "4\n", high + "c 1: 0 -\nb 1: 9 -\n", 2), "holds");
}

TEST(Rules, CircuitsGoUpAndThenDownPortByPort) {
  const std::string rooted =
      "group all lane 0 root b: ha hb hc\nup 2: a\nup 1: c\nout b: 1 2 3\nout a: 3\nout c: 3\n";
  const std::string good = "a 2: 0\nc 1: 0\nb 1: 1\na 3: 2\nb 2: 3\nc 3: 4\nb 3: 5\n";
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string numbers = good;
    const std::size_t at = numbers.find(from);
    EXPECT_NE(at, std::string::npos);
    return on_line(rooted, numbers.replace(at, from.size(), to));
  };
  EXPECT_EQ(with("a 2: 0", "a 2: 0"), "holds");
  EXPECT_NE(with("a 2: 0", "a 2: 1"), "holds") << "up before the first port of the root";
  EXPECT_EQ(with("a 3: 2", "a 3: 1"),
            "group all: b port 1 lane 0 has number 1 and waits for a port 3 lane 0 with number 1");
  EXPECT_NE(with("a 3: 2", "a 3: 3"), "holds") << "a leaf before the next port of the root";
  EXPECT_NE(with("c 3: 4", "c 3: 5"), "holds");
  EXPECT_EQ(with("b 3: 5", "b 3: 9"), "holds");
  EXPECT_NE(with("b 3: 5\n", ""), "holds");
  EXPECT_NE(with("c 1: 0\n", ""), "holds");
  // Two steps up.
  const std::string far = "group all lane 0 root c: hc\nup 2: a b\nout c: 3\n";
  EXPECT_EQ(on_line(far, "a 2: 0\nb 2: 1\nc 3: 2\n"), "holds");
  EXPECT_NE(on_line(far, "a 2: 1\nb 2: 1\nc 3: 2\n"), "holds");
  EXPECT_EQ(on_line("group all lane 0 root c: hc\nup 2: a b\nup 1: c\nout c: 3\n",
                    "a 2: 0\nb 2: 1\nc 3: 2\n"),
            "holds")
      << "the root sends nothing up";
  EXPECT_EQ(on_line("group all lane 0 root b: ha\nout b: 1\nout a: 2\n", "b 1: 0\na 2: 1\n"),
            "holds")
      << "never back by the in-port";
}

TEST(Rules, CircuitsAreNotCopiedOnTheWayUp) {
  EXPECT_EQ(on_line("group g lane 0 root c: ha\nout a: 2\nout b: 2\nout c: 3\n", ""), "holds");
}

TEST(Rules, CopiesThatComeTwiceAreNoTree) {
  const std::string ring =
      "weft = \"fabric 1\"\nswitches = [[\"a\", 4], [\"b\", 4], [\"c\", 4]]\n"
      "hosts = [[\"hc\", \"c\", 3]]\n"
      "links = [[\"a\", 1, \"b\", 1], [\"a\", 2, \"c\", 1], [\"b\", 2, \"c\", 2]]\n";
  const std::string tables =
      head(1) + "group g lane 0 root a: hc\nout a: 1 2\nout b: 2\nout c: 3\n";
  EXPECT_EQ(verdict(ring, tables, numbers(1, "a 1: 0\na 2: 3\nb 2: 1\nc 3: 2\n")),
            "group g: copies come twice to c port 3 lane 0");
}

/// A star around a: b, c, d on ports 1, 2, 3 of a, each with two hosts on its ports 2 and 3, and
/// two links from b to c.
const std::string star =
    "weft = \"fabric 1\"\n"
    "switches = [[\"r\", 4], [\"a\", 6], [\"b\", 6], [\"c\", 6]]\n"
    "hosts = [[\"hb\", \"b\", 2], [\"ib\", \"b\", 3], [\"hc\", \"c\", 2], [\"ic\", \"c\", 3]]\n"
    "links = [[\"r\", 1, \"a\", 4], [\"a\", 1, \"b\", 1], [\"a\", 2, \"c\", 1], [\"b\", 4, \"c\", "
    "4]]\n";
const std::string star_group =
    "group g lane 0 root r: hb ib hc ic\nout r: 1\nout a: 1 2\nout b: 2 3\nout c: 2 3\n";
const std::string star_head = "\ncolumns hosts\npaths destination\nswitches r a b c\n";

std::string on_star(int lanes, const std::string& tables, const std::string& certificate) {
  const std::string count = std::to_string(lanes);
  return verdict(star, "weft tables 1\nlanes " + count + star_head + tables,
                 numbers(lanes, certificate));
}

TEST(Rules, GuardedAndSafeLinksNeedNoOrder) {
  // Below a, all is guarded: the two subtrees may have the same numbers.
  EXPECT_EQ(on_star(1, star_group, "r 1: 0\na 1: 1\na 2: 1\nb 2: 2\nb 3: 2\nc 2: 2\nc 3: 2\n"),
            "holds");
}

TEST(Rules, LinksThatCircuitsReachInTwoWaysAreContended) {
  // Circuits of a second group come to b's port 2 from b itself, its root: while one of g waits for
  // it, it may hold what is behind c, but not yet b's port 3.
  const std::string at_b = "group h lane 0 root b: hb\nout b: 2\n";
  const std::string base = "r 1: 0\na 1: 1\na 2: 1\nc 2: 2\nc 3: 2\n";
  EXPECT_EQ(on_star(1, star_group + at_b, base + "b 2: 3\nb 3: 2\n"), "holds");
  EXPECT_EQ(on_star(1, star_group + at_b, base + "b 2: 3\nb 3: 9\n"), "holds");
  EXPECT_EQ(on_star(1, star_group + at_b, base + "b 2: 2\nb 3: 2\n"),
            "group g: c port 3 lane 0 has number 2 and waits for b port 2 lane 0 with number 2");
  EXPECT_NE(
      on_star(1, star_group + at_b, "r 1: 0\na 1: 1\na 2: 1\nc 2: 2\nc 3: 3\nb 2: 3\nb 3: 2\n"),
      "holds");
  const std::string at_port_3 = "group h lane 0 root b: ib\nout b: 3\n";
  EXPECT_EQ(on_star(1, star_group + at_port_3, base + "b 2: 2\nb 3: 3\n"), "holds");
  EXPECT_NE(on_star(1, star_group + at_port_3, base + "b 2: 3\nb 3: 3\n"), "holds")
      << "the port before is held";
  // A second group comes to c from b: all that leads to c's port 2 is contended, too.
  const std::string from_b = "group h lane 0 root r: hc\nout r: 1\nout a: 1\nout b: 4\nout c: 2\n";
  const std::string low = "r 1: 0\na 1: 1\nb 2: 2\nb 3: 2\nb 4: 2\n";
  EXPECT_EQ(on_star(1, star_group + from_b, low + "a 2: 3\nc 2: 4\nc 3: 4\n"), "holds");
  EXPECT_EQ(on_star(1, star_group + from_b, low + "a 2: 2\nc 2: 4\nc 3: 4\n"),
            "group g: b port 2 lane 0 has number 2 and waits for a port 2 lane 0 with number 2");
}

TEST(Rules, AnUpChannelInATreeIsContended) {
  std::string wired = star;
  wired.replace(wired.find("hosts = ["), 9, "hosts = [[\"jc\", \"c\", 5], ");
  const auto with = [&](const std::string& a2) {
    return verdict(
        wired,
        "weft tables 1\nlanes 1" + star_head + star_group +
            "group u lane 0 root c: jc\nup 2: a\nout c: 5\n",
        numbers(1, "r 1: 0\na 1: 1\nb 2: 3\nb 3: 3\nc 2: 5\nc 3: 5\nc 5: 5\na 2: " + a2));
  };
  EXPECT_EQ(with("4"), "holds");
  EXPECT_EQ(with("2"),
            "group g: b port 2 lane 0 has number 3 and waits for a port 2 lane 0 with number 2");
}

TEST(Rules, LinksThatOthersHoldUnsafelyAreContended) {
  // Packets from a host at r to hb go by c, and come to b beside the tree, where they wait for
  // circuits. So circuits may wait for a's port 2 for ever, while they hold the links of b.
  std::string wired = star;
  wired.replace(wired.find("hosts = ["), 9, "hosts = [[\"hr\", \"r\", 2], ");
  const auto with = [&](const std::string& column, const std::string& certificate) {
    return verdict(wired, "weft tables 1\nlanes 1" + star_head + column + star_group,
                   numbers(1, certificate));
  };
  const std::string steps = "r 1: 0\na 1: 1\na 2: 1\nc 4: 2\nb 2: 3\nb 3: 3\nc 2: 4\nc 3: 4\n";
  EXPECT_EQ(with("to hb: 1 2 . 4\n", steps),
            "group g: b port 2 lane 0 has number 3 and waits for a port 2 lane 0 with number 1");
  EXPECT_EQ(with("to hb: 1 1 . 1\n", steps), "from hc to hb: c port 1 lane 0 has no number");
  EXPECT_EQ(with("to hb: 1 1 . -\n", steps), "holds") << "in the tree";
  EXPECT_EQ(with("to hb: 1 2 . 3\n", steps), "holds") << "to another host, in the tree as well";
  // Behind b they come to c beside the tree. Nothing else is held when circuits wait for a's
  // port 1.
  const std::string other = "r 1: 0\na 1: 1\na 2: 1\nb 4: 2\nb 2: 2\nb 3: 2\nc 2: 3\nc 3: 3\n";
  EXPECT_EQ(with("to hc: 1 1 4 .\n", other), "holds");
}

TEST(Rules, OnlyPacketsOfTheSameLaneAreGuarded) {
  const std::string fabric =
      "weft = \"fabric 1\"\n"
      "switches = [[\"r\", 2], [\"a\", 3], [\"b\", 2], [\"c\", 3], [\"d\", 3]]\n"
      "hosts = [[\"hr\", \"r\", 2], [\"hb\", \"b\", 2], [\"hc\", \"c\", 3], [\"hd\", \"d\", 2],\n"
      "         [\"id\", \"d\", 3]]\n"
      "links = [[\"r\", 1, \"a\", 3], [\"a\", 1, \"b\", 1], [\"a\", 2, \"c\", 1], [\"c\", 2, "
      "\"d\", 1]]\n";
  const std::string tables =
      "weft tables 1\nlanes 2\ncolumns hosts\npaths destination\nswitches r a b c d\n";
  const std::string groups =
      "group g lane 0 root r: hd\nout r: 1\nout a: 2\nout c: 2\nout d: 2\n"
      "group h lane 1 root r: hb hc\nout r: 1\nout a: 1 2\nout b: 2\nout c: 3\n";
  const auto with = [&](const std::string& rule, const std::string& to, int a2) {
    return verdict(fabric, tables + rule + "to " + to + ": 1 2 - 2 .\nlevel 1\n" + groups,
                   numbers(2, "r 1: 0 0\na 1: - 1\nb 2: 2 -\na 2: 1 " + std::to_string(a2) +
                                  "\nc 2: 4 4\nd 2: 5 -\nc 3: 4 -\n"));
  };
  // At c, packets of lane 1 change to lane 0, where the circuits of g come to c's port 2 by the
  // same link: on other buffers. So circuits of h may wait long for a's port 2, and hold b's
  // port 2.
  const std::string change = "levels 2: 0 1\nmap c 1 2: 0 0\n", stay = "levels 2: 0 1\n";
  EXPECT_EQ(with(change, "id", 1),
            "group h: b port 2 lane 0 has number 2 and waits for a port 2 lane 1 with number 1");
  EXPECT_EQ(with(change, "id", 3), "holds");
  EXPECT_EQ(with(stay, "id", 1), "holds");
  // Hosts accept any lane: there, packets of another lane are guarded.
  EXPECT_EQ(with(stay, "hd", 1), "holds");
}

TEST(Rules, LanesOfGroupsFollowFromTheirLevel) {
  const std::string fabric =
      "weft = \"fabric 1\"\n"
      "switches = [[\"a\", 2], [\"b\", 2], [\"c\", 2]]\n"
      "hosts = [[\"ha\", \"a\", 2], [\"hc\", \"c\", 2]]\n"
      "links = [[\"a\", 1, \"b\", 1], [\"b\", 2, \"c\", 1]]\n";
  const auto with = [&](const std::string& rule, const std::string& group) {
    return verdict(fabric,
                   "weft tables 1\nlanes 2\ncolumns hosts\npaths destination\nswitches a b c\n" +
                       rule + group + "out a: 1\nout b: 2\nout c: 2\n",
                   numbers(2, "a 1: 0 3\nb 2: 2 1\n"));
  };
  const std::string map = "levels 2: 0 1\nmap b 1 2: 1 0\n";
  const std::string wrong = " has number 3 and waits for b port 2 lane ";
  EXPECT_EQ(with(map, "group g level 0 source ha: hc\n"), "holds");
  EXPECT_EQ(with(map, "group g level 1 source ha: hc\n"),
            "group g: a port 1 lane 1" + wrong + "0 with number 2");
  EXPECT_EQ(with(map, "group g lane 1 source ha: hc\n"),
            "group g: a port 1 lane 1" + wrong + "1 with number 1");
  EXPECT_EQ(with("levels\n", "group g level 1 source ha: hc\n"),
            "group g: a port 1 lane 1" + wrong + "1 with number 1");
}

}  // namespace
}  // namespace weft::test::rules
