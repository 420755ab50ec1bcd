// SPDX-License-Identifier: Apache-2.0
// Marks: what counts as settled and what as growing.
#include "sim/measure/mark.hpp"

#include <gtest/gtest.h>

namespace weft::test {
namespace {

using sim::Cycle;
using sim::Mark;

/// A run in which `rate` packets come per cycle, of which `accepted` go with this latency.
Mark at(Cycle cycle, double rate, double accepted, double latency) {
  Mark mark;
  mark.at = cycle;
  const auto time = static_cast<double>(cycle);
  mark.counts.sent = static_cast<std::uint64_t>(rate * time);
  mark.counts.delivered = static_cast<std::uint64_t>(accepted * time);
  mark.counts.latency = static_cast<std::uint64_t>(accepted * time * latency);
  mark.waiting = mark.counts.sent - mark.counts.delivered;
  return mark;
}

struct Verdict {
  bool settled, clearly, growing;
  friend bool operator==(const Verdict&, const Verdict&) = default;
};
Verdict judge(const Mark& a, const Mark& b, const Mark& c) {
  return {settled(a, b, c), clearly_growing(a, b, c), growing(a, b, c)};
}

TEST(Mark, SteadyIsSettled) {
  EXPECT_EQ(judge(at(4096, 4, 4, 40), at(6144, 4, 4, 40), at(8192, 4, 4, 40)),
            (Verdict{true, false, false}));
}

TEST(Mark, TooFewPacketsOrTooEarly) {
  EXPECT_FALSE(settled(at(512, 0.5, 0.5, 40), at(768, 0.5, 0.5, 40), at(1024, 0.5, 0.5, 40)));
  EXPECT_FALSE(settled(at(512, 4, 4, 400), at(768, 4, 4, 400), at(1024, 4, 4, 400)));
}

TEST(Mark, DriftIsNotSettled) {
  // Latencies of all packets so far: those between the marks differ by more.
  EXPECT_FALSE(settled(at(4096, 4, 4, 40), at(6144, 4, 4, 41), at(8192, 4, 4, 43)));
  EXPECT_FALSE(settled(at(4096, 4, 3.8, 40), at(6144, 4, 3.8, 40), at(8192, 4, 3.8, 40)));
}

TEST(Mark, SaturationGrowsInAStraightLine) {
  EXPECT_EQ(judge(at(4096, 4, 3, 400), at(6144, 4, 3, 600), at(8192, 4, 3, 800)),
            (Verdict{false, true, true}));
  // By 3 %: clear only in the long run.
  EXPECT_EQ(judge(at(4096, 4, 3.88, 400), at(6144, 4, 3.88, 600), at(8192, 4, 3.88, 800)),
            (Verdict{false, false, true}));
  EXPECT_EQ(judge(at(40960, 4, 3.88, 400), at(61440, 4, 3.88, 600), at(81920, 4, 3.88, 800)),
            (Verdict{false, true, true}));
}

TEST(Mark, AQueueThatFillsUpIsNoSaturation) {
  Mark a = at(4096, 4, 4, 40), b = at(6144, 4, 4, 40), c = at(8192, 4, 4, 40);
  a.waiting = 1000;
  b.waiting = 3000;
  c.waiting = 3600;  // ever slower
  EXPECT_FALSE(clearly_growing(a, b, c));
  EXPECT_FALSE(growing(a, b, c));
}

TEST(Mark, BuffersThatFillWhileNoQueueGrows) {
  const auto grow = [](unsigned per_cent, unsigned packets) {
    Mark a = at(0, 1, 1, 40), b = at(packets, 1, 1, 40), c = at(2 * packets, 1, 1, 40);
    b.counts.delivered -= packets * per_cent / 100;
    c.counts.delivered -= 2 * packets * per_cent / 100;
    return std::tuple{a, b, c};
  };
  const auto fills = [&](unsigned per_cent, unsigned packets, unsigned least) {
    const auto [a, b, c] = grow(per_cent, packets);
    return filling(a, b, c, least);
  };
  EXPECT_TRUE(fills(10, 10'000, 10));
  EXPECT_FALSE(fills(9, 10'000, 10));
  EXPECT_TRUE(fills(3, 10'000, 3));
  EXPECT_FALSE(fills(3, 1'000, 3)) << "30 of 1,000 are chance";
  EXPECT_TRUE(fills(3, 3'000, 3));
  EXPECT_FALSE(fills(100, 199, 10)) << "too few";
  auto [a, b, c] = grow(10, 10'000);
  c.counts.delivered = a.counts.delivered + 19'000;  // as many inside as at b
  EXPECT_FALSE(filling(a, b, c, 3));
}

/// Near saturation the queue of one link wanders slowly: the latency of all packets may rise by a
/// fifth while no more packets wait than the fluctuation of what hosts send explains.
TEST(Mark, ALatencyThatRisesByChance) {
  Mark a = at(32'768, 0.56, 0.56, 160), b = at(98'304, 0.56, 0.56, 160);
  Mark c = at(163'840, 0.56, 0.56, 180);
  a.waiting = 20;
  b.waiting = 100;
  c.waiting = 220;
  EXPECT_FALSE(growing(a, b, c));
  c.waiting = 1200;  // more than 3 of 73,000 packets' standard deviations
  EXPECT_TRUE(growing(a, b, c));
}

TEST(Mark, AFewMoreByChance) {
  Mark a = at(4096, 0.1, 0.1, 40), b = at(6144, 0.1, 0.1, 40), c = at(8192, 0.1, 0.1, 40);
  b.waiting += 3;
  c.waiting += 7;
  c.counts.delivered -= 7;
  EXPECT_FALSE(growing(a, b, c));
}

}  // namespace
}  // namespace weft::test
