// SPDX-License-Identifier: Apache-2.0
// Tports and MPI over them: tagged messages that the thread processor of the Elan matches.
#include <gtest/gtest.h>

#include "comm/team.hpp"
#include "support/elan_worlds.hpp"

namespace weft::run {
namespace {

using namespace comm;
using namespace test;
using namespace std::chrono_literals;

constexpr const char* over_elans[] = {"none", "tports", "mpich_qsnet"};

WorldOptions with_library(const std::string& library, std::size_t hosts, int ranks_per_host = 1) {
  WorldOptions options = first_hosts(hosts);
  options.library = library_from(library);
  options.ranks_per_host = ranks_per_host;
  return options;
}

TEST(Tports, ReceivesSelectBySenderAndTag) {
  for (const char* library : over_elans)
    elan_machine().finish(
        [](Endpoint& ep) -> Task {
          if (ep.rank() > 0) {
            for (const Tag tag : {1, 2}) {
              const auto data = filled(100, static_cast<std::uint64_t>(10 * ep.rank() + tag));
              EXPECT_TRUE((co_await ep.send(0, tag, data)).ok());
            }
            co_return;
          }
          co_await ep.sleep(100us);  // all of them are unexpected
          const auto expect = [&](Rank from, Tag tag, Rank really_from, Tag really) -> Task {
            std::vector<std::byte> into(100);
            const Result result = co_await ep.recv(from, tag, into);
            EXPECT_TRUE(result.ok());
            EXPECT_EQ(result.sender, really_from);
            EXPECT_EQ(result.tag, really);
            EXPECT_EQ(into, filled(100, static_cast<std::uint64_t>(10 * really_from + really)));
          };
          co_await expect(3, 2, 3, 2);
          co_await expect(2, any_tag, 2, 1);
          co_await expect(3, any_tag, 3, 1);
          std::vector<std::byte> into(50);
          EXPECT_EQ((co_await ep.recv(2, 2, into)).status, Status::truncated);
          std::vector<std::byte> whole(100);
          EXPECT_EQ((co_await ep.recv(any_source, 2, whole)).sender, 1);
          EXPECT_EQ((co_await ep.recv(any_source, any_tag, whole)).sender, 1);
        },
        with_library(library, 4));
}

/// From the posting of a send until it is received, and until it has ended; the receive is posted
/// so much later.
struct Course {
  Duration received{}, sent{};
};
Course course(const std::string& library, std::size_t bytes, Duration late = {},
              Mode mode = Mode::asynchronous) {
  Course out;
  elan_machine().finish(
      [&](Endpoint& ep) -> Task {
        std::vector<std::byte> data = filled(bytes, 3), into(bytes);
        co_await ep.sleep(10us);
        if (ep.rank() == 0) {
          EXPECT_TRUE((co_await ep.send(1, 0, data, mode)).ok());
          out.sent = ep.now() - 10us;
        } else {
          co_await ep.sleep(late);
          EXPECT_TRUE((co_await ep.recv(0, 0, into)).ok());
          out.received = ep.now() - 10us;
          EXPECT_EQ(into, data);
        }
      },
      with_library(library, 2));
  return out;
}

TEST(Tports, MatchingIsTheThreadProcessorsWork) {
  const auto cost = [](const std::string& more, const std::string& less, std::size_t bytes) {
    return course(more, bytes).received - course(less, bytes).received;
  };
  for (const std::size_t bytes : {0U, 200U, 1000U})
    EXPECT_EQ(cost("tports:match=5us", "tports:match=2us", bytes), Duration(3us)) << bytes;
  EXPECT_EQ(cost("mpich_qsnet:mhz=1000,send=2000,recv=0", "mpich_qsnet:mhz=1000,send=0,recv=0", 8),
            Duration(2us));
  EXPECT_EQ(cost("mpich_qsnet:mhz=1000,send=0,recv=2000", "mpich_qsnet:mhz=1000,send=0,recv=0", 8),
            Duration(2us));
  EXPECT_EQ(
      cost("mpich_qsnet:mhz=1000,send=0,recv=2000", "mpich_qsnet:mhz=1000,send=0,recv=0", 5000),
      Duration(2us));
  EXPECT_EQ(cost("mpich_qsnet:send=0,recv=0", "tports", 8), Duration(0));
}

TEST(Tports, TheMainProcessorDoesNotMatch) {
  const Machine machine = elan_machine();
  const WorldOptions options = with_library("tports", 2);
  World world(machine.fabric, machine.tables, machine.switches, machine.nic, options);
  const auto& elans = *world.hosts().capability<sim::Elans>();
  const auto names = elans.part_names();
  const auto thread =
      static_cast<std::size_t>(std::find(names.begin(), names.end(), "thread") - names.begin());
  Duration processor{};
  world.run([&](Endpoint& ep) -> Task {
    std::vector<std::byte> data(8);
    for (int i = 0; i < 10; ++i) {
      Op op = ep.rank() == 0 ? ep.send(1, 0, data) : ep.recv(0, 0, data);
      co_await op;
      if (ep.rank() == 0) co_await ep.sleep(50us);  // the next receive is posted
    }
    if (ep.rank() == 1) processor = world.hosts().processor(HostId(1), 0).busy();
  });
  // With two lines of memory, an envelope's and a receive's, which are new to the cache.
  EXPECT_EQ(elans.part(HostId(1), thread).busy(), 10 * Duration(2us + 120ns));
  EXPECT_EQ(processor, 10 * (machine.nic.descriptor + machine.nic.poll));
}

TEST(Tports, ShortMessagesTravelWithTheirEnvelopes) {
  // Whether the sender is done before the receiver has asked.
  const auto leaves = [](std::size_t bytes, Mode mode) {
    return course("tports", bytes, 500us, mode).sent < 400us;
  };
  EXPECT_TRUE(leaves(0, Mode::asynchronous));
  EXPECT_TRUE(leaves(287, Mode::asynchronous));
  EXPECT_FALSE(leaves(288, Mode::asynchronous));
  for (const std::size_t bytes : {0U, 8U, 287U, 288U})
    EXPECT_FALSE(leaves(bytes, Mode::synchronous));
  // What is there already is handed over sooner than what has to come.
  const auto after = [](std::size_t bytes) {
    return course("tports", bytes, 500us).received - 500us;
  };
  EXPECT_LT(after(287) + 1us, after(288));
}

TEST(Tports, RanksOfAHostUseItsMemory) {
  for (const char* library : over_elans) {
    const Machine machine = elan_machine();
    World world(machine.fabric, machine.tables, machine.switches, machine.nic,
                with_library(library, 1, 2));
    const WorldResult outcome = world.run([](Endpoint& ep) -> Task {
      for (const Mode mode : {Mode::asynchronous, Mode::synchronous})
        for (const std::size_t bytes : {0U, 287U, 288U, 100'000U}) {
          std::vector<std::byte> data = filled(bytes, bytes), into(bytes);
          Op op = ep.rank() == 0 ? ep.send(1, 0, data, mode) : ep.recv(0, 0, into);
          EXPECT_TRUE((co_await op).ok());
          if (ep.rank() == 0) continue;
          EXPECT_EQ(into, data);
        }
    });
    EXPECT_EQ(outcome.ended, WorldEnd::finished) << outcome.explanation;
    EXPECT_EQ(world.hosts().network().totals().sent, 0U);
    for (std::size_t part = 0; part < 4; ++part)  // no part of the Elan
      EXPECT_EQ(world.hosts().part(HostId(0), part).busy(), Duration(0)) << part;
  }
}

TEST(Tports, OneWhoWithdrawsOrDiesLeavesNobodyWaiting) {
  WorldOptions options = with_library("tports", 3);
  options.departures.push_back({2, 300us});
  elan_machine().finish(
      [](Endpoint& ep) -> Task {
        std::vector<std::byte> data(5000), into(5000);
        if (ep.rank() == 0) {
          { const Op withdrawn = ep.send(1, 1, data); }
          co_await ep.send(1, 2, data);
          EXPECT_EQ((co_await ep.recv(2, 3, into)).status, Status::peer_gone);
        } else if (ep.rank() == 1) {
          co_await ep.sleep(50us);
          EXPECT_TRUE((co_await ep.recv(0, 2, into)).ok());
          Op never = ep.recv(0, 1, into);
          never.within(100us);
          EXPECT_EQ((co_await never).status, Status::timed_out);
        } else {
          co_await ep.sleep(1ms);
        }
      },
      options);
}

TEST(Tports, NeedANicThatMatches) {
  EXPECT_EQ(error_of([] {
              Machine("crossbar:hosts=2")
                  .run([](Endpoint&) -> Task { co_return; }, with_library("tports", 2));
            }),
            "world: tports has the NIC match envelopes, and that of hca:mtu=256B has no processor "
            "for it");
}

}  // namespace
}  // namespace weft::run
