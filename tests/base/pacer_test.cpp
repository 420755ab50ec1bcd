// SPDX-License-Identifier: Apache-2.0
// Rate control: the thesis's worked example, fractions, counters that wrap, and random schedules
// compared with a plain search over all flows.
#include "base/pacer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/rng.hpp"

namespace weft::test {
namespace {

using Interval = Pacer::Interval;

// Gulati 2001, table 3.1: intervals of 2 and 3 packet times, both NDT rows, and who is sent.
TEST(Pacer, FollowsTable31) {
  Pacer pacer;
  const Pacer::FlowNumber a = pacer.add(Interval::ticks(2)), b = pacer.add(Interval::ticks(3));
  pacer.wake(a, 0);
  pacer.wake(b, 0);
  std::vector<std::uint64_t> of_a, of_b;
  std::string sent;
  for (Pacer::Tick now = 0; now < 12; ++now) {
    of_a.push_back(pacer.next_dispatch(a).parts / Interval::tick);
    of_b.push_back(pacer.next_dispatch(b).parts / Interval::tick);
    const auto flow = pacer.due(now);
    sent += !flow ? '-' : *flow == a ? 'A' : 'B';
    if (flow) pacer.dispatch(*flow, now);
  }
  EXPECT_EQ(of_a, (std::vector<std::uint64_t>{0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12}));
  EXPECT_EQ(of_b, (std::vector<std::uint64_t>{0, 0, 3, 3, 6, 6, 6, 6, 9, 9, 12, 12}));
  EXPECT_EQ(sent, "ABABA-ABABA-");
}

TEST(Pacer, FractionsOfATickAddUp) {
  Pacer pacer;
  const Pacer::FlowNumber flow = pacer.add({Interval::tick * 10 / 3});
  pacer.wake(flow, 0);
  int sent = 0;
  for (Pacer::Tick now = 0; now < 1'000'000; ++now)
    if (pacer.due(now)) {
      pacer.dispatch(flow, now);
      ++sent;
    }
  EXPECT_NEAR(sent, 300'000, 5);  // the interval itself is a fraction of 65536
}

TEST(Pacer, ACounterThatWrapsChangesNothing) {
  Pacer pacer;
  const Pacer::FlowNumber flow = pacer.add(Interval::ticks(1U << 20U));
  Pacer::Tick now = 0;
  pacer.wake(flow, now);
  for (std::uint64_t packet = 0; packet < 10'000; ++packet) {  // two and a half times around
    ASSERT_EQ(pacer.due(now), flow);
    pacer.dispatch(flow, now);
    ASSERT_EQ(pacer.wait(now), 1U << 20U);
    ASSERT_EQ(pacer.due(now + (1U << 20U) - 1), std::nullopt);
    now += 1U << 20U;
  }
  // A flow that rested while the counter wrapped does not make up for it.
  pacer.rest(flow);
  now += 1U << 31U;
  ASSERT_EQ(pacer.due(now), std::nullopt);
  now += 1U << 31U;
  pacer.wake(flow, now);
  pacer.dispatch(flow, now);
  EXPECT_EQ(pacer.wait(now), 1U << 20U);
}

TEST(Pacer, FlowsThatAreNotHeldBackTakeTurnsAndYieldToPromises) {
  Pacer pacer;
  const Pacer::FlowNumber a = pacer.add(), b = pacer.add(),
                          promised = pacer.add(Interval::ticks(40));
  for (const Pacer::FlowNumber flow : {a, b, promised}) pacer.wake(flow, 0);
  std::vector<int> sent(3);
  for (Pacer::Tick now = 0; now < 4000; now += 10) {
    const auto flow = pacer.due(now);
    ASSERT_TRUE(flow);
    pacer.dispatch(*flow, now);
    ++sent[*flow];
  }
  EXPECT_EQ(sent, (std::vector<int>{150, 150, 100}));
}

// A NIC with small packets sends several in a tick: it may not lose time to the counter.
TEST(Pacer, AFlowThatIsNotHeldBackIsDueAgainAtOnce) {
  Pacer pacer;
  const Pacer::FlowNumber a = pacer.add(), b = pacer.add(),
                          promised = pacer.add(Interval::ticks(2));
  for (const Pacer::FlowNumber flow : {a, b, promised}) pacer.wake(flow, 7);
  std::string sent;
  for (const Pacer::Tick now : {7U, 7U, 7U, 7U, 7U, 8U, 9U, 9U, 9U}) {
    const auto flow = pacer.due(now);
    ASSERT_TRUE(flow);
    EXPECT_EQ(pacer.wait(now), 0U);
    pacer.dispatch(*flow, now);
    sent += *flow == a ? 'a' : *flow == b ? 'b' : 'P';
  }
  EXPECT_EQ(sent, "abPababaP");
}

TEST(Pacer, AShorterIntervalEndsAWaitALongerOneDoesNot) {
  Pacer pacer;
  const Pacer::FlowNumber flow = pacer.add(Interval::ticks(1000));
  pacer.wake(flow, 0);
  pacer.dispatch(flow, 0);
  EXPECT_EQ(pacer.wait(10), 990U);
  pacer.set_interval(flow, Interval::ticks(40), 10);
  EXPECT_EQ(pacer.wait(10), 30U);
  pacer.set_interval(flow, Interval::ticks(5), 10);
  EXPECT_EQ(pacer.wait(10), 0U);
  pacer.dispatch(flow, 10);
  pacer.set_interval(flow, Interval::ticks(1000), 10);
  EXPECT_EQ(pacer.wait(10), 5U);
}

/// The same rules without a heap and without wrapping.
struct PlainPacer {
  struct Flow {
    std::uint64_t interval = 0, next = 0, turn = 0;
    bool awake = false;
    bool before(const Flow& other) const {
      return next != other.next ? next < other.next : turn < other.turn;
    }
  };
  std::vector<Flow> flows;
  std::uint64_t turns = 0;
  std::optional<std::uint32_t> due(std::uint64_t now) const {
    std::optional<std::uint32_t> best;
    for (std::uint32_t i = 0; i < flows.size(); ++i)
      if (flows[i].awake && flows[i].next <= now * Interval::tick &&
          (!best || flows[i].before(flows[*best])))
        best = i;
    return best;
  }
  void dispatch(std::uint32_t flow, std::uint64_t now) {
    Flow& sender = flows[flow];
    sender.turn = sender.interval > 0 ? 0 : ++turns;
    sender.next = sender.interval > 0 ? sender.next + sender.interval : now * Interval::tick;
  }
};

TEST(Pacer, AgreesWithASearchOverAllFlows) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed);
    Pacer pacer;
    PlainPacer plain;
    std::uint64_t now = rng.below(std::uint64_t{1} << 33U);
    pacer.due(static_cast<Pacer::Tick>(now));
    const std::uint64_t start = now - static_cast<Pacer::Tick>(now);
    for (std::uint64_t i = 1 + rng.below(40); i > 0; --i) {
      const std::uint64_t interval = rng.below(4) == 0 ? 0 : rng.below(300 * Interval::tick);
      pacer.add({interval});
      plain.flows.push_back({interval});
    }
    for (int step = 0; step < 2000; ++step) {
      now += rng.below(20) == 0 ? rng.below(std::uint64_t{1} << 31U) : rng.below(20);
      const auto tick = static_cast<Pacer::Tick>(now);
      const std::uint64_t time = now - start;
      const auto flow = static_cast<std::uint32_t>(rng.below(plain.flows.size()));
      PlainPacer::Flow& state = plain.flows[flow];
      if (rng.below(3) == 0) {
        if (state.awake) {
          pacer.rest(flow);
        } else {
          pacer.wake(flow, tick);
          state.next = std::max(state.next, time * Interval::tick);
        }
        state.awake = !state.awake;
      }
      const auto due = plain.due(time);
      ASSERT_EQ(pacer.due(tick), due) << "seed " << seed << " step " << step;
      if (!due) continue;
      pacer.dispatch(*due, tick);
      plain.dispatch(*due, time);
    }
  }
}

}  // namespace
}  // namespace weft::test
