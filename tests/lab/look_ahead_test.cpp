// SPDX-License-Identifier: Apache-2.0
// Simulations begun ahead of a search for saturation: the same rows, each result used once, and
// most of what the search needs among them.
#include "lab/simulate/look_ahead.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "sweep_support.hpp"

namespace weft::testing {
namespace {

std::vector<std::string> loads_tried(const SaturationPoint& found) {
  std::vector<std::string> out;
  for (const SimulationResult& result : found.tried) out.push_back(result.spec.load);
  return out;
}

TEST(LookAhead, NamesWhatComesNext) {
  const SweepSpec spec = saturation_of("iq:lanes=2", "0.005");
  const SimulationExperiment point = unresolved(spec).points.at(0);
  const LoadSteps steps(spec.resolution);
  const SaturationPoint alone = find_saturation(steps, point, pretend);
  std::set<SimulationSpec> expected;
  std::size_t asked = 0, foreseen = 0;
  const auto foresee = [&](const SimulationExperiment& needed,
                           const std::vector<SimulationExperiment>& others) {
    ++asked;
    foreseen += expected.contains(needed.request.spec) ? 1 : 0;
    EXPECT_LE(others.size(), 2U);
    expected.clear();
    for (const SimulationExperiment& one : others) expected.insert(one.request.spec);
  };
  const SaturationPoint found = find_saturation(steps, point, pretend, foresee);
  EXPECT_EQ(found.load, alone.load);
  EXPECT_EQ(loads_tried(found), loads_tried(alone));
  EXPECT_EQ(foreseen + 1, asked) << "all but the first";
}

TEST(LookAhead, RunsWhatIsNeededOnce) {
  std::atomic<int> ran = 0;
  LookAhead ahead([&](const SimulationExperiment& point) { return ++ran, pretend(point); }, 8);
  const std::vector<SimulationExperiment> points = unresolved(sweep_of("[0.1,0.2,0.3]")).points;
  ahead.begin(points[0], {points[1]});
  for (const SimulationExperiment& point : points)
    EXPECT_EQ(ahead(point).spec.load, point.request.spec.load);
  EXPECT_EQ(ran, 3);
}

TEST(LookAhead, OneCoreBeginsNothing) {
  std::atomic<int> ran = 0;
  {
    LookAhead ahead([&](const SimulationExperiment& point) { return ++ran, pretend(point); }, 1);
    const std::vector<SimulationExperiment> points = unresolved(sweep_of("[0.1,0.2]")).points;
    ahead.begin(points[0], {points[1]});
  }
  EXPECT_EQ(ran, 0);
}

TEST(LookAhead, ErrorsComeWithWhatIsNeeded) {
  const auto fails = [](const SimulationExperiment& point) -> SimulationResult {
    throw Error("load {}", point.request.spec.load);
  };
  LookAhead ahead(fails, 4);
  const std::vector<SimulationExperiment> points = unresolved(sweep_of("[0.1,0.2]")).points;
  ahead.begin(points[0], {points[1]});
  EXPECT_THROW(ahead(points[0]), Error);
}

}  // namespace
}  // namespace weft::testing
