// SPDX-License-Identifier: Apache-2.0
// Checks of traces: programs that can come to their end pass, and what keeps one from it is named.
#include "trace/check.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/message.hpp"
#include "random_program.hpp"
#include "trace/formats/format.hpp"
#include "trace/summary.hpp"

namespace weft::testing {
namespace {

using namespace weft::trace;

/// The lines of each rank, between init and finalize.
Trace program_of(const std::vector<std::string>& ranks) {
  std::string text = fmt::format("ranks {}\n", ranks.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    text += fmt::format("rank {}\ninit\n{}finalize\n", rank, ranks[rank]);
  return read_trace({"x", stream_of(text)});
}

std::string verdict(const Trace& trace) {
  return test::message_of([&] { check(trace); });
}
std::string verdict(const std::vector<std::string>& ranks) { return verdict(program_of(ranks)); }

const std::string fine = "(no error)";

TEST(TraceCheck, RandomProgramsPass) {
  EXPECT_TRUE(rc::check([] {
    const RankCalls calls = RandomProgram(*rc::gen::arbitrary<std::uint64_t>()).make();
    RC_ASSERT(verdict(trace_of(calls, {.source = "x"})) == fine);
    RC_ASSERT(verdict(trace_of(calls, {.source = "x"}, 100)) == fine);
  }));
}

/// Takes one call out of a program; what is left either still passes or is rejected in words.
TEST(TraceCheck, ALostMessageIsNoticed) {
  EXPECT_TRUE(rc::check([] {
    RankCalls calls = RandomProgram(*rc::gen::arbitrary<std::uint64_t>()).make();
    std::vector<Call>& rank = calls[*rc::gen::inRange<std::size_t>(0, calls.size())];
    const std::size_t lost = *rc::gen::inRange<std::size_t>(0, rank.size());
    const Call call = rank[lost];
    rank.erase(rank.begin() + static_cast<std::ptrdiff_t>(lost));
    const bool needed = call.kind != CallKind::init && call.kind != CallKind::compute &&
                        call.kind != CallKind::wait && call.kind != CallKind::waitall;
    RC_ASSERT((verdict(trace_of(calls, {.source = "x"})) != fine) == needed);
  }));
}

TEST(TraceCheck, Ends) {
  EXPECT_EQ(verdict(read_trace({"x", stream_of("ranks 1\nrank 0\ninit\nbarrier\n")})),
            "x: line 4 (rank 0, barrier): cut off: this is the last call of rank 0, and not "
            "finalize");
  EXPECT_EQ(verdict(read_trace({"x", stream_of("ranks 1\nrank 0\n")})),
            "x: rank 0 makes no call: the trace is cut off");
  EXPECT_EQ(verdict({"finalize\ncompute 1\nwtime end 0.1\nbarrier\n"}),
            "x: line 7 (rank 0, barrier): rank 0 has called finalize before");
}

TEST(TraceCheck, Requests) {
  const std::string receive = "recv 0 7 8\n";
  EXPECT_EQ(verdict({"isend 0 1 7 8\nwait 0\n", receive}), fine);
  EXPECT_EQ(verdict({"isend 0 1 7 8\n", receive}), fine) << "it may have been freed";
  EXPECT_EQ(verdict({"isend 0 1 7 8\nwait 0\nwait 0\n", receive}),
            "x: line 6 (rank 0, wait): request 0 was waited for already in line 5");
  EXPECT_EQ(verdict({"isend 0 1 7 8\nwaitall 0\nwaitall 0\n", receive}),
            "x: line 6 (rank 0, waitall): request 0 was waited for already in line 5");
  EXPECT_EQ(verdict({"isend 0 1 7 8\nwaitall 0 0\n", receive}),
            "x: line 5 (rank 0, waitall): request 0 is there twice");
  EXPECT_EQ(verdict({"isend 0 1 7 8\nwait 1\n", receive}),
            "x: line 5 (rank 0, wait): request 1 was never started");
  EXPECT_EQ(verdict({"isend 0 1 7 8\nisend 0 1 7 8\n", receive}),
            "x: line 5 (rank 0, isend): request 0 is in use since line 4");
  EXPECT_EQ(verdict({"isend 0 1 7 8\nwait 0 1 8\n", receive}),
            "x: line 5 (rank 0, wait): request 0 is no receive that this call waits for");
}

/// In a time that grows with their number, not with its square.
TEST(TraceCheck, ManyRequestsOfOneCall) {
  std::string starts, requests, came, sends;
  for (int i = 0; i < 100'000; ++i) {
    starts += fmt::format("irecv {} 1 {} 8\n", i, i);
    requests += fmt::format(" {}", i);
    came += fmt::format(" ; {} 1 8", i);
    sends += fmt::format("send 0 {} 8\n", i);
  }
  EXPECT_EQ(verdict({starts + "waitall" + requests + came + "\n", sends}), fine);
}

TEST(TraceCheck, WhatCame) {
  const std::string send = "send 1 7 8\n";
  EXPECT_EQ(verdict({send, "irecv 0 0 7 8\nwait 0 0 8\n"}), fine);
  EXPECT_EQ(verdict({send, "irecv 0 0 7 8\nwait 0 0 9\n"}),
            "x: line 9 (rank 1, wait): 9 bytes came, and the receive has room for 8");
  EXPECT_EQ(verdict({send, "recv 0 7 8 1 8\n"}),
            "x: line 8 (rank 1, recv): a message came from rank 1, and the receive is for one from "
            "rank 0");
  EXPECT_EQ(verdict({"sendrecv 0 7 8 0 7 8 0 9\n"}),
            "x: line 4 (rank 0, sendrecv): 9 bytes came, and the receive has room for 8");
}

TEST(TraceCheck, Peers) {
  EXPECT_EQ(verdict({"send 2 7 8\n", ""}),
            "x: line 4 (rank 0, send): rank 2 is not in the world, which has 2 members");
  EXPECT_EQ(verdict({"send -1 7 8\n", ""}),
            "x: line 4 (rank 0, send): rank -1 is not in the world, which has 2 members");
  EXPECT_EQ(verdict({"recv -3 7 8\n", ""}),
            "x: line 4 (rank 0, recv): rank -3 is not in the world, which has 2 members");
  EXPECT_EQ(verdict({"send 1 7 8 @-1\n", ""}),
            "x: line 4 (rank 0, send): rank 1 is not in itself alone, which has 1 member");
  EXPECT_EQ(verdict({"send -2 7 8\nrecv -2 7 8\nsendrecv -2 0 1 -2 0 1\n", ""}), fine);
  EXPECT_EQ(verdict({"irecv 0 0 7 8 @-1\nsend 0 7 8 @-1\nwait 0\n", ""}), fine);
}

TEST(TraceCheck, Messages) {
  EXPECT_EQ(verdict({"send 1 7 8\nsend 1 7 8\n", "recv 0 7 8\n"}),
            "x: line 5 (rank 0, send): nobody receives this message; rank 0 sends 2 messages with "
            "tag 7, rank 1 receives 1");
  EXPECT_EQ(verdict({"send 1 7 8\n", "recv 0 7 8\nrecv 0 7 8\n"}),
            "x: line 9 (rank 1, recv): no message comes for this receive; rank 0 sends 1 message "
            "with tag 7, rank 1 receives 2");
  EXPECT_EQ(verdict({"send 1 7 8\n", "recv 0 8 8\n"}),
            "x: line 4 (rank 0, send): nobody receives this message; rank 0 sends 1 message with "
            "tag 7, rank 1 receives 0");
  const std::string dup = "comm 3 dup 0 0 1\n";
  EXPECT_EQ(verdict({dup + "send 1 7 8\n", dup + "recv 0 7 8 @3\n"}),
            "x: line 5 (rank 0, send): nobody receives this message; rank 0 sends 1 message with "
            "tag 7, rank 1 receives 0");
  EXPECT_EQ(verdict({dup + "send 1 7 8 @3\n", dup}),
            "x: line 5 (rank 0, send): nobody receives this message; rank 0 sends 1 message with "
            "tag 7 in communicator 3, rank 1 receives 0");
}

TEST(TraceCheck, SizesOfMessages) {
  EXPECT_EQ(verdict({"send 1 7 8\nsend 1 7 16\n", "recv 0 7 16\nrecv 0 7 16\n"}), fine);
  EXPECT_EQ(verdict({"send 1 7 8\nsend 1 7 16\n", "recv 0 7 9\nrecv 0 7 16\n"}), fine);
  EXPECT_EQ(verdict({"send 1 7 8\nsend 1 7 16\n", "recv 0 7 16\nrecv 0 7 8\n"}),
            "x: line 10 (rank 1, recv): room for 8 bytes, but the message for it has 16: x: line 5 "
            "(rank 0, send)");
  EXPECT_EQ(verdict({"send 1 7 16\nsend 1 7 8\n", "recv -1 7 16\nrecv 0 7 8\n"}), fine)
      << "the order in which wildcards match is open";
}

TEST(TraceCheck, Wildcards) {
  const std::string from_any = "recv -1 7 8\n", any_tag = "recv 0 -1 8\n", any = "recv -1 -1 8\n";
  EXPECT_EQ(verdict({"send 1 7 8\nsend 1 9 8\n", from_any + any_tag, ""}), fine);
  EXPECT_EQ(verdict({"send 1 7 8\n", from_any + "recv 2 7 8\n", "send 1 7 8\n"}), fine);
  EXPECT_EQ(verdict({"send 1 7 8\n", any + any, "send 1 5 8\n"}), fine);
  EXPECT_EQ(verdict({"send 1 9 8\n", from_any}),
            "x: line 8 (rank 1, recv): no message comes for this receive; rank 1 receives 1 from "
            "any rank with tag 7, and 0 messages are for them");
  EXPECT_EQ(verdict({"", any_tag, "send 1 7 8\n"}),
            "x: line 7 (rank 1, recv): no message comes for this receive; rank 1 receives 1 from "
            "rank 0 with any tag, and 0 messages are for them");
  EXPECT_EQ(verdict({"send 1 7 8\n", any + any}),
            "x: line 9 (rank 1, recv): no message comes for this receive; rank 1 receives 2 from "
            "any rank with any tag, and 1 message is for them");
  EXPECT_EQ(
      verdict({"send 1 7 8\nsend 1 7 8\n", any}),
      "x: line 9 (rank 1, recv): 2 messages are sent to rank 1 besides those with receives of "
      "their own, and it has 1 receive with wildcards");
  EXPECT_EQ(verdict({"send 1 7 8\n", any + "recv 0 9 8\n"}),
            "x: line 9 (rank 1, recv): no message comes for this receive; rank 0 sends 0 messages "
            "with tag 9, rank 1 receives 1");
}

TEST(TraceCheck, Collectives) {
  EXPECT_EQ(verdict({"barrier\nbcast 0 8\n", "barrier\nbcast 0 8\n"}), fine);
  EXPECT_EQ(
      verdict({"barrier\nbcast 0 8\n", "bcast 0 8\nbarrier\n"}),
      "x: line 9 (rank 1, bcast): rank 1 calls bcast of 8 bytes with root 0 as collective 1 on "
      "the world, rank 0 calls barrier: x: line 4 (rank 0, barrier)");
  EXPECT_EQ(
      verdict({"reduce 0 8\n", "reduce 1 8\n"}),
      "x: line 8 (rank 1, reduce): rank 1 calls reduce of 8 bytes with root 1 as collective 1 "
      "on the world, rank 0 calls reduce of 8 bytes with root 0: x: line 4 (rank 0, reduce)");
  EXPECT_EQ(
      verdict({"allgatherv 1 2\n", "allgatherv 1 3\n"}),
      "x: line 8 (rank 1, allgatherv): rank 1 calls allgatherv of 4 bytes in all as collective "
      "1 on the world, rank 0 calls allgatherv of 3 bytes in all: x: line 4 (rank 0, "
      "allgatherv)");
  EXPECT_EQ(
      verdict({"barrier\nallreduce 8\n", "barrier\n"}),
      "x: line 5 (rank 0, allreduce): rank 0 calls allreduce of 8 bytes as collective 2 on the "
      "world, rank 1 has only 1");
  EXPECT_EQ(
      verdict({"", "barrier\n"}),
      "x: line 7 (rank 1, barrier): rank 1 calls barrier as collective 1 on the world, rank 0 "
      "has only 0");
  EXPECT_EQ(verdict({"bcast 2 8\n", ""}), "x: line 4 (rank 0, bcast): root 2 is not in the world");
  EXPECT_EQ(verdict({"reducescatter 1 2 3\n", ""}),
            "x: line 4 (rank 0, reducescatter): 3 sizes for the 2 members of the world; each needs "
            "one");
  EXPECT_EQ(verdict({"barrier @-1\nbcast 0 8 @-1\n", "barrier @-1\n"}), fine);
}

TEST(TraceCheck, SizesOfCollectives) {
  EXPECT_EQ(verdict({"alltoallv 1 2 ; 1 3\n", "alltoallv 3 4 ; 2 4\n"}), fine);
  EXPECT_EQ(
      verdict({"barrier\nalltoallv 1 2 ; 1 3\n", "barrier\nalltoallv 3 4 ; 5 4\n"}),
      "x: line 5 (rank 0, alltoallv): rank 0 sends rank 1 2 bytes, which expects 5: x: line 10 "
      "(rank 1, alltoallv)");
  EXPECT_EQ(verdict({"alltoallv 1 ; 1\n", ""}),
            "x: line 4 (rank 0, alltoallv): 1 size for the 2 members of the world; each needs one");
  EXPECT_EQ(verdict({"gatherv 0 1 2\nscatterv 1 7\n", "gatherv 0 2\nscatterv 1 7 5\n"}), fine);
  EXPECT_EQ(verdict({"gatherv 0 1 2\n", "gatherv 0 3\n"}),
            "x: line 8 (rank 1, gatherv): rank 1 sends rank 0 3 bytes, which expects 2: x: line 4 "
            "(rank 0, gatherv)");
  EXPECT_EQ(verdict({"scatterv 0 1 2\n", "scatterv 0 3\n"}),
            "x: line 4 (rank 0, scatterv): rank 0 sends rank 1 2 bytes, which expects 3: x: line 8 "
            "(rank 1, scatterv)");
}

TEST(TraceCheck, Communicators) {
  const std::string dup = "comm 3 dup 0 0 1\n";
  EXPECT_EQ(verdict({dup + "barrier @3\ncommfree 3\n", dup + "barrier @3\ncommfree 3\n"}), fine);
  EXPECT_EQ(verdict({"comm 1 split 0 0\nbarrier @1\n", "comm -1 split 0\n"}), fine);
  EXPECT_EQ(verdict({"barrier @3\n", ""}),
            "x: line 4 (rank 0, barrier): rank 0 has not made communicator 3");
  EXPECT_EQ(verdict({dup + "commfree 3\nbarrier @3\n", ""}),
            "x: line 6 (rank 0, barrier): rank 0 has freed communicator 3");
  EXPECT_EQ(verdict({"commfree 0\n", ""}),
            "x: line 4 (rank 0, commfree): the world cannot be freed");
  EXPECT_EQ(verdict({dup + dup, ""}),
            "x: line 5 (rank 0, comm): communicator 3 is there already; ids are used once");
  EXPECT_EQ(verdict({"comm 3 split 0 1\n", ""}),
            "x: line 4 (rank 0, comm): rank 0 makes communicator 3 and is not among its members");
  EXPECT_EQ(verdict({"comm 3 split 0 0 2\n", ""}),
            "x: line 4 (rank 0, comm): member 2 is not in the world");
  EXPECT_EQ(verdict({"comm 3 split 0 0 1 0\n", ""}),
            "x: line 4 (rank 0, comm): member 0 is there twice");
  EXPECT_EQ(
      verdict({dup, "comm 3 dup 0 1 0\n"}),
      "x: line 8 (rank 1, comm): communicator 3 has other members or another parent in x: line "
      "4 (rank 0, comm)");
  EXPECT_EQ(verdict({"comm 3 split 0 0 1\n", "comm -1 split 0\n"}),
            "x: line 4 (rank 0, comm): communicator 3 has 2 members, but only 1 of them make it");
  EXPECT_EQ(verdict({dup + "barrier @3\n", dup}),
            "x: line 5 (rank 0, barrier): rank 0 calls barrier as collective 1 on communicator 3, "
            "rank 1 has only 0");
}

TEST(TraceCheck, Graphs) {
  const auto judged = [](RankCalls calls) {
    return verdict(
        trace_of(calls, {.source = "g", .is_graph = true, .communicators = {{1, "pair", {0, 1}}}}));
  };
  const Call one{.kind = CallKind::allreduce, .communicator = 1, .bytes = 8, .line = 1};
  const Call other{.kind = CallKind::alltoall, .communicator = 1, .bytes = 4, .line = 2};
  EXPECT_EQ(judged({{one, other}, {other, one}, {}}), fine) << "their lines have an order";
  EXPECT_EQ(
      judged({{one, other}, {other, other}, {}}),
      "g: line 2 (rank 1, alltoall): rank 1 calls alltoall of 4 bytes as collective 1 on group "
      "pair, rank 0 calls allreduce of 8 bytes: g: line 1 (rank 0, allreduce)");
  EXPECT_EQ(judged({{one}, {other, one}, {}}),
            "g: line 2 (rank 1, alltoall): rank 1 calls alltoall of 4 bytes as collective 2 on "
            "group pair, rank 0 has only 1");
  EXPECT_EQ(judged({{}, {}, {one}}), "g: line 1 (rank 2, allreduce): rank 2 is not in group pair");
  const Call send{.kind = CallKind::send, .peer = 1, .tag = any_message_tag};
  const Call receive{.kind = CallKind::recv, .peer = any_rank, .tag = 3};
  EXPECT_EQ(judged({{send}, {receive}, {}}), fine);
  EXPECT_EQ(judged({{send, send}, {receive}, {}}),
            "g: line 0 (rank 0, send): 2 messages are sent to rank 1, which receives 1");
}

/// Collectives match in the order of lines, but behind those that they depend on.
TEST(TraceCheck, OrderOfCollectivesInGraphs) {
  const auto judged = [](RankCalls calls) {
    return verdict(trace_of(calls, {.source = "g", .is_graph = true}));
  };
  const Call compute{.kind = CallKind::compute, .line = 9};
  Call reduce{.kind = CallKind::allreduce, .bytes = 8, .line = 1};
  Call barrier{.kind = CallKind::barrier, .after = {{0, false}}, .line = 2};
  const std::vector<Call> usual{reduce, barrier};
  reduce.line = 2, barrier.line = 1;
  EXPECT_EQ(judged({usual, {reduce, barrier}}), fine) << "the barrier depends on the reduction";
  barrier.after.clear();
  EXPECT_EQ(
      judged({usual, {reduce, barrier}}),
      "g: line 1 (rank 1, barrier): rank 1 calls barrier as collective 1 on the world, rank 0 "
      "calls allreduce of 8 bytes: g: line 1 (rank 0, allreduce)");
  reduce.line = 1, barrier.line = 2, reduce.after = {{0, false}};
  EXPECT_EQ(judged({usual, {compute, barrier, reduce}}), fine) << "what is ready late counts, too";
}

/// What the trace says of the recorded run takes the place of wildcards.
TEST(TraceCheck, RecordedMessagesOfWildcards) {
  const std::string sends = "send 0 1 8\nsend 0 1 1000\n", send = "send 0 2 8\n";
  EXPECT_EQ(verdict({"recv -1 1 8 1 8\nrecv 1 1 1000\nrecv 2 -1 8 2 8 2\n", sends, send}), fine);
  EXPECT_EQ(
      verdict({"irecv 5 -1 1 8\nirecv 6 1 1 1000\nwaitall 6 5 ; 5 1 8\nrecv 2 2 8\n", sends, send}),
      fine);
  EXPECT_EQ(
      verdict({"irecv 0 -1 2 8\nwait 0 1 8\nrecv 1 1 8\nrecv 1 1 1000\n", sends, send}),
      "x: line 4 (rank 0, irecv): no message comes for this receive; rank 1 sends 0 messages with "
      "tag 2, rank 0 receives 1");
  EXPECT_EQ(verdict({"irecv 0 -1 2 8\nrecv 1 1 8\nrecv 1 1 1000\nwait 0\n", sends, send}), fine);
}

TEST(TraceCheck, Amounts) {
  const std::string large = ": it has a buffer of more than 1099511627776 bytes, which is the most";
  const std::string half = "9223372036854775809";
  EXPECT_EQ(verdict({"allgather " + half + "\n", "allgather " + half + "\n"}),
            "x: line 4 (rank 0, allgather)" + large);
  EXPECT_EQ(verdict({"send 0 1 " + half + "\n"}), "x: line 4 (rank 0, send)" + large);
  EXPECT_EQ(verdict({"alltoallv " + half + " " + half + " ; 1 1\n", ""}),
            "x: line 4 (rank 0, alltoallv)" + large);
  EXPECT_EQ(verdict({"compute 9000000000000000\ncompute 9000000000000000\n"}),
            "x: line 5 (rank 0, compute): rank 0 computes for more than 106 days, which is the "
            "most");
  EXPECT_EQ(test::message_of([&] {
              summary_of(program_of({"alltoall " + half + "\n", ""}));
            }),
            "x: line 4 (rank 0, alltoall)" + large);
  const std::string most = "compute 9000000000000000\n";
  EXPECT_EQ(summary_of(program_of({most, most, most})).mean_compute,
            Duration(9'000'000'000'000'000'000));
}

TEST(TraceCheck, Tags) {
  EXPECT_EQ(verdict({"send 1 -1 8\n", "recv 0 3 8\n"}),
            "x: line 4 (rank 0, send): tag -1 of a message: it has to be 0 or more");
}

TEST(TraceSummaries, CollectivesWithSizesOfMembers) {
  const TraceSummary summary = summary_of(program_of(
      {"gatherv 0 5 7\nreducescatter 1 2\nallgather 4\nsend 1 0 0\nsend 1 0 1\nsend -2 0 8\n",
       "gatherv 0 7\nreducescatter 1 2\nallgather 4\nrecv 0 0 0\nrecv 0 0 1\ncompute 10\n"}));
  EXPECT_EQ(summary.calls, 16U);
  EXPECT_EQ(summary.messages, 2U);
  EXPECT_EQ(summary.sizes, (std::map<std::uint64_t, std::uint64_t>{{0, 1}, {1, 1}}));
  EXPECT_EQ(summary.collective_calls, 3U);
  EXPECT_EQ(summary.collective_payload, 7U + 6U + 16U);
  EXPECT_EQ(summary.mean_compute, Duration(5000));
}

}  // namespace
}  // namespace weft::testing
