// SPDX-License-Identifier: Apache-2.0
// Timers against a plain map: every one fires in its cycle, near or far, and only if it was not
// replaced.
#include "sim/timers.hpp"

#include <gtest/gtest.h>

#include <map>

#include "base/rng.hpp"

namespace weft::test {
namespace {

using sim::Cycle;
using sim::Timers;

TEST(Timers, FireInTheirCycleHoweverFar) {
  Rng rng(6);
  constexpr std::uint32_t hosts = 40;
  Timers timers(hosts);
  std::map<std::uint32_t, Cycle> set;
  const auto wake = [&](std::uint32_t host, Cycle at) {
    timers.set(host, at);
    set[host] = at;
  };
  for (std::uint32_t host = 0; host < hosts; ++host) wake(host, rng.below(3));
  Cycle now = 0;
  std::vector<std::uint32_t> fired;
  for (int turn = 0; turn < 20'000;) {
    Cycle first = sim::never;
    for (const auto& [host, at] : set) first = std::min(first, at);
    const Cycle next = timers.next(now);
    ASSERT_EQ(next, first);
    now = next;
    fired.clear();
    timers.take(now, fired);
    for (const std::uint32_t host : fired) {
      ASSERT_EQ(set.at(host), now);
      wake(host, now + 1 + (rng.next() >> (20 + rng.below(44))));
      ++turn;
    }
    if (!fired.empty() && rng.below(4) == 0)  // another one, anew
      wake(static_cast<std::uint32_t>(rng.below(hosts)), now + 1 + rng.below(10'000));
    for (const auto& [host, at] : set) ASSERT_TRUE(at > now) << "passed over";
    ++now;
  }
}

TEST(Timers, HeldOnesComeWhenTheyAreReleased) {
  Timers timers(4);
  timers.hold(0, 2);
  timers.hold(1, 2);
  timers.set(2, 2);
  timers.hold(2, 9);  // replaces the other one
  timers.hold(3, 7);
  timers.set(3, 3);  // and the other way round
  std::vector<std::uint32_t> fired;
  for (Cycle now = 0; now < 3; ++now) timers.take(now, fired);
  EXPECT_TRUE(fired.empty());
  timers.release(0);
  timers.release(2);
  timers.release(3);  // is not held
  timers.take(3, fired);
  EXPECT_EQ(fired, (std::vector<std::uint32_t>{3, 0}));
  EXPECT_EQ(timers.held_until(2), sim::never) << "it was released";
  EXPECT_EQ(timers.held_until(1), 2U);
  for (Cycle now = 4; now < 10; ++now) timers.take(now, fired);
  EXPECT_EQ(fired, (std::vector<std::uint32_t>{3, 0, 2}));
  for (Cycle now = 10; now < 20'000; ++now) timers.take(now, fired);
  EXPECT_EQ(fired.size(), 3U);
  EXPECT_EQ(timers.next(20'000), sim::never);
}

TEST(Timers, NoneIsNever) {
  Timers timers(3);
  EXPECT_EQ(timers.next(5), sim::never);
  timers.set(1, 7);
  timers.set(1, sim::never);
  std::vector<std::uint32_t> fired;
  for (Cycle now = 0; now < 10; ++now) timers.take(now, fired);
  EXPECT_TRUE(fired.empty());
  EXPECT_EQ(timers.next(10), sim::never);
}

}  // namespace
}  // namespace weft::test
