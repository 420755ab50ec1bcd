// SPDX-License-Identifier: Apache-2.0
// Networks are made once and shared; experiments of a sweep need no files once they are resolved.
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "base/files.hpp"
#include "lab/cluster/waiting.hpp"
#include "lab/simulate/sweep.hpp"
#include "support/files.hpp"

namespace weft {
namespace {

TEST(Networks, RoutesThatCanDeadlockAreWarnedOf) {
  Networks networks;
  EXPECT_EQ(warnings_about(*networks({"torus:dims=4x4", "minhop", {}, {}}), sim::model_from("iq")),
            std::vector<std::string>{"the routes of minhop can deadlock: 4 channels may wait for "
                                     "each other in a cycle, which weft check shows"});
  EXPECT_EQ(warnings_about(*networks({"torus:dims=4x4", "dor", {}, {}}), sim::model_from("iq")),
            std::vector<std::string>{});
}

/// Lanes are emptied first only where that makes tables safe whose packets wait for any choice.
TEST(Networks, DecideWhetherLanesAreEmptiedFirst) {
  using sim::LaneReuse;
  Networks networks;
  const auto reuse = [&](const char* fabric, const char* tables, const char* switches) {
    return settled(sim::model_from(switches), *networks({fabric, tables, {}, {}})).reuse;
  };
  const char* torus = "torus:dims=4x4";
  EXPECT_EQ(reuse(torus, "min_adaptive", "iq"), LaneReuse::empty);
  EXPECT_EQ(reuse(torus, "min_adaptive", "iq:reuse=sent"), LaneReuse::sent);
  for (const char* needless : {"iq:choice=commit", "iq:switching=cut_through", "iq:flow=stop_go"})
    EXPECT_EQ(reuse(torus, "min_adaptive", needless), LaneReuse::sent) << needless;
  EXPECT_EQ(reuse(torus, "dor", "iq"), LaneReuse::sent);
  EXPECT_EQ(reuse(torus, "dor", "iq:reuse=empty"), LaneReuse::empty);
  EXPECT_EQ(reuse("tree:k=2,n=3", "updown_adaptive", "iq"), LaneReuse::sent);  // safe by all
  EXPECT_EQ(reuse("dragonfly:a=2,p=1,h=1", "ugal:lanes=booksim", "iq"),
            LaneReuse::sent);                                                   // by none
  EXPECT_EQ(reuse("mesh:dims=36x36", "min_adaptive", "iq"), LaneReuse::empty);  // not judged
  EXPECT_EQ(reuse("mesh:dims=36x36", "xy_yx", "iq"), LaneReuse::sent);
  // Judged: its lanes are as few as BookSim's, so that emptying them would be of no use.
  EXPECT_EQ(reuse("dragonfly:a=24,p=1,h=1", "ugal:lanes=booksim", "iq"), LaneReuse::sent);
}

/// What one kind of waiting decides for others is not judged again.
TEST(Networks, AreJudgedOnceForAllSwitchesThatAVerdictDecidesFor) {
  Networks networks;
  const auto same = [&](const char* fabric, const char* tables, WaitKind other) {
    const SharedNetwork network = networks({fabric, tables, {}, {}});
    return &network->deadlock_verdict(WaitKind::wormhole) == &network->deadlock_verdict(other);
  };
  const char* dragonfly = "dragonfly:a=2,p=1,h=1";
  for (const auto other : {WaitKind::commit, WaitKind::cut_through, WaitKind::wormhole_queues}) {
    EXPECT_TRUE(same("torus:dims=4x4", "dor", other));            // no choices
    EXPECT_TRUE(same(dragonfly, "ugal", other));                  // proved by every choice
    EXPECT_TRUE(same(dragonfly, "ugal:lanes=booksim", other));    // refuted
    EXPECT_FALSE(same("torus:dims=4x4", "min_adaptive", other));  // proved by some choice
  }
}

TEST(Networks, AreWarnedOfByWhatTheirSwitchesWaitFor) {
  Networks networks;
  const SharedNetwork torus = networks({"torus:dims=4x4", "min_adaptive", {}, {}});
  EXPECT_TRUE(warnings_about(*torus, sim::model_from("iq")).empty());
  for (const char* unsafe : {"iq:reuse=sent", "iq:flow=stop_go", "infiniband"})
    EXPECT_EQ(warnings_about(*torus, sim::model_from(unsafe)).size(), 1U) << unsafe;
  const auto warnings = [](const char* switches) {
    SimulationSpec spec;
    spec.fabric = "torus:dims=4x4";
    spec.tables = "min_adaptive";
    spec.switches = switches;
    return warnings_about(resolve(request_of(spec), std::make_shared<Networks>()));
  };
  EXPECT_TRUE(warnings("iq").empty());
  EXPECT_EQ(warnings("iq:reuse=sent"),
            std::vector<std::string>{"the routes of min_adaptive can deadlock: 4 channels may wait "
                                     "for each other in a cycle, which weft check shows"});
}

TEST(Networks, ShareFabricAndTables) {
  Networks networks;
  const NetworkSpec dor{"mesh:dims=3x3", "dor", {}}, updown{"mesh:dims=3x3", "updown", {}};
  const SharedNetwork first = networks(dor);
  EXPECT_EQ(networks(dor), first);
  EXPECT_NE(networks(updown), first);
  EXPECT_EQ(&networks(updown)->fabric(), &first->fabric());
  EXPECT_EQ(first->tables().engine, "dor");
  const NetworkSpec faster{"mesh:dims=3x3", "dor", {"100Gb/s", ""}};
  EXPECT_EQ(networks(faster)->fabric()[HostId(0)].wire.speed, bandwidth_from("100Gb/s"));
}

TEST(Networks, SayWhatTheyMakeNext) {
  std::vector<std::string> steps;
  Networks networks([&](const std::string& what) { steps.push_back(what); });
  for (const char* engine : {"dor", "dor", "updown"}) networks({"mesh:dims=3x3", engine, {}});
  EXPECT_EQ(steps, (std::vector<std::string>{
                       "fabric mesh:dims=3x3",
                       "tables dor for the 9 switches and 9 hosts of mesh:dims=3x3",
                       "tables updown for the 9 switches and 9 hosts of mesh:dims=3x3"}));
}

TEST(Networks, AreMadeOnceForAllThreads) {
  Networks networks;
  std::vector<SharedNetwork> found(8);
  {
    std::vector<std::jthread> threads;
    for (SharedNetwork& each : found)
      threads.emplace_back([&] { each = networks({"torus:dims=4x4", "updown", {}}); });
  }
  for (const SharedNetwork& each : found) EXPECT_EQ(each, found[0]);
}

TEST(Networks, AboveTheLimitAreMadeAgainButForTheFirst) {
  Networks networks(1);
  const NetworkSpec one{"ring", "updown", {}}, other{"mesh", "updown", {}};
  EXPECT_EQ(networks(one), networks(one));
  EXPECT_NE(networks(other), networks(other));
}

TEST(Networks, ThatAreWrongSaySoEveryTime) {
  Networks networks;
  for (int i = 0; i < 2; ++i) EXPECT_THROW(networks({"mesh", "magic", {}}), Error);
}

/// Before the first share of a simulation is done, its set-up is named step by step.
TEST(SetUpProgress, OfSimulationsAndSweeps) {
  const std::vector<std::string> steps{
      "fabric ring", "tables updown for the 8 switches and 8 hosts of ring", "switches iq of ring"};
  SweepSpec spec;
  spec.simulation.fabric = "ring";
  spec.simulation.tables = "updown";
  spec.simulation.load = "[0.1,0.2]";
  std::vector<std::string> seen;
  resolve(request_of(spec), [&](const std::string& what) { seen.push_back(what); });
  EXPECT_EQ(seen, steps);
  seen.clear();
  spec.simulation.load = "0.1";
  simulate(spec.simulation, {.progress = [&](std::optional<double> share, const std::string& what) {
             if (share ? seen.size() == steps.size() : seen.size() < steps.size())
               seen.push_back(what);
           }});
  ASSERT_EQ(seen.size(), steps.size() + 1);
  EXPECT_EQ(seen.back(), "warm-up");
  seen.pop_back();
  EXPECT_EQ(seen, steps);
}

/// A sweep reads no file again when it runs: its files may even be gone.
TEST(SweepExperiments, AreWholeOnceResolved) {
  const testing::TemporaryFolder folder;
  const std::string fabric = folder / "fabric.anynet", trace = folder / "trace.csv";
  write_file(fabric, [](std::ostream& out) {
    out << "router 0 node 0 router 1\nrouter 1 node 1 router 2\nrouter 2 node 2 node 3\n";
  });
  write_file(trace, [](std::ostream& out) { out << "0,3,4,0\n1,2,2,5\n"; });
  SweepSpec spec;
  spec.simulation.fabric = fabric;
  spec.simulation.tables = "[minhop,updown]";
  spec.simulation.traffic = "file:path=" + trace;
  spec.simulation.switches = "iq:lanes=[1,2]";
  const SweepExperiment sweep = resolve(request_of(spec));
  ASSERT_EQ(sweep.points.size(), 4U);
  EXPECT_EQ(sweep.points[0].trace, sweep.points[1].trace);
  std::filesystem::remove(fabric);
  std::filesystem::remove(trace);
  const auto one = [](const SimulationExperiment& point) { return simulate(point); };
  for (const SweepRow& row : run_sweep(sweep, one))
    EXPECT_EQ(row.result.outcome, SimulationOutcome::complete);
}

}  // namespace
}  // namespace weft
