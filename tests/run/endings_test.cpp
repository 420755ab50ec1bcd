// SPDX-License-Identifier: Apache-2.0
// No operation is ever lost: every kind, destroyed, cancelled, timed out, or left by its peer.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "comm/capabilities.hpp"
#include "plan/mcast/mcast.hpp"
#include "support/worlds.hpp"

namespace weft::run {
namespace {

using namespace comm;
using test::Machine;
using namespace std::chrono_literals;

/// Two hosts, everything that any model offers, and a group of both.
Machine everything() {
  Machine machine("crossbar:hosts=2");
  machine.nic.events = true;
  const GroupRequest request{"both", {HostId(0), HostId(1)}};
  machine.tables.groups.push_back(
      std::get<Group>(make_group({machine.fabric, machine.tables, request}, "oriented")));
  return machine;
}

/// Of many operations that have not ended, a few of every rank and some ranks are shown.
TEST(PendingOperations, AreShownInPart) {
  std::vector<PendingOperation> pending;
  for (Rank rank = 0; rank < 100; ++rank)
    for (Rank peer = 0; peer < 6; ++peer)
      pending.push_back({.rank = rank, .kind = OpKind::recv, .peer = peer, .tag = 1, .since = 2us});
  const std::string text = to_text(pending, "  ");
  EXPECT_TRUE(text.starts_with("  rank 0 waits since 2us in recv from 0, tag 1\n")) << text;
  EXPECT_TRUE(text.ends_with("  rank 15 waits since 2us in recv from 3, tag 1\n  … and 536 more\n"))
      << text;
  EXPECT_EQ(to_text(std::span(pending).first(1)), "rank 0 waits since 2us in recv from 0, tag 1\n");
}

std::array<std::byte, 20'000> memory;
std::uint64_t word;

/// An operation that takes a while, or does not end by itself. Rank 1 does nothing.
struct Row {
  const char* name;
  std::function<Op(Endpoint&)> make;
  bool has_peer;  ///< it ends when rank 1 has left
};

const std::vector<Row>& rows() {
  const auto small = std::span(memory).first(8);
  static const std::vector<Row> all{
      {"eager send", [=](Endpoint& ep) { return ep.send(1, 3, small); }, false},
      {"long send", [](Endpoint& ep) { return ep.send(1, 3, memory); }, true},
      {"recv", [=](Endpoint& ep) { return ep.recv(1, 3, small); }, true},
      {"recv from anyone", [=](Endpoint& ep) { return ep.recv(any_source, 3, small); }, false},
      {"put",
       [=](Endpoint& ep) {
         return ep.put(1, {1, 2}, small);
       },
       true},
      {"long put",
       [=](Endpoint& ep) {
         return ep.put(1, {1, 2}, memory);
       },
       true},
      {"put with immediate data",
       [=](Endpoint& ep) {
         return ep.put(1, {1, 2}, small, Immediate{7});
       },
       true},
      {"notice", [](Endpoint& ep) { return ep.notice(1); }, true},
      {"notice from anyone", [](Endpoint& ep) { return ep.notice(); }, false},
      {"get",
       [=](Endpoint& ep) {
         return ep.get(1, {1, 2}, small);
       },
       true},
      {"until", [](Endpoint& ep) { return ep.until(word, at_least(std::uint64_t{5})); }, false},
      {"sleep", [](Endpoint& ep) { return ep.sleep(1ms); }, false},
      {"spend", [](Endpoint& ep) { return ep.spend(1ms); }, false},
      {"set event", [](Endpoint& ep) { return ep.capability<Events>()->set(1, 3); }, true},
      {"put and set event",
       [=](Endpoint& ep) {
         return ep.capability<Events>()->put_and_set(1, {1, 2}, small, 3);
       },
       true},
      {"wait event", [](Endpoint& ep) { return ep.capability<Events>()->wait(3, 1); }, false},
      {"multicast", [=](Endpoint& ep) { return ep.capability<Multicast>()->send(0, 3, small); },
       false},
      {"store", [](Endpoint& ep) { return ep.capability<SharedMemory>()->store(word, 1); }, false},
      {"increment", [](Endpoint& ep) { return ep.capability<SharedMemory>()->increment(word); },
       false},
  };
  return all;
}

/// Rank 0 runs a program; the other one waits for it.
void with_rank_0(const Row& row, const std::function<Task(Endpoint&)>& program) {
  SCOPED_TRACE(row.name);
  word = 0;
  everything().finish([&](Endpoint& ep) -> Task {
    if (ep.rank() == 0) {
      co_await program(ep);
      EXPECT_TRUE(ep.pending().empty());
      co_await ep.send(1, 77, {});
    } else {
      co_await ep.recv(0, 77, {});
    }
  });
}

TEST(Endings, DestroyedItIsForgotten) {
  for (const Row& row : rows())
    for (const Duration after : {Duration{0}, Duration{200ns}, Duration{1us}, Duration{3us}})
      with_rank_0(row, [&](Endpoint& ep) -> Task {
        {
          const Op op = row.make(ep);
          co_await ep.sleep(after);
        }
        co_await ep.sleep(100us);
      });
}

TEST(Endings, Cancelled) {
  for (const Row& row : rows())
    with_rank_0(row, [&](Endpoint& ep) -> Task {
      Op op = row.make(ep);
      EXPECT_FALSE(op.done());
      op.cancel();
      EXPECT_EQ((co_await op).status, Status::cancelled);
      op.cancel();
      EXPECT_EQ(op.result().status, Status::cancelled);
      co_await ep.sleep(100us);
    });
}

TEST(Endings, TimedOut) {
  for (const Row& row : rows())
    with_rank_0(row, [&](Endpoint& ep) -> Task {
      Op op = row.make(ep);
      op.within(1ns);
      const Time before = ep.now();
      EXPECT_EQ((co_await op).status, Status::timed_out);
      EXPECT_EQ(ep.now() - before, Duration(1ns));
      co_await ep.sleep(100us);
    });
}

TEST(Endings, ALimitThatIsNotReachedDoesNothing) {
  for (const Row& row : rows())
    with_rank_0(row, [&](Endpoint& ep) -> Task {
      Op op = row.make(ep);
      op.within(1s);
      Op other = ep.sleep(2s);
      other.within(500ms);
      EXPECT_EQ((co_await other).status, Status::timed_out);
      EXPECT_NE(op.result().status, Status::timed_out);
    });
}

TEST(Endings, ItsPeerLeavesBeforeMeanwhileOrAfterwards) {
  for (const Row& row : rows())
    for (const Duration start : {Duration{1us}, Duration{9'900ns}, Duration{20us}}) {
      if (!row.has_peer) continue;
      // Refused, if the target can still refuse it.
      const bool refused = start == Duration{1us} && std::string(row.name).find("put") == 0;
      SCOPED_TRACE(row.name);
      WorldOptions options;
      options.departures = {{1, 10us}};
      Status status{};
      everything().finish(
          [&](Endpoint& ep) -> Task {
            if (ep.rank() == 1) co_await ep.sleep(1s);
            co_await ep.sleep(start);
            status = (co_await row.make(ep)).status;
          },
          options);
      if (refused || (start == Duration{1us} && row.name == std::string("get")))
        EXPECT_EQ(status, Status::refused);
      else if (start == Duration{1us} && row.name == std::string("set event"))
        EXPECT_EQ(status, Status::ok);
      else
        EXPECT_EQ(status, Status::peer_gone) << start.count();
    }
}

TEST(Endings, AReceiveFromAnyoneThatWaitsForDataOfOneWhoLeaves) {
  WorldOptions options;
  options.departures = {{1, 10us}};
  everything().finish(
      [&](Endpoint& ep) -> Task {
        static std::array<std::byte, 2'000'000> long_message;
        if (ep.rank() == 1) co_await ep.send(0, 1, long_message);
        EXPECT_EQ((co_await ep.recv(any_source, 1, memory)).status, Status::peer_gone);
      },
      options);
}

TEST(Endings, AReceiverLearnsThatALongMessageWasWithdrawn) {
  for (const Duration posted : {Duration{0}, Duration{20us}})
    everything().finish([&](Endpoint& ep) -> Task {
      if (ep.rank() == 0) {
        {
          const Op op = ep.send(1, 1, memory);
          co_await ep.sleep(1us);  // asked, but not yet answered
        }
        const int next = 5;
        co_await ep.send(1, 1, bytes_of(next));
      } else {
        co_await ep.sleep(posted);
        Result result = co_await ep.recv(0, 1, memory);
        if (posted.count() == 0) {
          EXPECT_EQ(result.status, Status::cancelled);
          result = co_await ep.recv(0, 1, memory);
        }
        EXPECT_TRUE(result.ok());
        EXPECT_EQ(result.bytes, sizeof(int));
      }
    });
}

TEST(Endings, AStuckRunSaysWhoWaitsForWhat) {
  const WorldResult outcome = everything().run([&](Endpoint& ep) -> Task {
    co_await ep.sleep(3us);
    std::uint64_t mine = 0;
    if (ep.rank() == 0) {
      Op sent = ep.send(1, 5, memory);
      co_await ep.recv(1, 6, memory);
    } else {
      Op any_message = ep.recv(any_source, any_tag, writable_bytes_of(mine));
      any_message.cancel();
      Op other = ep.recv(any_source, 8, writable_bytes_of(mine));
      co_await ep.until(mine, at_least(std::uint64_t{1}));
    }
  });
  EXPECT_EQ(outcome.ended, WorldEnd::stuck);
  EXPECT_EQ(outcome.explanation,
            "rank 0 waits since 3us in send to 1, tag 5\n"
            "rank 0 waits since 3us in recv from 1, tag 6\n"
            "rank 1 waits since 3us in recv from anyone, tag 8\n"
            "rank 1 waits since 3us in until\n");
  EXPECT_EQ(outcome.pending.size(), 4U);
  EXPECT_EQ(outcome.finished[0], Time(-1));
}

TEST(Endings, WhatARankThrowsComesOut) {
  std::string text;
  try {
    everything().run([&](Endpoint& ep) -> Task {
      co_await ep.sleep(1us);
      if (ep.rank() == 1) throw Error("rank 1 has had enough");
      co_await ep.recv(1, 0, {});
    });
  } catch (const Error& error) {
    text = error.what();
  }
  EXPECT_EQ(text, "rank 1 has had enough");
}

TEST(Endings, ARunEndsWhenItsTimeIsUp) {
  WorldOptions options;
  options.until = 10us;
  const WorldResult outcome = everything().run(
      [&](Endpoint& ep) -> Task {
        for (;;) co_await test::dissemination(ep, 1);
      },
      options);
  EXPECT_EQ(outcome.ended, WorldEnd::out_of_time);
  EXPECT_GE(outcome.time, Time(9us));
  EXPECT_LE(outcome.time, Time(11us));
}

TEST(Endings, OptionsThatMakeNoSenseAreRejected) {
  const Machine machine = everything();
  const auto rejection = [&](const WorldOptions& options) -> std::string {
    try {
      machine.run([](Endpoint&) -> Task { co_return; }, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(rejection({.ranks_per_host = 0}),
            "world: 0 ranks per host: from 1 to 4096 are possible");
  EXPECT_EQ(rejection({.hosts = {HostId(7)}}), "world: host number 7 is not in the fabric");
  EXPECT_EQ(rejection({.departures = {{5, Time{}}}}), "world: rank 5 cannot leave: there are 2");
}

}  // namespace
}  // namespace weft::run
