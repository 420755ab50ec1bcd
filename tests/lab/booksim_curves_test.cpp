// SPDX-License-Identifier: Apache-2.0
// Curves of adaptive and non-minimal routing against those that BookSim 2 has measured
// (tests/recorded/booksim2/adaptive.json), with configurations as weft import booksim reads them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lab/booksim/translation.hpp"
#include "lab/simulate/experiment.hpp"
#include "support/fabrics.hpp"
#include "support/files.hpp"
#include "support/paths.hpp"

namespace weft::test::booksim_curves {
namespace {

using Json = nlohmann::json;

const Json& recorded() {
  static const Json data = Json::parse(
      testing::read_file(testing::source_dir() / "tests/recorded/booksim2/adaptive.json"));
  return data;
}

/// "k=8 n=2" as a configuration file has it.
std::string configuration_of(const Json& point) {
  std::string out = fmt::format(
      "{} {} traffic={} packet_size={} injection_rate={}", recorded()["common"].get<std::string>(),
      point["words"].get<std::string>(), point["traffic"].get<std::string>(),
      point["flits"].get<int>(), point["load"].get<double>());
  std::replace(out.begin(), out.end(), ' ', ';');
  return out + ";";
}

bool is_patched(const Json& point) { return point.contains("patch"); }

SimulationResult simulated(const Json& point, const std::string& cycles) {
  const Source source{"recorded", configuration_of(point)};
  SimulationSpec spec =
      booksim::translated(booksim::Configuration(source), booksim::Likeness::nearest).spec;
  // Allocators other than iSLIP prefer adaptive lanes.
  if (is_patched(point)) spec.tables = "min_adaptive:escape=dor,lanes=4";
  spec.warmup = "5000";
  spec.cycles = cycles;
  return simulate(spec);
}

/// Whether weft routes as BookSim does: its min_adapt offers one port only, unless it is patched;
/// and without waiting for credits of tails, both can deadlock then.
bool is_peer(const Json& point) {
  const auto& words = point["words"].get_ref<const std::string&>();
  const bool islip = words.find("separable") == std::string::npos;
  const bool sent = words.find("wait_for_tail_credit=0") != std::string::npos;
  if (words.find("min_adapt") != std::string::npos && (!is_patched(point) || islip || sent))
    return false;
  return !point.value("deadlock", false);
}

/// Of single latencies and throughputs; whose turn it is differs in adaptive lanes, see the guide
/// for those who come from BookSim.
double tolerance(const Json& point) {
  const double noise = 2 * std::max(0.4, point.value("error_percent", 0.0)) / 100;  // few seeds
  const double rules = is_patched(point) ? 0.03 : 0;
  const bool below = point["load"] != 1.0 && point["share"] < 0.9;
  return (below ? 0.02 : 0.03) + rules + noise;
}

TEST(BookSimCurves, OfAdaptiveRouting) {
  if (is_slow_build()) GTEST_SKIP() << "long measurements";
  const bool all = tries(1, 2) > 1;
  int compared = 0, curve = 0;
  std::string words;
  for (const Json& point : recorded()["points"]) {
    if (!is_peer(point)) continue;
    const std::string now = point["words"].get<std::string>() + point["traffic"].get<std::string>();
    if (now != words) ++curve;
    words = now;
    // Otherwise a point of each curve, of other shares.
    const double share = point.value("share", 1.0);
    if (!all && share != (curve % 3 == 0 ? 0.4 : curve % 3 == 1 ? 0.6 : 0.8)) continue;
    const SimulationResult result = simulated(point, all ? "100000" : "20000");
    const bool full = point["load"] == 1.0;
    const double expected = point[full ? "accepted" : "latency"];
    EXPECT_NEAR(full ? result.accepted : result.mean, expected, tolerance(point) * expected)
        << point;
    ++compared;
  }
  fmt::print("campaign: {} points of BookSim 2, of {} curves\n", compared, curve);
  EXPECT_GE(curve, 15);
  EXPECT_GE(compared, curve);
}

}  // namespace
}  // namespace weft::test::booksim_curves
