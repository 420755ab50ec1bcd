// SPDX-License-Identifier: Apache-2.0
// XGFT and what is built from it: closed forms, digits of parents and children, port order.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "plan/topo_support.hpp"

namespace weft::testing {
namespace {

using Digits = std::vector<int>;

int level(const Fabric& fabric, SwitchId s) { return fabric[s].at[0]; }

std::vector<std::size_t> switches_by_level(const Fabric& fabric) {
  std::vector<std::size_t> out;
  for (const SwitchId s : fabric.switches()) {
    out.resize(std::max(out.size(), static_cast<std::size_t>(level(fabric, s))), 0);
    ++out[static_cast<std::size_t>(level(fabric, s)) - 1];
  }
  return out;
}

/// An XGFT as it is defined: m, w, parallel links, by level.
struct Definition {
  Digits m, w, links;
  std::size_t height() const { return m.size(); }
  int down(std::size_t i) const { return m[i - 1] * links[i - 1]; }
  int up(std::size_t i) const { return i < height() ? w[i] * links[i] : 0; }
};

/// Coordinates are level, a_h .. a_(i+1), b_i .. b_1; digit j (a_j or b_j) is counted from 1.
int& digit(Digits& at, std::size_t j) { return at[at.size() - j]; }

/// The parent q of (a_h..a_(i+1); b) is (a_h..a_(i+2); q b).
Digits parent(Digits at, int q) {
  const auto i = static_cast<std::size_t>(at[0]);
  digit(at, i + 1) = q;
  at[0] += 1;
  return at;
}

void expect_parents(const Fabric& fabric, const Definition& tree, SwitchId s) {
  Digits at = fabric[s].at;
  const auto i = static_cast<std::size_t>(at[0]);
  for (int q = 0; q < tree.up(i); ++q) {
    const auto port = static_cast<PortNumber>(tree.down(i) + q + 1);
    const ChannelId channel = fabric.channel_at(s, port);
    ASSERT_TRUE(channel.valid());
    EXPECT_EQ(fabric[fabric.to(channel)].at, parent(at, q % tree.w[i]));
    EXPECT_EQ(fabric.in_port(channel), digit(at, i + 1) * tree.links[i] + q / tree.w[i] + 1);
  }
}

void expect_hosts(const Fabric& fabric, const Definition& tree) {
  for (const HostId h : fabric.hosts()) {
    std::size_t t = h.index();
    Digits at = fabric[fabric[h].on].at;
    EXPECT_EQ(fabric[h].port, t % static_cast<std::size_t>(tree.m[0]) + 1);
    for (std::size_t j = 2; j <= tree.height(); ++j) {
      t /= static_cast<std::size_t>(tree.m[j - 2]);
      EXPECT_EQ(digit(at, j), static_cast<int>(t % static_cast<std::size_t>(tree.m[j - 1])));
    }
  }
}

void expect_xgft(const Fabric& fabric, const Definition& tree) {
  EXPECT_TRUE(connected(fabric));
  for (const SwitchId s : fabric.switches()) {
    const auto i = static_cast<std::size_t>(level(fabric, s));
    EXPECT_EQ(fabric[s].ports, tree.down(i) + tree.up(i));
    EXPECT_EQ(fabric.out(s).size() + fabric.hosts_on(s).size(), fabric[s].ports);
    EXPECT_EQ(fabric.hosts_on(s).empty(), i != 1);
    expect_parents(fabric, tree, s);
  }
  for (std::size_t s = 1; s < fabric.switch_count(); ++s)
    EXPECT_LE(level(fabric, SwitchId(s - 1)), level(fabric, SwitchId(s)));
  expect_hosts(fabric, tree);
}

TEST(Xgft, FollowsItsDefinition) {
  const auto check = [](const std::string& spec, const Definition& tree) {
    SCOPED_TRACE(spec);
    expect_xgft(make_fabric(spec), tree);
  };
  check("xgft", {{4, 4}, {1, 4}, {1, 1}});
  check("xgft:children=3x4x2,parents=1x3x4", {{3, 4, 2}, {1, 3, 4}, {1, 1, 1}});
  check("xgft:children=4x3,parents=1x2,links=1x3", {{4, 3}, {1, 2}, {1, 3}});
  check("xgft:children=2x3x4,parents=1x2x3,links=2", {{2, 3, 4}, {1, 2, 3}, {1, 2, 2}});
  check("xgft:children=5,parents=1", {{5}, {1}, {1}});
  check("tree:k=3,n=3", {{3, 3, 3}, {1, 3, 3}, {1, 1, 1}});
  check("clos2:leaves=5,spines=3,hosts=2,links=2", {{2, 5}, {1, 3}, {1, 2}});
  check("clos3:radix=6", {{3, 3, 6}, {1, 3, 3}, {1, 1, 1}});
}

TEST(Xgft, UpPortQIsLinkQDivWToParentQModW) {
  const Fabric fabric = make_fabric("clos2:leaves=2,spines=2,hosts=3,links=2");
  std::vector<std::size_t> spines;
  for (std::size_t port = 4; port <= 7; ++port) spines.push_back(behind(fabric, 0, port).index());
  EXPECT_EQ(spines, (std::vector<std::size_t>{2, 3, 2, 3}));
  std::vector<std::size_t> leaves;
  for (std::size_t port = 1; port <= 4; ++port) leaves.push_back(behind(fabric, 2, port).index());
  EXPECT_EQ(leaves, (std::vector<std::size_t>{0, 0, 1, 1}));
}

TEST(Xgft, Errors) {
  EXPECT_EQ(error_of("xgft:parents=1x4x4"),
            "xgft: parents=1x4x4: as many levels as in children are needed");
  EXPECT_EQ(error_of("xgft:parents=2x4"),
            "xgft: parents=2x4: the first number must be 1: a host is on one switch");
  EXPECT_EQ(error_of("xgft:links=1x2x2"),
            "xgft: links=1x2x2: one number for all levels, or one for each, is needed");
  EXPECT_EQ(error_of("xgft:links=2x2"),
            "xgft: links=2x2: the first number must be 1: a host has one link");
  EXPECT_EQ(error_of("xgft:children=0x4"), "xgft: children=0x4: a dimension needs 1 or more");
  std::string chain = "1";
  for (int i = 0; i < 30; ++i) chain += "x1";
  EXPECT_EQ(error_of("xgft:children=" + chain).substr(0, 16), "xgft: children=1");
  EXPECT_NE(error_of("xgft:children=" + chain).find("at most 30 levels are possible"),
            std::string::npos);
}

TEST(Tree, ClosedForms) {
  for (const auto& [k, n] : {std::pair{2, 1}, {2, 3}, {4, 2}, {3, 3}, {2, 5}}) {
    const Fabric fabric = make_fabric(fmt::format("tree:k={},n={}", k, n));
    const auto per_level = static_cast<std::size_t>(std::lround(std::pow(k, n - 1)));
    const auto levels = static_cast<std::size_t>(n), arity = static_cast<std::size_t>(k);
    EXPECT_EQ(counts(fabric),
              (Counts{levels * per_level, arity * per_level, (levels - 1) * per_level * arity}));
    EXPECT_EQ(switches_by_level(fabric), std::vector<std::size_t>(levels, per_level));
    EXPECT_EQ(hops(fabric).most, 2 * n - 1);
  }
  EXPECT_EQ(error_of("tree:k=1"), "tree: k=1: a whole number from 2 to 65000 is needed");
  EXPECT_EQ(error_of("tree:n=0"), "tree: n=0: a whole number from 1 to 30 is needed");
}

TEST(Clos2, ClosedForms) {
  const Fabric fabric = make_fabric("clos2:leaves=6,spines=3,hosts=5,links=2");
  EXPECT_EQ(counts(fabric), (Counts{9, 30, 36}));
  for (const auto& [pair, count] : joined(fabric)) EXPECT_EQ(count, 2);
  EXPECT_EQ(joined(fabric).size(), 18U);
  EXPECT_EQ(diameter(fabric), 2);
  EXPECT_EQ(fabric[SwitchId(5)].at, (Digits{1, 5, 0}));
  EXPECT_EQ(fabric[SwitchId(8)].at, (Digits{2, 2, 0}));
  EXPECT_EQ(error_of("clos2:spines=0"),
            "clos2: spines=0: a whole number from 1 to 65000 is needed");
}

TEST(Clos3, ClosedForms) {
  for (const std::size_t r : {2U, 4U, 6U, 16U}) {
    const Fabric fabric = make_fabric(fmt::format("clos3:radix={}", r));
    EXPECT_EQ(counts(fabric), (Counts{5 * r * r / 4, r * r * r / 4, r * r * r / 2}));
    EXPECT_EQ(switches_by_level(fabric),
              (std::vector<std::size_t>{r * r / 2, r * r / 2, r * r / 4}));
    for (const SwitchId s : fabric.switches()) EXPECT_EQ(fabric[s].ports, r);
    EXPECT_EQ(hops(fabric).most, 5);
  }
  EXPECT_EQ(error_of("clos3:radix=5"),
            "clos3: radix=5: an even number is needed: half of the ports go up");
}

TEST(Crossbar, IsOneSwitch) {
  const Fabric fabric = make_fabric("crossbar:hosts=40");
  EXPECT_EQ(counts(fabric), (Counts{1, 40, 0}));
  EXPECT_EQ(fabric[SwitchId(0)].ports, 40);
  EXPECT_EQ(error_of("crossbar:hosts=65001"),
            "crossbar: hosts=65001: a whole number from 1 to 65000 is needed");
}

}  // namespace
}  // namespace weft::testing
