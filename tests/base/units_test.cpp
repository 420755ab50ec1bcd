// SPDX-License-Identifier: Apache-2.0
// Units: their text forms there and back, sizes over speeds, and the messages.
#include "base/units.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>

#include "base/speed_text.hpp"
#include "message.hpp"

namespace weft::test {
namespace {

using std::chrono::hours;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

TEST(Units, DurationsAsText) {
  EXPECT_EQ(to_text(Duration(0)), "0ps");
  EXPECT_EQ(to_text(Duration(999)), "999ps");
  EXPECT_EQ(to_text(nanoseconds(25)), "25ns");
  EXPECT_EQ(to_text(Duration(1'500)), "1.5ns");
  EXPECT_EQ(to_text(Duration(1'234'567)), "1234.567ns");
  EXPECT_EQ(to_text(Duration(1'050'000)), "1.05us");
  EXPECT_EQ(to_text(Duration(2'000'000'000)), "2ms");
  EXPECT_EQ(to_text(hours(1)), "3600s");
  EXPECT_EQ(to_text(Duration(most)), "9223372036854775807ps");
}

TEST(Units, DelaysAsText) {
  EXPECT_EQ(to_text(Delay{}), "0ps");
  EXPECT_EQ(to_text(Delay::cycles(0)), "0ps");
  EXPECT_EQ(to_text(Delay(nanoseconds(25))), "25ns");
  EXPECT_EQ(to_text(Delay::cycles(14)), "14cycles");
  EXPECT_EQ(delay_from("14 cycles"), Delay::cycles(14));
  EXPECT_EQ(delay_from("0cycles"), Delay{});
  EXPECT_EQ(delay_from("14ps"), Delay(Duration(14)));
  EXPECT_NE(delay_from("14ps"), Delay::cycles(14));
}

// Any cycles are more than any time; no cycles are no time.
TEST(Units, DelaysInCycles) {
  const Duration cycle = nanoseconds(8);
  EXPECT_EQ(Delay{}.in_cycles(cycle), 0);
  EXPECT_EQ(Delay(Duration(1)).in_cycles(cycle), 1);
  EXPECT_EQ(Delay(nanoseconds(16)).in_cycles(cycle), 2);
  EXPECT_EQ(Delay(Duration(16'001)).in_cycles(cycle), 3);
  EXPECT_EQ(Delay(Duration(most)).in_cycles(Duration(2)), most / 2 + 1);
  EXPECT_EQ(Delay::cycles(14).in_cycles(cycle), 14);
  EXPECT_EQ(Delay::cycles(14).in_cycles(Duration(1)), 14);
  EXPECT_LT(Delay(hours(1)), Delay::cycles(1));
  EXPECT_LT(Delay::cycles(1), Delay::cycles(2));
}

TEST(Units, AsPeopleWriteThem) {
  for (const char* text :
       {"100Gb/s", "100Gbps", "100 Gbit/s", "100Gbit/s", "100G", "12.5GB/s", "12.5GBps"})
    EXPECT_EQ(bandwidth_from(text), gigabits_per_second(100)) << text;
  EXPECT_EQ(bandwidth_from("5Kb/s"), (Bandwidth{5000}));
  for (const char* text : {"4KiB", "4k", "4K", "4096B", "4096 bytes"})
    EXPECT_EQ(bytes_from(text), Bytes{4096}) << text;
  EXPECT_EQ(bytes_from("2M"), Bytes{2 << 20});
  EXPECT_EQ(bytes_from("1G"), Bytes{1 << 30});
  for (const char* text : {"3us", "3 \u00b5s", "3\u03bcs", "3usec", "3000ns", "3000nsec"})
    EXPECT_EQ(duration_from(text), std::chrono::microseconds(3)) << text;
  EXPECT_EQ(delay_from("1 cycle"), Delay::cycles(1));
  for (const char* text : {"100GG", "100g", "100ps", "100"})
    EXPECT_THROW(bandwidth_from(text), Error) << text;
  for (const char* text : {"4KB", "4kk", "4bps"}) EXPECT_THROW(bytes_from(text), Error) << text;
}

TEST(Units, Counts) {
  EXPECT_EQ(count_from("10000"), 10'000);
  EXPECT_EQ(count_from("1e4"), 10'000);
  EXPECT_EQ(count_from("10k"), 10'000);
  EXPECT_EQ(count_from("2.5K"), 2'500);
  EXPECT_EQ(count_from("0.01M"), 10'000);
  EXPECT_EQ(count_from("3G"), 3'000'000'000);
  EXPECT_EQ(count_from("-5"), -5);
  EXPECT_EQ(count_from("9223372036854775807"), most);
  for (const char* text : {"", "k", "1e-3", "1.5", "0.0001k", "1e30", "nan", "inf", "10 k", "10kk"})
    EXPECT_EQ(count_from(text), std::nullopt) << text;
}

TEST(Units, SpeedsAsText) {
  EXPECT_EQ(to_text(Bandwidth{0}), "0b/s");
  EXPECT_EQ(to_text(gigabits_per_second(6)), "6Gb/s");
  EXPECT_EQ(to_text(Bandwidth{2'500'000'000}), "2.5Gb/s");
  EXPECT_EQ(to_text(Bandwidth{1'280'000'000}), "1.28Gb/s");
  EXPECT_EQ(to_text(gigabits_per_second(1'000)), "1Tb/s");
  EXPECT_EQ(to_text(Bandwidth{54'545'454'544}), "54545454.544kb/s");
  EXPECT_EQ(speed_text(Bandwidth{54'545'454'544}), "54.5Gb/s");
  EXPECT_EQ(speed_text(Bandwidth{13'636'363}), "13.6Mb/s");
  EXPECT_EQ(speed_text(Bandwidth{106'125'000'000}), "106.125Gb/s") << "short enough";
  EXPECT_EQ(to_text(Bandwidth{7}), "7b/s");
}

TEST(Units, SizesAsText) {
  EXPECT_EQ(to_text(Bytes{0}), "0B");
  EXPECT_EQ(to_text(Bytes{1023}), "1023B");
  EXPECT_EQ(to_text(Bytes{4096}), "4KiB");
  EXPECT_EQ(to_text(Bytes{4097}), "4097B");
  EXPECT_EQ(to_text(Bytes{3 << 20}), "3MiB");
  EXPECT_EQ(to_text(Bytes{std::int64_t{1} << 40}), "1024GiB");
}

TEST(Units, EveryUnitIsRead) {
  EXPECT_EQ(duration_from("1s"), seconds(1));
  EXPECT_EQ(duration_from("1ms"), std::chrono::milliseconds(1));
  EXPECT_EQ(duration_from("1us"), std::chrono::microseconds(1));
  EXPECT_EQ(duration_from("1ns"), nanoseconds(1));
  EXPECT_EQ(duration_from("1ps"), Duration(1));
  std::int64_t bits = 1'000'000'000'000;
  for (const char* prefix : {"T", "G", "M", "k", ""}) {
    EXPECT_EQ(bandwidth_from("1" + std::string(prefix) + "b/s"), Bandwidth{bits});
    EXPECT_EQ(bandwidth_from("1" + std::string(prefix) + "B/s"), Bandwidth{8 * bits});
    bits /= 1'000;
  }
  EXPECT_EQ(bytes_from("1GiB"), Bytes{1 << 30});
  EXPECT_EQ(bytes_from("1MiB"), Bytes{1 << 20});
  EXPECT_EQ(bytes_from("1KiB"), Bytes{1 << 10});
  EXPECT_EQ(bytes_from("1GB"), Bytes{1'000'000'000});
  EXPECT_EQ(bytes_from("1MB"), Bytes{1'000'000});
  EXPECT_EQ(bytes_from("1kB"), Bytes{1'000});
  EXPECT_EQ(bytes_from("1B"), Bytes{1});
}

TEST(Units, FractionsSpacesAndExponentsAreRead) {
  EXPECT_EQ(duration_from("1.5 ns"), Duration(1'500));
  EXPECT_EQ(duration_from("0.0005us"), Duration(500));
  EXPECT_EQ(duration_from("1e3ns"), Duration(1'000'000));
  EXPECT_EQ(bandwidth_from("54.545454544Gb/s"), Bandwidth{54'545'454'544});
  EXPECT_EQ(bytes_from("1.5KiB"), Bytes{1536});
  EXPECT_EQ(duration_from("0s"), Duration(0));
}

// A double holds 53 bits; whole numbers keep all 63.
TEST(Units, WholeNumbersAreExact) {
  EXPECT_EQ(duration_from("9223372036854775807ps"), Duration(most));
  EXPECT_EQ(bandwidth_from("9007199254740993b/s"), Bandwidth{9'007'199'254'740'993});
  EXPECT_EQ(bytes_from("9007199254740993B"), Bytes{9'007'199'254'740'993});
}

/// Numbers of every length, many of them ending in zeros.
std::int64_t amount() {
  const auto any = *rc::gen::inRange<std::int64_t>(0, most);
  std::int64_t out = any >> *rc::gen::inRange(0, 63);
  for (int zeros = *rc::gen::inRange(0, 13); zeros > 0 && out < most / 10; --zeros) out *= 10;
  return out;
}

TEST(Units, TextReadsBackExactly) {
  EXPECT_TRUE(rc::check([] {
    const std::int64_t n = amount();
    RC_ASSERT(duration_from(to_text(Duration(n))) == Duration(n));
    RC_ASSERT(delay_from(to_text(Delay(Duration(n)))) == Delay(Duration(n)));
    RC_ASSERT(delay_from(to_text(Delay::cycles(n))) == Delay::cycles(n));
    RC_ASSERT(bandwidth_from(to_text(Bandwidth{n})) == Bandwidth{n});
    RC_ASSERT(bytes_from(to_text(Bytes{n})) == Bytes{n});
  }));
}

TEST(Units, MessagesNameTheUnits) {
  const auto duration = [](std::string_view text) {
    return message_of([&] { duration_from(text); });
  };
  const std::string units = " is not a duration: write a number and one of s, ms, us, ns, ps";
  for (const char* wrong : {"", "5", "ns", "5 minutes", "-1ns", "nans", "infs", "1e400s", "0x10ns",
                            "5ns ", "+5ns", "1e30s", "9223372036854775808ps", "9300000s", "5NS"})
    EXPECT_EQ(duration(wrong), "\"" + std::string(wrong) + "\"" + units);
  EXPECT_EQ(duration(std::string_view{}), "\"\"" + units);
  EXPECT_EQ(duration(std::string(100, '7')), "\"" + std::string(40, '7') + "\"" + units);
  EXPECT_EQ(message_of([] { delay_from("5"); }),
            "\"5\" is not a delay: write a number and one of s, ms, us, ns, ps, cycles");
  EXPECT_EQ(message_of([] { bandwidth_from("fast"); }),
            "\"fast\" is not a speed: write a number and one of Tb/s, Gb/s, Mb/s, kb/s, b/s, TB/s, "
            "GB/s, MB/s, kB/s, B/s");
  EXPECT_EQ(message_of([] { bytes_from("1TB"); }),
            "\"1TB\" is not a size: write a number and one of GiB, MiB, KiB, GB, MB, kB, B");
}

TEST(Units, SizeOverSpeedRoundsUp) {
  EXPECT_EQ(Bytes{1} / gigabits_per_second(8), nanoseconds(1));
  EXPECT_EQ(Bytes{0} / gigabits_per_second(8), Duration(0));
  EXPECT_EQ(Bytes{1} / Bandwidth{3'000'000'000'000}, Duration(3)) << "2.67 ps";
  EXPECT_EQ(Bytes{3} / Bandwidth{3'000'000'000'000}, Duration(8)) << "exact";
  EXPECT_EQ(Bytes{1} / Bandwidth{most}, Duration(1)) << "never nothing";
}

// 1 TB in bits and picoseconds is 8e24, beyond 64 bits.
TEST(Units, SizeOverSpeedIsCountedIn128Bits) {
  EXPECT_EQ(Bytes{1'000'000'000'000} / gigabits_per_second(8), seconds(1'000));
  EXPECT_EQ(Bytes{most} / Bandwidth{most}, seconds(8));
  EXPECT_EQ(Bytes{most / 8} / Bandwidth{most / 8}, seconds(8));
}

TEST(Units, ATimeThatIsTooLongIsRefused) {
  EXPECT_EQ(Bytes{1'152'921} / Bandwidth{1}, seconds(9'223'368));
  EXPECT_EQ(message_of([] { return Bytes{1'152'922} / Bandwidth{1}; }),
            "1152922B at 1b/s take longer than 106 days");
  EXPECT_EQ(message_of([] { return Bytes{most} / Bandwidth{8'000}; }),
            "9223372036854775807B at 8kb/s take longer than 106 days");
}

TEST(UnitsDeathTest, SpeedZeroIsABug) {
  EXPECT_DEATH(Bytes{1} / Bandwidth{0},
               "weft: bug: a size is divided by a speed that is not above zero");
}

}  // namespace
}  // namespace weft::test
