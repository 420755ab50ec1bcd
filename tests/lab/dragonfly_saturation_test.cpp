// SPDX-License-Identifier: Apache-2.0
// Dragonflies at saturation: switches with enough lanes and buffers carry what the busiest link
// lets through, by the load that is counted exactly, and no more.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lab/simulate/experiment.hpp"
#include "support/fabrics.hpp"

namespace weft::test::dragonfly_saturation {
namespace {

struct Bound {
  std::string traffic, engine;
  double load;  ///< at which the busiest link is full
};

SimulationOutcome outcome_at(const Bound& bound, double share) {
  SimulationSpec spec;
  spec.fabric = "dragonfly:a=4,p=2,h=2";
  spec.tables = bound.engine;
  spec.switches = "iq:lanes=24,buffer=64,inputs=lane";
  spec.traffic = bound.traffic;
  spec.packet = "4";
  spec.load = fmt::format("{:.5f}", share * bound.load);
  spec.warmup = "6000";
  spec.cycles = "12000";
  return simulate(spec).outcome;
}

TEST(DragonflySaturation, IsWithinFivePercentOfTheBusiestLink) {
  if (is_slow_build()) GTEST_SKIP() << "long measurements";
  // With 9 groups of 8 hosts and a link between two of them; Valiant by a random group.
  const std::vector<Bound> bounds{{"uniform", "valiant", 0.5},
                                  {"adversarial", "min", 1.0 / 8},
                                  {"adversarial", "valiant", 7.0 / 16},
                                  {"adversarial:shift=2", "valiant", 7.0 / 24}};
  for (const Bound& bound : bounds) {
    EXPECT_EQ(outcome_at(bound, 0.95), SimulationOutcome::steady)
        << bound.traffic << ' ' << bound.engine;
    EXPECT_EQ(outcome_at(bound, 1.05), SimulationOutcome::saturated)
        << bound.traffic << ' ' << bound.engine;
  }
}

}  // namespace
}  // namespace weft::test::dragonfly_saturation
