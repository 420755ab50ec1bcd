// SPDX-License-Identifier: Apache-2.0
// The search for saturation: with pretended simulations that are wrong when they are short, and
// with real ones.
#include "lab/simulate/saturation.hpp"

#include <gtest/gtest.h>

#include <map>

#include "base/error.hpp"
#include "sweep_support.hpp"

namespace weft::testing {
namespace {

/// A network that carries `capacity`; a simulation of N packets per host misjudges loads that are
/// within 1/sqrt(N) of it, always in the same direction.
struct PretendedNetwork {
  double capacity;
  bool optimistic;
  std::map<std::string, std::vector<std::uint64_t>> lengths{};  ///< measured cycles, by load

  SimulationResult operator()(const SimulationExperiment& point) {
    SimulationResult out = pretend(point);
    const double load = std::stod(out.spec.load), cycles = std::stod(out.spec.cycles);
    const double error = 1 / std::sqrt(load * cycles);
    const double seen = capacity * (optimistic ? 1 + error : 1 - error);
    out.outcome = load <= seen ? SimulationOutcome::steady : SimulationOutcome::saturated;
    lengths[out.spec.load].push_back(std::stoull(out.spec.cycles));
    return out;
  }
};

SaturationPoint found(PretendedNetwork& network, const std::string& resolution,
                      const std::string& cycles = "auto") {
  SimulationSpec spec = sweep_of(SimulationSpec{}.load).simulation;
  spec.cycles = cycles;
  return find_saturation(LoadSteps(resolution), {.request = request_of(spec)}, std::ref(network));
}

TEST(Saturation, LongSimulationsCorrectShortOnes) {
  for (const bool optimistic : {false, true})
    for (const double capacity : {0.003, 0.0625, 0.137, 0.262, 0.4999, 0.631, 0.877, 0.9999}) {
      PretendedNetwork network{capacity, optimistic};
      const SaturationPoint point = found(network, "0.005");
      EXPECT_NEAR(std::stod(point.load), capacity, 0.008) << capacity;
      std::string before = "0";
      for (const SimulationResult& result : point.tried) {
        EXPECT_LT(std::stod(before), std::stod(result.spec.load));  // a row a load, in order
        EXPECT_EQ(result.outcome == SimulationOutcome::steady,
                  std::stod(result.spec.load) <= std::stod(point.load));
        EXPECT_EQ(std::stoull(result.spec.cycles), network.lengths[result.spec.load].back());
        before = result.spec.load;
      }
      for (const auto& [load, lengths] : network.lengths) {
        EXPECT_LE(lengths.size(), 2U) << load;
        EXPECT_LT(lengths.front(), lengths.size() == 2 ? lengths.back() : ~0ULL) << load;
      }
    }
}

TEST(Saturation, OnlyLoadsNearItAreSimulatedAtLength) {
  PretendedNetwork network{0.2635, false};
  const SaturationPoint point = found(network, "0.005");
  EXPECT_EQ(point.load, "0.26");
  EXPECT_FALSE(point.short_of_resolution);
  EXPECT_EQ(network.lengths["0.5"], std::vector<std::uint64_t>{2048});
  EXPECT_EQ(network.lengths["0.25"], std::vector<std::uint64_t>{2048});
  EXPECT_EQ(network.lengths["0.26"].back(), 32'768U);  // 2 (0.26 / 0.005)^2 packets per host
  EXPECT_EQ(network.lengths["0.265"].back(), 32'768U);
}

TEST(Saturation, GivenCyclesAreTheLongest) {
  PretendedNetwork network{0.262, true};
  EXPECT_EQ(found(network, "0.005", "10000").load, "0.265");
  EXPECT_EQ(network.lengths["0.265"].back(), 10'000U);
  EXPECT_EQ(network.lengths["0.27"].back(), 10'000U);
  for (const auto& [load, lengths] : network.lengths) EXPECT_LE(lengths.back(), 10'000U);
  PretendedNetwork quick{0.262, true};
  found(quick, "0.005", "1000");
  for (const auto& [load, lengths] : quick.lengths)
    EXPECT_EQ(lengths, std::vector<std::uint64_t>{1000}) << load;
}

/// What a simulation costs limits its length: about 2^24 switch traversals.
TEST(Saturation, LargeNetworksAreSimulatedForFewerCycles) {
  PretendedNetwork network{0.5, false};
  SimulationSpec spec = sweep_of(SimulationSpec{}.load).simulation;
  spec.packet = "100";
  const auto large = [&](const SimulationExperiment& point) {
    SimulationResult out = network(point);
    out.cycles = std::stoull(out.spec.cycles);
    out.flit_hops = 4000 * out.cycles;
    return out;
  };
  const auto search = [&] {
    return find_saturation(LoadSteps("0.005"), {.request = request_of(spec)}, large);
  };
  EXPECT_TRUE(search().short_of_resolution);
  for (const auto& [load, lengths] : network.lengths) EXPECT_LE(lengths.back(), 4096U) << load;
  spec.cycles = "3000";  // then the user decides
  EXPECT_FALSE(search().short_of_resolution);
}

SimulationExperiment resolved(const SimulationSpec& spec) {
  return resolve_all({request_of(spec)}).front();
}

/// Far less than the 320 million switch traversals of loads that were all judged at full length.
TEST(Saturation, OfATreeAtLittleCost) {
  SimulationSpec spec;
  spec.fabric = "tree:k=4,n=3";
  spec.tables = "dmodk";
  std::uint64_t work = 0;
  const auto counting = [&](const SimulationExperiment& point) {
    EXPECT_TRUE(point.kept);
    const SimulationResult result = simulate(point);
    work += result.flit_hops;
    return result;
  };
  const SaturationPoint point = find_saturation(LoadSteps("0.005"), resolved(spec), counting);
  EXPECT_EQ(point.load, "0.26");
  EXPECT_LT(work, 40'000'000U);
}

/// Every row repeats by its own command, short simulations too.
TEST(Saturation, RowsRepeat) {
  SimulationSpec spec;
  spec.fabric = "mesh:dims=4x4";
  spec.tables = "xy";
  const auto one = [](const SimulationExperiment& point) { return simulate(point); };
  const SaturationPoint point = find_saturation(LoadSteps("0.05"), resolved(spec), one);
  EXPECT_GE(point.tried.size(), 4U);
  for (const SimulationResult& result : point.tried) {
    const SimulationResult again = simulate(result.spec);
    EXPECT_EQ(again.outcome, result.outcome);
    EXPECT_EQ(again.mean, result.mean);
    EXPECT_EQ(again.flit_hops, result.flit_hops);
  }
}

}  // namespace
}  // namespace weft::testing
