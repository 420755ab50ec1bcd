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

TEST(Spec, LanesAreUnderstoodByTheirOtherNames) {
  EXPECT_EQ(Spec::parse("iq:vcs=4").text(), "iq:lanes=4");
  EXPECT_EQ(Spec::parse("iq:vls=2,buffer=8").text(), "iq:buffer=8,lanes=2");
}

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
  EXPECT_EQ(message("iq:lanes=4,vcs=4"), "iq: lanes is given twice");
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
    Param{"dims", Dims{2}, "4x4", "switches by dimension"},
    Param{"hosts", Whole{0, 10}, "1", "hosts on each switch"},
    Param{"offset", Whole{-7, INT64_MAX}, "0", "of the first switch"},
    Param{"lanes", Whole{.least = 1, .most = 4, .word = "auto"}, "auto", "of every link"},
    Param{"groups", WholeUpTo{2, "a*h+1", "full"}, "full", "of switches"},
    Param{"wrap", YesNo{}, "yes", "are the ends linked?"},
    Param{"speed", BandwidthText{}, "8Gb/s", "of every link"},
    Param{"delay", DurationText{}, "25ns", "of every link"},
    Param{"tick", DurationText{.least = Duration{1000}}, "1ns", "of the clock"},
    Param{"mtu", BytesText{.least = Bytes{1}, .most = Bytes{4096}, .plain = true}, "1KiB", "data"},
    Param{"flit", BytesText{.least = Bytes{1}, .below = "a flit is not empty"}, "8B", "its size"},
    Param{"order", OneOf{"first", "last"}, "first", "of dimensions"},
    Param{"chunks", OneOf({"equal", "full"}, "it is equal or full"), "full", "of messages"},
    Param{"root", FreeText{}, "s0", "name of a switch"}};

Params params(std::string_view values) {
  return Params(Spec::parse("torus:" + std::string(values)), declared);
}

enum class Order { first, last };

TEST(Params, FallBackToWhatIsDeclared) {
  const Params p = params("");
  EXPECT_EQ(p.text("root"), "s0");
  EXPECT_EQ(p.written("dims"), "4x4");
  EXPECT_EQ(p.dims("dims"), (std::vector<int>{4, 4}));
  EXPECT_EQ(p.whole("hosts"), 1);
  EXPECT_TRUE(p.is("lanes", "auto"));
  EXPECT_TRUE(p.is("groups", "full"));
  EXPECT_TRUE(p.flag("wrap"));
  EXPECT_EQ(p.bandwidth("speed"), gigabits_per_second(8));
  EXPECT_EQ(p.duration("delay"), std::chrono::nanoseconds(25));
  EXPECT_EQ(p.bytes("mtu"), Bytes{1024});
  EXPECT_EQ(p.choice("order"), 0U);
  EXPECT_TRUE(p.is("order", "first"));
}

TEST(Params, TakeWhatIsGiven) {
  const Params p = params(
      "dims=2x1000000x3,hosts=10,offset=-7,lanes=4,groups=9,wrap=no,speed=2.5Gb/s,delay=0ns,"
      "mtu=4096,order=last");
  EXPECT_EQ(p.dims("dims"), (std::vector<int>{2, 1'000'000, 3}));
  EXPECT_EQ(p.whole<std::size_t>("hosts"), 10U);
  EXPECT_EQ(p.whole("offset"), -7);
  EXPECT_EQ(p.whole<int>("lanes"), 4);
  EXPECT_FALSE(p.is("lanes", "auto"));
  EXPECT_EQ(p.whole_up_to("groups", 9), 9);
  EXPECT_FALSE(p.flag("wrap"));
  EXPECT_EQ(p.bandwidth("speed"), Bandwidth{2'500'000'000});
  EXPECT_EQ(p.duration("delay"), Duration(0));
  EXPECT_EQ(p.bytes("mtu"), Bytes{4096});
  EXPECT_EQ(p.choice<Order>("order"), Order::last);
  EXPECT_TRUE(p.is("order", "last"));
  EXPECT_EQ(params("offset=9223372036854775807").whole("offset"), INT64_MAX);
  EXPECT_EQ(params("dims=7").dims("dims"), std::vector<int>{7});
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

std::string message(const std::string& values) {
  return message_of([&] { params(values); });
}

TEST(Params, UnknownNames) {
  EXPECT_EQ(message("host=1"),
            "torus: unknown parameter \"host\"; it takes dims hosts offset lanes groups wrap speed "
            "delay tick mtu flit order chunks root; did you mean hosts?");
  EXPECT_EQ(message_of([] { Params(Spec::parse("ring:x=1"), {}); }),
            "ring: unknown parameter \"x\"; it takes none");
}

TEST(Params, TheFirstWrongOneAsDeclaredIsNamed) {
  EXPECT_EQ(message("delay=5,wrap=maybe"), "torus: wrap=maybe: it can be no, yes");
}

TEST(Params, WrongWholeNumbers) {
  for (const std::string wrong : {"", "x", "1.5", "1e3", "+1", " 1", "1 ", "-1", "11", "0x1",
                                  "9223372036854775808", "99999999999999999999"})
    EXPECT_EQ(message("hosts=" + wrong),
              "torus: hosts=" + wrong + ": a whole number from 0 to 10 is needed");
  EXPECT_EQ(message("lanes=automatic"),
            "torus: lanes=automatic: a whole number from 1 to 4 is needed");
}

TEST(Params, AnUpperEndThatTheReaderKnows) {
  for (const std::string wrong : {"1", "10", "x", ""})
    EXPECT_EQ(message_of([&] { params("groups=" + wrong).whole_up_to("groups", 9); }),
              "torus: groups=" + wrong + ": a whole number from 2 to 9 is needed");
}

TEST(Params, WrongFlags) {
  for (const std::string wrong : {"", "true", "YES", "1"})
    EXPECT_EQ(message("wrap=" + wrong), "torus: wrap=" + wrong + ": it can be no, yes");
}

TEST(Params, WrongChoices) {
  EXPECT_EQ(message("order=any"), "torus: order=any: it can be first, last");
  EXPECT_EQ(message("chunks=odd"), "torus: chunks=odd: it is equal or full");
}

TEST(Params, WrongSpeeds) {
  EXPECT_EQ(message("speed=8"),
            "torus: speed=8: \"8\" is not a speed: write a number and one of Tb/s, Gb/s, Mb/s, "
            "kb/s, b/s, TB/s, GB/s, MB/s, kB/s, B/s");
  EXPECT_EQ(message("speed=0Gb/s"), "torus: speed=0Gb/s: a link needs a speed above zero");
  EXPECT_EQ(message("speed=0.1b/s"), "torus: speed=0.1b/s: a link needs a speed above zero");
}

TEST(Params, WrongDurations) {
  EXPECT_EQ(
      message("delay=-5ns"),
      "torus: delay=-5ns: \"-5ns\" is not a duration: write a number and one of s, ms, us, ns, ps");
  EXPECT_EQ(message("tick=999ps"), "torus: tick=999ps: 1ns is the least");
}

TEST(Params, WrongSizes) {
  const std::string units =
      " is not a size: write a number and one of GiB, MiB, KiB, GB, MB, kB, B";
  EXPECT_EQ(message("mtu=x"), "torus: mtu=x: \"x\"" + units);
  EXPECT_EQ(message("flit=8"), "torus: flit=8: \"8\"" + units);
  EXPECT_EQ(message("mtu=0"), "torus: mtu=0: 1B is the least");
  EXPECT_EQ(message("mtu=4097"), "torus: mtu=4097: 4KiB is the most");
  EXPECT_EQ(message("flit=0B"), "torus: flit=0B: a flit is not empty");
}

TEST(Params, WrongDimensions) {
  for (const std::string wrong :
       {"", "x", "4x", "x4", "4xx4", "4*4", "4x4 ", "four", "99999999999999999999"})
    EXPECT_EQ(message("dims=" + wrong),
              "torus: dims=" + wrong + ": write whole numbers joined by x, as in 4x4x2");
  for (const std::string wrong : {"1", "4x1", "0x4", "4x-4"})
    EXPECT_EQ(message("dims=" + wrong), "torus: dims=" + wrong + ": a dimension needs 2 or more");
  EXPECT_EQ(message("dims=4x1000001"), "torus: dims=4x1000001: a dimension can be 1000000 at most");
}

TEST(Params, LongValuesAreShownInPart) {
  EXPECT_EQ(message_of([] { params("root=" + std::string(99, 'a')).reject("root", "less"); }),
            "torus: root=" + std::string(60, 'a') + ": less");
}

TEST(Params, TypesInWords) {
  std::map<std::string_view, std::string> words;
  for (const Param& param : declared) words[param.name] = describe(param.type);
  EXPECT_EQ(words, (std::map<std::string_view, std::string>{{"dims", "2 or more each"},
                                                            {"hosts", "0 to 10"},
                                                            {"offset", "-7 or more"},
                                                            {"lanes", "auto | 1 to 4"},
                                                            {"groups", "full | 2 to a*h+1"},
                                                            {"wrap", ""},
                                                            {"speed", ""},
                                                            {"delay", ""},
                                                            {"tick", "1ns or more"},
                                                            {"mtu", "1B to 4KiB"},
                                                            {"flit", "1B or more"},
                                                            {"order", "first | last"},
                                                            {"chunks", "equal | full"},
                                                            {"root", ""}}));
  EXPECT_EQ(describe(Whole{1, 100, "MHz"}), "1 to 100 MHz");
  EXPECT_EQ(describe(FreeText{"0 to 1"}), "0 to 1");
}

TEST(ParamsDeathTest, ReadingWhatIsNotDeclaredIsABug) {
  EXPECT_DEATH(params("").text("colour"),
               "weft: bug: torus reads the parameter \"colour\", which its row does not declare");
  EXPECT_DEATH(
      params("").whole("dims"),
      "weft: bug: torus reads the parameter \"dims\" as another type than its row declares");
  EXPECT_DEATH(params("").is("order", "both"),
               "torus compares the parameter \"order\" with \"both\", which is none of its words");
}

}  // namespace
}  // namespace weft::test
