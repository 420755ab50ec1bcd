// SPDX-License-Identifier: Apache-2.0
// Load curves and saturation points against those that BookSim 2 has measured
// (tests/recorded/booksim2).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "lab/simulate/experiment.hpp"
#include "support/fabrics.hpp"
#include "support/files.hpp"
#include "support/paths.hpp"

namespace weft {
namespace {

nlohmann::json recorded_file(const std::string& name) {
  return nlohmann::json::parse(testing::read_file(weft::testing::source_dir().string() +
                                                  "/tests/recorded/booksim2/" + name));
}
const nlohmann::json& recorded() {
  static const auto data = recorded_file("mesh8.json");
  return data;
}

SimulationResult simulated(const nlohmann::json& point, const std::string& warmup,
                           const std::string& cycles) {
  SimulationSpec simulation;
  simulation.fabric = "mesh:dims=8x8";
  simulation.tables = "xy";
  simulation.switches = fmt::format("iq:lanes={},buffer=8", point["lanes"].get<int>());
  simulation.traffic = point["traffic"] == "uniform" ? "uniform:self=yes" : "transpose";
  simulation.packet = std::to_string(point["flits"].get<int>());
  simulation.load = fmt::format("{}", point["load"].get<double>());
  simulation.warmup = warmup;
  simulation.cycles = cycles;
  return simulate(simulation);
}

/// The load from which on the queues of NICs grow without end.
double saturation(const nlohmann::json& point) {
  if (point["traffic"] == "transpose") return 0.145;
  return point["flits"] == 1 ? 0.40 : 0.34;
}

TEST(BookSim, LatencyBelowSaturation) {
  const int step = 100 / test::tries(100);  // slow builds take every fifth point
  int compared = 0;
  for (const auto& point : recorded()["points"]) {
    const double load = point["load"];
    if (load > 0.8 * saturation(point) || ++compared % step != 0) continue;
    const double flits = point["flits"] == 1 ? 3'000 : 10'000;  // a host, in all
    const auto result = simulated(point, "3000", fmt::format("{:.0f}", flits / load));
    const double expected = point["latency"];
    EXPECT_NEAR(result.mean, expected, 0.02 * expected) << point;
    EXPECT_NEAR(result.accepted, load, 0.02 * load) << point;
  }
  EXPECT_EQ(compared, 14);
}

TEST(BookSim, ThroughputUnderFullLoad) {
  if (test::is_slow_build()) GTEST_SKIP() << "a long measurement";
  int compared = 0;
  for (const auto& point : recorded()["points"]) {
    if (point["load"] != 1.0) continue;
    const auto result = simulated(point, "5000", "20000");
    const double expected = point["accepted"];
    EXPECT_NEAR(result.accepted, expected, 0.03 * expected) << point;
    EXPECT_EQ(result.outcome, SimulationOutcome::saturated);
    ++compared;
  }
  EXPECT_EQ(compared, 3);
}

/// The mean of the recorded saturation points by traffic and length; bit reversal and transpose
/// load the busiest link alike.
std::map<std::pair<std::string, int>, double> saturation_points() {
  std::map<std::pair<std::string, int>, std::vector<double>> all;
  const auto recorded_points = recorded_file("saturation.json");
  for (const auto& point : recorded_points["points"]) {
    const bool uniform = point["traffic"] == "uniform";
    all[{uniform ? "uniform:self=yes" : "permutation", point["flits"]}].push_back(
        (point["stable"].get<double>() + point["unstable"].get<double>()) / 2);
  }
  std::map<std::pair<std::string, int>, double> out;
  for (const auto& [key, loads] : all)
    out[key] = std::accumulate(loads.begin(), loads.end(), 0.0) / static_cast<double>(loads.size());
  return out;
}

SimulationOutcome outcome_at(double load, const std::string& traffic, int flits) {
  SimulationSpec simulation;
  simulation.fabric = "mesh:dims=8x8";
  simulation.tables = "xy";
  simulation.switches = "iq:lanes=2,buffer=8";
  simulation.traffic = traffic;
  simulation.packet = std::to_string(flits);
  simulation.load = fmt::format("{:.5f}", load);
  const double cycles = 2500 * flits / load;  // one standard deviation of 2500 packets is 2 %
  simulation.warmup = fmt::format("{:.0f}", cycles / 4);
  simulation.cycles = fmt::format("{:.0f}", cycles);
  return simulate(simulation).outcome;
}

TEST(BookSim, SaturationWithinTwoPercent) {
  const auto points = saturation_points();
  EXPECT_EQ(points.size(), 4U);
  for (const auto& [key, load] : points) {
    const auto& [kind, flits] = key;
    if (test::is_slow_build() && (flits > 1 || kind == "permutation")) continue;  // slow builds
    const std::vector<std::string> traffics =
        kind != "permutation" ? std::vector{kind}
                              : std::vector<std::string>{"transpose", "bit_reversal"};
    for (const std::string& traffic : traffics) {
      EXPECT_EQ(outcome_at(0.98 * load, traffic, flits), SimulationOutcome::steady)
          << traffic << " " << flits << " " << load;
      EXPECT_EQ(outcome_at(1.02 * load, traffic, flits), SimulationOutcome::saturated)
          << traffic << " " << flits << " " << load;
    }
  }
}

}  // namespace
}  // namespace weft
