// SPDX-License-Identifier: Apache-2.0
// Traffic patterns: properties of every row, and each definition against its closed form.
#include "sim/traffic/traffic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/message.hpp"
#include "plan/topo/topology.hpp"
#include "support/fabrics.hpp"

namespace weft::test {
namespace {

using sim::make_pattern;

std::vector<std::size_t> destinations(const Fabric& fabric, const std::string& spec) {
  const auto pattern = make_pattern(fabric, spec);
  Rng rng(1);
  std::vector<std::size_t> out;
  for (HostId host : fabric.hosts()) out.push_back(pattern->next(host, rng).index());
  return out;
}

Fabric hosts(int count) { return make_fabric(fmt::format("crossbar:hosts={}", count)); }

TEST(Traffic, EveryRowNamesHostsThatExist) {
  std::map<std::string_view, int> served;
  for (const char* spec : {"mesh:dims=4x4", "torus:dims=4x4,hosts=4", "crossbar:hosts=7",
                           "clos3:radix=8", "random_irregular:bare=3,seed=5", "dragonfly"}) {
    const Fabric fabric = make_fabric(spec);
    for (const auto& row : sim::patterns()) {
      try {
        const auto pattern = make_pattern(fabric, row.name);
        Rng rng(3);
        for (int turn = 0; turn < 40; ++turn)
          for (HostId host : fabric.hosts()) {
            const HostId to = pattern->next(host, rng);
            ASSERT_LT(to.index(), fabric.host_count()) << spec << " " << row.name;
          }
        EXPECT_FALSE(pattern->ends());
        ++served[row.name];
      } catch (const Error& error) {
        EXPECT_TRUE(std::string_view(error.what()).starts_with(row.name)) << error.what();
      }
    }
  }
  for (const auto& row : sim::patterns()) EXPECT_GE(served[row.name], 2) << row.name;
}

TEST(Traffic, EveryRowIsTheSameAgain) {
  const Fabric fabric = make_fabric("mesh:dims=4x4");
  for (const auto& row : sim::patterns())
    EXPECT_EQ(destinations(fabric, std::string(row.name)),
              destinations(fabric, std::string(row.name)));
}

TEST(Traffic, PermutationsArePermutations) {
  const Fabric fabric = make_fabric("torus:dims=4x4,hosts=4");
  for (const char* spec : {"bit_reversal", "transpose", "rhinet_transpose", "complement", "shuffle",
                           "tornado", "tornado:by=ids", "neighbour", "neighbour:by=ids",
                           "permutation", "permutation:self=yes,seed=9", "all_to_all"}) {
    auto to = destinations(fabric, spec);
    std::sort(to.begin(), to.end());
    for (std::size_t i = 0; i < to.size(); ++i) EXPECT_EQ(to[i], i) << spec;
  }
}

TEST(Traffic, AdversarialHostsSendToTheNextGroup) {
  const Fabric fabric = make_fabric("dragonfly:a=4,p=2,h=2");  // groups of 8 hosts
  for (const char* spec : {"adversarial:shift=2", "adversarial:shift=2,group=8"}) {
    const auto pattern = make_pattern(fabric, spec);
    Rng rng(1);
    std::vector<std::size_t> met(8, 0);
    for (int i = 0; i < 400; ++i) {
      const std::size_t to = pattern->next(HostId(70), rng).index();  // of the last of 9 groups
      ASSERT_EQ(to / 8, 1U) << spec;
      ++met[to % 8];
    }
    for (const std::size_t count : met) EXPECT_GT(count, 20U);
  }
}

TEST(Traffic, BitPatterns) {
  const Fabric eight = hosts(8);
  EXPECT_EQ(destinations(eight, "bit_reversal"),
            (std::vector<std::size_t>{0, 4, 2, 6, 1, 5, 3, 7}));
  EXPECT_EQ(destinations(eight, "shuffle"), (std::vector<std::size_t>{0, 2, 4, 6, 1, 3, 5, 7}));
  EXPECT_EQ(destinations(eight, "complement"), (std::vector<std::size_t>{7, 6, 5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(destinations(hosts(1), "shuffle"), std::vector<std::size_t>{0});
  EXPECT_EQ(destinations(hosts(1), "bit_reversal"), std::vector<std::size_t>{0});
}

TEST(Traffic, TransposeOfTheRhinetPaper) {
  for (int k : {1, 2, 3, 4, 8}) {
    const auto to = destinations(hosts(k * k), "rhinet_transpose");
    for (int x = 0; x < k; ++x)
      for (int y = 0; y < k; ++y) {
        const auto from = static_cast<std::size_t>(x + k * y);
        const int other =
            x + y == k - 1 ? (k - x - 1) + k * (k - y - 1) : (k - y - 1) + k * (k - x - 1);
        EXPECT_EQ(to[from], static_cast<std::size_t>(other));
        EXPECT_EQ(to[from] == from, 2 * x == k - 1 && x == y) << x << "," << y << " of " << k;
      }
  }
}

TEST(Traffic, TransposeOfMatrices) {
  for (std::size_t k : {1U, 2U, 3U, 6U, 8U}) {
    const auto to = destinations(hosts(static_cast<int>(k * k)), "transpose");
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = 0; j < k; ++j) EXPECT_EQ(to[i * k + j], j * k + i) << k;
  }
}

/// BookSim 2's transpose of 2^2h nodes: the halves of a number's bits change places.
TEST(Traffic, TransposeSwapsHalvesOfBits) {
  for (unsigned half : {1U, 2U, 3U, 4U}) {
    const std::size_t count = std::size_t{1} << 2 * half, low = (std::size_t{1} << half) - 1;
    const auto to = destinations(hosts(static_cast<int>(count)), "transpose");
    for (std::size_t i = 0; i < count; ++i)
      EXPECT_EQ(to[i], (i >> half & low) | (i & low) << half) << count;
  }
}

/// On a square mesh with one host a switch, a host sends to the one whose coordinates are swapped.
TEST(Traffic, TransposeSwapsCoordinatesOfAMesh) {
  const Fabric mesh = make_fabric("mesh:dims=5x5");
  const auto to = destinations(mesh, "transpose");
  for (HostId from : mesh.hosts()) {
    const std::vector<int>& at = mesh[mesh[from].on].at;
    EXPECT_EQ(mesh[mesh[HostId(to[from.index()])].on].at, (std::vector<int>{at[1], at[0]}));
  }
}

TEST(Traffic, ShiftsInAGrid) {
  const Fabric torus = make_fabric("torus:dims=5x4,hosts=2");
  const auto tornado = destinations(torus, "tornado");
  const auto next = destinations(torus, "neighbour");
  for (std::size_t x = 0; x < 5; ++x)
    for (std::size_t y = 0; y < 4; ++y)
      for (std::size_t i = 0; i < 2; ++i) {
        const std::size_t from = 2 * (x + 5 * y) + i;
        EXPECT_EQ(tornado[from], 2 * ((x + 2) % 5 + 5 * ((y + 1) % 4)) + i);
        EXPECT_EQ(next[from], 2 * ((x + 1) % 5 + 5 * ((y + 1) % 4)) + i);
      }
  EXPECT_EQ(destinations(hosts(5), "tornado:by=ids"), (std::vector<std::size_t>{2, 3, 4, 0, 1}));
  EXPECT_EQ(destinations(hosts(4), "neighbour:by=ids"), (std::vector<std::size_t>{1, 2, 3, 0}));
  EXPECT_EQ(destinations(make_fabric("tree:k=2,n=2"), "neighbour").size(), 4U);
}

std::vector<int> drawn(const Fabric& fabric, const std::string& spec, HostId from, int draws) {
  const auto pattern = make_pattern(fabric, spec);
  Rng rng(7);
  std::vector<int> count(fabric.host_count());
  for (int i = 0; i < draws; ++i) ++count[pattern->next(from, rng).index()];
  return count;
}

TEST(Traffic, UniformWithAndWithoutSelf) {
  const Fabric five = hosts(5);
  const auto others = drawn(five, "uniform", HostId(2), 40'000);
  const auto all = drawn(five, "uniform:self=yes", HostId(2), 40'000);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(others[i], i == 2 ? 0 : 10'000, 400) << i;
    EXPECT_NEAR(all[i], 8'000, 400) << i;
  }
  EXPECT_EQ(others[2], 0);
}

TEST(Traffic, HotSpotGetsItsShareAndItsPartOfTheRest) {
  const Fabric five = hosts(5);
  const auto cold = drawn(five, "hot_spot:share=0.6,host=h3", HostId(0), 40'000);
  EXPECT_NEAR(cold[3], 40'000 * (0.6 + 0.4 / 4), 500);
  EXPECT_NEAR(cold[1], 40'000 * 0.1, 300);
  EXPECT_EQ(cold[0], 0);
  const auto hot = drawn(five, "hot_spot:share=0.6,host=3", HostId(3), 40'000);
  EXPECT_EQ(hot[3], 0);
  EXPECT_NEAR(hot[0], 10'000, 400);
}

TEST(Traffic, PermutationsOfSeeds) {
  const Fabric fabric = hosts(20);
  std::set<std::vector<std::size_t>> seen;
  bool fixed_point = false;
  for (int seed = 0; seed < 20; ++seed) {
    const auto to = destinations(fabric, fmt::format("permutation:seed={}", seed));
    for (std::size_t i = 0; i < to.size(); ++i) EXPECT_NE(to[i], i);
    seen.insert(to);
    const auto any = destinations(fabric, fmt::format("permutation:self=yes,seed={}", seed));
    for (std::size_t i = 0; i < any.size(); ++i) fixed_point |= any[i] == i;
  }
  EXPECT_EQ(seen.size(), 20U);
  EXPECT_TRUE(fixed_point);
}

TEST(Traffic, AllToAllInTurnAndToItsEnd) {
  const Fabric four = hosts(4);
  Rng rng(1);
  const auto endless = make_pattern(four, "all_to_all");
  std::vector<std::size_t> seen;
  for (int i = 0; i < 7; ++i) seen.push_back(endless->next(HostId(2), rng).index());
  EXPECT_EQ(seen, (std::vector<std::size_t>{3, 0, 1, 3, 0, 1, 3}));
  const auto twice = make_pattern(four, "all_to_all:rounds=2");
  EXPECT_TRUE(twice->ends());
  for (HostId host : four.hosts()) {
    for (int i = 0; i < 6; ++i) EXPECT_TRUE(twice->next(host, rng).valid());
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(twice->next(host, rng).valid());
  }
}

TEST(Traffic, WrongSpecsAndFabrics) {
  const auto said = [](const Fabric& fabric, const char* spec) {
    return message_of([&] { make_pattern(fabric, spec); });
  };
  EXPECT_EQ(said(hosts(6), "bit_reversal"),
            "bit_reversal: the fabric has 6 hosts; a power of two is needed");
  EXPECT_EQ(said(hosts(6), "shuffle"), "shuffle: the fabric has 6 hosts; a power of two is needed");
  EXPECT_EQ(said(hosts(8), "transpose"),
            "transpose: the fabric has 8 hosts; a square number is needed, such as 4 or 9");
  EXPECT_EQ(said(hosts(32), "rhinet_transpose"),
            "rhinet_transpose: the fabric has 32 hosts; a square number is needed, such as 25 or "
            "36");
  EXPECT_EQ(said(hosts(1), "uniform"), "uniform: the fabric has one host; two or more are needed");
  EXPECT_EQ(said(test::from_links(3, {{0, 1}, {1, 2}}), "tornado"),
            "tornado: the hosts are not on a full grid of switches with coordinates; "
            "tornado:by=ids goes by their numbers");
  EXPECT_EQ(said(test::from_links(3, {{0, 1}, {1, 2}}), "adversarial"),
            "adversarial: the switches have no coordinates, of which the first would be the group; "
            "adversarial:group=4 makes groups of 4 hosts each");
  EXPECT_EQ(said(hosts(4), "adversarial:group=3"),
            "adversarial: group=3: the fabric has 4 hosts, which do not make groups of 3");
  EXPECT_EQ(said(hosts(4), "adversarial:group=2,shift=2"),
            "adversarial: shift=2: of 2 groups each would send to itself");
  EXPECT_EQ(said(hosts(4), "adversarial:group=4"),
            "adversarial: group=4: all hosts are of one group; a number makes groups of so many");
  EXPECT_EQ(said(hosts(4), "hot_spot:share=1.5"),
            "hot_spot:share=1.5: \"1.5\" is not a number from 0 to 1, or a percentage");
  EXPECT_EQ(said(hosts(4), "hot_spot:share=nan"),
            "hot_spot:share=nan: \"nan\" is not a number from 0 to 1, or a percentage");
  EXPECT_EQ(said(hosts(4), "hot_spot:host=9"),
            "hot_spot:host=9: the fabric has no host \"9\"; its hosts are \"h0\" to \"h3\", or 0 "
            "to 3");
  EXPECT_EQ(said(test::from_links(2, {{0, 1}}, 0), "uniform"), "uniform: the fabric has no hosts");
  EXPECT_TRUE(said(hosts(4), "uniforn").starts_with("no traffic pattern is called \"uniforn\""));
}

}  // namespace
}  // namespace weft::test
