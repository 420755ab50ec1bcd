// SPDX-License-Identifier: Apache-2.0
// Admission control: what is admitted, refused and shared.
#include "comm/qos/admission_control.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "support/fabrics.hpp"
#include "support/flows.hpp"

namespace weft::comm::qos {
namespace {

using namespace std::chrono_literals;
using test::FlowNetwork;
using test::megabytes;
using test::myrinet_limits;

/// Flow s->t from host s to host t, through the port with the target's number.
Path through_one_switch(const Flow& flow, Bandwidth capacity = megabytes(160)) {
  return {flow.source, flow.target, {{static_cast<std::uint32_t>(flow.target), capacity}}};
}
std::string why(const std::optional<Refused>& refused) { return refused ? refused->why : ""; }
std::string reserve(AdmissionControl& admission, const Flow& flow, Bandwidth bandwidth) {
  return why(admission.reserve(flow, through_one_switch(flow), bandwidth));
}
std::string best_effort(AdmissionControl& admission, const Flow& flow) {
  return why(admission.best_effort(flow, through_one_switch(flow)));
}
Bandwidth rate(AdmissionControl& admission, const Flow& flow) {
  admission.changes();
  return admission.rate(flow);
}

TEST(QosLimits, AHostCarriesWhatIsOnItsCurveOrBelow) {
  const Limits limits = myrinet_limits();
  EXPECT_TRUE(admits(limits, {megabytes(0), megabytes(78)}));
  EXPECT_FALSE(admits(limits, {megabytes(0), {megabytes(78).bits_per_second + 1}}));
  EXPECT_TRUE(admits(limits, {megabytes(16), megabytes(65)}));
  EXPECT_FALSE(admits(limits, {{megabytes(16).bits_per_second + 1}, megabytes(65)}));
  EXPECT_TRUE(admits(limits, {megabytes(84), megabytes(0)}));
  EXPECT_FALSE(admits(limits, {{megabytes(84).bits_per_second + 1}, megabytes(0)}));
  EXPECT_FALSE(admits(limits, {{-1}, megabytes(1)}));
  EXPECT_FALSE(admits(limits, {megabytes(1), {-1}}));
  Limits flat = limits;
  flat.curve = {
      {megabytes(0), megabytes(78)}, {megabytes(16), megabytes(78)}, {megabytes(84), megabytes(0)}};
  EXPECT_TRUE(admits(flat, {megabytes(16), megabytes(78)}));
  EXPECT_FALSE(admits(flat, {{-1}, megabytes(1)}));
  EXPECT_EQ(most_outgoing(limits, megabytes(8)), (Bandwidth{572'000'000}));  // 71.5 MB/s
  EXPECT_EQ(most_incoming(limits, {572'000'000}), megabytes(8));
  EXPECT_EQ(most_outgoing(limits, megabytes(100)), megabytes(0));
}

TEST(QosLimits, IntervalsAreRoundedUpSoThatNobodyTakesFromOthers) {
  const Limits limits = myrinet_limits();
  EXPECT_EQ(interval_of(limits, limits.peak), Duration(48us));
  EXPECT_EQ(interval_of(limits, {limits.peak.bits_per_second * 2}), Duration(48us));
  EXPECT_EQ(interval_of(limits, {limits.peak.bits_per_second / 2}), Duration(96us));
  // The thesis: 40 MB/s are 4.88 packets every 1000 ticks of half a microsecond.
  EXPECT_EQ(interval_of(limits, megabytes(40)), Duration(102'396ns));
  EXPECT_EQ(interval_of(limits, {3}), stopped);
  EXPECT_EQ(interval_of({.per_packet = 1us, .peak = {1000}}, {3}), Duration(333'333'334));
  EXPECT_EQ(interval_of(limits, {0}), stopped);
  EXPECT_LT(interval_of(limits, least(limits)), stopped);
  EXPECT_EQ(interval_of(limits, {least(limits).bits_per_second - 1}), stopped);
  Rng rng(1);
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t bits = 40'000 + static_cast<std::int64_t>(rng.below(682'600'000));
    const Duration interval = interval_of(limits, {bits});
    const std::int64_t packet = 48 * 682'640'000LL;  // bits in a picosecond's worth of microseconds
    EXPECT_GE(interval.count(), 1'000'000 * (packet / bits));
    EXPECT_LE(interval.count(), 1'000'000 * (packet / bits + 1) + 1);
  }
}

TEST(QosLimits, WhatNoHostHasIsRejected) {
  const auto rejection = [](auto change) -> std::string {
    Limits limits = myrinet_limits();
    change(limits);
    try {
      AdmissionControl(limits, 2, Policy::equal);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(rejection([](Limits& l) { l.per_packet = Duration(0); }),
            "qos: a packet takes 0ps: more than nothing and less than 1s is needed");
  EXPECT_EQ(rejection([](Limits& l) { l.peak = {0}; }),
            "qos: the peak rate is 0b/s: from 1b/s to 10Tb/s is needed");
  const std::string ends =
      "qos: a host's curve begins where nothing comes in, and ends where nothing goes out";
  EXPECT_EQ(rejection([](Limits& l) { l.curve.clear(); }), ends);
  EXPECT_EQ(rejection([](Limits& l) { l.curve.front().incoming = {1}; }), ends);
  EXPECT_EQ(rejection([](Limits& l) { l.curve.back().outgoing = {1}; }), ends);
  const std::string falls =
      "qos: a host's curve does not fall at (16MB/s, 79MB/s): more in, not more out";
  EXPECT_EQ(rejection([](Limits& l) { l.curve[1].outgoing = megabytes(79); }), falls);
  EXPECT_EQ(rejection([](Limits& l) { l.curve[2].incoming = megabytes(16); }),
            "qos: a host's curve does not fall at (16MB/s, 0B/s): more in, not more out");
  EXPECT_EQ(
      rejection([](Limits& l) { l.curve[0].outgoing = {std::int64_t{1} << 60}; }).substr(0, 9),
      "qos: a ho");
  EXPECT_THROW(AdmissionControl(myrinet_limits(), 0, Policy::equal), Error);
}

TEST(QosLimits, RatesReadInBytes) {
  EXPECT_EQ(in_bytes({682'640'000}), "85.33MB/s");
  EXPECT_EQ(in_bytes({0}), "0B/s");
  EXPECT_EQ(in_bytes({1}), "0.125B/s");
  EXPECT_EQ(in_bytes({-8'000}), "-1kB/s");
  EXPECT_EQ(in_bytes({12'000'000'000}), "1.5GB/s");
  EXPECT_EQ(in_bytes({std::numeric_limits<std::int64_t>::min()}).front(), '-');
}

TEST(QosAdmission, RefuseByTheThreeCriteriaAndSayWhichAndByHowMuch) {
  AdmissionControl admission(myrinet_limits(), 8, Policy::equal);
  EXPECT_EQ(reserve(admission, {3, 1}, megabytes(60)), "");
  EXPECT_EQ(reserve(admission, {3, 2}, megabytes(30)),
            "host 3 sends 60MB/s and receives 0B/s; 30MB/s more exceed its 78MB/s by 12MB/s");
  EXPECT_EQ(reserve(admission, {4, 1}, megabytes(30)),
            "host 1 receives 60MB/s and sends 0B/s; 30MB/s more exceed its 84MB/s by 6MB/s");
  EXPECT_EQ(
      reserve(admission, {4, 3}, megabytes(30)),
      "host 3 receives 0B/s and sends 60MB/s; 30MB/s more exceed its 21.231MB/s by 8.769MB/s");
  const Flow narrow{5, 6};
  EXPECT_EQ(
      why(admission.reserve(narrow, through_one_switch(narrow, megabytes(20)), megabytes(21))),
      "port 6 carries 0B/s; 21MB/s more exceed its 20MB/s by 1MB/s");
}

TEST(QosAdmission, OneBitPerSecondTooMuchIsTooMuch) {
  AdmissionControl admission(myrinet_limits(), 8, Policy::equal);
  const Flow narrow{5, 6};
  const Path path = through_one_switch(narrow, megabytes(20));
  EXPECT_TRUE(admission.reserve(narrow, path, {megabytes(20).bits_per_second + 1}));
  EXPECT_EQ(why(admission.reserve(narrow, path, megabytes(20))), "");
  const std::int64_t peak = myrinet_limits().peak.bits_per_second;
  EXPECT_EQ(reserve(admission, {0, 1}, {peak}).rfind("host 0 sends", 0), 0U);
  EXPECT_NE(reserve(admission, {0, 1}, {peak + 1}).find("a flow achieves"), std::string::npos);
}

TEST(QosAdmission, RefuseWhatCannotBe) {
  AdmissionControl admission(myrinet_limits(), 8, Policy::equal);
  EXPECT_EQ(reserve(admission, {3, 1}, megabytes(60)), "");
  EXPECT_EQ(reserve(admission, {0, 1}, {0}),
            "0B/s cannot be promised: it must be more than nothing");
  EXPECT_EQ(reserve(admission, {0, 1}, {-8'000'000}),
            "-1MB/s cannot be promised: it must be more than nothing");
  EXPECT_EQ(reserve(admission, {0, 1}, megabytes(86)),
            "86MB/s cannot be promised: a flow achieves 85.33MB/s at most");
  EXPECT_EQ(reserve(admission, {0, 1}, {80}),
            "10B/s cannot be promised: a packet a second needs 4.096kB/s");
  EXPECT_EQ(reserve(admission, {1, 1}, megabytes(1)), "flow 1->1 goes to itself");
  EXPECT_EQ(best_effort(admission, {0, 8}), "flow 0->8: there is no host 8, only 0 to 7");
  EXPECT_EQ(best_effort(admission, {-1, 2}), "flow -1->2: there is no host -1, only 0 to 7");
  const Flow flow{0, 1, Priority::high};
  EXPECT_EQ(why(admission.best_effort(flow, {2, 2, {}})),
            "flow 0->1 (high) stays in host 2: no NIC holds it back");
  EXPECT_EQ(why(admission.best_effort(flow, {0, 1, {{1, megabytes(80)}}})),
            "flow 0->1 (high): port 1 has 80MB/s on this path, and 160MB/s on others");
  EXPECT_EQ(why(admission.best_effort(flow, {0, 1, {{9, megabytes(0)}}})),
            "flow 0->1 (high): port 9 with a capacity of 0B/s cannot be");
  EXPECT_EQ(why(admission.best_effort(flow, {0, 1, {{1U << 31, megabytes(1)}}})),
            "flow 0->1 (high): port 2147483648 with a capacity of 1MB/s cannot be");
  EXPECT_EQ(why(admission.best_effort(flow, {0, 1, {{9, megabytes(1)}, {9, megabytes(1)}}})),
            "flow 0->1 (high) passes port 9 twice");
  EXPECT_EQ(why(admission.release({0, 1})),
            "flow 0->1 has nothing to release: neither a promise nor best effort");
  EXPECT_EQ(why(admission.release({3, 1})), "");
  EXPECT_EQ(why(admission.release({3, 1})),
            "flow 3->1 has nothing to release: neither a promise nor best effort");
  EXPECT_EQ(admission.size(), 0U);
}

TEST(QosAdmission, BestEffortSharesWhatIsLeftAsInSectionFiveSix) {
  for (const Policy policy : {Policy::equal, Policy::max_min}) {
    AdmissionControl admission(myrinet_limits(), 8, policy);
    EXPECT_EQ(best_effort(admission, {0, 1}), "");
    EXPECT_EQ(rate(admission, {0, 1}), myrinet_limits().peak);  // figure 5.11
    EXPECT_EQ(reserve(admission, {0, 2}, megabytes(40)), "");
    EXPECT_EQ(rate(admission, {0, 1}), megabytes(38));
    EXPECT_EQ(reserve(admission, {0, 3}, megabytes(20)), "");
    EXPECT_EQ(rate(admission, {0, 1}), megabytes(18));
    EXPECT_EQ(rate(admission, {0, 2}), megabytes(40));
    admission.release({0, 2});
    admission.release({0, 3});
    EXPECT_EQ(rate(admission, {0, 1}), myrinet_limits().peak);
    EXPECT_EQ(best_effort(admission, {0, 2}), "");  // figure 5.12
    EXPECT_EQ(rate(admission, {0, 1}), megabytes(39));
    EXPECT_EQ(rate(admission, {0, 2}), megabytes(39));
    EXPECT_EQ(reserve(admission, {0, 3}, megabytes(20)), "");
    EXPECT_EQ(rate(admission, {0, 1}), megabytes(29));
    EXPECT_EQ(rate(admission, {0, 2}), megabytes(29));
    EXPECT_EQ(admission.load_of_host(0).outgoing, megabytes(78));
    EXPECT_EQ(admission.load_of_port(1), megabytes(29));
    EXPECT_EQ(admission.load_of_port(77), megabytes(0));
  }
}

TEST(QosAdmission, MaxMinUsesWhatEqualSharesLeave) {
  // Host 0 sends to 1 and 2; host 1 receives from four more.
  for (const Policy policy : {Policy::equal, Policy::max_min}) {
    AdmissionControl admission(myrinet_limits(), 8, policy);
    for (const Rank source : {0, 3, 4, 5, 6}) best_effort(admission, {source, 1});
    best_effort(admission, {0, 2});
    const std::int64_t fifth = megabytes(84).bits_per_second / 5;
    EXPECT_EQ(rate(admission, {0, 1}), (Bandwidth{fifth}));
    EXPECT_EQ(rate(admission, {0, 2}), policy == Policy::equal
                                           ? megabytes(39)
                                           : (Bandwidth{megabytes(78).bits_per_second - fifth}));
  }
}

TEST(QosAdmission, AReservationChangesAtOnceOrNotAtAll) {
  AdmissionControl admission(myrinet_limits(), 8, Policy::equal);
  reserve(admission, {0, 1}, megabytes(50));
  reserve(admission, {0, 2}, megabytes(20));
  EXPECT_EQ(reserve(admission, {0, 1}, megabytes(58)), "");
  EXPECT_NE(reserve(admission, {0, 1}, megabytes(59)), "");
  EXPECT_EQ(admission.grant({0, 1}), (Grant{GrantKind::promise, megabytes(58)}));
  EXPECT_EQ(best_effort(admission, {0, 1}), "");
  EXPECT_EQ(admission.grant({0, 1}).kind, GrantKind::best_effort);
  EXPECT_EQ(rate(admission, {0, 1}), megabytes(58));
  EXPECT_EQ(reserve(admission, {0, 2}, megabytes(78)), "");
  EXPECT_EQ(rate(admission, {0, 1}), megabytes(0));  // it waits
  EXPECT_EQ(admission.size(), 2U);
}

TEST(QosAdmission, ChangesNameOnlyFlowsWhoseRateIsAnother) {
  AdmissionControl admission(myrinet_limits(), 8, Policy::equal);
  best_effort(admission, {0, 1});
  best_effort(admission, {2, 3});
  EXPECT_EQ(admission.changes().size(), 2U);
  EXPECT_TRUE(admission.changes().empty());
  best_effort(admission, {0, 4});
  const auto changes = admission.changes();
  ASSERT_EQ(changes.size(), 2U);
  for (const auto& change : changes) {
    EXPECT_EQ(change.flow.source, 0);
    EXPECT_EQ(change.before, change.flow.target == 1 ? myrinet_limits().peak : megabytes(0));
    EXPECT_EQ(change.after, megabytes(39));
  }
  best_effort(admission, {0, 4});
  EXPECT_TRUE(admission.changes().empty()) << "it has it already";
  best_effort(admission, {5, 6});
  admission.release({5, 6});
  EXPECT_TRUE(admission.changes().empty()) << "it has gone";
}

/// AdmissionControl and what it should contain, after random requests.
class RandomAdmissions {
 public:
  RandomAdmissions(std::uint64_t seed, Policy policy)
      : network_(seed),
        rng_(seed),
        policy_(policy),
        admission_(network_.limits, network_.hosts, policy) {}

  void step() {
    const Flow flow = network_.random_flow(rng_);
    const test::Grants before = grants_;
    std::optional<Refused> refused;
    switch (rng_.below(4)) {
      case 0: {
        const auto bits = 40'000 + static_cast<std::int64_t>(rng_.below(700'000'000));
        const Bandwidth wanted{bits >> rng_.below(5)};
        refused = admission_.reserve(flow, network_.path(flow), wanted);
        grants_[flow] = {GrantKind::promise, wanted};
        EXPECT_EQ(!refused, wanted <= network_.limits.peak && wanted >= least(network_.limits) &&
                                promises_fit(network_, grants_))
            << why(refused);
        break;
      }
      case 1:
        refused = admission_.release(flow);
        EXPECT_EQ(refused.has_value(), !grants_.contains(flow));
        grants_.erase(flow);
        break;
      default:
        refused = admission_.best_effort(flow, network_.path(flow));
        EXPECT_FALSE(refused) << why(refused);
        grants_[flow] = {GrantKind::best_effort, {}};
    }
    if (refused) grants_ = before;
    const auto changes = admission_.changes();
    EXPECT_TRUE(!refused || changes.empty());
    for (const auto& change : changes) {
      EXPECT_EQ(change.before.bits_per_second,
                reported_.contains(change.flow) ? reported_[change.flow] : 0);
      reported_[change.flow] = change.after.bits_per_second;
    }
    if (!grants_.contains(flow)) reported_.erase(flow);
    check();
  }

 private:
  void check() {
    const test::Rates wanted = fair_rates(network_, grants_, policy_);
    test::Rates rates;
    admission_.for_each(
        [&](const Flow& flow) { rates[flow] = admission_.rate(flow).bits_per_second; });
    EXPECT_EQ(rates, wanted);
    EXPECT_EQ(overload(network_, rates), "");
    for (const auto& [flow, rate] : rates) {
      EXPECT_EQ(admission_.grant(flow), grants_[flow]);
      EXPECT_EQ(reported_[flow], rate);
    }
  }

  FlowNetwork network_;
  Rng rng_;
  Policy policy_;
  AdmissionControl admission_;
  test::Grants grants_;
  test::Rates reported_;
};

TEST(QosAdmission, AgreeWithTheDefinitionsAfterRandomRequests) {
  for (const Policy policy : {Policy::equal, Policy::max_min})
    for (int seed = 1; seed <= test::tries(200, 5000); ++seed) {
      RandomAdmissions admission(static_cast<std::uint64_t>(seed), policy);
      for (int i = 0; i < 40; ++i) admission.step();
      if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
    }
}

/// Progressive filling leaves no flow that could have more.
TEST(QosAdmission, MaxMinLeavesNothingThatAFlowCouldUse) {
  for (int seed = 1; seed <= test::tries(200, 3000); ++seed) {
    const FlowNetwork network(static_cast<std::uint64_t>(seed));
    Rng rng(static_cast<std::uint64_t>(seed));
    AdmissionControl admission(network.limits, network.hosts, Policy::max_min);
    for (int i = 0; i < 20; ++i) {
      const Flow flow = network.random_flow(rng);
      if (i % 4 == 0)
        admission.reserve(flow, network.path(flow), megabytes(15));
      else
        admission.best_effort(flow, network.path(flow));
    }
    admission.changes();
    test::Rates rates;
    admission.for_each(
        [&](const Flow& flow) { rates[flow] = admission.rate(flow).bits_per_second; });
    for (auto& [flow, rate] : rates) {
      if (admission.grant(flow).kind == GrantKind::promise || rate >= 620'000'000) continue;
      const std::int64_t was = rate;
      rate += 10'000;  // rates are whole numbers: crumbs of some flows' and slopes' size are left
      EXPECT_NE(overload(network, rates), "") << seed << ": " << to_text(flow);
      rate = was;
    }
  }
}

}  // namespace
}  // namespace weft::comm::qos
