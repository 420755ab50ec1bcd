// SPDX-License-Identifier: Apache-2.0
// GOAL: every construct of its grammar, schedules there and back, programs as schedules, and what
// is wrong in words.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <sstream>

#include "base/catalog.hpp"
#include "base/message.hpp"
#include "random_program.hpp"
#include "trace/check.hpp"
#include "trace/formats/format.hpp"
#include "trace/formats/goal_writer.hpp"
#include "trace/replay/expansion.hpp"

namespace weft::testing {
namespace {

using namespace weft::trace;

const std::string ping =
    "num_ranks 2\n"
    "rank 0 {\n"
    "// one eager message\n"
    "s: send 64b to 1 tag 5\n"
    "}\n"
    "rank 1 {\n"
    "r: recv 64b from 0 tag 5\n"
    "c: calc 7\n"
    "c requires r\n"
    "}\n";

Trace schedule_from(const std::string& text) { return read_trace({"x.goal", stream_of(text)}); }

std::string goal_of(const Trace& trace) {
  std::ostringstream out;
  find_row(trace_formats(), "format", "goal").write(out, trace);
  return out.str();
}

/// The calls of the only rank.
std::vector<Call> operations_of(const std::string& lines) {
  return without_lines(calls_of(schedule_from("num_ranks 1\nrank 0 {\n" + lines + "}\n")))[0];
}

TEST(Goal, Ping) {
  const Trace trace = schedule_from(ping);
  EXPECT_TRUE(trace.is_graph());
  EXPECT_EQ(calls_of(trace),
            (RankCalls{{{.kind = CallKind::send, .peer = 1, .tag = 5, .bytes = 64, .line = 4}},
                       {{.kind = CallKind::recv, .peer = 0, .tag = 5, .bytes = 64, .line = 7},
                        {.kind = CallKind::compute,
                         .time = Duration(7000),
                         .after = {{0, false}},
                         .line = 8}}}));
  check(trace);
}

TEST(Goal, EveryConstruct) {
  const RankCalls usual = without_lines(calls_of(schedule_from(ping)));
  const std::string other =
      "/* a comment\r\n over lines */ // another\r\n\tnum_ranks 2 rank 0\r\n{ s:send "
      "64bto1tag5\r\n"
      "}rank 1{/**/ r :\trecv 64 b from0tag 5 cpu0 nic0\r\n\r\n  c:calc 7cpu0\r\nc requires r\r\n"
      "/* the end */ } anything may follow";
  EXPECT_EQ(without_lines(calls_of(schedule_from(other))), usual);
  EXPECT_EQ(
      operations_of("recv 8b from -1 tag -1\nsend 8b to 0 tag -1 cpu 255 nic 3\n"),
      (std::vector<Call>{
          {.kind = CallKind::recv, .peer = any_rank, .tag = any_message_tag, .bytes = 8},
          {.kind = CallKind::send, .stream = 255, .nic = 3, .tag = any_message_tag, .bytes = 8}}));
  EXPECT_EQ(operations_of("recv 8b from 4294967295 tag 4294967295\n"),
            operations_of("recv 8b from -1 tag -1\n"));
  EXPECT_EQ(operations_of("send1: calc 1\nrank_a: calc 2\nrank_a irequires send1\n")[1].after,
            (std::vector<Dependency>{{0, true}}));
  EXPECT_EQ(operations_of("").size(), 0U);
  EXPECT_EQ(calls_of(schedule_from("num_ranks 2\nrank 0 { a: calc 1 }\nrank 1 { calc 2\n}\n"))[0],
            (std::vector<Call>{{.kind = CallKind::compute, .time = Duration(1000), .line = 2}}));
  EXPECT_EQ(operations_of("send 0b to 0\n")[0].bytes, 0U);
}

TEST(Goal, OfTwoLabelsTheFirstCounts) {
  EXPECT_EQ(operations_of("a: calc 1\na: calc 2\nb: calc 3\nb requires a\n"),
            (std::vector<Call>{
                {.kind = CallKind::compute, .time = Duration(1000)},
                {.kind = CallKind::compute, .time = Duration(2000)},
                {.kind = CallKind::compute, .time = Duration(3000), .after = {{0, false}}}}));
}

TEST(Goal, WhatIsReadyFirstComesFirst) {
  std::vector<std::int64_t> times;
  std::string line;
  for (const Call& call :
       operations_of("a: calc 1\nb: calc 2\nc: calc 3\nd: calc 4\ne: calc 5\n"
                     "a requires d\nb requires a\nc requires d\nc irequires e\n")) {
    times.push_back(call.time.count() / 1000);
    for (const Dependency& one : call.after) EXPECT_LT(one.on, times.size() - 1);
  }
  EXPECT_EQ(times, (std::vector<std::int64_t>{4, 5, 1, 3, 2}));
}

TEST(Goal, WrongLinesAreNamed) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"send 8b to 0 // no comment here",
       "\"// no comment here\" is too much: a statement ends with its line"},
      {"send b to 0",
       "\"b to 0\" is not a number of bytes; a whole number up to 18446744073709551615 is needed"},
      {"send 8 to 0", "\"b\" is needed behind the number of bytes, not \"to 0\""},
      {"send 8b from 0", "\"to\" is needed before the receiver, not \"from 0\""},
      {"recv 8b to 0", "\"from\" is needed before the sender, not \"to 0\""},
      {"send 8b to -1", "\"-1\" is not a rank; a whole number up to 1048575 is needed"},
      {"recv 8b from 1048576", "there is no rank 1048576"},
      {"send 8b to 0 nic 1 cpu 1", "\"cpu 1\" is too much: a statement ends with its line"},
      {"send 8b to 0 cpu 256", "\"256\" is not a processor; a whole number up to 255 is needed"},
      {"send 8b to 0 nic 256", "\"256\" is not a NIC; a whole number up to 255 is needed"},
      {"send 8b to 0 tag 4294967296",
       "\"4294967296\" is not a tag; a whole number up to 4294967295 is needed"},
      {"calc 9000000000000001",
       "\"9000000000000001\" is not a time in ns; a whole number up to 9000000000000000 is needed"},
      {"calc 1 nic 1", "\"nic 1\" is too much: a statement ends with its line"},
      {"calc5", "\":\", requires or irequires is needed behind the label calc5, not \"\""},
      {"a: wait 5", "\"wait\" is no operation; there are: send recv calc"},
      {"rank 1 {", "an operation, a dependency or \"}\" is needed, not \"rank 1 {\""},
      {"5: calc 1", "an operation, a dependency or \"}\" is needed, not \"5: calc 1\""},
      {"a requires b", "no operation before this line has the label a"},
      {"a needs b", "\":\", requires or irequires is needed behind the label a, not \"needs\""},
      {"a requires", "a label is needed behind requires"},
  };
  for (const auto& entry : wrong)
    EXPECT_EQ(test::message_of([&] { operations_of(entry.first + "\n"); }),
              "x.goal: line 3 (rank 0): " + entry.second);
}

TEST(Goal, WrongFilesAreNamed) {
  const auto message = [](const std::string& text) {
    return test::message_of([&] { read_trace({"x.goal", stream_of(text)}, {.format = "goal"}); });
  };
  EXPECT_EQ(message(""), "x.goal: cut off: num_ranks is missing");
  EXPECT_EQ(message("rank 0 {\n}\n"), "x.goal: line 1: \"num_ranks\" is needed here, not \"rank\"");
  EXPECT_EQ(message("num_ranks 0\n"), "x.goal: line 1: a schedule needs 1 rank or more");
  EXPECT_EQ(message("num_ranks 9999999\n"),
            "x.goal: line 1: \"9999999\" is not a number of ranks; a whole number up to 1048576 is "
            "needed");
  EXPECT_EQ(message("num_ranks 2\nrank 1 {\n}\n"),
            "x.goal: line 2: rank 0 is next: ranks come in their order, and none is left out");
  EXPECT_EQ(message("num_ranks 2\nrank 0 (\n"),
            "x.goal: line 2: \"{\" is needed behind the number of a rank, not \"(\"");
  EXPECT_EQ(message("num_ranks 2\n!\n"), "x.goal: line 2: \"rank\" is needed here, not \"!\"");
  EXPECT_EQ(message("num_ranks 2\nrank 0 {\n}\n"),
            "x.goal: cut off: of 2 ranks, rank 1 and those behind it are missing");
  EXPECT_EQ(message("num_ranks 1\nrank 0 {\ncalc 5\n"),
            "x.goal: cut off: rank 0 has no closing brace");
  EXPECT_EQ(message("num_ranks 1\n/* rank 0 {\n}\n"), "x.goal: cut off: a comment has no end");
  EXPECT_EQ(message("num_ranks 1\nrank 0 {\na: calc 1\na requires a\n}\n"),
            "x.goal: line 5 (rank 0): line 3 waits for itself");
  EXPECT_EQ(message("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\nc: calc 1\nc requires a\n"
                    "a irequires b\nb requires a\n}\n"),
            "x.goal: line 9 (rank 0): lines 3 and 4 wait for each other");
}

TEST(Goal, LongCirclesAreCut) {
  std::string lines;
  for (int i = 0; i < 20; ++i) lines += fmt::format("l{}: calc 1\n", i);
  for (int i = 0; i < 20; ++i) lines += fmt::format("l{} requires l{}\n", i, (i + 1) % 20);
  EXPECT_EQ(
      test::message_of([&] { operations_of(lines); }),
      "x.goal: line 43 (rank 0): lines 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 10 others wait for "
      "each other");
}

TEST(Goal, CutOffAnywhere) {
  for (std::size_t size = 0; size + 1 < ping.size(); ++size) {
    const auto read = [&] {
      read_trace({"x", stream_of(ping.substr(0, size))}, {.format = "goal"});
    };
    EXPECT_NE(test::message_of(read), "(no error)") << size;
  }
}

/// A random graph, in an order that its reader keeps.
RankCalls random_graph(std::uint64_t seed) {
  Rng rng(seed);
  RankCalls calls(1 + rng.below(3));
  for (auto& rank : calls) {
    for (std::uint64_t i = 0, count = rng.below(20); i < count; ++i) {
      Call call{.kind = CallKind::compute, .stream = static_cast<std::uint32_t>(rng.below(3))};
      call.time = Duration(static_cast<std::int64_t>(rng.below(1000)) * 1000);
      if (rng.below(3) != 0) {
        call = {.kind = rng.below(2) != 0 ? CallKind::send : CallKind::recv,
                .nic = static_cast<std::uint32_t>(rng.below(3)),
                .peer = static_cast<Rank>(rng.below(calls.size())),
                .tag = static_cast<std::int64_t>(rng.below(5)) - 1,
                .bytes = 1 + rng.below(1000)};
      }
      // Chains, so that the order of operations is the only one.
      if (i > 0) call.after = {{i - 1, rng.below(2) != 0}};
      if (i > 0 && rng.below(2) != 0) call.after.push_back({rng.below(i), rng.below(2) != 0});
      rank.push_back(call);
    }
  }
  return calls;
}

TEST(Goal, RandomGraphsThereAndBack) {
  EXPECT_TRUE(rc::check([] {
    const RankCalls calls = random_graph(*rc::gen::arbitrary<std::uint64_t>());
    const std::string text = goal_of(trace_of(calls, {.source = "x", .is_graph = true}));
    RC_ASSERT(without_lines(calls_of(schedule_from(text))) == calls);
    RC_ASSERT(goal_of(schedule_from(text)) == text);
  }));
}

TEST(Goal, ProgramsBecomeGraphs) {
  const auto written = [](const std::string& lines) {
    const std::string text = "ranks 1\nrank 0\ninit\n" + lines + "finalize\n";
    return goal_of(expanded(read_trace({"x", stream_of(text)}), CollectiveAlgorithms()));
  };
  EXPECT_EQ(written("compute 5\nsend 0 7 8\nwtime begin 0.1\nrecv 0 7 16 0 8\n"),
            "num_ranks 1\nrank 0 {\nl0: calc 5\nl1: send 8b to 0 tag 7\nl1 requires l0\n"
            "l2: recv 16b from 0 tag 7\nl2 requires l1\n}\n");
  EXPECT_EQ(written("irecv 0 0 7 8\nisend 1 0 7 8\ncompute 2\nwaitall 0 1\ncompute 3\n"),
            "num_ranks 1\nrank 0 {\nl0: recv 8b from 0 tag 7\nl1: send 8b to 0 tag 7\n"
            "l1 irequires l0\nl2: calc 2\nl2 irequires l1\nl3: calc 3\nl3 requires l2\n"
            "l3 requires l0\nl3 requires l1\n}\n");
  EXPECT_EQ(written("isend 1 0 7 8\nwait 1\nirecv 2 -2 0 8\nwait 2\nssend 0 1 0\n"),
            "num_ranks 1\nrank 0 {\nl0: send 8b to 0 tag 7\nl1: send 1b to 0 tag 1\nl1 requires "
            "l0\n}\n");
  EXPECT_EQ(written("sendrecv 0 1 2 0 3 4\ncompute 1.5\nsendrecv -2 1 2 -2 3 4\ncompute 1.4\n"),
            "num_ranks 1\nrank 0 {\nl0: recv 4b from 0 tag 3\nl1: send 2b to 0 tag 1\n"
            "l1 irequires l0\nl2: calc 2\nl2 requires l0\nl2 requires l1\nl3: calc 1\n"
            "l3 requires l2\n}\n");
  EXPECT_EQ(written("send 0 7 8\nrecv -1 -1 8 0 8 7\nsend 0 9 8\nrecv -1 -1 8\n"),
            "num_ranks 1\nrank 0 {\nl0: send 8b to 0 tag 7\nl1: recv 8b from 0 tag 7\n"
            "l1 requires l0\nl2: send 8b to 0 tag 9\nl2 requires l1\n"
            "l3: recv 8b from -1 tag -1\nl3 requires l2\n}\n")
      << "the recorded run says what the first receive got";
}

TEST(Goal, ProgramsWithoutCollectivesCanStillEnd) {
  EXPECT_TRUE(rc::check([] {
    RankCalls calls = RandomProgram(*rc::gen::arbitrary<std::uint64_t>()).make();
    for (auto& rank : calls)
      for (Call& call : rank) {
        if (is_collective(call.kind)) call = {.kind = CallKind::compute};
        call.communicator = world;
      }
    const std::string text =
        goal_of(expanded(trace_of(calls, {.source = "x"}), CollectiveAlgorithms()));
    RC_ASSERT(test::message_of([&] { check(schedule_from(text)); }) == "(no error)");
  }));
}

TEST(Goal, WhatItCannotHold) {
  const auto message = [](const Call& call, bool is_graph) {
    return test::message_of(
        [&] { goal_of(trace_of({{call}}, {.source = "x", .is_graph = is_graph})); });
  };
  EXPECT_EQ(message({.kind = CallKind::send}, false),
            "x: a program, which GOAL can hold as a graph of its messages only");
  EXPECT_EQ(message({.kind = CallKind::bcast, .line = 3}, true),
            "x: line 3 (rank 0, bcast): GOAL has no collectives, only messages");
  EXPECT_EQ(message({.kind = CallKind::send, .communicator = 5, .line = 3}, true),
            "x: line 3 (rank 0, send): GOAL has no communicators, and this is a message in 5");
  EXPECT_EQ(message({.kind = CallKind::send, .tag = 4294967295, .line = 3}, true),
            "x: line 3 (rank 0, send): tag 4294967295 is larger than GOAL can hold, which is "
            "4294967294");
  EXPECT_EQ(message({.kind = CallKind::send, .stream = 256, .line = 3}, true),
            "x: line 3 (rank 0, send): GOAL has processors and NICs 0 to 255, not 256");
}

}  // namespace
}  // namespace weft::testing
