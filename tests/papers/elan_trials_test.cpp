// SPDX-License-Identifier: Apache-2.0
// Trials of Elans: figure 3's mapping, offenders that reach nothing, and DMAs under faults.
#include "papers/qsnet/elan_trials.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "lab/program/experiment.hpp"
#include "support/elite.hpp"

namespace weft::papers::qsnet {
namespace {

Machine machine_with(const std::string& nic = "elan:retry_after=1us") {
  return make_machine({.topology = "tree:k=4,n=2,speed=3.2Gb/s",
                       .engine = "nca",
                       .switches = test::elite,
                       .nic = nic});
}

TEST(ElanTrials, FiguresThreesMappingEndsWhereTheElanCannotReach) {
  const Machine machine = machine_with();
  EXPECT_EQ(elan_address(machine, 0x1FF0C808000), 0xC808000U);
  EXPECT_EQ(elan_address(machine, 0x1FF0C807FFF), std::nullopt);
  EXPECT_EQ(elan_address(machine, 0x20000000000), std::nullopt);
  EXPECT_EQ(host_address(machine, 0xFFFFFFFF), 0x1FFFFFFFFFFU);
  EXPECT_EQ(host_address(machine, 0x100000000), std::nullopt);
  EXPECT_THROW(elan_address(machine_with("hca"), 0), Error);
}

TEST(ElanTrials, OnlyTheOffenderIsTrapped) {
  const MemoryTrial trial = try_memory(machine_with());
  ASSERT_EQ(trial.attempts.size(), 8U);
  for (const Attempt& attempt : trial.attempts) {
    EXPECT_EQ(attempt.ok, attempt.allowed) << attempt.what;
    EXPECT_EQ(attempt.trap.empty(), attempt.allowed) << attempt.what;
  }
  EXPECT_EQ(trial.changed, 0U);
  EXPECT_EQ(trial.traps_of_others, 0U);
  EXPECT_EQ(trial.undisturbed, trial.meanwhile);
  EXPECT_GT(trial.meanwhile, 0U);
  EXPECT_NE(trial.event_in_main.find("is in main memory"), std::string::npos);
}

TEST(ElanTrials, NothingIsLostDoubledOrOutOfOrder) {
  const Machine machine = machine_with();
  CampaignTrial all;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) all += try_faults(machine, 10, seed);
  EXPECT_EQ(all.dmas, 40U * 160U);
  EXPECT_EQ(all.delivered + all.unreachable, all.dmas);
  EXPECT_EQ(all.lost + all.doubled + all.out_of_order + all.failed, 0U);
  EXPECT_FALSE(all.hangs);
  EXPECT_GT(all.unreachable, 0U);
  EXPECT_GT(all.reroutes, 0U);
  EXPECT_GT(all.retries, 100U);
  EXPECT_GT(all.links + all.switches, 60U);
}

TEST(ElanTrials, ABroadcastEndsWhenTheLastOfItsRangeHasIt) {
  const Machine machine = machine_with();
  const BroadcastTrial idle = try_broadcast(machine, {.first = 4, .last = 11});
  const BroadcastTrial busy = try_broadcast(machine, {.first = 4, .last = 11, .busy = true});
  const BroadcastTrial dead = try_broadcast(machine, {.first = 4, .last = 11, .dead = true});
  for (const BroadcastTrial& trial : {idle, busy, dead}) EXPECT_EQ(trial.others, 0U);
  EXPECT_TRUE(idle.ok);
  EXPECT_TRUE(busy.ok);
  EXPECT_EQ(busy.have, 7U);
  EXPECT_EQ(busy.right, 7U);
  EXPECT_GT(busy.acknowledged, idle.acknowledged);
  EXPECT_FALSE(dead.ok);
  EXPECT_EQ(dead.have, 6U);
  EXPECT_THROW(try_broadcast(machine, {.first = 4, .last = 16}), Error);
  EXPECT_THROW(try_broadcast(machine, {.first = 4, .last = 4}), Error);
  EXPECT_THROW(try_broadcast(machine_with("hca"), {}), Error);
}

}  // namespace
}  // namespace weft::papers::qsnet
