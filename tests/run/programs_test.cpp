// SPDX-License-Identifier: Apache-2.0
// Host programs in a simulated world: messages of any size, puts and gets, teams, time.
#include <gtest/gtest.h>

#include <cstring>

#include "base/rng.hpp"
#include "comm/team.hpp"
#include "support/fabrics.hpp"
#include "support/worlds.hpp"

namespace weft::run {
namespace {

using namespace comm;
using test::Machine;
using namespace std::chrono_literals;

TEST(Programs, PingPongTakesTheSameTimeEveryTime) {
  const Machine machine("crossbar:hosts=2");
  std::vector<Time> halves;
  machine.finish([&](Endpoint& ep) -> Task {
    std::uint64_t ball = 0;
    for (int i = 0; i < 5; ++i) {
      const Time before = ep.now();
      if (ep.rank() == 0) {
        co_await ep.send(1, 7, bytes_of(ball));
        co_await ep.recv(1, 7, writable_bytes_of(ball));
        halves.push_back((ep.now() - before) / 2);
      } else {
        co_await ep.recv(0, 7, writable_bytes_of(ball));
        ++ball;
        co_await ep.send(0, 7, bytes_of(ball));
      }
    }
    EXPECT_EQ(ball, 5U);
  });
  ASSERT_EQ(halves.size(), 5U);
  for (const Time half : halves) {
    EXPECT_GT(half, 500ns);
    EXPECT_LT(half, 2us);
    EXPECT_LT(half - halves[0], 20ns);
    EXPECT_LT(halves[0] - half, 20ns);
  }
}

TEST(Programs, ADisseminationBarrierHoldsEveryoneUntilTheLast) {
  for (const int hosts : {1, 2, 3, 7, 8, 13}) {
    const Machine machine("crossbar:hosts=" + std::to_string(hosts));
    std::vector<Time> entered(static_cast<std::size_t>(hosts)), left(entered);
    machine.finish([&](Endpoint& ep) -> Task {
      const auto me = static_cast<std::size_t>(ep.rank());
      co_await ep.sleep(Duration(1'000'000 * ((ep.rank() * 7) % 5)));
      entered[me] = ep.now();
      co_await test::dissemination(ep, 1);
      left[me] = ep.now();
    });
    EXPECT_GE(*std::min_element(left.begin(), left.end()),
              *std::max_element(entered.begin(), entered.end()));
  }
}

TEST(Programs, ThousandsOfRanksMeet) {
  const Machine machine("torus:dims=8x8x4,hosts=4", "dor");
  WorldOptions options;
  options.ranks_per_host = 4;
  const WorldResult outcome =
      machine.finish([](Endpoint& ep) -> Task { co_await test::dissemination(ep, 0); }, options);
  EXPECT_EQ(outcome.finished.size(), 4096U);
  EXPECT_GT(outcome.time, Time(10us));  // twelve rounds
}

// --- all to all ---------------------------------------------------------------------------------

struct Traffic {
  std::uint64_t seed;
  std::size_t messages;  ///< from each to each
  std::size_t longest;
};

std::vector<std::byte> contents(const Traffic& traffic, Rank from, Rank to, std::size_t number) {
  Rng rng(traffic.seed * 1'000'003 + static_cast<std::uint64_t>(from * 1009 + to) * 131 + number);
  std::vector<std::byte> out(rng.below(4) == 0 ? rng.below(traffic.longest) : rng.below(64));
  for (std::byte& byte : out) byte = static_cast<std::byte>(rng.next());
  return out;
}

/// Every rank sends to every rank, itself included, and receives in an order of its own: exactly,
/// from anyone, or any tag. What it gets must be what was sent, in order for each sender and tag.
Task exchange(Endpoint& ep, Traffic traffic, std::size_t& received) {
  Rng rng(traffic.seed + static_cast<std::uint64_t>(ep.rank()));
  const auto all = static_cast<std::size_t>(ep.size());
  const std::size_t count = all * traffic.messages;
  std::vector<std::vector<std::byte>> data;
  Ops sends(ep, count);
  for (std::size_t number = 0; number < traffic.messages; ++number)
    for (Rank to = 0; to < ep.size(); ++to)
      data.push_back(contents(traffic, ep.rank(), to, number));
  for (std::size_t i = 0; i < count; ++i)
    sends.add([&] { return ep.send(static_cast<Rank>(i % all), 5, data[i]); });

  std::vector<std::size_t> next(all), left(all, traffic.messages);
  std::vector<std::byte> buffer(traffic.longest);
  for (std::size_t i = 0; i < count; ++i) {
    if (rng.below(8) == 0)
      co_await ep.sleep(Duration(static_cast<std::int64_t>(rng.below(3'000'000))));
    Rank from = any_source;
    if (rng.below(2) == 0) {
      from = static_cast<Rank>(rng.below(all));
      while (left[static_cast<std::size_t>(from)] == 0) from = (from + 1) % ep.size();
    }
    const Result result = co_await ep.recv(from, rng.below(2) == 0 ? 5 : any_tag, buffer);
    EXPECT_TRUE(result.ok());
    EXPECT_TRUE(from == any_source || result.sender == from);
    const auto sender = static_cast<std::size_t>(result.sender);
    const auto expected = contents(traffic, result.sender, ep.rank(), next[sender]++);
    --left[sender];
    EXPECT_EQ(result.bytes, expected.size());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), buffer.begin()));
    ++received;
  }
  co_await sends.all();
  for (std::size_t i = 0; i < count; ++i) EXPECT_TRUE(sends[i].result().ok());
}

TEST(Programs, AllToAllDeliversEverythingOnceAndInOrder) {
  const char* topologies[] = {"crossbar:hosts=5", "torus:dims=3x3", "ring:switches=4,hosts=2"};
  const char* libraries[] = {"none", "ucx:fragment=300B,eager=2KiB", "none",
                             "ucx:fragment=64B,eager=5KiB", "ucx:eager=100B,by=write"};
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(test::tries(9)); ++seed) {
    const Machine machine(topologies[seed % 3], "updown", "hca:mtu=256B,eager=1KiB",
                          seed % 2 == 0 ? "iq:buffer=16,lanes=4" : "iq:buffer=16");
    std::size_t received = 0;
    const Traffic traffic{seed, 4, 5000};
    WorldOptions options;
    options.ranks_per_host = 1 + static_cast<int>(seed % 3);
    options.library = library_from(libraries[seed % 5]);
    machine.finish([&](Endpoint& ep) { return exchange(ep, traffic, received); }, options);
    const std::size_t ranks =
        machine.fabric.host_count() * static_cast<std::size_t>(options.ranks_per_host);
    EXPECT_EQ(received, ranks * ranks * traffic.messages);
  }
}

TEST(Programs, TheSameRunTwiceIsTheSame) {
  const Machine machine("torus:dims=3x3", "dor");
  const auto once = [&] {
    std::size_t received = 0;
    return machine.finish([&](Endpoint& ep) {
                    return exchange(ep, {3, 3, 3000}, received);
                  })
        .finished;
  };
  EXPECT_EQ(once(), once());
}

TEST(Programs, AMessageThatIsTooLongIsCutAndSaysSo) {
  for (const char* nic : {"hca:mtu=256B", "hca:mtu=256B,eager=0B"}) {
    const Machine machine("crossbar:hosts=2", "updown", nic);
    machine.finish([&](Endpoint& ep) -> Task {
      const std::array<std::uint64_t, 4> sent{1, 2, 3, 4};
      if (ep.rank() == 0) {
        EXPECT_TRUE((co_await ep.send(1, 0, bytes_of(sent))).ok());
      } else {
        std::array<std::uint64_t, 3> got{9, 9, 9};
        const Result result =
            co_await ep.recv(0, 0, std::as_writable_bytes(std::span(got)).first(16));
        EXPECT_EQ(result.status, Status::truncated);
        EXPECT_EQ(result.bytes, 32U);
        EXPECT_EQ(got, (std::array<std::uint64_t, 3>{1, 2, 9}));
      }
    });
  }
}

// --- one-sided ----------------------------------------------------------------------------------

/// Sends what others need to reach a region.
Task publish(Endpoint& ep, Rank to, const Region& region) {
  const RemoteSlice slice = region.slice();
  co_await ep.send(to, 99, bytes_of(slice));
}
TaskOf<RemoteSlice> learn(Endpoint& ep, Rank from) {
  RemoteSlice slice;
  co_await ep.recv(from, 99, writable_bytes_of(slice));
  co_return slice;
}

TEST(OneSided, PutThenUntilThenGet) {
  const Machine machine("crossbar:hosts=2");
  machine.finish([&](Endpoint& ep) -> Task {
    std::array<std::uint64_t, 64> memory{};
    const Region region = ep.expose(std::as_writable_bytes(std::span(memory)));
    const Rank other = 1 - ep.rank();
    co_await publish(ep, other, region);
    const RemoteSlice there = co_await learn(ep, other);
    const std::uint64_t number = 100 + static_cast<std::uint64_t>(ep.rank());
    Op put = ep.put(other, {there.key, 8}, bytes_of(number));
    co_await ep.until(memory[1], at_least(std::uint64_t{100}));
    EXPECT_EQ(memory[1], 100 + static_cast<std::uint64_t>(other));
    EXPECT_TRUE((co_await put).ok());
    std::uint64_t read = 0;
    const Result got = co_await ep.get(other, {there.key, 8}, writable_bytes_of(read));
    EXPECT_TRUE(got.ok());
    EXPECT_EQ(read, number);
    co_await test::dissemination(ep, 1);  // regions close at the end
  });
}

TEST(OneSided, WhatIsNotAllowedIsRefusedAndTouchesNothing) {
  const Machine machine("crossbar:hosts=2");
  machine.finish([&](Endpoint& ep) -> Task {
    std::array<std::uint64_t, 4> memory{7, 7, 7, 7};
    const auto bytes = std::as_writable_bytes(std::span(memory));
    const Region open = ep.expose(bytes.first(16));
    const Region readable = ep.expose(bytes, RegionRights::remote_read);
    const Region writable = ep.expose(bytes, RegionRights::remote_write);
    const Region local = ep.expose(bytes, RegionRights::local);
    std::uint64_t closed = 0;
    {
      const Region brief = ep.expose(bytes);
      closed = brief.key();
    }
    if (ep.rank() == 1) {
      co_await publish(ep, 0, open);
      co_await publish(ep, 0, readable);
      co_await publish(ep, 0, writable);
      co_await publish(ep, 0, local);
      co_await ep.send(0, 1, bytes_of(closed));
      co_await ep.recv(0, 2, {});
      EXPECT_EQ(memory, (std::array<std::uint64_t, 4>{7, 7, 7, 7}));
      co_return;
    }
    const RemoteSlice all = co_await learn(ep, 1), read = co_await learn(ep, 1),
                      write = co_await learn(ep, 1), none = co_await learn(ep, 1);
    co_await ep.recv(1, 1, writable_bytes_of(closed));
    const std::array<std::uint64_t, 2> data{1, 2};
    std::array<std::uint64_t, 2> into{3, 3};
    const RemoteSlice bad_puts[] = {{all.key, 8}, {all.key, 17}, {all.key, ~std::uint64_t{7}},
                                    read,         none,          {closed, 0},
                                    {12345, 0}};
    for (const RemoteSlice& bad : bad_puts)
      EXPECT_EQ((co_await ep.put(1, bad, bytes_of(data))).status, Status::refused);
    const RemoteSlice bad_gets[] = {{all.key, 8}, write, none, {closed, 0}};
    for (const RemoteSlice& bad : bad_gets)
      EXPECT_EQ((co_await ep.get(1, bad, writable_bytes_of(into))).status, Status::refused);
    EXPECT_EQ(into, (std::array<std::uint64_t, 2>{3, 3}));
    EXPECT_TRUE((co_await ep.get(1, read, writable_bytes_of(into))).ok());
    EXPECT_EQ(into, (std::array<std::uint64_t, 2>{7, 7}));
    co_await ep.send(1, 2, {});
  });
}

TEST(OneSided, AnImmediateValueConsumesADescriptor) {
  const Machine machine("crossbar:hosts=2");
  machine.finish([&](Endpoint& ep) -> Task {
    std::uint64_t word = 0;
    const Region region = ep.expose(writable_bytes_of(word));
    if (ep.rank() == 0) {
      co_await publish(ep, 1, region);
      Op posted = ep.notice(1);
      const Result first = co_await posted;
      EXPECT_EQ(first.immediate, 41U);
      EXPECT_EQ(first.sender, 1);
      EXPECT_EQ(first.bytes, 8U);
      co_await ep.sleep(50us);
      EXPECT_EQ((co_await ep.notice()).immediate, 42U);  // it was there before the descriptor
      EXPECT_EQ(word, 6U);
    } else {
      const RemoteSlice there = co_await learn(ep, 0);
      const std::uint64_t five = 5, six = 6;
      co_await ep.put(0, there, bytes_of(five), Immediate{41});
      co_await ep.put(0, there, bytes_of(six), Immediate{42});
    }
  });
}

TEST(OneSided, ANicThatInsistsOnDescriptorsSaysSo) {
  Machine machine("crossbar:hosts=2");
  machine.nic.insists_on_descriptors = true;
  machine.finish([&](Endpoint& ep) -> Task {
    std::uint64_t word = 0;
    const Region region = ep.expose(writable_bytes_of(word));
    if (ep.rank() == 0) {
      co_await publish(ep, 1, region);
      co_await ep.recv(1, 3, {});
      EXPECT_EQ(word, 0U);
    } else {
      const RemoteSlice there = co_await learn(ep, 0);
      const std::uint64_t five = 5;
      EXPECT_EQ((co_await ep.put(0, there, bytes_of(five), Immediate{1})).status,
                Status::not_ready);
      co_await ep.send(0, 3, {});
    }
  });
}

// --- own time and memory ------------------------------------------------------------------------

TEST(OwnTime, SleepingWorksBesideWorkingButWorkingDoesNot) {
  const Machine machine("crossbar:hosts=1");
  machine.finish([&](Endpoint& ep) -> Task {
    Op sleep = ep.sleep(5us), other = ep.sleep(5us);
    co_await all(sleep, other);
    EXPECT_EQ(ep.now(), Time(5us));
    Op work = ep.spend(5us), more = ep.spend(5us);
    co_await all(work, more);
    EXPECT_EQ(ep.now(), Time(15us));
    Op shorter = ep.sleep(1us), longer = ep.sleep(100us);
    EXPECT_EQ(co_await any(longer, shorter), 1U);
    EXPECT_EQ(ep.now(), Time(16us));
  });
}

TEST(OwnTime, AProcessorThatWorksNoticesMessagesLater) {
  const Machine machine("crossbar:hosts=2");
  machine.finish([&](Endpoint& ep) -> Task {
    if (ep.rank() == 0) {
      co_await ep.send(1, 0, {});
      co_return;
    }
    Op message = ep.recv(0, 0, {});
    co_await ep.spend(100us);
    EXPECT_FALSE(message.done());
    co_await message;
    EXPECT_GT(ep.now(), Time(100us));
    EXPECT_LT(ep.now(), Time(101us));
  });
}

TEST(OwnMemory, WordsCompareModuloTheirWidth) {
  const Machine machine("crossbar:hosts=1");
  machine.finish([&](Endpoint& ep) -> Task {
    const std::uint8_t behind = 250, ahead = 3;
    EXPECT_TRUE((co_await ep.until(ahead, at_least(std::uint8_t{250}))).ok());
    Op never = ep.until(behind, at_least(std::uint8_t{3}));
    EXPECT_FALSE(never.done());
    const std::int8_t minus = -1;
    EXPECT_FALSE(ep.until(minus, at_least(std::int8_t{0})).done());
    EXPECT_TRUE(ep.until(minus, at_least(std::int8_t{-1})).done());
    std::uint32_t word = 5;
    Op change = ep.until(word, differs_from(5U));
    EXPECT_FALSE(change.done());
    word = 6;  // by the program itself: seen when it next waits
    co_await change;
    EXPECT_TRUE(ep.until(word, equal_to(6U)).done());
  });
}

// --- teams --------------------------------------------------------------------------------------

TEST(Teams, MessagesOfDifferentTeamsNeverMatch) {
  const Machine machine("crossbar:hosts=6");
  machine.finish([&](Endpoint& ep) -> Task {
    Team world(ep);
    std::vector<Rank> same, everyone;
    for (Rank rank = world.size() - 1; rank >= 0; --rank) {
      everyone.push_back(rank);
      if (rank % 2 == world.rank() % 2) same.push_back(rank);
    }
    Team half = world.part(same), backwards = world.part(everyone);
    EXPECT_EQ(half.size(), 3);
    EXPECT_EQ(backwards.rank(), 5 - ep.rank());
    EXPECT_EQ(half.in_world(half.rank()), ep.rank());
    // The same tag to the same rank through three teams; received in another order.
    const int one = 1, two = 2, three = 3;
    const Rank next = (half.rank() + 1) % 3, before = (half.rank() + 2) % 3;
    Op a = world.send(half.in_world(next), 4, bytes_of(one));
    Op b = half.send(next, 4, bytes_of(two));
    Op c = backwards.send(5 - half.in_world(next), 4, bytes_of(three));
    int got = 0;
    const Result from_half = co_await half.recv(any_source, 4, writable_bytes_of(got));
    EXPECT_EQ(got, 2);
    EXPECT_EQ(from_half.sender, before);
    const Result from_back = co_await backwards.recv(any_source, any_tag, writable_bytes_of(got));
    EXPECT_EQ(got, 3);
    EXPECT_EQ(from_back.sender, 5 - half.in_world(before));
    co_await world.recv(half.in_world(before), 4, writable_bytes_of(got));
    EXPECT_EQ(got, 1);
    co_await all(a, b, c);
  });
}

TEST(Teams, ContextsAreUniqueAndWrongMembersAreRejected) {
  const Machine machine("crossbar:hosts=3");
  machine.finish([&](Endpoint& ep) -> Task {
    Team world(ep);
    std::vector<std::uint64_t> contexts{0, world.context()};
    const std::vector<Rank> all_of{0, 1, 2};
    std::vector<Team> teams{world};
    for (int level = 0; level < 3; ++level)
      for (std::size_t i = 0, now = teams.size(); i < now; ++i)
        for (int k = 0; k < 5; ++k) {
          teams.push_back(teams[i].part(all_of));
          contexts.push_back(teams.back().context());
        }
    std::sort(contexts.begin(), contexts.end());
    EXPECT_EQ(std::adjacent_find(contexts.begin(), contexts.end()), contexts.end());
    const std::vector<Rank> twice{0, 1, 2, 0}, beyond{0, 1, 2, 3};
    EXPECT_THROW(world.part(twice), Error);
    EXPECT_THROW(world.part(beyond), Error);
    const std::vector<Rank> others{(ep.rank() + 1) % 3};
    EXPECT_THROW(world.part(others), Error);
    const auto nest = [&] {
      Team inner = world.part(all_of);
      for (int i = 0; i < 100; ++i) inner = inner.part(all_of);
    };
    EXPECT_THROW(nest(), Error);
    co_return;
  });
}

}  // namespace
}  // namespace weft::run
