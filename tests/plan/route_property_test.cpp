// SPDX-License-Identifier: Apache-2.0
// Properties of every engine on every topology of the catalogue and on thousands of random fabrics:
// all pairs reached, minimal where promised, free of deadlock where promised (and the cycle a real
// one elsewhere), tables that survive being written, the same routes as lists of ports.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>

#include "base/rng.hpp"
#include "fabric/builder.hpp"
#include "fabric/format/format.hpp"
#include "fabric/walk.hpp"
#include "plan/check/survey.hpp"
#include "plan/route/algorithms/orientation.hpp"
#include "plan/topo/topology.hpp"
#include "plan/verify/verify_text.hpp"
#include "support/fabrics.hpp"
#include "support/routes.hpp"

namespace weft::test {
namespace {

const TablesFormat& own_format() { return find_row(tables_formats(), "format", "weft"); }

void survives_write_and_read(const Fabric& fabric, const Tables& tables) {
  std::ostringstream text;
  own_format().write(text, fabric, tables);
  EXPECT_TRUE(own_format().read({"memory", text.str()}, fabric).tables == tables);
}

void holds_its_promise(const Fabric& fabric, const Tables& tables, Guarantees promise) {
  const bool chooses = std::holds_alternative<ChoiceTables>(tables.paths);
  const Survey seen = survey(fabric, tables);
  EXPECT_TRUE(seen.complete());
  const double hops = seen.mean_hops() * static_cast<double>(seen.reached);
  const auto fewest = static_cast<double>(shortest_hop_sum(fabric));
  if (promise.minimal) {
    EXPECT_NEAR(hops, fewest, 1e-6 * fewest);
  } else {
    EXPECT_GE(hops, fewest * (1 - 1e-6));
  }

  const DeadlockVerdict verdict = deadlock(fabric, tables);
  ASSERT_FALSE(std::holds_alternative<Refused>(verdict)) << std::get<Refused>(verdict).why;
  if (const auto* certificate = std::get_if<Certificate>(&verdict)) {
    const auto wrong = verify(fabric, tables, *certificate);
    EXPECT_FALSE(wrong) << *wrong;
  } else {
    EXPECT_FALSE(promise.deadlock_free);
    const auto* cycle = std::get_if<DependencyCycle>(&verdict);
    if (cycle != nullptr && !chooses) {
      const auto wrong = not_a_cycle(fabric, tables, *cycle);
      EXPECT_FALSE(wrong) << *wrong;
    }
  }
  if (chooses) return;

  const Tables routes = as_source_routes(fabric, tables);
  const Survey again = survey(fabric, routes);
  EXPECT_EQ(again.hop_sum, seen.hop_sum);
  EXPECT_EQ(again.load, seen.load);
  if (promise.deadlock_free) {
    EXPECT_FALSE(not_certified(fabric, routes));
  }
}

/// True when the engine served the fabric.
bool try_engine(const Fabric& fabric, const RoutingEngineRow& row, const std::string& spec) {
  SCOPED_TRACE(spec + " on " + fabric.name());
  const Routed out = route(fabric, spec);
  if (const auto* refused = std::get_if<Refused>(&out)) {
    EXPECT_FALSE(refused->why.empty());
    return false;
  }
  const Tables& tables = std::get<Tables>(out);
  EXPECT_NO_THROW(require_fit(fabric, tables));
  holds_its_promise(fabric, tables, row.promise);
  survives_write_and_read(fabric, tables);
  EXPECT_TRUE(std::get<Tables>(route(fabric, spec)) == tables) << "not repeatable";
  return true;
}

/// Default parameters of every row that has them, and some sizes that are awkward.
std::vector<std::string> catalogue_fabrics() {
  std::vector<std::string> specs;
  for (const auto& row : topologies())
    if (row.name != "file") specs.emplace_back(row.name);
  for (const char* more :
       {"mesh:dims=2,hosts=3", "mesh:dims=5x3,hosts=2", "torus:dims=5x4x3", "torus:dims=2x2x2",
        "torus:dims=6,hosts=2", "hyperx:dims=3x4,width=2", "xgft:children=3x4x2,parents=1x3x4",
        "clos2:leaves=5,spines=3,links=2", "tree:k=4,n=3", "clos3:radix=8", "ring:switches=3",
        "random_irregular:switches=30,links=50,parallel=3,bare=7", "dragonfly:a=4,p=1,h=1",
        "crossbar:hosts=1"})
    specs.emplace_back(more);
  return specs;
}

class Catalogue : public ::testing::TestWithParam<std::string> {};

TEST_P(Catalogue, EveryEngine) {
  const Fabric fabric = make_fabric(GetParam());
  for (const RoutingEngineRow& row : engines()) try_engine(fabric, row, std::string(row.name));
}

INSTANTIATE_TEST_SUITE_P(Topologies, Catalogue, ::testing::ValuesIn(catalogue_fabrics()));

/// Engines whose parameters change what they do, each with the row whose promise it keeps.
const std::vector<std::string> variants{"updown:tree=dfs,root=far",
                                        "updown:lanes=3,root=central",
                                        "updown:root=first",
                                        "updown:form=source",
                                        "updown:form=source,select=low_port,tree=dfs",
                                        "dl:lanes=1",
                                        "dl:lanes=3,tree=dfs,root=far",
                                        "lash:select=balanced,lanes=64",
                                        "nue:lanes=3,columns=switch",
                                        "sbp:select=low_port,lanes=64",
                                        "prefix:parent=high",
                                        "dfsssp:lanes=64",
                                        "minhop:columns=switch"};

/// Every fourth a box with coordinates and every fourth a damaged tree, so that the engines that
/// need one are tried as well.
Fabric any_random_fabric(std::uint64_t seed) {
  if (seed % 4 == 1) return random_box(seed);
  if (seed % 4 == 2) return damaged_tree(seed);
  return random_fabric(seed, 24);
}

/// One engine each, so that no test takes long.
class RandomFabrics : public ::testing::TestWithParam<std::string> {};

/// Every choice of these is followed, which takes longer.
bool engine_leaves_choices(const std::string& engine) {
  for (const char* fabric : {"mesh", "dragonfly"}) {
    const Routed out = route(make_fabric(fabric), engine);
    if (const auto* tables = std::get_if<Tables>(&out))
      return std::holds_alternative<ChoiceTables>(tables->paths);
  }
  return false;
}

TEST_P(RandomFabrics, EveryEngine) {
  const RoutingEngineRow& row = find_row(engines(), "engine", GetParam());
  const int count = engine_leaves_choices(GetParam()) ? tries(200, 2000) : tries(2000, 10000);
  int served = 0, variants_served = 0;
  for (int seed = 1; seed <= count && !HasFailure(); ++seed) {
    const Fabric fabric = any_random_fabric(static_cast<std::uint64_t>(seed));
    served += try_engine(fabric, row, GetParam()) ? 1 : 0;
    const std::string& spec = variants[static_cast<std::size_t>(seed) % variants.size()];
    if (Spec::parse(spec).name == row.name)
      variants_served += try_engine(fabric, row, spec) ? 1 : 0;
  }
  // xy serves the fewest, every fiftieth; half of that allows for chance where there are few.
  EXPECT_GE(served, count / 100) << row.name << " was hardly tried";
  fmt::print("campaign: {} on {} random fabrics: {} served, {} by a variant\n", row.name, count,
             served, variants_served);
}

std::vector<std::string> engine_names() {
  std::vector<std::string> out;
  for (const RoutingEngineRow& row : engines()) out.emplace_back(row.name);
  return out;
}

INSTANTIATE_TEST_SUITE_P(Engines, RandomFabrics, ::testing::ValuesIn(engine_names()),
                         [](const auto& info) { return info.param; });

TEST(RandomFabrics, InTwoParts) {
  for (int seed = 1; seed <= tries(100); ++seed) {
    const Fabric fabric = random_apart(static_cast<std::uint64_t>(seed));
    for (const RoutingEngineRow& row : engines()) try_engine(fabric, row, std::string(row.name));
    for (const std::string& spec : variants)
      try_engine(fabric, find_row(engines(), "engine", Spec::parse(spec).name), spec);
  }
}

TEST(RandomFabrics, PropagatedDependenciesAreThoseOfAllPairs) {
  for (int seed = 1; seed <= tries(150); ++seed) {
    const Fabric fabric = random_fabric(static_cast<std::uint64_t>(seed), 16);
    for (const char* spec : {"minhop", "updown:lanes=2", "dl:lanes=3", "sbp", "lash", "nue:lanes=2",
                             "dfsssp", "updown:form=source"}) {
      const Tables tables = routed(fabric, spec);
      const auto graph = dependencies(fabric, tables);
      EXPECT_EQ(as_set(std::get<DependencyGraph>(graph)), brute_force_dependencies(fabric, tables))
          << spec << " on " << fabric.name();
    }
  }
  for (const char* torus : {"torus:dims=4x4,hosts=2", "torus:dims=5x3"}) {
    const Fabric fabric = make_fabric(torus);
    const Tables tables = routed(fabric, "dor:lanes=service");
    EXPECT_EQ(as_set(std::get<DependencyGraph>(dependencies(fabric, tables))),
              brute_force_dependencies(fabric, tables));
  }
}

/// Down-to-up turns on the worst route.
int forbidden_turns(const Fabric& fabric, const Tables& tables, const Orientation& orientation) {
  Walker walk(fabric, tables);
  int most = 0;
  for (HostId from : fabric.hosts())
    for (HostId to : fabric.hosts()) {
      const auto& hops = walk(from, to).hops;
      int turns = 0;
      for (std::size_t i = 1; i < hops.size(); ++i)
        turns +=
            !orientation.up(fabric, hops[i - 1].channel) && orientation.up(fabric, hops[i].channel)
                ? 1
                : 0;
      most = std::max(most, turns);
    }
  return most;
}

TEST(RandomFabrics, UpDownAndDescendingLayersTurnAsOftenAsTheyMay) {
  for (int seed = 1; seed <= tries(200); ++seed) {
    const Fabric fabric = random_fabric(static_cast<std::uint64_t>(seed));
    const Orientation bfs = bfs_orientation(fabric, SwitchId(0));
    EXPECT_EQ(forbidden_turns(fabric, routed(fabric, "updown:root=first"), bfs), 0) << seed;
    EXPECT_EQ(forbidden_turns(fabric, routed(fabric, "updown:root=first,select=low_port"), bfs), 0)
        << seed;
    EXPECT_EQ(forbidden_turns(fabric, routed(fabric, "updown:root=first,form=source"), bfs), 0)
        << seed;
    EXPECT_LE(forbidden_turns(fabric, routed(fabric, "dl:root=first,lanes=3"), bfs), 2) << seed;
    // With enough lanes every route is a shortest one.
    EXPECT_EQ(survey(fabric, routed(fabric, "dl:lanes=minimal")).hop_sum, shortest_hop_sum(fabric));
  }
}

TEST(RandomFabrics, BalancingLengthensNobodysRoute) {
  for (int seed = 1; seed <= tries(200); ++seed) {
    const Fabric fabric = random_fabric(static_cast<std::uint64_t>(seed));
    for (const std::string engine : {"updown:", "dl:lanes=2,", "dl:lanes=4,", "sbp:lanes=64,"}) {
      const Survey low = survey(fabric, routed(fabric, engine + "select=low_port"));
      const Survey balanced = survey(fabric, routed(fabric, engine + "select=balanced"));
      EXPECT_EQ(low.hop_sum, balanced.hop_sum) << engine << seed;
      EXPECT_EQ(low.most_hops, balanced.most_hops) << engine << seed;
    }
    // A route per pair is never longer than one entry per switch allows.
    EXPECT_LE(survey(fabric, routed(fabric, "updown:form=source")).hop_sum,
              survey(fabric, routed(fabric, "updown")).hop_sum);
  }
}

TEST(Balancing, SpreadsLoadWithoutChangingItsSum) {
  for (const char* topology : {"mesh:dims=4x4", "torus:dims=4x4", "rhinet2_a:hosts=1"}) {
    const Fabric fabric = make_fabric(topology);
    const auto busiest = [&](const std::string& spec) {
      const Survey seen = survey(fabric, routed(fabric, spec));
      double sum = 0;
      double most = 0;
      for (const double load : seen.load) {
        sum += load;
        most = std::max(most, load);
      }
      EXPECT_EQ(sum, seen.all_hops() - static_cast<double>(seen.reached));
      return most;
    };
    EXPECT_LE(busiest("updown"), busiest("updown:select=low_port")) << topology;
    EXPECT_LE(busiest("updown:form=source"), busiest("updown:select=low_port")) << topology;
    EXPECT_LE(busiest("dl"), busiest("dl:select=low_port")) << topology;
  }
}

TEST(Nue, AnyNumberOfLanesSuffices) {
  for (int seed = 1; seed <= tries(60); ++seed) {
    const Fabric fabric = random_fabric(static_cast<std::uint64_t>(seed));
    for (int lanes = 1; lanes <= 5; ++lanes) {
      const Tables tables = routed(fabric, "nue:lanes=" + std::to_string(lanes));
      EXPECT_TRUE(survey(fabric, tables).complete());
      EXPECT_FALSE(not_certified(fabric, tables)) << seed << " " << lanes;
    }
  }
}

TEST(DestinationModK, ShiftsMeetOnNoLink) {
  for (const char* topology : {"tree:k=4,n=2", "tree:k=2,n=3", "tree:k=4,n=3",
                               "xgft:children=3x4x2,parents=1x3x4", "clos3:radix=8"}) {
    const Fabric fabric = make_fabric(topology);
    const Tables tables = routed(fabric, "dmodk");
    EXPECT_EQ(survey(fabric, tables).hop_sum, shortest_hop_sum(fabric)) << topology;
    Walker walk(fabric, tables);
    const std::size_t n = fabric.host_count();
    for (std::size_t shift = 1; shift < n; ++shift) {
      std::vector<int> flows(fabric.channel_count(), 0);
      int most = 0;
      for (std::size_t from = 0; from < n; ++from)
        for (const Hop& hop : walk(HostId(from), HostId((from + shift) % n)).hops)
          most = std::max(most, ++flows[hop.channel.index()]);
      EXPECT_LE(most, 1) << topology << " shift " << shift;
    }
  }
}

TEST(DestinationModK, MissingHostsLeaveTheSpinesEvenlyLoaded) {
  // The second host of every leaf of a 4-ary 2-tree is missing: their spine serves others.
  const Fabric full = make_fabric("tree:k=4,n=2");
  FabricBuilder builder("thinned");
  for (SwitchId s : full.switches()) builder.add_switch(full[s]);
  for (LinkId l : full.links()) builder.add_link(full[l]);
  for (HostId h : full.hosts())
    if (h.index() % 4 != 1) builder.add_host(full[h]);
  const Fabric fabric = std::move(builder).build();
  const Tables tables = routed(fabric, "dmodk");
  Walker walk(fabric, tables);
  std::map<SwitchId, std::set<HostId>> destinations_of;
  for (HostId from : fabric.hosts())
    for (HostId to : fabric.hosts())
      for (const Hop& hop : walk(from, to).hops) destinations_of[fabric.to(hop.channel)].insert(to);
  for (std::size_t spine = 4; spine < 8; ++spine)
    EXPECT_EQ(destinations_of[SwitchId(spine)].size(), 3U) << spine;
}

TEST(DestinationModK, ThinnedTreeIsLoadedByItsRatio) {
  const Fabric fabric = make_fabric("xgft:children=4x3,parents=1x2");
  const Tables tables = routed(fabric, "dmodk");
  Walker walk(fabric, tables);
  std::vector<int> flows(fabric.channel_count(), 0);
  for (std::size_t from = 0; from < 12; ++from)
    for (const Hop& hop : walk(HostId(from), HostId((from + 4) % 12)).hops)
      ++flows[hop.channel.index()];
  EXPECT_EQ(*std::max_element(flows.begin(), flows.end()), 2);
}

TEST(DestinationModK, FourAryTwoTreeSpines) {
  const Fabric fabric = make_fabric("tree:k=4,n=2");
  const Tables tables = routed(fabric, "dmodk");
  Walker walk(fabric, tables);
  for (std::size_t to = 4; to < 16; ++to)
    EXPECT_EQ(fabric.to(walk(HostId(0), HostId(to)).hops.front().channel), SwitchId(4 + to % 4));
}

}  // namespace
}  // namespace weft::test
