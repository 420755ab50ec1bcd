// SPDX-License-Identifier: Apache-2.0
// Studies: their rows, and wrong specs found before the work.
#include "lab/study/study.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "lab/cluster/memory.hpp"
#include "lab/progress.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
#include "support/choice_worlds.hpp"

namespace weft {
namespace {

using Texts = std::vector<std::string>;

Cluster cluster_of(Texts topologies, Texts engines) {
  Cluster out;
  out.name = "test";
  out.topologies = std::move(topologies);
  out.engines = std::move(engines);
  return out;
}

void no_progress(double, const std::string&) {}

/// The complaint about a study that must not begin; "begun" when it did.
std::string complaint(const Texts& topologies, const Texts& engines) {
  bool begun = false;
  try {
    run_study(cluster_of(topologies, engines), {},
              [&](double, const std::string&) { begun = true; });
  } catch (const Error& error) {
    return begun ? "begun: " + std::string(error.what()) : error.what();
  }
  return "begun";
}

TEST(Study, RowsAreEveryEngineOnEveryTopology) {
  const Study study = run_study(
      cluster_of({"ring:switches=8", "torus:dims=3x3,hosts=2"}, {"updown", "minhop", "dmodk"}),
      {.seed = 7}, no_progress);
  ASSERT_EQ(study.rows.size(), 6U);
  EXPECT_EQ(study.throughput.seed, 7U);
  const StudyRow& row = study.rows[3];
  EXPECT_EQ(row.topology, "torus:dims=3x3,hosts=2");
  EXPECT_EQ(row.fabric, "torus:dims=3x3,hosts=2");
  EXPECT_EQ(row.engine, "updown");
  EXPECT_EQ(row.switches, 9U);
  EXPECT_EQ(row.hosts, 18U);
  EXPECT_EQ(row.links, 18U);
  EXPECT_FALSE(row.refused);
  EXPECT_TRUE(row.complete);
  EXPECT_NEAR(row.mean_hops, 7.0 / 3, 1e-9);
  EXPECT_EQ(row.most_hops, 3U);
  EXPECT_TRUE(row.certified());
  EXPECT_GT(row.most_load, 0U);
  EXPECT_GT(row.bisection_share, 0);
  EXPECT_LE(row.bisection_share, 1);
  EXPECT_TRUE(row.enough_lanes);
  EXPECT_FALSE(study.rows[1].certified());
  EXPECT_EQ(study.rows[1].cycle, 8U);
  EXPECT_TRUE(study.rows[2].refused);
}

TEST(Study, CountsLanesAgainstTheSwitches) {
  Cluster cluster = cluster_of({"torus"}, {"dor", "updown"});
  cluster.lanes = 1;
  const Study study = run_study(cluster, {.seed = 1}, no_progress);
  EXPECT_EQ(study.rows[0].lanes, 2);
  EXPECT_FALSE(study.rows[0].enough_lanes);
  EXPECT_TRUE(study.rows[1].enough_lanes);
}

TEST(Study, TheSameSeedGivesTheSameRows) {
  const Cluster cluster = cluster_of({"torus:dims=4x4,hosts=4"}, {"updown"});
  const double first = run_study(cluster, {.seed = 1}, no_progress).rows[0].bisection_share;
  EXPECT_EQ(run_study(cluster, {.seed = 1}, no_progress).rows[0].bisection_share, first);
  EXPECT_NE(run_study(cluster, {.seed = 2}, no_progress).rows[0].bisection_share, first);
}

TEST(Study, ThroughputsAreThoseOfFullLoadAndTheHighestSteadyOnes) {
  Cluster cluster = cluster_of({"torus:dims=4x4", "ring:switches=9"}, {"dor", "minhop"});
  cluster.model = "iq:most_lanes=2";
  const Study study = run_study(cluster, {.traffic = {"uniform", "bit_reversal"}}, no_progress);
  const auto& certified = study.rows[0].throughput;
  ASSERT_EQ(certified.size(), 2U);
  for (const Throughput& each : certified) {
    ASSERT_TRUE(each.measured());
    EXPECT_GT(each.accepted, 0.4);
    EXPECT_LE(each.accepted, 1);
    EXPECT_GT(each.saturation, 0.2);
    EXPECT_GE(each.most, each.accepted);
    EXPECT_FALSE(each.deadlocked);
  }
  const Throughput& stuck = study.rows[3].throughput[0];
  EXPECT_TRUE(stuck.deadlocked);
  EXPECT_FALSE(stuck.collapses());
  EXPECT_EQ(study.rows[3].throughput[1].not_measured,
            "the fabric has 9 hosts; a power of two is needed");
}

/// Also where some packets get through before.
TEST(Study, NothingIsAcceptedWherePacketsDeadlock) {
  const Fabric fabric = make_fabric("torus:dims=4x4");
  const auto network =
      std::make_shared<const ResolvedNetwork>(fabric, test::shortest_groups(fabric));
  for (const Throughput& each : throughputs(network, {.traffic = {"uniform", "tornado"}}, "iq")) {
    EXPECT_TRUE(each.deadlocked);
    EXPECT_EQ(each.accepted, 0);
    EXPECT_EQ(each.saturation, 0);
  }
}

TEST(Study, ThroughputsSayWhereLanesAreMissing) {
  Cluster cluster = cluster_of({"torus:dims=4x4"}, {"dor"});
  cluster.model = "iq:lanes=1";
  EXPECT_EQ(
      run_study(cluster, {.traffic = {"uniform"}}, no_progress).rows[0].throughput[0].not_measured,
      "the tables use 2 lanes, the switches have 1");
}

/// Tables that compare queues, which these switches do not know, are a row without a throughput.
TEST(Study, ThroughputsSayWhatSwitchesCannotDo) {
  Cluster cluster = cluster_of({"dragonfly:a=4,p=2,h=2"}, {"ugal_g", "min"});
  cluster.model = "iq:flow=stop_go,buffer=64";
  const Study study = run_study(cluster, {.traffic = {"uniform"}}, no_progress);
  EXPECT_NE(study.rows[0].throughput[0].not_measured.find("compare queues"), std::string::npos);
  EXPECT_TRUE(study.rows[1].throughput[0].measured());
}

/// Queues fill every buffer at full load, and hardly a packet gets through that does below it.
TEST(Study, CongestionCollapseIsNoThroughput) {
  Cluster cluster = cluster_of({"random_regular:switches=48,degree=4,hosts=4"}, {"updown"});
  const Study study = run_study(cluster, {.traffic = {"uniform"}}, no_progress);
  const Throughput& found = study.rows[0].throughput[0];
  EXPECT_TRUE(found.collapses());
  EXPECT_GT(found.saturation, 1.1 * found.accepted);
}

TEST(Study, ThroughputsNeedPatternsWithALoad) {
  const auto complaint_about = [&](const std::string& traffic, const std::string& switches) {
    Cluster cluster = cluster_of({"ring"}, {"dl"});
    cluster.model = switches;
    try {
      run_study(cluster, {.traffic = {traffic}}, no_progress);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_TRUE(complaint_about("file:path=x", "iq").starts_with("load=1: a trace has none: "));
  EXPECT_TRUE(complaint_about("matrix:path=x", "iq").starts_with("matrix:path=x: "));
  EXPECT_TRUE(complaint_about("diagonal", "iq").starts_with("no traffic pattern is called "));
  EXPECT_TRUE(complaint_about("uniform", "iq:lanes=x").starts_with("iq: lanes=x: "));
}

/// Escape lanes are safe in switches that wait for any choice, not in those that commit to one.
TEST(Study, ItsSwitchesDecideWhatPacketsWaitFor) {
  const auto row_with = [](const std::string& switches) {
    Cluster cluster = cluster_of({"torus:dims=4x4"}, {"min_adaptive"});
    if (!switches.empty()) cluster.model = switches;
    return run_study(cluster, {}, no_progress).rows.at(0);
  };
  for (const std::string switches : {"", "infiniband", "iq:choice=commit"}) {
    EXPECT_FALSE(row_with(switches).certified()) << switches;
    EXPECT_EQ(row_with(switches).cycle, 4U) << switches;
  }
  for (const std::string switches : {"iq", "infiniband:choice=any"}) {
    EXPECT_TRUE(row_with(switches).certified()) << switches;
    EXPECT_EQ(row_with(switches).verdict, StudyVerdict::some_choice) << switches;
  }
  EXPECT_EQ(cluster_of_fabrics({"torus:dims=4x4"}).model, "iq");
}

TEST(Study, FabricsWithoutMuchInThem) {
  const Study study =
      run_study(cluster_of({"crossbar:hosts=1", "crossbar:hosts=2", "ring:switches=2"},
                           {"updown", "nue", "lash"}),
                {}, no_progress);
  for (const StudyRow& row : study.rows)
    EXPECT_TRUE(row.refused || row.certified()) << row.topology << ' ' << row.engine;
}

TEST(Study, WrongSpecsEndItBeforeItBegins) {
  EXPECT_EQ(complaint({"ring", "torus:dims=1x1"}, {"dl"}),
            "torus: dims=1x1: a dimension needs 2 or more");
  EXPECT_TRUE(complaint({"ring", "donut"}, {"dl"}).starts_with("\"donut\" is neither a file"));
  EXPECT_EQ(complaint({"ring", "missing.toml"}, {"dl"}), "missing.toml: there is no such file");
  EXPECT_TRUE(complaint({"ring"}, {"dl", "frob"})
                  .starts_with("\"frob\" is neither a file nor a routing engine; engines are: "));
  EXPECT_EQ(complaint({"ring"}, {"dl", "missing.lfts"}), "missing.lfts: there is no such file");
  EXPECT_EQ(complaint({"ring"}, {"dl", "dl:lanes=x"}),
            "dl: lanes=x: a whole number from 1 to 64 is needed");
  EXPECT_EQ(
      complaint({"ring"}, {"dl:root=nowhere"}),
      "dl: root=nowhere: write auto, tops, first, central, far, best or the name of a switch");
}

TEST(Study, EveryParameterOfEveryEngineIsTried) {
  for (const RoutingEngineRow& row : engines())
    for (const Param& param : row.params) {
      const auto engine = std::string(row.name) + ":" + std::string(param.name) + "=@";
      const std::string text = complaint({"ring"}, {engine});
      EXPECT_TRUE(text.starts_with(std::string(row.name) + ": " + std::string(param.name) + "=@: "))
          << engine << ": " << text;
    }
}

TEST(Study, ARootThatOnlySomeFabricsHaveIsRefusedByTheOthers) {
  const Study study = run_study(
      cluster_of({"ring:switches=3", "ring:switches=8"}, {"updown:root=s7"}), {}, no_progress);
  EXPECT_EQ(study.rows[0].refused,
            "updown: root=s7: write auto, tops, first, central, far, best or the name of a switch");
  EXPECT_TRUE(study.rows[1].certified());
}

TEST(Study, ReportsItsProgress) {
  std::vector<std::pair<double, std::string>> reported;
  run_study(cluster_of({"ring"}, {"dl", "updown"}), {},
            [&](double share, const std::string& what) { reported.emplace_back(share, what); });
  ASSERT_EQ(reported.size(), 7U);
  EXPECT_EQ(reported[0], std::make_pair(0.0, std::string("ring dl: tables")));
  EXPECT_EQ(reported[1].second, "ring dl: proof");
  EXPECT_EQ(reported[2].second, "ring dl: matchings");
  EXPECT_EQ(reported[3], std::make_pair(0.5, std::string("ring updown: tables")));
  EXPECT_EQ(reported[6], std::make_pair(1.0, std::string()));
  EXPECT_TRUE(std::is_sorted(reported.begin(), reported.end(),
                             [](const auto& a, const auto& b) { return a.first < b.first; }));
}

TEST(Study, ReportsTheProgressOfItsSimulations) {
  double before = 0;
  std::set<std::string> seen;
  run_study(cluster_of({"ring"}, {"dl"}), {.traffic = {"uniform", "tornado"}},
            [&](double share, const std::string& what) {
              EXPECT_GE(share, before) << what;
              EXPECT_LE(share, 1);
              before = share;
              seen.insert(what);
            });
  EXPECT_TRUE(seen.contains("ring dl: uniform at load 1"));
  EXPECT_TRUE(seen.contains("ring dl: tornado at load 1"));
  EXPECT_GE(seen.size(), 10U);
}

TEST(ProgressLine, TextHasTheTimeToGo) {
  EXPECT_EQ(ProgressLine::text(ProgressSteps{0, 24}, 0, "torus dl"), "0 of 24: torus dl");
  EXPECT_EQ(ProgressLine::text(ProgressSteps{13, 12}, 26, "torus dl"),
            "13 of 13, 0 s to go: torus dl");
  EXPECT_EQ(ProgressLine::text(ProgressSteps{3, 24}, 3, "torus dl"),
            "3 of 24, 21 s to go: torus dl");
  EXPECT_EQ(ProgressLine::text(ProgressSteps{12, 24}, 90, "mesh xy"),
            "12 of 24, 90 s to go: mesh xy");
  EXPECT_EQ(ProgressLine::text(ProgressSteps{12, 24}, 7200, "mesh xy"),
            "12 of 24, 2 h 0 min to go: mesh xy");
  EXPECT_EQ(ProgressLine::text(ProgressSteps{12, 24}, 600, "mesh xy"),
            "12 of 24, 10 min to go: mesh xy");
  EXPECT_EQ(ProgressLine::text(ProgressSteps{24, 24}, 5, ""), "24 of 24, 0 s to go");
  EXPECT_EQ(ProgressLine::text(ProgressSteps{10, 24, 10}, 5, ""), "10 of 24");
  EXPECT_EQ(ProgressLine::text(ProgressSteps{12, 24, 10}, 4, "x"), "12 of 24, 24 s to go: x");
  EXPECT_EQ(ProgressLine::text(0, 1, "warm-up"), "0 %: warm-up");
  EXPECT_EQ(ProgressLine::text(0.25, 10, ""), "25 %, 30 s to go");
  EXPECT_EQ(ProgressLine::text(std::nullopt, 10, "fabric ring"), "fabric ring");
}

TEST(ProgressLine, IsSilentWithoutATerminal) {
  std::FILE* file = std::tmpfile();
  {
    ProgressLine line(file);
    line(1, 2, "torus dl");
  }
  EXPECT_EQ(std::ftell(file), 0);
  std::fclose(file);
}

TEST(Memory, TablesThatCannotFitAreRefused) {
  const Fabric fabric = find_fabric("torus:dims=10x10,hosts=2");
  EXPECT_NO_THROW(require_memory(fabric, 20'000));
  try {
    require_memory(fabric, 19'999);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "torus:dims=10x10,hosts=2: tables for 100 switches and 200 hosts take 0.0 GB; "
                 "this machine has 0.0 GB");
  }
  EXPECT_GT(machine_memory(), 1'000'000U);
}

}  // namespace
}  // namespace weft
