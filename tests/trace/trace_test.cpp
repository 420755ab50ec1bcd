// SPDX-License-Identifier: Apache-2.0
// Traces give back the calls that they were built of, from memory and from a temporary file.
#include "trace/trace.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/message.hpp"
#include "calls.hpp"
#include "random_calls.hpp"
#include "support/allocations.hpp"

namespace weft::testing {
namespace {

using namespace weft::trace;

TEST(Trace, EveryKindHasAWordOfItsOwn) {
  std::set<std::string_view> words;
  for (int kind = 0; kind < call_kinds; ++kind) words.insert(to_text(static_cast<CallKind>(kind)));
  EXPECT_EQ(words.size(), static_cast<std::size_t>(call_kinds));
}

TEST(Trace, CallsComeBack) {
  EXPECT_TRUE(rc::check([] {
    const RankCalls calls = RandomCalls(*rc::gen::arbitrary<std::uint64_t>()).make();
    const Trace trace = trace_of(calls, {.source = "x"});
    RC_ASSERT(calls_of(trace) == calls);
    RC_ASSERT(trace.call_count(0) == calls[0].size());
    RC_ASSERT(calls_of(trace_of(calls, {.source = "x"}, 300)) == calls);
  }));
}

TEST(Trace, DependenciesComeBack) {
  RankCalls calls(1);
  for (std::uint64_t i = 0; i < 300; ++i) {
    calls[0].push_back({.kind = CallKind::compute, .stream = 255, .nic = 3, .time = Duration(i)});
    if (i > 0) calls[0].back().after = {{i - 1, false}, {i / 2, true}};
  }
  EXPECT_EQ(calls_of(trace_of(calls, {.is_graph = true})), calls);
}

TEST(Trace, CursorsOfAFileAreReadAlternately) {
  RankCalls calls(3);
  for (std::uint64_t i = 0; i < 20000; ++i) {
    calls[i % 3].push_back({.kind = CallKind::send, .peer = 1, .bytes = i, .line = i});
    if (i % 1000 == 0)  // longer than a chunk
      calls[i % 3].push_back({.kind = CallKind::allgatherv, .sizes{}, .line = i});
    if (i % 1000 == 0) calls[i % 3].back().sizes.assign(20000, i);
  }
  const Trace trace = trace_of(calls, {.source = "x"}, 50000);
  std::vector<CallCursor> cursors;
  for (Rank rank = 0; rank < 3; ++rank) cursors.push_back(trace.calls(rank));
  Call call;
  for (std::size_t i = 0; i < calls[2].size(); ++i)
    for (std::size_t rank = 0; rank < 3; ++rank) {
      ASSERT_TRUE(cursors[rank].next(call));
      ASSERT_EQ(call, calls[rank][i]);
      ASSERT_EQ(cursors[rank].index(), i + 1);
    }
}

TEST(Trace, WhatIsInTheFileIsNotInMemory) {
  constexpr std::uint64_t memory = 1 << 16, calls = 500'000;
  const std::uint64_t before = test::bytes_in_use();
  TraceBuilder builder({.source = "x", .ranks = 1}, memory);
  for (std::uint64_t i = 0; i < calls; ++i)
    builder.append(0, {.kind = CallKind::send, .peer = 1, .bytes = i, .line = i});
  EXPECT_LT(test::bytes_in_use() - before, 4 * memory);
  EXPECT_EQ(builder.finish().call_count(0), calls);
}

TEST(Trace, CallsHaveAPlace) {
  const Call call{.kind = CallKind::irecv, .line = 812};
  EXPECT_EQ(trace_of(RankCalls(4), {.source = "cg.trace"}).place_of(3, call),
            "cg.trace: line 812 (rank 3, irecv)");
  EXPECT_EQ(trace_of(RankCalls(2), {.source = "x", .place = "node", .files = {"x.0.et", "x.1.et"}})
                .place_of(1, call),
            "x.1.et: node 812 (rank 1, irecv)");
}

TEST(Trace, AFolderThatIsNotThereIsNamed) {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "/tmp" : before;
  setenv("TMPDIR", "/there/is/none", 1);
  const std::string said =
      test::message_of([] { trace_of({{{.kind = CallKind::init}}}, {.source = "x"}, 0); });
  setenv("TMPDIR", kept.c_str(), 1);
  EXPECT_EQ(said,
            "/there/is/none: no temporary file for the trace can be made here: No such file or "
            "directory; TMPDIR names the folder");
}

}  // namespace
}  // namespace weft::testing
