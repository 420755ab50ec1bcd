// SPDX-License-Identifier: Apache-2.0
// Nothing vanishes: over random networks with every feature of switches, every packet is reported
// exactly once, the audits pass, and certified tables never deadlock. The simulator's fast path
// delivers the same packets in the same cycles as the path with all features.
#include <gtest/gtest.h>

#include "plan/route/route.hpp"
#include "support/fabrics.hpp"
#include "support/networks.hpp"
#include "support/routes.hpp"

namespace weft::sim {
namespace {

using test::Allowed;
using test::Ran;
using test::RandomNetwork;
using test::tries;

/// Runs random networks with audits until one fails.
void expect_conservation(int count, std::uint64_t first_seed, Allowed allowed) {
  std::size_t faults = 0;
  for (int i = 0; i < count && !::testing::Test::HasFailure(); ++i) {
    const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(i);
    const RandomNetwork network = random_network(seed, allowed);
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, network.describe()));
    const Ran ran = run_to_end(network, true);
    EXPECT_EQ(ran.ended, NetworkEnd::quiet);
    EXPECT_EQ(ran.wrong, "");
    faults += network.options.faults.links.size() + network.options.faults.switches.size();
    if (!allowed.faults) {
      EXPECT_EQ(ran.totals.flits_injected > 0, ran.totals.delivered > 0);
    }
  }
  fmt::print(
      "campaign: nothing vanishes in {} random networks with {} failing links and switches\n",
      count, faults);
}

TEST(Conservation, PlainSwitches) { expect_conservation(tries(500, 10'000), 1, {}); }

TEST(Conservation, StopGoWholePacketsAndPriorities) {
  expect_conservation(tries(600, 10'000), 10'000, {.special = true});
}

TEST(Conservation, LinksOfDifferentSpeed) {
  expect_conservation(tries(500, 10'000), 20'000, {.speeds = true, .special = true});
}

TEST(Conservation, MulticastAmongUnicast) {
  expect_conservation(tries(800, 10'000), 30'000, {.groups = true, .special = true});
}

TEST(Conservation, GroupsThatAreNoTrees) {
  // Copies come twice, back to their sender, to hosts that are no members, or never end.
  int quiet = 0;
  const int count = tries(600, 20'000);
  for (int i = 0; i < count && !HasFailure(); ++i) {
    const std::uint64_t seed = 60'000 + static_cast<std::uint64_t>(i);
    RandomNetwork network =
        test::random_network(seed, {.groups = true, .faults = i % 4 == 0, .special = i % 2 == 0});
    if (network.tables.groups.empty()) continue;  // its buffers need not hold a packet
    add_group_that_is_no_tree(network, seed);
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, network.describe()));
    const Ran ran = run_to_end(network, true);
    if (ran.ended == NetworkEnd::deadlocked) continue;
    ++quiet;
    EXPECT_EQ(ran.ended, NetworkEnd::quiet);
    EXPECT_EQ(ran.wrong, "");
  }
  EXPECT_GT(quiet, count / 10);
}

TEST(Conservation, FailuresAndBitErrors) {
  expect_conservation(tries(1000, 10'000), 40'000, {.faults = true});
}

TEST(Conservation, EverythingAtOnce) {
  expect_conservation(tries(2000, 40'000), 50'000,
                      {.speeds = true, .groups = true, .faults = true, .special = true});
}

TEST(FastPath, DeliversTheSamePacketsInTheSameCycles) {
  for (int i = 0; i < tries(1500, 40'000) && !HasFailure(); ++i) {
    const std::uint64_t seed = 100'000 + static_cast<std::uint64_t>(i);
    const RandomNetwork network = test::random_network(seed, {.special = i % 2 == 0});
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, network.describe()));
    const Ran fast = run_to_end(network, false), full = run_to_end(network, true);
    EXPECT_EQ(fast.ended, full.ended);
    EXPECT_EQ(fast.hash, full.hash);
    EXPECT_EQ(fast.totals.flit_hops, full.totals.flit_hops);
    EXPECT_EQ(fast.wrong, "");
    EXPECT_EQ(run_to_end(network, false, 1 + seed % 50).hash, fast.hash) << "not repeatable";
  }
}

}  // namespace
}  // namespace weft::sim
