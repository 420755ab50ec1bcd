// SPDX-License-Identifier: Apache-2.0
// Groups of pairs that are not reached: in words, and against a walk of every pair.
#include "plan/check/lost_pairs.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/rng.hpp"
#include "plan/check/check.hpp"
#include "plan/topo/topology.hpp"
#include "support/fabrics.hpp"
#include "support/routes.hpp"

namespace weft::test::lost_pairs {
namespace {

using Lines = std::vector<std::string>;

Lines described(const Fabric& fabric, const Tables& tables) {
  Lines out;
  for (const LostPairs& group : survey(fabric, tables).lost) out.push_back(group.describe(fabric));
  return out;
}

/// Four leaves (s0 to s3) with four hosts each, below two spines (s4, s5).
struct Tree {
  Fabric fabric = make_fabric("clos2:leaves=4,spines=2,hosts=4");
  Tables tables = routed(fabric, "updown");
  PortNumber& entry(std::size_t host, std::size_t at) {
    return std::get<DestinationTables>(tables.paths)[tables.to_host[HostId(host)]][at];
  }
  Lines lines() const { return described(fabric, tables); }
};

TEST(LostPairs, OneLineForOneSwitchWithoutEntries) {
  Tree tree;
  for (std::size_t host = 12; host < 16; ++host) tree.entry(host, 0) = no_port;
  EXPECT_EQ(tree.lines(),
            Lines{"16 pairs: switch \"s0\" has no entry for 4 hosts of \"s3\" (h12, h13, …)"});
}

TEST(LostPairs, OneLineForOneHostThatManySwitchesMiss) {
  Tree tree;
  for (std::size_t s = 0; s < 3; ++s) tree.entry(15, s) = no_port;
  EXPECT_EQ(tree.lines(), Lines{"12 pairs: 3 switches (s0, s1, …) have no entry for h15"});
}

TEST(LostPairs, HostsWithoutAColumn) {
  Tree tree;
  tree.tables.to_host[HostId(0)] = ColumnId::none();
  tree.tables.to_host[HostId(5)] = ColumnId::none();
  EXPECT_EQ(tree.lines(),
            Lines{"32 pairs: no switch has an entry for 2 hosts of 2 switches (h0, h5)"});
}

TEST(LostPairs, TheLargestGroupComesFirst) {
  Tree tree;
  const PortNumber to_s1 = tree.entry(4, 4);
  tree.entry(12, 0) = 5;  // all climb to s4 ...
  tree.entry(12, 1) = 5;
  tree.entry(12, 2) = 5;
  tree.entry(12, 4) = to_s1;  // ... which sends them back down
  tree.entry(0, 2) = tree.fabric[HostId(8)].port;
  tree.entry(1, 3) = here;
  tree.entry(2, 0) = 4;
  EXPECT_EQ(tree.lines(), (Lines{"16 pairs: switch \"s0\" port 4, the next hop to h2, leads to h3",
                                 "12 pairs: packets for h12 go round s1 > s4 > s1",
                                 "4 pairs: switch \"s2\" port 1, the next hop to h0, leads to h8",
                                 "4 pairs: switch \"s3\" takes h1 for its own"}));
}

TEST(LostPairs, AtMostEightLinesAndARoute) {
  const Fabric fabric = make_fabric("complete:switches=12");
  Tables tables = routed(fabric, "minhop");
  for (HostId h : fabric.hosts())
    std::get<DestinationTables>(tables.paths)[tables.to_host[h]][(h.index() + 1) % 12] = no_port;
  const Finding reach = run_checks(fabric, tables).findings.front();
  EXPECT_EQ(reach.summary, "12 of 144 pairs of hosts are not reached");
  ASSERT_EQ(reach.details.size(), 10U);
  EXPECT_EQ(reach.details[0], "1 pair: switch \"s0\" has no entry for h11");
  EXPECT_EQ(reach.details[8], "… and 4 more groups");
  EXPECT_EQ(reach.details[9], "one of them: h0 -> s0: no entry for h11");
  EXPECT_EQ(reach.items.size(), 12U);
  EXPECT_EQ(reach.numbers.at("groups"), 12);
}

/// Some entries become any port, none, or the mark of a last switch.
void damage(const Fabric& fabric, Tables& tables, Rng& rng) {
  auto& next = std::get<DestinationTables>(tables.paths);
  for (ColumnId c : next.ids())
    for (SwitchId s : fabric.switches()) {
      if (rng.below(10) != 0) continue;
      const std::uint64_t port = rng.below(fabric[s].ports + std::uint64_t{2});
      next[c][s.index()] = port > fabric[s].ports ? no_port : static_cast<PortNumber>(port);
    }
  for (HostId h : fabric.hosts())
    if (rng.below(20) == 0) tables.to_host[h] = ColumnId::none();
}

/// Who does not reach whom, and why. Groups without an entry may name several switches.
using Losses = std::set<std::tuple<RouteEnd, std::vector<SwitchId>, PortNumber, HostId>>;

TEST(LostPairs, AreThoseThatWalksFind) {
  for (int seed = 1; seed <= tries(60); ++seed) {
    const Fabric fabric = random_fabric(static_cast<std::uint64_t>(seed), 12);
    Tables tables = routed(fabric, "updown");
    Rng rng(static_cast<std::uint64_t>(seed));
    damage(fabric, tables, rng);
    Losses walked;
    std::uint64_t pairs = 0;
    Walker walk(fabric, tables);
    for (HostId from : fabric.hosts())
      for (HostId to : fabric.hosts()) {
        const Walk& found = walk(from, to);
        if (found.end == RouteEnd::reached) continue;
        LossPlace place = loss_place(fabric, found);
        if (!tables.to_host[to].valid()) place.at.clear();
        walked.emplace(place.end, place.at, place.port, to);
        ++pairs;
      }
    Losses grouped;
    const Survey seen = survey(fabric, tables);
    for (const LostPairs& group : seen.lost) {
      const LossPlace& place = group.place;
      for (HostId to : group.to) {
        if (place.end != RouteEnd::no_entry || place.at.empty())
          grouped.emplace(place.end, place.at, place.port, to);
        else
          for (SwitchId s : place.at)
            grouped.emplace(place.end, std::vector<SwitchId>{s}, place.port, to);
      }
      EXPECT_EQ(walk(group.example.from, group.example.to).end, place.end) << seed;
      pairs -= group.pairs;
    }
    EXPECT_EQ(grouped, walked) << seed;
    EXPECT_EQ(pairs, 0U) << seed;
    EXPECT_EQ(seen.pairs - seen.reached, [&] {
      std::uint64_t sum = 0;
      for (const LostPairs& group : seen.lost) sum += group.pairs;
      return sum;
    }()) << seed;
  }
}

}  // namespace
}  // namespace weft::test::lost_pairs
