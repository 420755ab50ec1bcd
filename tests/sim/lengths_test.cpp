// SPDX-License-Identifier: Apache-2.0
// Lengths of packets: one, a mix, and what is none.
#include "sim/workload/lengths.hpp"

#include <gtest/gtest.h>

#include <map>

#include "base/message.hpp"

namespace weft::test {
namespace {

using sim::Lengths;

TEST(Lengths, OneForAll) {
  Rng rng(1);
  EXPECT_EQ(Lengths("16", Bytes{8})(rng), 16U);
  EXPECT_EQ(Lengths("64B", Bytes{8})(rng), 8U);
  EXPECT_EQ(Lengths("65B", Bytes{8})(rng), 9U);
  EXPECT_EQ(Lengths("5*1", Bytes{8})(rng), 5U);
  EXPECT_EQ(Rng(1).next(), rng.next()) << "nothing is drawn";
  EXPECT_EQ(Lengths("16", Bytes{8}).packets_at(chance_from("0.5")).parts(), Chance::one / 32);
}

TEST(Lengths, AMix) {
  const Lengths lengths("1*0.75+16*0.25", Bytes{8});
  EXPECT_EQ(lengths.longest(), 16U);
  EXPECT_TRUE(lengths.mixed());
  Rng rng(1);
  std::map<std::uint32_t, int> seen;
  for (int i = 0; i < 40'000; ++i) ++seen[lengths(rng)];
  EXPECT_EQ(seen.size(), 2U);
  EXPECT_NEAR(seen[1], 30'000, 400);
  EXPECT_NEAR(lengths.packets_at(chance_from("0.38")).value(), 0.08, 1e-15);  // mean 4.75
  EXPECT_EQ(Lengths("1*0.333333333+2*0.333333333+3*0.333333333", Bytes{8}).longest(), 3U);
}

TEST(Lengths, Wrong) {
  const auto said = [](const char* text) { return message_of([&] { Lengths(text, Bytes{8}); }); };
  EXPECT_EQ(said("0"), "a length is 1 to 65535 flits, or as many bytes with a unit, as in 64B");
  EXPECT_EQ(said("1+2"), "\"1+2\": a mix is written 1*0.8+16*0.2, every length with its share");
  EXPECT_EQ(said("1*0.5+2"),
            "\"1*0.5+2\": a mix is written 1*0.8+16*0.2, every length with its share");
  EXPECT_EQ(said("1*0.5+2*0.4"), "\"1*0.5+2*0.4\": the shares do not add up to 1");
  EXPECT_EQ(said("1*0.9+2*0.9+3*0.9"), "\"1*0.9+2*0.9+3*0.9\": the shares do not add up to 1");
  EXPECT_EQ(said("1*0.5+2*0.5+"), "\"1*0.5+2*0.5+\": nothing behind the +");
  EXPECT_EQ(said("1*0+2*1"), "\"1*0+2*1\": a share of 0");
  EXPECT_EQ(said("1*nan"), "\"nan\" is not a number from 0 to 1, or a percentage");
  EXPECT_NE(said(""), "(no error)");
  EXPECT_NE(said("big"), "(no error)");
}

}  // namespace
}  // namespace weft::test
