// SPDX-License-Identifier: Apache-2.0
// The search of a study for the highest steady load: few simulations, and near enough.
#include "lab/study/steady_load.hpp"

#include <gtest/gtest.h>

#include "sweep_support.hpp"

namespace weft::testing {
namespace {

/// A network that is steady up to `capacity`, and at full load accepts what it may.
struct SaturatingNetwork {
  double capacity, at_full_load;
  std::size_t simulations = 0;

  SimulationResult at(double load) const {
    SimulationResult out;
    out.outcome = load <= capacity ? SimulationOutcome::steady : SimulationOutcome::saturated;
    out.accepted = load <= capacity ? load : at_full_load;
    return out;
  }
  SteadyLoad found() {
    const SimulationExperiment point{.request = request_of(sweep_of("1").simulation)};
    return highest_steady_load(point, at(1), [&](const SimulationExperiment& tried) {
      ++simulations;
      return at(std::stod(tried.request.spec.load));
    });
  }
};

TEST(SteadyLoad, IsFoundToATwentieth) {
  for (const double capacity : {0.0012, 0.025, 0.137, 0.49, 0.81, 0.96})
    for (const double share : {0.1, 0.5, 0.9, 1.0, 1.04}) {
      SaturatingNetwork network{capacity, std::min(share * capacity, 1.0)};
      const SteadyLoad found = network.found();
      EXPECT_LE(found.load, capacity);
      EXPECT_GE(1.051 * found.load, std::min(capacity, 1.0)) << share << " of " << capacity;
      EXPECT_GE(found.most_accepted, found.load);
      EXPECT_LE(network.simulations, share < 0.6 ? 13U : 5U) << share << " of " << capacity;
    }
}

TEST(SteadyLoad, MayBeAllOrNothing) {
  SaturatingNetwork perfect{1, 1};
  EXPECT_EQ(perfect.found().load, 1);
  EXPECT_EQ(perfect.simulations, 0U);
  SaturatingNetwork broken{0, 0.2};
  EXPECT_EQ(broken.found().load, 0);
  EXPECT_LE(broken.simulations, 12U);
  SaturatingNetwork silent{0, 0};
  EXPECT_EQ(silent.found().load, 0);
}

}  // namespace
}  // namespace weft::testing
