// SPDX-License-Identifier: Apache-2.0
// In the steady state nothing is allocated for messages, operations, coroutines or events; and the
// records of a run.
#include <gtest/gtest.h>

#include "comm/coll/coll.hpp"
#include "support/allocations.hpp"
#include "support/fabrics.hpp"
#include "support/worlds.hpp"

namespace weft::run {
namespace {

using namespace comm;
using test::Machine;

/// Barriers, puts and long messages, with a child task for each barrier.
Task busy(Endpoint& ep, int turns, std::vector<std::uint64_t>& counts) {
  std::vector<std::byte> data(2000), into(2000), memory(64);
  const Region region = ep.expose(memory);
  const RemoteSlice there = region.slice();  // the first region of everyone has the same key
  for (int turn = 0; turn < turns; ++turn) {
    co_await test::dissemination(ep, turn);
    const Rank next = (ep.rank() + 1) % ep.size(), before = (ep.rank() + 3) % ep.size();
    Op put = ep.put(next, there, std::span(data).first(64));
    Op sent = ep.send(next, 1'000'000, data);
    Op limited = ep.recv(before, 1'000'000, into);
    limited.within(std::chrono::seconds(1));
    EXPECT_TRUE((co_await limited).ok());
    co_await all(put, sent);
    if (ep.rank() == 0) counts.push_back(test::allocations());
  }
}

/// The network checks for deadlocks every few thousand cycles, and allocates then.
WorldOptions unreviewed() {
  WorldOptions options;
  options.network.review = sim::Cycle{1} << 40;
  return options;
}

// The steady state takes many turns.
TEST(Allocation, ThereIsNonePerMessageInTheSteadyState) {
  if (test::is_slow_build()) GTEST_SKIP();
  const int turns = 4000;
  for (const char* nic : {"hca:mtu=256B", "hca:mtu=256B,eager=64B"}) {
    std::vector<std::uint64_t> counts;
    counts.reserve(static_cast<std::size_t>(turns));
    Machine("crossbar:hosts=4", "updown", nic)
        .finish([&](Endpoint& ep) { return busy(ep, turns, counts); }, unreviewed());
    ASSERT_EQ(counts.size(), static_cast<std::size_t>(turns));
    // What grows to the most that was ever under way at once may still grow, once or twice.
    EXPECT_LE(counts[3999] - counts[2000], 2U) << nic;
  }
}

Task meet(Endpoint& ep, const CollectiveSpec& how, std::vector<std::uint64_t>& counts) {
  const int turns = 1500;
  Team team(ep);
  const auto barrier = co_await make_barrier(team, how);
  for (int turn = 0; turn < turns; ++turn) {
    co_await barrier->enter();
    if (ep.rank() == 0) counts.push_back(test::allocations());
  }
}

TEST(Allocation, CollectivesMakeNoneEither) {
  if (test::is_slow_build()) GTEST_SKIP();
  for (const char* spec : {"pairwise", "pairwise_rdma", "tree", "smp"}) {
    const CollectiveSpec how{spec};
    std::vector<std::uint64_t> counts;
    counts.reserve(1500);
    WorldOptions options = unreviewed();
    options.ranks_per_host = 2;
    Machine("torus:dims=3x3,hosts=2")
        .finish([&](Endpoint& ep) { return meet(ep, how, counts); }, options);
    ASSERT_EQ(counts.size(), 1500U);
    // Queues of messages that came early grow to their greatest length first.
    EXPECT_LE(counts[1499] - counts[700], 20U) << spec;
    EXPECT_LE(counts[1499] - counts[1300], 2U) << spec;
  }
}

Task sum_up(Endpoint& ep, const CollectiveSpec& how, std::vector<std::uint64_t>& counts) {
  const int turns = 400;
  Team team(ep);
  const auto allreduce = co_await make_allreduce(team, how);
  std::vector<std::byte> data(600);
  const Reduction sum = sum_of<std::uint32_t>();
  for (int turn = 0; turn < turns; ++turn) {
    co_await allreduce->run(data, sum);
    if (ep.rank() == 0) counts.push_back(test::allocations());
  }
}

TEST(Allocation, ReductionsMakeNoneEither) {
  if (test::is_slow_build()) GTEST_SKIP();
  for (const char* spec : {"recursive_doubling", "ring", "rabenseifner", "tree"}) {
    const CollectiveSpec how{spec};
    std::vector<std::uint64_t> counts;
    counts.reserve(400);
    Machine("crossbar:hosts=6")
        .finish([&](Endpoint& ep) { return sum_up(ep, how, counts); }, unreviewed());
    ASSERT_EQ(counts.size(), 400U);
    EXPECT_LE(counts[399] - counts[300], 2U) << spec;
  }
}

TEST(Records, HaveEveryOperationAndOpenInATraceViewer) {
  const Machine machine("crossbar:hosts=2");
  WorldOptions options;
  options.record = true;
  World world(machine.fabric, machine.tables, machine.switches, machine.nic, options);
  world.run([](Endpoint& ep) -> Task {
    std::uint64_t word = 0;
    if (ep.rank() == 0)
      co_await ep.send(1, 4, bytes_of(word));
    else
      co_await ep.recv(0, 4, writable_bytes_of(word));
  });
  ASSERT_EQ(world.records().size(), 2U);
  const OperationRecord& received = world.records()[1];
  EXPECT_EQ(received.rank, 1);
  EXPECT_EQ(received.kind, OpKind::recv);
  EXPECT_EQ(received.tag, 4);
  EXPECT_EQ(received.bytes, 8U);
  EXPECT_EQ(received.posted, Time(0));
  EXPECT_GT(received.completed, Time(0));
  EXPECT_NE(received.message, 0U);
  EXPECT_EQ(received.message, world.records()[0].message);
}

/// Operations that overlap stand on rows of their own.
TEST(Records, AreATraceForChromeAndPerfetto) {
  const auto record = [](Rank rank, OpKind kind, int posted, int completed,
                         std::uint64_t message = 0) {
    return OperationRecord{rank,
                           kind,
                           Status::ok,
                           0,
                           4,
                           8,
                           message,
                           Time(posted * 100'000),
                           Time(completed * 100'000)};
  };
  EXPECT_EQ(to_trace({record(2, OpKind::recv, 10, 25, 26), record(1, OpKind::send, 0, 5, 26),
                      record(2, OpKind::put, 12, 30), record(2, OpKind::until, 25, 26)}),
            "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
            "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":\"rank 1\"}},\n"
            "{\"name\":\"send\",\"ph\":\"X\",\"pid\":1,\"tid\":0,\"ts\":0,\"dur\":0.5,"
            "\"args\":{\"peer\":0,\"tag\":4,\"bytes\":8,\"status\":\"ok\"}},\n"
            "{\"name\":\"message\",\"cat\":\"message\",\"ph\":\"s\",\"id\":\"1a\",\"pid\":1,"
            "\"tid\":0,\"ts\":0},\n"
            "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":2,\"args\":{\"name\":\"rank 2\"}},\n"
            "{\"name\":\"recv\",\"ph\":\"X\",\"pid\":2,\"tid\":0,\"ts\":1,\"dur\":1.5,"
            "\"args\":{\"peer\":0,\"tag\":4,\"bytes\":8,\"status\":\"ok\"}},\n"
            "{\"name\":\"message\",\"cat\":\"message\",\"ph\":\"f\",\"bp\":\"e\",\"id\":\"1a\","
            "\"pid\":2,\"tid\":0,\"ts\":2.5},\n"
            "{\"name\":\"put\",\"ph\":\"X\",\"pid\":2,\"tid\":1,\"ts\":1.2,\"dur\":1.8,"
            "\"args\":{\"peer\":0,\"tag\":4,\"bytes\":8,\"status\":\"ok\"}},\n"
            "{\"name\":\"until\",\"ph\":\"X\",\"pid\":2,\"tid\":0,\"ts\":2.5,\"dur\":0.1,"
            "\"args\":{\"peer\":0,\"tag\":4,\"bytes\":8,\"status\":\"ok\"}}\n]}\n");
}

TEST(Records, OfTheSameTimeStayInTheirOrder) {
  const auto record = [](OpKind kind) {
    return OperationRecord{.kind = kind, .completed = Time(1'000'000)};
  };
  const std::string trace = to_trace({record(OpKind::put), record(OpKind::get)});
  EXPECT_LT(trace.find("\"put\""), trace.find("\"get\"")) << trace;
}

}  // namespace
}  // namespace weft::run
