// SPDX-License-Identifier: Apache-2.0
// What the verifier refuses to read, in words, with the line; and variations that it reads.
#include <gtest/gtest.h>

#include <string>

#include "support/text.hpp"
#include "verify/verify.hpp"

namespace weft::test::refusals {
namespace {

/// Two switches with two links between them and a host each, in the forms that weft writes.
struct SmallTexts {
  std::string fabric =
      "weft = \"fabric 1\"\n"
      "name = \"a \\\"small\\\" one\"\n"
      "speed = \"8Gb/s\"\n"
      "delay = \"0s\"\n"
      "switches = [\n"
      "  [\"s0\", 3, {guid = \"0x0001\", at = [0, 0]}],\n"
      "  [\"s 1\", 4],\n"
      "]\n"
      "hosts = [\n"
      "  [\"h0\", \"s0\", 3, {speed = \"2Gb/s\"}],\n"
      "  [\"h1\", \"s 1\", 3],\n"
      "]\n"
      "links = [\n"
      "  [\"s0\", 1, \"s 1\", 1],\n"
      "  [\"s0\", 2, \"s 1\", 2],\n"
      "]\n";
  std::string head =
      "weft tables 1\n"
      "engine by hand\n"
      "lanes 2\n"
      "columns hosts switches\n"
      "paths destination\n"
      "switches \"s 1\" s0\n";
  std::string body =
      "to h0 | s0: 1 .\n"
      "to h1: . 2\n"
      "group all lane 1: h0 h1\n"
      "out s0: 1 3\n"
      "out \"s 1\": 1 3\n";
  std::string certificate =
      "weft certificate 1\n"
      "lanes 2\n"
      "\"s0\" 1: 0 -\n"
      "\"s0\" 3: 3 -\n";

  std::string verdict() const {
    const std::string tables = head + body;
    try {
      return verifier::verify({"f", fabric}, {"t", tables}, {"c", certificate}).value_or("holds");
    } catch (const verifier::UnreadableInput& problem) {
      return problem.what();
    }
  }
};

std::string fabric_verdict(const std::string& from, const std::string& to) {
  SmallTexts texts;
  texts.fabric = replaced(texts.fabric, from, to);
  return texts.verdict();
}
std::string tables_verdict(const std::string& from, const std::string& to) {
  SmallTexts texts;
  texts.body = replaced(texts.head + texts.body, from, to);
  texts.head.clear();
  return texts.verdict();
}
std::string certificate_verdict(const std::string& from, const std::string& to) {
  SmallTexts texts;
  texts.certificate = replaced(texts.certificate, from, to);
  return texts.verdict();
}

TEST(Refusals, TheTextsAsWeftWritesThemAreRead) { EXPECT_EQ(SmallTexts().verdict(), "holds"); }

TEST(Refusals, Fabrics) {
  EXPECT_EQ(fabric_verdict("weft =", "waft ="), "f:1: 'weft' is expected here");
  EXPECT_EQ(fabric_verdict("fabric 1", "fabric 2"), "f:1: '\"fabric 1\"' is expected here");
  EXPECT_EQ(fabric_verdict("\"8Gb/s\"", "{"), "f:3: a name is expected here");
  EXPECT_EQ(fabric_verdict("\"8Gb/s\"", "\"8Gb/s"), "f:3: a closing quote is missing");
  EXPECT_EQ(fabric_verdict("\"8Gb/s\"", "\"8\tGb/s\""), "f:3: a control character");
  EXPECT_EQ(fabric_verdict("\"8Gb/s\"", "\"8\\\nGb/s\""), "f:3: a control character");
  EXPECT_EQ(fabric_verdict("delay", "width"), "f:4: 'switches' is expected here");
  EXPECT_EQ(fabric_verdict("[\"s 1\", 4]", "[\"s0\", 4]"), "f:7: there is a second \"s0\"");
  EXPECT_EQ(fabric_verdict("[\"s 1\", 4]", "\"s 1\""), "f:7: '[' is expected here");
  EXPECT_EQ(fabric_verdict("4]", "65001]"),
            "f:7: a number of ports is expected here, from 0 to 65000");
  EXPECT_EQ(fabric_verdict("{speed = \"2Gb/s\"}", "{speed = \"2Gb/s\""),
            "f:17: a closing brace is missing");
  EXPECT_EQ(fabric_verdict("[\"h1\"", "[\"h0\""), "f:11: there is a second \"h0\"");
  EXPECT_EQ(fabric_verdict("\"s 1\", 3]", "\"s9\", 3]"), "f:11: the fabric has no switch \"s9\"");
  const std::string port = ": a port (weft make FILE -o OTHER writes all) is expected here, from ";
  EXPECT_EQ(fabric_verdict("\"s 1\", 3]", "\"s 1\", 0]"), "f:11" + port + "1 to 4");
  EXPECT_EQ(fabric_verdict("\"s0\", 2, ", "\"s0\", "), "f:15" + port + "1 to 3");
  EXPECT_EQ(fabric_verdict("\"s 1\", 3]", "\"s 1\", 5]"), "f:11" + port + "1 to 4");
  EXPECT_EQ(fabric_verdict("\"s 1\", 3]", "\"s 1\", 3x]"), "f:11" + port + "1 to 4");
  EXPECT_EQ(fabric_verdict("\"s0\", 2, ", "\"s0\", 1, "), "f:15: this port is used twice");
  EXPECT_EQ(fabric_verdict("\"s 1\", 2]", "\"s0\", 4]"), "f:15" + port + "1 to 3");
  EXPECT_EQ(
      replaced(fabric_verdict("\"s0\", 2, \"s 1\", 2", "\"s 1\", 2, \"s 1\", 4"), "f:15", "f"),
      "f: a link joins a switch with itself");
  EXPECT_EQ(fabric_verdict("2],\n]\n", "2],\n]\nmore = 1\n"), "f:17: the text should end here");
}

TEST(Refusals, HeadsOfTables) {
  EXPECT_EQ(tables_verdict("tables 1", "tables 2"), "t:1: '1' is expected here");
  EXPECT_EQ(tables_verdict("tables 1", "tables 1 x"), "t:1: the line should end here");
  EXPECT_EQ(tables_verdict("engine by hand\n", "engine a \"b\n"),
            "t:2: a closing quote is missing");
  EXPECT_EQ(tables_verdict("lanes 2", "lanes 65"),
            "t:3: a number of lanes is expected here, from 1 to 64");
  EXPECT_EQ(tables_verdict("lanes 2\n", ""), "t:3: 'lanes' is expected here");
  EXPECT_EQ(tables_verdict("columns hosts", "columns"), "t:4: 'hosts' is expected here");
  EXPECT_EQ(tables_verdict("hosts switches\n", "hosts\n"), "t:7: '|' is expected here");
  EXPECT_EQ(tables_verdict("paths destination", "paths by"), "t:5: 'destination' is expected here");
  EXPECT_EQ(tables_verdict("\"s 1\" s0", "\"s 1\" \"s 1\""),
            "t:6: each switch of the fabric must be listed once");
  EXPECT_EQ(tables_verdict("\"s 1\" s0", "s0"),
            "t:6: each switch of the fabric must be listed once");
  EXPECT_EQ(tables_verdict("\"s 1\" s0", "s2"), "t:6: the fabric has no switch \"s2\"");
  EXPECT_EQ(tables_verdict("\"s 1\" s0", "s0 :"), "t:6: the line should end here");
  EXPECT_EQ(tables_verdict("to h0", "links g0: 1\nto h0"), "t:7: no line may begin like this here");
}

TEST(Refusals, Lanes) {
  const auto with = [](const std::string& lines) {
    return tables_verdict("to h0", lines + "\nto h0");
  };
  EXPECT_EQ(with("turns from hosts 0 otherwise ="), "holds");
  EXPECT_EQ(with("turns from hosts 2 otherwise ="),
            "t:7: a lane of the tables is expected here, from 0 to 1");
  EXPECT_EQ(with("turns to hosts"), "t:7: 'from' is expected here");
  EXPECT_EQ(with("turns from hosts 0 otherwise =\nturn s0 1: = + x 0\nturn s0 0: -"), "holds");
  EXPECT_EQ(with("turns from hosts 0 otherwise =\nturn s0 1: = +"),
            "t:8: 4 are needed here, or one for all");
  EXPECT_EQ(with("turns from hosts 0 otherwise =\nturn s0 1:"),
            "t:8: 4 are needed here, or one for all");
  EXPECT_EQ(with("turns from hosts 0 otherwise =\nturn s0 4: ="),
            "t:8: a port of the switch is expected here, from 0 to 3");
  EXPECT_EQ(with("turns from hosts 0 otherwise =\nturn s0 1: =\nturn s0 1: ="),
            "t:9: there is a second line for these ports");
  EXPECT_EQ(with("turn s0 1: ="), "t:7: no line may begin like this here");
  EXPECT_EQ(with("levels\nmap s0 1 1: 0"), "t:8: no line may begin like this here");
  EXPECT_EQ(with("levels 0: "), "t:7: a number of levels is expected here, from 1 to 256");
  EXPECT_EQ(with("levels 2: 0"), "t:7: 2 are needed here");
  EXPECT_EQ(with("levels 2: 0 1 1"), "t:7: 2 are needed here");
  EXPECT_EQ(with("levels 2: 0 1\nmap s0 1 2: 0 0\nmap s0 0 2: 0 1"), "holds");
  EXPECT_EQ(with("levels 2: 0 1\nmap s0 1 2: 0"), "t:8: 2 are needed here");
  EXPECT_EQ(with("levels 2: 0 1\nmap s0 1 2: 0 0\nmap s0 1 2: 0 1"),
            "t:9: there is a second line for these ports");
}

TEST(Refusals, Columns) {
  EXPECT_EQ(tables_verdict("to h1", "to h0"), "t:8: a host has a second column");
  EXPECT_EQ(tables_verdict("to h1", "to h1 | s0"), "t:8: a switch has a second column");
  EXPECT_EQ(tables_verdict("to h1", "to h9"), "t:8: the fabric has no host \"h9\"");
  EXPECT_EQ(tables_verdict("to h1: . 2", "to h1: ."),
            "t:8: a port of the switch is expected here, from 1 to 3");
  EXPECT_EQ(tables_verdict("to h1: . 2", "to h1: . 0"),
            "t:8: a port of the switch is expected here, from 1 to 3");
  EXPECT_EQ(tables_verdict("to h1: . 2", "to h1: . 2 2"), "t:8: the line should end here");
  EXPECT_EQ(tables_verdict("to h1: . 2", "to h1: . 2\nlevel 0"),
            "t:9: no line may begin like this here");
  SmallTexts texts;
  texts.head += "levels\n";
  const std::string body = texts.body;
  const auto level = [&](const std::string& line) {
    texts.body = replaced(body, "group", line + "\ngroup");
    return texts.verdict();
  };
  EXPECT_EQ(level("level 0 1"), "holds");
  EXPECT_EQ(level("level 1"), "holds");
  EXPECT_EQ(level("level 0 1 0"), "t:10: 2 are needed here, or one for all");
  EXPECT_EQ(level("level 2"), "t:10: a level is expected here, from 0 to 1");
}

TEST(Refusals, SourceRoutes) {
  SmallTexts texts;
  texts.head = replaced(texts.head, "destination", "source");
  const std::string head = texts.head;
  const auto with = [&](const std::string& links, const std::string& route) {
    texts.head = head + links;
    texts.body = "to h1: ., " + route + "\n";
    return texts.verdict();
  };
  EXPECT_EQ(with("", "2"), "holds");
  EXPECT_EQ(with("", "2 3"), "holds");
  EXPECT_EQ(with("", "65000"), "holds");
  EXPECT_EQ(with("links g0: 1 2\n", "g0 3"), "holds");
  EXPECT_EQ(with("links g1: 1 2\n", "g0"), "t:7: 'g0' is expected here");
  EXPECT_EQ(with("links g0: 1 2\nlinks g0: 2\n", "g0 3"), "t:8: 'g1' is expected here");
  EXPECT_EQ(with("links g0: 1 2 1\n", "g0"), "t:7: a port is listed twice");
  EXPECT_EQ(with("links g0: 0\n", "g0"), "t:7: a port is expected here, from 1 to 65000");
  EXPECT_EQ(with("links g0: 1\n", "g1"),
            "t:8: a port or group of links is expected here, from 1 to 65000");
  EXPECT_EQ(with("", "g0"), "t:7: a port or group of links is expected here, from 1 to 65000");
  EXPECT_EQ(with("", "0"), "t:7: a port or group of links is expected here, from 1 to 65000");
  EXPECT_EQ(with("", ""), "t:7: a port or group of links is expected here, from 1 to 65000");
  EXPECT_EQ(with("", "2, 1"), "t:7: the line should end here");
  EXPECT_EQ(with("", "- 1"), "t:7: the line should end here");
  texts.body = "to h1: . 2\n";
  EXPECT_EQ(texts.verdict(), "t:7: ',' is expected here");
}

TEST(Refusals, Groups) {
  EXPECT_EQ(tables_verdict("group all lane 1", "group all"), "t:9: 'lane' is expected here");
  EXPECT_EQ(tables_verdict("group all lane 1", "group all level 1"),
            "t:9: 'lane' is expected here");
  EXPECT_EQ(tables_verdict("group all lane 1", "group all lane 2"),
            "t:9: a lane of the tables is expected here, from 0 to 1");
  EXPECT_EQ(tables_verdict("lane 1:", "lane 1 source h9:"), "t:9: the fabric has no host \"h9\"");
  EXPECT_EQ(tables_verdict("lane 1:", "lane 1 root s9:"), "t:9: the fabric has no switch \"s9\"");
  EXPECT_EQ(tables_verdict("out s0: 1 3", "up 1: s0"), "t:10: no line may begin like this here");
  EXPECT_EQ(tables_verdict("out s0: 1 3", "out s0: 1 1"), "t:10: a port is listed twice");
  EXPECT_EQ(tables_verdict("out s0: 1 3", "out s0: 1 0"),
            "t:10: a port of the switch is expected here, from 1 to 3");
  EXPECT_EQ(tables_verdict("out \"s 1\": 1", "out s0: 1"), "t:11: a switch has a second line");
  EXPECT_EQ(tables_verdict("out \"s 1\": 1 3", "group \"all\" lane 0:"),
            "t:11: there is a second group of this name");
  const auto rooted = [](const std::string& line) {
    SmallTexts texts;
    texts.body = "group all lane 1 source h0 root \"s 1\": h0\n" + line + "\n";
    return texts.verdict();
  };
  EXPECT_EQ(rooted("up 1: s0"), "holds");
  EXPECT_EQ(rooted("up 4: s0"), "t:8: a switch has no such port");
  EXPECT_EQ(rooted("up 1: s0\nup 2: s0"), "t:9: a switch has another port up");
  EXPECT_EQ(rooted("up 0: s0"), "t:8: a port is expected here, from 1 to 65000");
}

TEST(Refusals, Certificates) {
  EXPECT_EQ(certificate_verdict("weft certificate 1", "weft"),
            "c:1: 'certificate' is expected here");
  EXPECT_EQ(certificate_verdict("lanes 2", "lanes 0"),
            "c:2: a number of lanes is expected here, from 1 to 64");
  EXPECT_EQ(certificate_verdict("\"s0\" 1: 0 -", "\"s7\" 1: 0 -"),
            "c:3: the fabric has no switch \"s7\"");
  EXPECT_EQ(certificate_verdict("\"s0\" 1: 0 -", "\"s 1\" 4: 0 -"), "c:3: this port leads nowhere");
  EXPECT_EQ(certificate_verdict("\"s0\" 1: 0 -", "\"s0\" 4: 0 -"),
            "c:3: a port of the switch is expected here, from 1 to 3");
  EXPECT_EQ(certificate_verdict("\"s0\" 1: 0 -", "\"s0\" 3: 0 -"),
            "c:4: this port has a second line");
  EXPECT_EQ(certificate_verdict("\"s0\" 1: 0 -", "\"s0\" 1 0 -"), "c:3: ':' is expected here");
  EXPECT_EQ(certificate_verdict("1: 0 -", "1: 0"), "c:3: 2 are needed here");
  EXPECT_EQ(certificate_verdict("1: 0 -", "1: 0 4294967295"),
            "c:3: a number is expected here, from 0 to 4294967294");
  EXPECT_EQ(certificate_verdict("1: 0 -", "1: 4294967294 -"), "holds");
  EXPECT_EQ(certificate_verdict("1: 0 -", "1: 0 - -"), "c:3: 2 are needed here");
  EXPECT_EQ(certificate_verdict("3: 3 -", "3: 3 4"),
            "c:4: a link to a host has one number, and then -");
  EXPECT_EQ(certificate_verdict("3: 3 -", "3: - -"), "holds");
}

TEST(Refusals, VariationsByHandAreRead) {
  EXPECT_EQ(fabric_verdict("hosts = [\n", "# so many\nhosts=[ # here\n\n"), "holds");
  EXPECT_EQ(fabric_verdict("3],\n]\nlinks", "3]]\nlinks"), "holds");
  EXPECT_EQ(fabric_verdict("[\"s 1\", 4],", "[\"s 1\", 4]"), "holds");
  EXPECT_EQ(tables_verdict("to h1: . 2\n", "\n  # a line\n\tto  \"h1\":.  2 \r\n\n"), "holds");
  EXPECT_EQ(certificate_verdict("\"s0\" 3: 3 -\n", "s0 3: 3 -"), "holds");
  EXPECT_EQ(certificate_verdict("\"s0\" 3: 3 -\n", ""), "holds");
}

TEST(Refusals, TextsThatEndAnywhereAreReadOrRefused) {
  const SmallTexts whole;
  for (std::size_t size = 0; size < whole.fabric.size() - 1; ++size) {
    SmallTexts texts;
    texts.fabric.resize(size);
    EXPECT_TRUE(texts.verdict().starts_with("f:")) << size;
  }
  for (std::size_t size = 0; size < whole.head.size() - 1; ++size) {
    SmallTexts texts;
    texts.head.resize(size);
    texts.body.clear();
    EXPECT_TRUE(texts.verdict().starts_with("t:")) << size;
  }
  for (std::size_t size = 0; size < whole.certificate.size(); ++size) {
    SmallTexts texts;
    texts.certificate.resize(size);
    EXPECT_TRUE(texts.verdict().starts_with("c:") || size > 24) << size;
  }
}

}  // namespace
}  // namespace weft::test::refusals
