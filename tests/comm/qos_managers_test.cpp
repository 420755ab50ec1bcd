// SPDX-License-Identifier: Apache-2.0
// Managers whose messages are late and overtake each other, and which lose their memory: the NICs
// never send more than hosts and ports can carry.
#include <gtest/gtest.h>

#include "support/fabrics.hpp"
#include "support/managers.hpp"

namespace weft::comm::qos {
namespace {

using test::FlowNetwork;
using test::ManagedCluster;
using test::megabytes;

// --- stories -------------------------------------------------------------------------------------

struct Story : ManagedCluster {
  Story() : ManagedCluster(test::thesis_network(4), Policy::equal, 1) { settle(); }
  void begin(RequestKind kind, const Flow& flow, Bandwidth bandwidth = {}) {
    ask({.asker = flow.source, .kind = kind, .flow = flow, .bandwidth = bandwidth});
  }
  /// The answer to a request of which no message is delayed.
  std::string whole(const BandwidthRequest& request) {
    ask(request);
    settle();
    return std::string(replies.back().reason.words());
  }
  std::string reserve(const Flow& flow, Bandwidth bandwidth) {
    return whole(
        {.asker = flow.source, .kind = RequestKind::reserve, .flow = flow, .bandwidth = bandwidth});
  }
  /// "granted", why not, or nothing while there is no answer; messages of host 1 are under way.
  std::string reserve_while_waiting(const Flow& flow, Bandwidth bandwidth) {
    const std::size_t before = replies.size();
    begin(RequestKind::reserve, flow, bandwidth);
    deliver_unless([](const ManagerMessage& m) { return m.local == 1; });
    if (replies.size() == before) return "";
    return replies.back().granted ? "granted" : std::string(replies.back().reason.words());
  }
  std::string best_effort(const Flow& flow) {
    return whole({.asker = flow.source, .kind = RequestKind::best_effort, .flow = flow});
  }
  std::string release(const Flow& flow) {
    return whole({.asker = flow.source, .kind = RequestKind::release, .flow = flow});
  }
  Duration interval(Bandwidth rate) const { return interval_of(network.limits, rate); }
  std::optional<Duration> granted(const Flow& flow) const { return ManagedCluster::interval(flow); }
};

TEST(QosStories, WhoGetsMoreWaitsUntilOthersHaveConfirmedThatTheyHaveLess) {
  Story story;
  story.best_effort({1, 0});
  EXPECT_EQ((story.granted({1, 0})), story.interval(story.network.limits.peak));
  story.begin(RequestKind::reserve, {2, 0}, megabytes(40));
  story.deliver_unless([](const ManagerMessage& m) { return m.confirm; });
  EXPECT_FALSE(story.granted({2, 0}));
  story.deliver_unless([](const ManagerMessage& m) { return m.kind == MessageKind::confirmed; });
  EXPECT_EQ((story.granted({1, 0})), story.interval(megabytes(44)));
  EXPECT_FALSE(story.granted({2, 0}));
  story.settle();
  EXPECT_EQ((story.granted({2, 0})), story.interval(megabytes(40)));
}

TEST(QosStories, WhoReleasesStopsAtOnceAndIsForgottenWhenAllKnow) {
  Story story;
  story.reserve({1, 0}, megabytes(40));
  story.best_effort({2, 0});
  story.begin(RequestKind::release, {1, 0});
  EXPECT_EQ((story.granted({1, 0})), stopped);
  EXPECT_EQ((story.granted({2, 0})), story.interval(megabytes(44)));
  story.settle();
  EXPECT_EQ((story.granted({1, 0})), Duration(0));
  EXPECT_EQ((story.granted({2, 0})), story.interval(story.network.limits.peak));
}

TEST(QosStories, RefusalsSayWhyAndChangeNothing) {
  Story story;
  story.route = [&](const Flow& flow) -> std::variant<Path, Refused> {
    if (flow.target == 3) return Refused{"the routes to rank 3 are adaptive: no path is fixed"};
    return story.network.path(flow);
  };
  story.crash_master();
  story.settle();
  story.reserve({1, 0}, megabytes(60));
  story.best_effort({2, 0});
  const auto before = std::pair(story.nics[1].intervals, story.nics[2].intervals);
  EXPECT_EQ(story.reserve({2, 0}, megabytes(30)),
            "host 0 receives 60MB/s and sends 0B/s; 30MB/s more exceed its 84MB/s by 6MB/s");
  EXPECT_EQ(story.reserve({1, 3}, megabytes(1)),
            "the routes to rank 3 are adaptive: no path is fixed");
  EXPECT_EQ(story.best_effort({1, 1}), "flow 1->1 goes to itself");
  EXPECT_EQ(story.reserve({1, 0}, megabytes(0)),
            "0B/s cannot be promised: it must be more than nothing");
  EXPECT_EQ(story.release({1, 2}),
            "flow 1->2 has nothing to release: neither a promise nor best effort");
  EXPECT_EQ(story.whole({.asker = 2, .kind = RequestKind::release, .flow = {1, 0}}),
            "flow 1->0 belongs to rank 1: rank 2 cannot change it");
  EXPECT_EQ(std::pair(story.nics[1].intervals, story.nics[2].intervals), before);
  EXPECT_EQ(story.admission().size(), 2U);
  EXPECT_EQ(story.release({1, 0}), "");
  EXPECT_EQ(story.release({1, 0}),
            "flow 1->0 has nothing to release: neither a promise nor best effort");
}

TEST(QosStories, AFlowHasOneRequestAtATime) {
  Story story;
  story.begin(RequestKind::reserve, {1, 0}, megabytes(10));
  story.begin(RequestKind::best_effort, {1, 0});
  ASSERT_EQ(story.replies.size(), 1U);
  EXPECT_EQ(story.replies[0].reason.words(), "flow 1->0: what was asked before has no answer yet");
  story.settle();
  EXPECT_TRUE(story.replies[1].granted);
}

TEST(QosStories, WithoutRateControlNothingIsPromised) {
  Local local({.at = 0, .life = 1, .nic = nullptr});
  local.ask({.ticket = 7, .asker = 0, .kind = RequestKind::reserve, .flow = {0, 1}}, {});
  const auto replies = local.take_replies();
  ASSERT_EQ(replies.size(), 1U);
  EXPECT_EQ(replies[0].ticket, 7U);
  EXPECT_EQ(replies[0].reason.words(), "the NIC has no rate control");
}

TEST(QosStories, AManagerThatLostItsMemoryLearnsItsFlowsAgain) {
  Story story;
  story.reserve({1, 0}, megabytes(40));
  story.best_effort({1, 2});
  story.crash_local(1);
  // What the master lowers meanwhile is waited for.
  story.begin(RequestKind::reserve, {3, 2}, megabytes(70));
  story.deliver_unless([](const ManagerMessage&) { return false; });
  EXPECT_FALSE(story.granted({3, 2}));
  story.settle();
  EXPECT_EQ((story.granted({1, 2})), story.interval(megabytes(14)));
  EXPECT_EQ((story.granted({3, 2})), story.interval(megabytes(70)));
  EXPECT_EQ(story.release({1, 0}), "");
  story.check_quiet();
}

TEST(QosStories, AMasterThatLostItsMemoryAsksAllBeforeItDecides) {
  Story story;
  story.reserve({1, 0}, megabytes(40));
  story.best_effort({2, 0});
  story.crash_master();
  story.begin(RequestKind::reserve, {3, 0}, megabytes(60));  // nobody receives it
  story.deliver_unless([](const ManagerMessage&) { return false; });
  story.start_master();
  story.deliver_unless(
      [](const ManagerMessage& m) { return m.kind == MessageKind::report && m.local == 1; });
  EXPECT_EQ(story.admission().size(), 0U);
  EXPECT_EQ(story.replies.size(), 2U);
  story.settle();
  EXPECT_EQ(story.admission().size(), 2U);
  ASSERT_EQ(story.replies.size(), 3U);
  EXPECT_EQ(story.replies[2].reason.words(),
            "host 0 receives 40MB/s and sends 0B/s; 60MB/s more exceed its 84MB/s by 16MB/s");
  story.check_quiet();
}

TEST(QosStories, AHelloFromLongAgoIsNoAnswerToANewMaster) {
  Story story;
  const auto old_hello = [](const ManagerMessage& m) {
    return m.kind == MessageKind::hello && m.epoch == 0;
  };
  story.crash_local(1);
  story.crash_master();
  story.start_master();
  story.start_local(1);  // says hello, and again when it is asked
  story.deliver_unless(old_hello);
  ASSERT_EQ(story.under_way(), 1U);
  story.begin(RequestKind::reserve, {1, 0}, megabytes(40));
  story.deliver_unless(old_hello);
  ASSERT_TRUE(story.replies.back().granted);
  story.crash_master();
  story.start_master();
  story.deliver_unless(
      [](const ManagerMessage& m) { return m.local == 1 && m.kind != MessageKind::hello; });
  story.settle();
  story.check_quiet();
  EXPECT_EQ(story.admission().size(), 1U);
}

TEST(QosStories, WhatStopsIsNotReportedAsItsPlaceMayBeTaken) {
  Story story;
  story.reserve({1, 0}, megabytes(60));
  story.begin(RequestKind::release, {1, 0});
  const auto to_one = [](const ManagerMessage& m) { return m.local == 1 && !m.to_master(); };
  story.deliver_unless(to_one);
  story.begin(RequestKind::reserve, {2, 0}, megabytes(60));
  story.deliver_unless(to_one);
  ASSERT_TRUE(story.replies.back().granted);
  story.crash_master();
  story.settle();
  story.check_quiet();
  EXPECT_EQ(story.replies.size(), 3U);
  EXPECT_EQ((story.admission().grant({2, 0})), (Grant{GrantKind::promise, megabytes(60)}));
  EXPECT_EQ(story.admission().size(), 1U);
}

TEST(QosStories, WhatFitsNoMoreAfterNewRoutesIsStopped) {
  Story story;
  story.reserve({1, 0}, megabytes(60));
  story.best_effort({2, 0});
  story.crash_master();
  story.route = [&](const Flow& flow) -> std::variant<Path, Refused> {
    if (flow.source == 1) return Refused{"there is no way"};
    return story.network.path(flow);
  };
  story.settle();
  EXPECT_EQ((story.granted({1, 0})), stopped);
  EXPECT_EQ((story.granted({2, 0})), story.interval(story.network.limits.peak));
  EXPECT_EQ(story.release({1, 0}),
            "flow 1->0 has nothing to release: neither a promise nor best effort");
}

TEST(QosStories, WhatBothForgetStopsBeforeItsPlaceIsGranted) {
  Story story;
  story.reserve({1, 0}, megabytes(70));
  story.crash_local(1);
  story.crash_master();
  story.start_master();
  story.begin(RequestKind::reserve, {2, 3}, megabytes(70));
  story.deliver_unless([](const ManagerMessage&) { return false; });
  EXPECT_EQ(story.granted({1, 0}), story.interval(megabytes(70)));
  EXPECT_EQ(story.replies.size(), 1U) << "nobody knows where the flows of host 1 go";
  story.start_local(1);
  story.deliver_unless([](const ManagerMessage& m) { return m.kind == MessageKind::confirmed; });
  EXPECT_EQ(story.granted({1, 0}), stopped);
  EXPECT_EQ(story.replies.size(), 1U);
  story.settle();
  EXPECT_EQ(story.replies.size(), 2U);
  EXPECT_EQ(story.admission().size(), 1U);
  EXPECT_EQ(story.reserve({2, 0}, megabytes(8)), "");
  EXPECT_EQ(story.reserve({1, 0}, megabytes(70)), "");
  EXPECT_EQ(story.granted({1, 0}), story.interval(megabytes(70)));
}

// --- leases --------------------------------------------------------------------------------------

/// Time passes, and messages arrive.
void live(Story& story, Duration time) {
  for (Duration passed{}; passed < time; passed += Story::lease / 6) {
    story.pass(Story::lease / 6);
    story.deliver_unless([](const ManagerMessage&) { return false; });
  }
}

TEST(QosLeases, WhoLivesKeepsItsFlowsAndWhoHasNoneIsSilent) {
  Story story;
  story.reserve({1, 0}, megabytes(40));
  live(story, 10 * Story::lease);
  EXPECT_EQ(story.granted({1, 0}), story.interval(megabytes(40)));
  EXPECT_EQ(story.release({1, 0}), "");
  live(story, 2 * Story::lease);
  for (int part = 0; part < 60; ++part) {
    story.pass(Story::lease / 6);
    ASSERT_EQ(story.under_way(), 0U);
  }
  EXPECT_EQ(story.reserve({1, 0}, megabytes(20)), "");  // after a new greeting
  story.check_quiet();
}

TEST(QosLeases, ADeadHostDelaysOnlyThoseWhoNeedItsPlaceAndNotForEver) {
  Story story;
  story.best_effort({1, 0});
  story.best_effort({3, 2});
  story.kill(1);
  EXPECT_EQ(story.reserve_while_waiting({2, 3}, megabytes(40)), "granted");
  EXPECT_EQ(story.reserve_while_waiting({3, 0}, megabytes(20)), "");  // 1->0 has it all
  live(story, Story::lease * 5 / 6);
  EXPECT_EQ(story.replies.size(), 3U);
  EXPECT_NE(story.granted({1, 0}), stopped);
  live(story, Story::lease / 6);
  EXPECT_EQ(story.granted({1, 0}), stopped) << "a lease after it was heard last";
  live(story, Story::lease / 6);
  ASSERT_EQ(story.replies.size(), 4U) << "an eighth of a lease later, when the master looks";
  EXPECT_TRUE(story.replies.back().granted);
  EXPECT_EQ(story.granted({3, 0}), story.interval(megabytes(20)));
  EXPECT_EQ(story.admission().size(), 3U);
  story.forgetful = true;
  story.check_quiet();
}

TEST(QosLeases, ANewMasterWaitsForAHostThatIsSilentButNotForEver) {
  Story story;
  story.reserve({1, 0}, megabytes(70));
  story.reserve({2, 3}, megabytes(10));
  story.kill(1);
  story.crash_master();
  story.start_master();
  story.begin(RequestKind::reserve, {3, 0}, megabytes(50));
  live(story, Story::lease);
  EXPECT_EQ(story.replies.size(), 2U);
  live(story, Story::lease / 6);
  ASSERT_EQ(story.replies.size(), 3U);
  EXPECT_TRUE(story.replies.back().granted);
  EXPECT_EQ(story.granted({1, 0}), stopped);
  EXPECT_EQ(story.granted({2, 3}), story.interval(megabytes(10))) << "who has reported goes on";
}

TEST(QosLeases, WithoutAMasterFlowsStopAndRequestsAreAnswered) {
  Story story;
  story.reserve({1, 0}, megabytes(40));
  story.crash_master();
  story.begin(RequestKind::reserve, {2, 0}, megabytes(10));
  live(story, Story::lease);
  EXPECT_EQ(story.granted({1, 0}), stopped);
  ASSERT_EQ(story.replies.size(), 2U);
  EXPECT_EQ(story.replies.back().reason.words(), "the master has not been heard for 3s");
  story.start_master();
  live(story, 3 * Story::lease);
  EXPECT_EQ(story.granted({1, 0}), stopped) << "nobody knows it any more";
  EXPECT_EQ(story.reserve({1, 0}, megabytes(50)), "");
  story.forgetful = true;
  story.check_quiet();
}

/// The host was cut off; the master has forgotten it, and its messages come late.
TEST(QosLeases, LateMessagesOfALeaseThatIsOverChangeNothing) {
  Story story;
  story.reserve({1, 0}, megabytes(40));
  const auto of_one = [](const ManagerMessage& m) { return m.local == 1; };
  for (int part = 0; part < 12; ++part) {
    story.pass(Story::lease / 6);
    story.deliver_unless(of_one);
  }
  EXPECT_EQ(story.granted({1, 0}), stopped);
  EXPECT_EQ(story.admission().size(), 0U);
  EXPECT_EQ(story.reserve_while_waiting({2, 0}, megabytes(70)), "granted");
  story.settle();
  EXPECT_EQ(story.granted({1, 0}), stopped);
  EXPECT_EQ(story.reserve({1, 0}, megabytes(8)), "");
  story.forgetful = true;
  story.check_quiet();
}

// --- chance --------------------------------------------------------------------------------------

BandwidthRequest random_request(ManagedCluster& cluster) {
  Rng& rng = cluster.rng();
  BandwidthRequest request{.flow = cluster.network.random_flow(rng)};
  // Few flows, so that they meet often.
  if (rng.below(2) == 0) request.flow.priority = Priority::low;
  request.asker = request.flow.source;
  request.kind = static_cast<RequestKind>(rng.below(3));
  request.bandwidth = {static_cast<std::int64_t>(rng.below(700'000'000)) >> rng.below(5)};
  return request;
}

/// What may happen besides messages and requests, in a hundred of which there are so many.
struct Trouble {
  std::uint64_t crashes = 0;
  bool apart = true;        ///< a flow is known at two places, which do not forget it together
  std::uint64_t times = 0;  ///< that a part of a lease passes
};

void random_event(ManagedCluster& cluster, const Trouble& trouble) {
  Rng& rng = cluster.rng();
  const auto host = static_cast<int>(rng.below(static_cast<std::uint64_t>(cluster.network.hosts)));
  const std::uint64_t what = rng.below(100 + trouble.times + trouble.crashes);
  if (what < 16) return cluster.ask(random_request(cluster));
  if (what < 100) return cluster.deliver_one();
  if (what < 100 + trouble.times) return cluster.pass(cluster.lease / 6);
  if (!cluster.has_local(host)) return cluster.start_local(host);
  if (!cluster.has_master()) return cluster.start_master();
  if (!trouble.apart && rng.below(20) == 0) return cluster.kill(host);
  const bool at_master = rng.below(2) == 0;
  if (!at_master && (!trouble.apart || cluster.master_knows())) return cluster.crash_local(host);
  if (at_master && (!trouble.apart || cluster.all_know())) cluster.crash_master();
}

void run_random(std::uint64_t seed, Policy policy, const Trouble& trouble) {
  ManagedCluster cluster(FlowNetwork(seed), policy, seed);
  cluster.forgetful = !trouble.apart || trouble.times > 0;
  for (int phase = 0; phase < 4; ++phase) {
    for (int i = 0; i < 150; ++i) random_event(cluster, trouble);
    if (cluster.forgetful)
      cluster.settle_in_time();
    else
      cluster.settle();
    cluster.check_quiet();
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(QosManagers, NeverLetMoreGoThanThereIsWhileMessagesAreLate) {
  for (const Policy policy : {Policy::equal, Policy::max_min})
    for (int seed = 1; seed <= test::tries(250, 5000); ++seed)
      ASSERT_NO_FATAL_FAILURE(run_random(static_cast<std::uint64_t>(seed), policy, {}));
}

TEST(QosManagers, NorWhileTheyLoseTheirMemory) {
  for (const Policy policy : {Policy::equal, Policy::max_min})
    for (int seed = 1; seed <= test::tries(500, 20'000); ++seed)
      ASSERT_NO_FATAL_FAILURE(
          run_random(static_cast<std::uint64_t>(seed), policy,
                     {.crashes = static_cast<std::uint64_t>(4 + seed % 3 * 8)}));
}

TEST(QosManagers, NorWhileTheyForgetTogetherDieAndAreCutOff) {
  for (const Policy policy : {Policy::equal, Policy::max_min})
    for (int seed = 1; seed <= test::tries(300, 20'000); ++seed)
      ASSERT_NO_FATAL_FAILURE(run_random(static_cast<std::uint64_t>(seed), policy,
                                         {.crashes = static_cast<std::uint64_t>(seed % 3 * 8),
                                          .apart = false,
                                          .times = static_cast<std::uint64_t>(seed % 4 * 5)}));
}

}  // namespace
}  // namespace weft::comm::qos
