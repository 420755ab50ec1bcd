// SPDX-License-Identifier: Apache-2.0
// Load curves against those that BookSim 2 has measured (tests/recorded/booksim2).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lab/simulate/experiment.hpp"
#include "support/fabrics.hpp"
#include "support/files.hpp"
#include "support/paths.hpp"

namespace weft {
namespace {

const nlohmann::json& recorded() {
  static const auto data = nlohmann::json::parse(testing::read_file(
      weft::testing::source_dir().string() + "/tests/recorded/booksim2/mesh8.json"));
  return data;
}

SimulationResult simulated(const nlohmann::json& point, const std::string& warmup,
                           const std::string& cycles) {
  SimulationSpec simulation;
  simulation.fabric = "mesh:dims=8x8";
  simulation.tables = "xy";
  simulation.switches = fmt::format("iq:lanes={},buffer=8", point["lanes"].get<int>());
  simulation.traffic = point["traffic"] == "uniform" ? "uniform:self=yes" : "transpose:form=matrix";
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

}  // namespace
}  // namespace weft
