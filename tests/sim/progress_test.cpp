// SPDX-License-Identifier: Apache-2.0
// The share of a measurement that is done: it never falls, however often the end is put off.
#include <gtest/gtest.h>

#include "plan/topo/topology.hpp"
#include "sim/workload/measurement.hpp"
#include "sim/workload/planned_share.hpp"
#include "support/fabrics.hpp"
#include "support/routes.hpp"

namespace weft::sim {
namespace {

TEST(PlannedShare, OfACertainEnd) {
  PlannedShare share;
  EXPECT_EQ(share.at(0), 0);
  share.plan(0, 200, true);
  EXPECT_EQ(share.at(50), 0.25);
  share.plan(50, 200, true);
  EXPECT_EQ(share.at(200), 1);
  EXPECT_EQ(share.at(300), 1);
}

TEST(PlannedShare, KeepsHalfWhereTheEndMayBePutOff) {
  PlannedShare share;
  share.plan(0, 100, false);
  EXPECT_EQ(share.at(100), 0.5);
  share.plan(100, 200, false);
  EXPECT_EQ(share.at(100), 0.5);
  EXPECT_EQ(share.at(200), 0.75);
  share.plan(200, 200, true);  // an end that is reached already
  EXPECT_EQ(share.at(200), 0.75);
  EXPECT_EQ(share.at(201), 1);
}

/// The shares that are reported, of which none is below the one before; and the last phase.
struct Reported {
  std::vector<double> shares{};
  std::string last{};
};
Reported reported(const char* traffic, const char* load, const MeasurementPlan& lengths) {
  const Fabric fabric = make_fabric("torus:dims=4x4");
  const Tables tables = test::routed(fabric, "dor");
  Network network(fabric, tables, model_from("iq:lanes=4"));
  Meter meter(fabric.host_count());
  const auto workload =
      open_loop({make_pattern(fabric, traffic), Lengths("1", Bytes{8}), Chance(), 1},
                chance_from(load), meter);
  Reported out;
  MeasurementPlan plan = lengths;
  plan.progress = [&](std::optional<double> share, std::string_view what) {
    if (share) {
      EXPECT_GE(*share, out.shares.empty() ? 0 : out.shares.back()) << what;
      EXPECT_LE(*share, 1) << what;
      out.shares.push_back(*share);
    }
    out.last = what;
  };
  measure(network, *workload, meter, plan);
  return out;
}

TEST(MeasurementProgress, NeverFalls) {
  for (const std::string load : {"0.02", "0.4", "1"}) {  // steady after long, steady, saturated
    if (test::is_slow_build() && load == "0.02") continue;
    for (const auto& plan :
         {MeasurementPlan{}, MeasurementPlan{Cycle{3000}, {}, {}},
          MeasurementPlan{{}, Cycle{3000}, {}}, MeasurementPlan{Cycle{0}, Cycle{1}, {}}}) {
      const Reported progress = reported("uniform", load.c_str(), plan);
      ASSERT_FALSE(progress.shares.empty());
      EXPECT_EQ(progress.shares.front(), 0);
    }
  }
}

TEST(MeasurementProgress, OfGivenCyclesIsTheirShare) {
  const Reported progress = reported("uniform", "0.1", {Cycle{1000}, Cycle{3000}, {}});
  EXPECT_GT(progress.shares.back(), 0.9);
  EXPECT_NE(progress.last.find(": draining, up to "), std::string::npos) << progress.last;
}

TEST(MeasurementProgress, OfAWorkloadThatEndsIsACycle) {
  const Reported progress = reported("all_to_all:rounds=1", "0.1", {});
  EXPECT_TRUE(progress.shares.empty());
  EXPECT_TRUE(progress.last.starts_with("cycle ")) << progress.last;
  EXPECT_TRUE(progress.last.ends_with(": carrying")) << progress.last;
}

}  // namespace
}  // namespace weft::sim
