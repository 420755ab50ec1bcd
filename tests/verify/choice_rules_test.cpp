// SPDX-License-Identifier: Apache-2.0
// The rules of docs/certificate.md for tables with choices, on a ring of three switches whose
// packets go round it, or anywhere else that a test says.
#include <gtest/gtest.h>

#include <string>

#include "verify/verify.hpp"

namespace weft::test::choice_rules {
namespace {

/// Port 1 leads on, port 2 back, and port 3 to the switch's host. `lines` are all after the order
/// of switches.
verifier::Judgment judged_on_ring(int lanes, const std::string& lines,
                                  const std::string& certificate) {
  const std::string fabric =
      "weft = \"fabric 1\"\nswitches = [[\"a\", 3], [\"b\", 3], [\"c\", 3]]\n"
      "hosts = [[\"ha\", \"a\", 3], [\"hb\", \"b\", 3], [\"hc\", \"c\", 3]]\n"
      "links = [[\"a\", 1, \"b\", 2], [\"b\", 1, \"c\", 2], [\"c\", 1, \"a\", 2]]\n";
  const std::string count = "lanes " + std::to_string(lanes) + "\n";
  const std::string tables =
      "weft tables 1\n" + count + "columns hosts\npaths choices\nswitches a b c\n" + lines;
  return verifier::judge({"f", fabric}, {"t", tables},
                         {"c", "weft certificate 1\n" + count + certificate});
}
std::string on_ring(int lanes, const std::string& lines, const std::string& certificate) {
  return judged_on_ring(lanes, lines, certificate).wrong.value_or("holds");
}

const std::string round_columns = "to ha: . c0 c0\nto hb: c0 . c0\nto hc: c0 c0 .\n";

TEST(ChoiceRules, SomeChoiceMustLeadToALargerNumber) {
  const std::string both = "choice c0: 1 2\n" + round_columns;
  const std::string same = "a 1: 1\nb 1: 1\nc 1: 1\na 2: 1\nb 2: 1\nc 2: 1\n";
  EXPECT_NE(on_ring(1, both, "choices some\n" + same), "holds");
  // Lane 1 goes round; lane 0 is a line from c to a, and back by the third link.
  const std::string escape =
      "choice c0: 1.1\nchoice c1: 1.1 2.0\nchoice c2: 1.1 1.0\n"
      "to ha: . c1 c1\nto hb: c2 . c1\nto hc: c2 c2 .\n";
  const std::string numbers = "a 1: 1 0\nb 1: 2 0\nc 2: 1 -\nb 2: 2 -\nc 1: - 0\n";
  EXPECT_EQ(on_ring(2, escape, "choices some\n" + numbers), "holds");
  EXPECT_NE(on_ring(2, escape, numbers), "holds") << "not by every choice";
  EXPECT_NE(on_ring(2, escape, "choices some\na 1: 1 0\nb 1: 1 0\nc 2: 1 -\nb 2: 2 -\nc 1: - 0\n"),
            "holds");
}

TEST(ChoiceRules, WhatIsProvedNamesTheSwitches) {
  const auto claim = [](const std::string& line) {
    return judged_on_ring(1, "choice c0: 1\nto hc: c0 c0 .\n", line + "a 1: 0\nb 1: 1\n").claim;
  };
  EXPECT_EQ(claim(""), "channel numbers strictly increase along every route");
  EXPECT_EQ(claim("choices some\n"),
            "by some choice of every packet, for switches that wait for any (cut-through)");
  EXPECT_EQ(
      claim("choices some worms\n"),
      "by some choice of every packet, for switches that wait for any (wormhole, cut-through)");
}

TEST(ChoiceRules, PortsToHostsAreNoEscape) {
  // Every host's link may be refused, unless it is the packet's own.
  const std::string certificate = "choices some\na 1: 1\nb 1: 1\nc 1: 1\n";
  EXPECT_NE(on_ring(1, "choice c0: 1 3\n" + round_columns, certificate), "holds");
  EXPECT_EQ(on_ring(1, "choice c0: 3\n" + round_columns, certificate), "holds") << "all are lost";
}

TEST(ChoiceRules, WhatIsHeldHasANumber) {
  const std::string line = "choice c0: 1\nto hc: c0 c0 .\n";
  EXPECT_EQ(on_ring(1, line, "choices some\na 1: 0\nb 1: 1\n"), "holds");
  EXPECT_NE(on_ring(1, line, "choices some\nb 1: 1\n"), "holds");
}

TEST(ChoiceRules, DetoursBeginWhereAPacketIsNotHandedToItsHost) {
  // Packets to hc decide at every switch; the detour leads by b, and its lane 1 ends there.
  const std::string rules =
      "choice c0: 1.0>0\nchoice c1: 1.1>1\nchoice c2: 1.2>2\nchoice c3: 3>0\n"
      "phase 0 undecided: to hosts detour 1\nphase 1 away: to intermediates next 2\n"
      "phase 2 home: to hosts\n";
  const std::string minimal = "in 2 to hc: c2 c2 .\nvia: c1 . c1\n";
  const std::string numbers = "a 1: 0 1 2\nb 1: 3 - 4\n";
  EXPECT_EQ(on_ring(3, rules + "to hc: c0 c0 .\n" + minimal, numbers + "c 1: - 0 -\n"), "holds");
  EXPECT_EQ(on_ring(3, rules + "to hc: c0 c0 c3\n" + minimal, numbers), "holds");
  EXPECT_NE(on_ring(3, rules + "to hc hb: c0 c0 c3\n" + "in 2 to hc hb: c2 c2 .\nvia: c1 . c1\n",
                    numbers),
            "holds")
      << "those to hb may go on by c's port 1";
}

TEST(ChoiceRules, PacketsMayHaveNoIntermediateDestination) {
  const std::string tables =
      "choice c0: 1.0>0\nchoice c1: 1.1>1\nstart 1\n"
      "phase 0 home: to hosts\nphase 1 away: to intermediates next 0\n" +
      round_columns + "via: . c1 c1\n";
  // By a, they come from there; else they go round.
  EXPECT_NE(on_ring(2, tables, "a 1: 2 -\nb 1: 3 0\nc 1: - 1\n"), "holds");
  EXPECT_NE(on_ring(2, tables, "a 1: 2 -\nb 1: 3 0\nc 1: 2 1\n"), "holds");
}

}  // namespace
}  // namespace weft::test::choice_rules
