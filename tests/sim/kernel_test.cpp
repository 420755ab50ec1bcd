// SPDX-License-Identifier: Apache-2.0
// Host events: in the order of time, then of setting; resources serve one at a time.
#include "sim/kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/rng.hpp"
#include "sim/resource.hpp"

namespace weft::sim {
namespace {

struct Log : Kernel::Handler {
  explicit Log(Kernel& of) : kernel(of) {}
  void fire(std::uint64_t what) override { seen.emplace_back(kernel.now().count(), what); }
  Kernel& kernel;
  std::vector<std::pair<std::int64_t, std::uint64_t>> seen;
};

TEST(Kernel, SortsByTimeAndKeepsTheOrderOfEqualTimes) {
  Rng rng(1);
  Kernel kernel;
  Log log(kernel);
  std::vector<std::pair<std::int64_t, std::uint64_t>> expected;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const auto at = static_cast<std::int64_t>(rng.below(300));
    expected.emplace_back(at, i);
    kernel.at(Duration(at), log, i);
  }
  std::stable_sort(expected.begin(), expected.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  EXPECT_EQ(kernel.next(), Duration(expected.front().first));
  while (kernel.pending() > 0) kernel.step();
  EXPECT_EQ(log.seen, expected);
  EXPECT_EQ(kernel.fired(), 5000U);
  EXPECT_EQ(kernel.next(), Kernel::never);
}

TEST(Kernel, EventsSetEvents) {
  struct Chain : Kernel::Handler {
    explicit Chain(Kernel& of) : kernel(of) {}
    void fire(std::uint64_t left) override {
      if (left > 0) kernel.at(kernel.now() + Duration(10), *this, left - 1);
    }
    Kernel& kernel;
  };
  Kernel kernel;
  Chain chain(kernel);
  kernel.at(Duration(5), chain, 100);
  while (kernel.pending() > 0) kernel.step();
  EXPECT_EQ(kernel.now(), Duration(1005));
}

/// Delays below, within and beyond what the wheel of the event queue holds.
TEST(Kernel, SortsNearAndFarEventsThatAreSetMeanwhile) {
  struct Spread : Kernel::Handler {
    explicit Spread(Kernel& of) : kernel(of) {}
    void fire(std::uint64_t what) override {
      seen.emplace_back(kernel.now().count(), what);
      for (int i = 0; i < 2 && set.size() < 20'000; ++i) add();
    }
    void add() {
      constexpr std::array<std::uint64_t, 6> longest{1,         300,        3'000,
                                                     1'000'000, 20'000'000, 1'000'000'000};
      const std::uint64_t delay = rng.below(longest[rng.below(longest.size())]);
      const Duration at = kernel.now() + Duration(static_cast<std::int64_t>(delay));
      set.emplace_back(at.count(), set.size());
      kernel.at(at, *this, set.back().second);
    }
    Kernel& kernel;
    Rng rng{7};
    std::vector<std::pair<std::int64_t, std::uint64_t>> seen, set;
  };
  Kernel kernel;
  Spread spread(kernel);
  spread.add();
  while (kernel.pending() > 0) {
    const Duration next = kernel.next();
    kernel.step();
    ASSERT_EQ(kernel.now(), next);
  }
  std::stable_sort(spread.set.begin(), spread.set.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  EXPECT_EQ(spread.seen, spread.set);
}

TEST(KernelDeathTest, NothingHappensInThePast) {
  Kernel kernel;
  Log log(kernel);
  kernel.advance(Duration(10));
  EXPECT_DEATH(kernel.at(Duration(9), log, 0), "an event is set for the past");
}

TEST(Kernel, TimesThatAddUpToTooMuchAreRejected) {
  Kernel kernel;
  Log log(kernel);
  try {
    kernel.at(Duration::min() + Duration(9), log, 0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "times of hosts add up to more than 106 days, which is the most");
  }
}

TEST(Resource, ServesOneAtATimeAndKnowsHowBusyItWas) {
  Resource bus;
  EXPECT_EQ(bus.enter(Duration(0), Duration(10)), Duration(10));
  EXPECT_EQ(bus.enter(Duration(4), Duration(10)), Duration(20));
  EXPECT_EQ(bus.enter(Duration(50), Duration(10)), Duration(60));
  EXPECT_EQ(bus.busy(), Duration(30));
  EXPECT_EQ(bus.waited(), Duration(6));
  EXPECT_EQ(bus.served(), 3U);
  EXPECT_DOUBLE_EQ(bus.utilisation(Duration(60)), 0.5);
  EXPECT_EQ(bus.free_at(Duration(55)), Duration(60));
}

}  // namespace
}  // namespace weft::sim
