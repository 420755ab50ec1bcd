// SPDX-License-Identifier: Apache-2.0
// Specs and parameters: what is understood, the canonical form, and every message.
#include "base/params.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>

#include "message.hpp"

namespace weft::test {
namespace {

using Values = std::map<std::string, std::string>;

// --- Spec

TEST(Spec, IsTakenApart) {
  const Spec spec = Spec::parse("torus:hosts=4,dims=4x4");
  EXPECT_EQ(spec.name, "torus");
  EXPECT_EQ(spec.values, (Values{{"dims", "4x4"}, {"hosts", "4"}}));
}

TEST(Spec, NeedsNoParameters) {
  EXPECT_EQ(Spec::parse("torus").values, Values{});
  EXPECT_EQ(Spec::parse("torus:").values, Values{});
  EXPECT_EQ(Spec::parse("torus:").name, "torus");
}

TEST(Spec, ValuesMayBeEmptyOrHoldColonsAndEqualsSigns) {
  const Spec spec = Spec::parse("file:path=a:b=c,format=");
  EXPECT_EQ(spec.values, (Values{{"path", "a:b=c"}, {"format", ""}}));
}

TEST(Spec, TextIsInOneFixedOrder) {
  EXPECT_EQ(Spec::parse("torus:hosts=4,dims=4x4").text(), "torus:dims=4x4,hosts=4");
  EXPECT_EQ(Spec::parse("torus:").text(), "torus");
}

TEST(Spec, Messages) {
  const auto message = [](std::string_view text) { return message_of([&] { Spec::parse(text); }); };
  const std::string advice = " is not a parameter: write key=value, separated by commas";
  EXPECT_EQ(message(""), "a name is missing: nothing is given");
  EXPECT_EQ(message(":dims=4"), "\":dims=4\": a name is missing before the colon");
  EXPECT_EQ(message("torus:4x4"), "torus: \"4x4\"" + advice);
  EXPECT_EQ(message("torus:=4x4"), "torus: \"=4x4\"" + advice);
  EXPECT_EQ(message("torus:hosts=4,dims"), "torus: \"dims\"" + advice);
  EXPECT_EQ(message("torus:,hosts=4"), "torus: \"\"" + advice);
  EXPECT_EQ(message("torus:hosts=4,,dims=4"), "torus: \"\"" + advice);
  EXPECT_EQ(message("torus:hosts=4,"), "torus: \"\"" + advice);
  EXPECT_EQ(message("torus:hosts=4,hosts=5"), "torus: hosts is given twice");
}

/// Any text without the marks that would end it.
std::string word_without(std::string_view marks) {
  return *rc::gen::container<std::string>(rc::gen::suchThat(
      rc::gen::arbitrary<char>(), [=](char c) { return marks.find(c) == marks.npos; }));
}

TEST(Spec, TextReadsBack) {
  EXPECT_TRUE(rc::check([] {
    Spec spec;
    spec.name = "n" + word_without(":");
    for (int n = *rc::gen::inRange(0, 5); n > 0; --n)
      spec.values.emplace("k" + word_without("=,"), word_without(","));
    const Spec again = Spec::parse(spec.text());
    RC_ASSERT(again.name == spec.name);
    RC_ASSERT(again.values == spec.values);
    RC_ASSERT(again.text() == spec.text());
  }));
}

// --- Params

constexpr std::array declared{
    Param{"dims", "4x4", "switches by dimension"}, Param{"hosts", "1", "hosts on each switch"},
    Param{"wrap", "yes", "are the ends linked?"},  Param{"speed", "8Gb/s", "of every link"},
    Param{"delay", "25ns", "of every link"},       Param{"order", "first", "first or last"}};

Params params(std::string_view values) {
  return Params(Spec::parse("torus:" + std::string(values)), declared);
}

TEST(Params, FallBackToWhatIsDeclared) {
  const Params p = params("");
  EXPECT_EQ(p.text("dims"), "4x4");
  EXPECT_EQ(p.dims("dims", 2), (std::vector<int>{4, 4}));
  EXPECT_EQ(p.integer("hosts", 0, 10), 1);
  EXPECT_TRUE(p.flag("wrap"));
  EXPECT_EQ(p.bandwidth("speed"), gigabits_per_second(8));
  EXPECT_EQ(p.duration("delay"), std::chrono::nanoseconds(25));
  EXPECT_EQ(p.choice("order", {"first", "last"}), 0U);
}

TEST(Params, TakeWhatIsGiven) {
  const Params p = params("dims=2x1000000x3,hosts=-7,wrap=no,speed=2.5Gb/s,delay=0ns,order=last");
  EXPECT_EQ(p.dims("dims", 2), (std::vector<int>{2, 1'000'000, 3}));
  EXPECT_EQ(p.integer("hosts", -7, -7), -7);
  EXPECT_FALSE(p.flag("wrap"));
  EXPECT_EQ(p.bandwidth("speed"), Bandwidth{2'500'000'000});
  EXPECT_EQ(p.duration("delay"), Duration(0));
  EXPECT_EQ(p.choice("order", {"first", "last"}), 1U);
}

TEST(Params, KnowWhatWasGiven) {
  const Params p = params("hosts=1,dims=2x2");
  EXPECT_TRUE(p.given("hosts")) << "even if it is the default";
  EXPECT_TRUE(p.given("dims"));
  EXPECT_FALSE(p.given("speed"));
  EXPECT_EQ(p.spec(), "torus:dims=2x2,hosts=1");
  EXPECT_EQ(params("").spec(), "torus");
  EXPECT_EQ(p.owner(), "torus");
}

TEST(Params, UnknownNames) {
  EXPECT_EQ(message_of([] { params("host=1"); }),
            "torus: unknown parameter host; it takes dims hosts wrap speed delay order");
  EXPECT_EQ(message_of([] { Params(Spec::parse("ring:x=1"), {}); }),
            "ring: unknown parameter x; it takes none");
}

TEST(Params, WrongWholeNumbers) {
  for (const char* wrong : {"", "x", "1.5", "1e3", "+1", " 1", "1 ", "-1", "11", "0x1",
                            "9223372036854775808", "99999999999999999999"})
    EXPECT_EQ(message_of([&] { params("hosts=" + std::string(wrong)).integer("hosts", 0, 10); }),
              "torus: hosts=" + std::string(wrong) + ": a whole number from 0 to 10 is needed");
  EXPECT_EQ(params("hosts=9223372036854775807").integer("hosts", 0, INT64_MAX), INT64_MAX);
}

TEST(Params, WrongFlags) {
  for (const char* wrong : {"", "true", "YES", "1"})
    EXPECT_EQ(message_of([&] { params("wrap=" + std::string(wrong)).flag("wrap"); }),
              "torus: wrap=" + std::string(wrong) + ": it can be no, yes");
}

TEST(Params, WrongChoices) {
  EXPECT_EQ(message_of([] {
              params("order=any").choice("order", {"first", "last", "both"});
            }),
            "torus: order=any: it can be first, last, both");
}

TEST(Params, WrongSpeeds) {
  const auto message = [](const std::string& text) {
    return message_of([&] { params("speed=" + text).bandwidth("speed"); });
  };
  EXPECT_EQ(message("8"),
            "torus: speed=8: \"8\" is not a speed: write a number and one of Tb/s, Gb/s, Mb/s, "
            "kb/s, b/s, TB/s, GB/s, MB/s, kB/s, B/s");
  EXPECT_EQ(message("0Gb/s"), "torus: speed=0Gb/s: a link needs a speed above zero");
  EXPECT_EQ(message("0.1b/s"), "torus: speed=0.1b/s: a link needs a speed above zero");
}

TEST(Params, WrongDurations) {
  EXPECT_EQ(
      message_of([] { params("delay=-5ns").duration("delay"); }),
      "torus: delay=-5ns: \"-5ns\" is not a duration: write a number and one of s, ms, us, ns, ps");
}

TEST(Params, WrongDimensions) {
  const auto message = [](const std::string& text) {
    return message_of([&] { params("dims=" + text).dims("dims", 2); });
  };
  for (const std::string wrong :
       {"", "x", "4x", "x4", "4xx4", "4*4", "4x4 ", "four", "99999999999999999999"})
    EXPECT_EQ(message(wrong),
              "torus: dims=" + wrong + ": write whole numbers joined by x, as in 4x4x2");
  for (const std::string wrong : {"1", "4x1", "0x4", "4x-4"})
    EXPECT_EQ(message(wrong), "torus: dims=" + wrong + ": a dimension needs 2 or more");
  EXPECT_EQ(message("4x1000001"), "torus: dims=4x1000001: a dimension can be 1000000 at most");
  EXPECT_EQ(params("dims=7").dims("dims", 2), std::vector<int>{7});
}

TEST(Params, LongValuesAreShownInPart) {
  EXPECT_EQ(message_of([] { params("order=" + std::string(99, 'a')).reject("order", "less"); }),
            "torus: order=" + std::string(60, 'a') + ": less");
}

TEST(ParamsDeathTest, ReadingAnUndeclaredParameterIsABug) {
  EXPECT_DEATH(params("").text("colour"),
               "weft: bug: torus reads the parameter \"colour\", which its row does not declare");
}

}  // namespace
}  // namespace weft::test
