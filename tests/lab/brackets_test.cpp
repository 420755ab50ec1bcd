// SPDX-License-Identifier: Apache-2.0
// Brackets: the values they expand to, in which order, and the errors of wrong ones.
#include "lab/sweep/brackets.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "lab/simulate/sweep.hpp"

namespace weft {
namespace {

std::string all(std::string_view text) {
  try {
    return fmt::format("{}", fmt::join(expand(text), " "));
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Brackets, Lists) {
  EXPECT_EQ(all(""), "");
  EXPECT_EQ(all("0.1"), "0.1");
  EXPECT_EQ(all("[a]"), "a");
  EXPECT_EQ(all("[0.1,0.20,.3]"), "0.1 0.20 .3");
  EXPECT_EQ(all("iq:lanes=[1,2],buffer=8"), "iq:lanes=1,buffer=8 iq:lanes=2,buffer=8");
}

TEST(Brackets, Multiply) { EXPECT_EQ(all("[a,b]-[1,2]x"), "a-1x a-2x b-1x b-2x"); }

TEST(Brackets, BarsSeparateValuesWithCommas) {
  EXPECT_EQ(all("[iq:lanes=1,buffer=8|iq]"), "iq:lanes=1,buffer=8 iq");
  EXPECT_EQ(expand("[|link=s0:1@0]"), (std::vector<std::string>{"", "link=s0:1@0"}));
  EXPECT_EQ(expand("[|]").size(), 2U);
  EXPECT_EQ(all("a|b"), "a|b");
}

TEST(Brackets, Ranges) {
  EXPECT_EQ(all("[0.05..0.3:0.05]"), "0.05 0.1 0.15 0.2 0.25 0.3");
  EXPECT_EQ(all("[0.1..0.35:0.1,0.4]"), "0.1 0.2 0.3 0.4");
  EXPECT_EQ(all("[1..4]"), "1 2 3 4");
  EXPECT_EQ(all("[-1..1:0.5]"), "-1 -0.5 0 0.5 1");
  EXPECT_EQ(all("[2..2]"), "2");
  EXPECT_EQ(all("s[8..10]:1"), "s8:1 s9:1 s10:1");
}

TEST(Brackets, RangesByAFactor) {
  EXPECT_EQ(all("[1..64:x4]"), "1 4 16 64");
  EXPECT_EQ(all("[3..20:x2]"), "3 6 12");
  EXPECT_EQ(all("[8B..1MiB:x16]"), "8B 128B 2KiB 32KiB 512KiB");
  EXPECT_EQ(all("[8..1KiB:x8,4KiB]"), "8B 64B 512B 4KiB");
  EXPECT_EQ(all("[5..5:x2]"), "5");
  EXPECT_EQ(expand("[1..9223372036854775807:x2]").size(), 63U);
}

TEST(Brackets, RangesOfSizes) {
  EXPECT_EQ(all("[1KiB..4KiB:1KiB]"), "1KiB 2KiB 3KiB 4KiB");
  EXPECT_EQ(all("[512B..2KiB:768B]"), "512B 1280B 2KiB");
  EXPECT_EQ(all("[4K..a]"), "4K..a: a range of sizes needs a step, as in 1KiB..4KiB:1KiB");
}

TEST(Brackets, DotsElsewhereAreDots) {
  EXPECT_EQ(all("[../a.toml,../b.toml]"), "../a.toml ../b.toml");
  EXPECT_EQ(all("[a..b,h0..h9]"), "a..b h0..h9");
  EXPECT_EQ(all("1..3"), "1..3");
}

TEST(Brackets, WrongOnes) {
  const std::string missing =
      "a value is missing between brackets, write [a,b,c]; [|a] has an empty one";
  const std::string up = ": a range goes up in steps above zero, as in 0.1..0.5:0.1";
  EXPECT_EQ(all("[]"), missing);
  EXPECT_EQ(all("[1,,2]"), missing);
  EXPECT_EQ(all("[1,]"), missing);
  EXPECT_EQ(all("[1,2"), "a bracket is not closed");
  EXPECT_EQ(all("1,2]"), "a bracket is closed that was not opened");
  EXPECT_EQ(all("[1]]"), "a bracket is closed that was not opened");
  EXPECT_EQ(all("[[1]]"), "brackets cannot be in brackets");
  EXPECT_EQ(all("[3..1]"), "3..1" + up);
  EXPECT_EQ(all("[1..3:0]"), "1..3:0" + up);
  EXPECT_EQ(all("[1..3:-1]"), "1..3:-1" + up);
  const std::string form =
      ": a range is first..last:step, as in 0.1..0.5:0.1, 1..4 by ones, or 8B..1MiB:x4 by a factor";
  for (const char* text : {"1..x", "1..2:y", "0.1..0.5:", "0.1..", "0.1...0.5:0.1", ".1..0.5:0.1",
                           "0.1..0.5:0.1:2", "1e-3..0.5:0.1", "8B..x:x2"})
    EXPECT_EQ(all(fmt::format("[{}]", text)), text + form);
  const std::string step = ": a range that is not of whole numbers needs a step, as in ";
  EXPECT_EQ(all("[0.1..0.5]"), "0.1..0.5" + step + "0.1..0.5:0.1");
  EXPECT_EQ(all("[0.2,1..1.5]"), "1..1.5" + step + "1..1.5:0.1");
  const std::string factor = ": a factor is a whole number of 2 or more, as in 8B..1MiB:x4";
  EXPECT_EQ(all("[1..8:x1]"), "1..8:x1" + factor);
  EXPECT_EQ(all("[1..8:x]"), "1..8:x" + factor);
  const std::string from_one = ": a range of sizes, or by a factor, goes up from 1 or more";
  EXPECT_EQ(all("[0..8:x2]"), "0..8:x2" + from_one);
  EXPECT_EQ(all("[8B..4B:x2]"), "8B..4B:x2" + from_one);
  const std::string many = "more than 100000 points; a sweep has so many at most";
  EXPECT_EQ(all("[0..999999999:0.00000001]"), many);
  EXPECT_EQ(all("[1..1000][1..1000]"), many);
  EXPECT_EQ(expand("[1..100000]").size(), 100'000U);
}

std::string all(const SimulationSpec& simulation) {
  std::string out;
  try {
    for (const SimulationSpec& one : expand(simulation))
      out += fmt::format("{}/{}/{}/{} ", one.fabric, one.load, one.packet, one.seed);
  } catch (const Error& error) {
    return error.what();
  }
  return out;
}

TEST(Brackets, OfASimulationTheLoadVariesFastest) {
  SimulationSpec simulation;
  simulation.fabric = "[a,b]";
  simulation.load = "[0.1,0.2]";
  simulation.seed = "[1,2]";
  EXPECT_EQ(all(simulation),
            "a/0.1/1/1 a/0.2/1/1 a/0.1/1/2 a/0.2/1/2 b/0.1/1/1 b/0.2/1/1 b/0.1/1/2 b/0.2/1/2 ");
}

TEST(Brackets, RepetitionsAreDropped) {
  SimulationSpec simulation;
  simulation.fabric = "a";
  simulation.load = "[0.2,0.1..0.3:0.1]";
  EXPECT_EQ(all(simulation), "a/0.2/1/1 a/0.1/1/1 a/0.3/1/1 ");
  simulation.fabric = "[1.1,1.10]";  // two files
  simulation.load = "[0.20,0.2,.2,2e-1,1.0,1]";
  EXPECT_EQ(all(simulation), "1.1/0.20/1/1 1.1/1.0/1/1 1.10/0.20/1/1 1.10/1.0/1/1 ");
}

TEST(Brackets, ErrorsNameTheField) {
  SimulationSpec simulation;
  simulation.switches = "iq:lanes=[1";
  EXPECT_EQ(all(simulation), "switch=iq:lanes=[1: a bracket is not closed");
  simulation.switches = "[1..400]";
  simulation.load = "[1..400]";
  EXPECT_EQ(all(simulation), "more than 100000 points; a sweep has so many at most");
}

}  // namespace
}  // namespace weft
