// SPDX-License-Identifier: Apache-2.0
// The longest routes by intermediate destinations, against all packets followed one by one.
#include <gtest/gtest.h>

#include <algorithm>

#include "fabric/choice_text.hpp"
#include "fabric/intermediate_draws.hpp"
#include "plan/check/check.hpp"
#include "plan/check/checks.hpp"
#include "plan/check/survey.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"

namespace weft::intermediate_hops {
namespace {

struct World {
  Fabric fabric;
  Tables tables;
};

World world(const std::string& topology, const std::string& engine) {
  Fabric fabric = make_fabric(Spec::parse(topology));
  Tables tables = std::get<Tables>(route(fabric, engine));
  return {std::move(fabric), std::move(tables)};
}

/// A packet of one pair, by one intermediate destination; or without, if it takes none.
class Packets {
 public:
  Packets(const World& world, HostId from, HostId to)
      : fabric_(world.fabric),
        tables_(world.tables),
        choices_(std::get<ChoiceTables>(world.tables.paths)),
        from_(world.fabric[from].on),
        last_(world.fabric[to].on),
        to_(to) {}

  std::size_t longest() {
    std::size_t most = 0;
    const IntermediateDraws draws(fabric_, choices_, from_, last_);
    within_ = draws.within_region(from_, last_);
    auto drawn = drawn_intermediates(fabric_, choices_, from_, last_);
    if (drawn.empty()) drawn.push_back(ColumnId::none());
    for (const ColumnId via : drawn)
      for (const PhaseId start : choices_.starts) {
        via_ = via;
        most = std::max(most, follow(from_, start, false));
      }
    return most;
  }

 private:
  /// Switches from here on, by any candidate and detour.
  std::size_t follow(SwitchId at, PhaseId in, bool has_decided) {
    const Phase& phase = choices_.phases[in];
    if (phase.to_intermediate && !via_.valid()) return follow(at, phase.next, true);
    const ColumnId column = phase.to_intermediate ? via_ : column_of(tables_, choices_, in, to_);
    const ChoiceTables::Entry entry = choices_.next[column][at.index()];
    if (phase.to_intermediate && entry == ChoiceTables::at_end) return follow(at, phase.next, true);
    if (at == last_ && !phase.to_intermediate) return 1;
    std::size_t most = 0;
    if (phase.detour && via_.valid() && !has_decided && !within_)
      most = follow(at, *phase.detour, true);
    for (const auto& each : choices_.candidates(entry))
      most = std::max(most, 1 + follow(fabric_.to(fabric_.channel_at(at, each.port)), each.phase,
                                       has_decided && each.phase == in));
    return most;
  }

  const Fabric& fabric_;
  const Tables& tables_;
  const ChoiceTables& choices_;
  SwitchId from_, last_;
  HostId to_;
  ColumnId via_{};
  bool within_ = false;
};

std::size_t longest_of_all(const World& world) {
  std::size_t most = 0;
  for (const HostId from : world.fabric.hosts())
    for (const HostId to : world.fabric.hosts())
      most = std::max(most, Packets(world, from, to).longest());
  return most;
}

TEST(IntermediateHops, AreThoseOfPacketsThatMayBeDrawn) {
  const std::vector<std::pair<std::string, std::string>> worlds{
      {"mesh:dims=4x4", "romm"},
      {"mesh:dims=3x5", "valiant"},
      {"torus:dims=5x4", "romm"},
      {"hyperx:dims=3x3", "valiant"},
      {"hyperx:dims=3x3", "ugal"},
      {"mesh:dims=3x3", "ugal"},
      {"dragonfly:a=2,p=1,h=1", "valiant"},
      {"dragonfly:a=4,p=1,h=1", "ugal"},
      {"dragonfly:a=3,p=1,h=1", "ugal:via=router"},
  };
  for (const auto& [topology, engine] : worlds) {
    const World made = world(topology, engine);
    const Survey found = survey(made.fabric, made.tables);
    EXPECT_EQ(found.most_hops, longest_of_all(made)) << topology << ' ' << engine;
    EXPECT_FALSE(found.hops_may_exceed) << topology << ' ' << engine;
  }
}

TEST(IntermediateHops, RommStaysInTheSmallestBox) {
  const World made = world("mesh:dims=8x8", "romm");
  const Checked checked = run_checks(made.fabric, made.tables);
  const auto found = std::find_if(checked.findings.begin(), checked.findings.end(),
                                  [](const Finding& finding) { return finding.check == "hops"; });
  ASSERT_NE(found, checked.findings.end());
  const Finding& hops = *found;
  EXPECT_NE(hops.summary.find(", 15 at most"), std::string::npos) << hops.summary;
  EXPECT_EQ(hops.numbers.count("maximum_is_a_bound"), 0U);
}

/// Where a packet of PAR decides depends on its destination.
TEST(IntermediateHops, ABoundIsSaidToBeOne) {
  const World made = world("dragonfly:a=4,p=1,h=1", "par");
  const Survey found = survey(made.fabric, made.tables);
  EXPECT_TRUE(found.hops_may_exceed);
  EXPECT_GE(found.most_hops, longest_of_all(made));
  EXPECT_LE(found.most_hops, longest_of_all(made) + 1);
}

TEST(IntermediateHops, LoadsOfSomeSourcesAreSaidToBeEstimates) {
  const World made = world("mesh:dims=3x3", "romm");
  Survey seen = survey(made.fabric, made.tables);
  EXPECT_EQ(seen.sampled_sources, 0U);
  EXPECT_EQ(estimate_text(made.fabric, 0), "");
  EXPECT_EQ(estimate_text(made.fabric, 4), " (estimated from 4 of 9 sources)");
}

}  // namespace
}  // namespace weft::intermediate_hops
