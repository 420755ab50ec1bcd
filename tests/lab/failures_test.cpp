// SPDX-License-Identifier: Apache-2.0
// Studies of failures: repaired tables against everything routed anew, the order of rows, samples.
#include "lab/study/failures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/files.hpp"
#include "fabric/format/formats.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
#include "support/fabrics.hpp"
#include "support/files.hpp"

namespace weft {
namespace {

FailureStudy failures(const std::string& topology, std::vector<std::string> engines,
                      const FailurePlan& plan) {
  Cluster cluster;
  cluster.name = "test";
  cluster.topologies = {topology};
  cluster.engines = std::move(engines);
  return run_failures(cluster, plan, [](std::size_t, std::size_t, const std::string&) {});
}

const FailureRow& row_of(const FailureGroup& group, const std::string& failed) {
  const auto found = std::find_if(group.rows.begin(), group.rows.end(),
                                  [&](const FailureRow& row) { return row.failed == failed; });
  EXPECT_NE(found, group.rows.end()) << failed;
  return *found;
}

TEST(Failures, TheSwitchesDecideWhatPacketsWaitFor) {
  const auto certified = [](const std::string& switches) {
    Cluster cluster = cluster_of_fabrics({"torus:dims=3x3"});
    cluster.engines = {"min_adaptive"};
    cluster.model = switches;
    const FailureStudy study =
        run_failures(cluster, {.sample = 1}, [](std::size_t, std::size_t, const std::string&) {});
    EXPECT_FALSE(study.groups.at(0).whole.refused);
    return study.groups.at(0).whole.certified;
  };
  EXPECT_TRUE(certified("iq"));
  EXPECT_FALSE(certified("infiniband"));
}

/// Repaired or anew, the same pairs of hosts are joined, and engines that promise it stay free of
/// deadlock.
TEST(Failures, RepairsReachWhatEnginesReach) {
  const std::vector<std::string> engines{"updown", "dmodk", "nue", "dl", "lash", "dfsssp"};
  for (const char* topology :
       {"clos2:leaves=4,spines=2,hosts=2", "torus:dims=3x3,hosts=2", "mesh:dims=4,hosts=1"}) {
    const FailureStudy repaired = failures(topology, engines, {});
    const FailureStudy anew = failures(topology, engines, {.anew = true});
    ASSERT_EQ(repaired.groups.size(), engines.size());
    for (std::size_t i = 0; i < engines.size(); ++i) {
      const FailureGroup& group = repaired.groups[i];
      EXPECT_EQ(group.whole.refused, anew.groups[i].whole.refused);
      for (const FailureRow& row : group.rows) {
        SCOPED_TRACE(engines[i] + " on " + topology + " without " + row.failed);
        const FailureRow& other = row_of(anew.groups[i], row.failed);
        EXPECT_EQ(other.rerouted, Rerouted::everything);
        if (row.refused || other.refused) continue;
        EXPECT_EQ(row.pairs_lost, other.pairs_lost);
        EXPECT_EQ(row.hosts_gone, other.hosts_gone);
        EXPECT_TRUE(row.certified);
        EXPECT_TRUE(other.certified);
        if (row.rerouted == Rerouted::broken) {
          EXPECT_LE(row.changed_entries, other.changed_entries) << "only broken routes move";
        }
      }
    }
  }
}

TEST(Failures, EveryLinkAndSwitchTheWorstFirst) {
  const FailureGroup group = failures("mesh:dims=4,hosts=1", {"minhop"}, {}).groups.front();
  ASSERT_EQ(group.rows.size(), 3U + 4U);
  EXPECT_EQ(group.rows.front().failed, "link=s1:1") << "it cuts the line in the middle";
  EXPECT_EQ(group.rows.front().pairs_lost, 8U);
  for (std::size_t i = 1; i < group.rows.size(); ++i)
    EXPECT_GE(group.rows[i - 1].pairs_lost, group.rows[i].pairs_lost);
  EXPECT_EQ(row_of(group, "switch=s1").hosts_gone, 1U);
  EXPECT_EQ(row_of(group, "switch=s1").pairs_lost, 4U) << "h0 and the two behind it";
  EXPECT_EQ(group.whole.changed_entries, 0U);
}

TEST(Failures, SamplesOfTwoAtOnce) {
  const FailurePlan plan{.at_once = 2, .sample = 25, .seed = 3};
  const FailureGroup group = failures("torus:dims=4x4", {"updown"}, plan).groups.front();
  std::set<std::string> different;
  for (const FailureRow& row : group.rows) different.insert(row.failed);
  EXPECT_EQ(different.size(), 25U);
  const FailureGroup again = failures("torus:dims=4x4", {"updown"}, plan).groups.front();
  for (std::size_t i = 0; i < 25; ++i) EXPECT_EQ(again.rows[i].failed, group.rows[i].failed);
  EXPECT_EQ(failures("mesh:dims=2", {"minhop"}, {.at_once = 2}).groups.front().rows.size(), 3U)
      << "all pairs of one link and two switches";
}

/// Tables of a file are repaired as those of the engine that made them are; where an engine would
/// route anew, they lose what has no detour.
TEST(Failures, TablesOfAFile) {
  const testing::TemporaryFolder folder;
  const auto write = [&](const std::string& topology, const std::string& engine) {
    const Fabric fabric = make_fabric(topology);
    const std::string path = folder / (engine.substr(0, engine.find(':')) + ".tables");
    write_file(path, [&](std::ostream& out) {
      weft_tables::write(out, fabric, std::get<Tables>(route(fabric, engine)));
    });
    return path;
  };
  for (const char* topology : {"clos2:leaves=4,spines=2,hosts=2", "torus:dims=3x3,hosts=2"}) {
    const std::vector<std::string> engines{"updown", write(topology, "updown")};
    const FailureStudy study = failures(topology, engines, {});
    EXPECT_EQ(study.groups[1].engine, engines[1]);
    for (const FailureRow& row : study.groups[1].rows) {
      SCOPED_TRACE(std::string(topology) + " without " + row.failed);
      EXPECT_EQ(row.rerouted, Rerouted::broken);
      EXPECT_TRUE(row.certified);
      const FailureRow& by_engine = row_of(study.groups[0], row.failed);
      EXPECT_EQ(row.pairs_lost == 0, by_engine.rerouted == Rerouted::broken);
      if (by_engine.rerouted != Rerouted::broken) continue;
      EXPECT_EQ(row.changed_entries, by_engine.changed_entries);
      EXPECT_EQ(row.bisection_share, by_engine.bisection_share);
    }
  }
  const std::string updown = write("torus:dims=3x3,hosts=2", "updown");
  EXPECT_THROW(failures("torus:dims=3x3,hosts=2", {updown}, {.anew = true}), Error);
  Cluster broken;
  broken.topologies = {"torus:dims=3x3,hosts=2"};
  broken.engines = {updown};
  broken.without = "link=s0:1";
  const FailureStudy study =
      run_failures(broken, {}, [](std::size_t, std::size_t, const std::string&) {});
  EXPECT_EQ(study.groups.front().whole.pairs_lost, 0U) << "repaired before others fail";
  EXPECT_GT(std::count_if(study.groups.front().rows.begin(), study.groups.front().rows.end(),
                          [](const FailureRow& row) { return row.pairs_lost == 0; }),
            5);
  const FailureGroup lanes =
      failures("torus:dims=4x4", {write("torus:dims=4x4", "dl")}, {}).groups.front();
  for (const FailureRow& row : lanes.rows) {
    EXPECT_EQ(row.rerouted, Rerouted::nothing);
    EXPECT_GT(row.pairs_lost, 0U) << row.failed;
    EXPECT_EQ(row.changed_entries, 0U);
  }
}

/// Aggregation nodes have routes, which failures break, but no part in bandwidth.
TEST(Failures, AggregationNodes) {
  const testing::TemporaryFolder folder;
  const Fabric ring = make_fabric("ring:switches=6,hosts=1");
  const Fabric both = test::with_aggregation(ring);
  const std::string file = folder / "ring.toml", tables_file = folder / "ring.tables";
  write_file(file, [&](std::ostream& out) { weft_fabric::write(out, both); });
  Tables tables = std::get<Tables>(route(both, "updown"));
  for (SwitchId s : both.switches())
    tables.to_host[*both.find_host("an" + std::to_string(s.index()))] = {};
  write_file(tables_file, [&](std::ostream& out) { weft_tables::write(out, both, tables); });
  const FailureGroup plain = failures("ring:switches=6,hosts=1", {"updown"}, {}).groups.front();
  const FailureGroup group = failures(file, {tables_file}, {}).groups.front();
  EXPECT_EQ(plain.whole.pairs_lost, 0U);
  EXPECT_EQ(group.whole.pairs_lost, 12U * 6) << "nobody reaches the six nodes";
  EXPECT_EQ(group.whole.bisection_share, plain.whole.bisection_share);
  for (const FailureRow& row : group.rows)
    if (row_of(plain, row.failed).rerouted == Rerouted::broken) {
      EXPECT_EQ(row.bisection_share, row_of(plain, row.failed).bisection_share) << row.failed;
    }
}

TEST(Failures, WrongPlans) {
  EXPECT_THROW(failures("mesh:dims=2", {"minhop"}, {.at_once = 3}), Error);
}

}  // namespace
}  // namespace weft
