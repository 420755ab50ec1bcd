// SPDX-License-Identifier: Apache-2.0
// What only some networks have: events, multicast, memory shared within a host.
#include "comm/capabilities.hpp"

#include <gtest/gtest.h>

#include "plan/mcast/mcast.hpp"
#include "support/worlds.hpp"

namespace weft::run {
namespace {

using namespace comm;
using test::Machine;
using namespace std::chrono_literals;

TEST(Capabilities, AreThereOnlyWhereTheModelHasThem) {
  Machine("crossbar:hosts=1").finish([](Endpoint& ep) -> Task {
    EXPECT_EQ(ep.capability<Events>(), nullptr);
    EXPECT_EQ(ep.capability<Multicast>(), nullptr);
    EXPECT_NE(ep.capability<SharedMemory>(), nullptr);
    co_return;
  });
}

TEST(EventsOfNics, SetWaitPollAndBlockCopy) {
  Machine machine("crossbar:hosts=3");
  machine.nic.events = true;
  machine.finish([](Endpoint& ep) -> Task {
    Events& events = *ep.capability<Events>();
    if (ep.rank() > 0) {
      EXPECT_TRUE((co_await events.set(0, 5)).ok());
      co_await ep.sleep(Duration(20us) * ep.rank());
      EXPECT_TRUE((co_await events.set(0, 5)).ok());
      co_return;
    }
    const std::uint64_t done = 9;
    std::uint64_t flag = 0;
    events.copy_when(5, 3, bytes_of(done), writable_bytes_of(flag));
    co_await events.wait(5, 2);
    EXPECT_EQ(events.poll(5), 2U);
    EXPECT_EQ(flag, 0U);
    co_await ep.until(flag, equal_to(std::uint64_t{9}));
    EXPECT_EQ(events.poll(5), 3U);
    co_await events.wait(5, 4);
    EXPECT_TRUE(events.wait(5, 4).done());
    EXPECT_EQ(events.poll(6), 0U);
    flag = 0;
    events.copy_when(5, 1, bytes_of(done), writable_bytes_of(flag));  // it is past: at once
    EXPECT_EQ(flag, 9U);
  });
}

TEST(EventsOfNics, WhoWaitsForLessIsNotHeldUpByWhoCameFirst) {
  Machine machine("crossbar:hosts=2");
  machine.nic.events = true;
  machine.finish([](Endpoint& ep) -> Task {
    Events& events = *ep.capability<Events>();
    if (ep.rank() == 1) {
      for (int i = 0; i < 2; ++i) {
        co_await ep.sleep(20us);
        EXPECT_TRUE((co_await events.set(0, 5)).ok());
      }
      co_return;
    }
    Op late = events.wait(5, 2), early = events.wait(5, 1);
    EXPECT_TRUE((co_await early).ok());
    EXPECT_EQ(events.poll(5), 1U);
    EXPECT_TRUE((co_await late).ok());
    EXPECT_EQ(events.poll(5), 2U);
  });
}

TEST(EventsOfNics, APutSetsOneWhenItsDataAreThere) {
  Machine machine("crossbar:hosts=2");
  machine.nic.events = true;
  machine.finish([](Endpoint& ep) -> Task {
    Events& events = *ep.capability<Events>();
    std::vector<std::byte> data(3000, std::byte{3});
    if (ep.rank() == 0) {
      std::vector<std::byte> into(3000);
      const Region region = ep.expose(into);
      const RemoteSlice slice = region.slice();
      co_await ep.send(1, 0, bytes_of(slice));
      co_await events.wait(1, 1);
      EXPECT_EQ(into, data);
    } else {
      RemoteSlice there;
      co_await ep.recv(0, 0, writable_bytes_of(there));
      EXPECT_TRUE((co_await events.put_and_set(0, there, data, 1)).ok());
    }
  });
}

TEST(EventsOfNics, SettingOneSendsNoData) {
  Machine machine("crossbar:hosts=2");
  machine.nic.events = true;
  machine.nic.acknowledge = sim::Acknowledge::never;
  machine.nic.header = Bytes{32};  // four flits
  World world(machine.fabric, machine.tables, machine.switches, machine.nic);
  const WorldResult outcome = world.run([](Endpoint& ep) -> Task {
    Events& events = *ep.capability<Events>();
    if (ep.rank() == 1)
      co_await events.set(0, 5);
    else
      co_await events.wait(5, 1);
  });
  EXPECT_EQ(outcome.ended, WorldEnd::finished) << outcome.explanation;
  EXPECT_EQ(world.hosts().network().totals().flits_injected, 4U);
}

/// A manager renews its lease all the time.
TEST(RatesOfNics, ALeaseThatIsRenewedWaitsForOneEvent) {
  const Machine machine("crossbar:hosts=2", "updown", "gm:schedule=rate");
  World world(machine.fabric, machine.tables, machine.switches, machine.nic);
  const WorldResult outcome = world.run([&](Endpoint& ep) -> Task {
    RateControl& nic = *ep.capability<RateControl>();
    const std::size_t before = world.hosts().kernel().pending();
    for (int turn = 1; turn <= 5; ++turn) nic.set_lease(turn * Time(1us));
    EXPECT_EQ(world.hosts().kernel().pending(), before + 1);
    co_return;
  });
  EXPECT_EQ(outcome.ended, WorldEnd::finished) << outcome.explanation;
}

TEST(MulticastOfSwitches, EveryMemberGetsTheMessageOnce) {
  Machine machine("mesh:dims=3x3", "updown");
  machine.nic.acknowledge = sim::Acknowledge::packet;
  machine.nic.window = 1;  // multicasts are not acknowledged and do not wait
  GroupRequest request{"some", {HostId(0), HostId(2), HostId(4), HostId(7)}};
  machine.tables.groups.push_back(
      std::get<Group>(make_group({machine.fabric, machine.tables, request}, "oriented")));
  WorldOptions options;
  options.ranks_per_host = 2;
  int received = 0;
  machine.finish(
      [&](Endpoint& ep) -> Task {
        const auto host = static_cast<std::size_t>(ep.rank() / 2);
        const bool member = host == 0 || host == 2 || host == 4 || host == 7;
        std::array<std::uint64_t, 8> data{};
        if (ep.rank() == 4) {
          Multicast& multicast = *ep.capability<Multicast>();
          EXPECT_EQ(multicast.groups(), 1);
          EXPECT_EQ(multicast.most(), 256U);
          for (const std::uint64_t value : {11U, 12U}) {
            data.fill(value);
            const Time begun = ep.now();
            EXPECT_TRUE((co_await multicast.send(0, 3, bytes_of(data))).ok());
            EXPECT_LT(ep.now() - begun, 100ns);  // the NIC does not even have it
          }
        } else if (member && ep.rank() != 5) {
          for (const std::uint64_t value : {11U, 12U}) {
            const Result result = co_await ep.recv(4, 3, writable_bytes_of(data));
            EXPECT_EQ(result.bytes, 64U);
            EXPECT_EQ(data[7], value);
            ++received;
          }
        }
      },
      options);
  EXPECT_EQ(received, 2 * 6);  // not the sender's own host
}

TEST(MemoryOfAHost, IsSharedByItsRanks) {
  WorldOptions options;
  options.ranks_per_host = 4;
  Machine("crossbar:hosts=2")
      .finish(
          [](Endpoint& ep) -> Task {
            SharedMemory& shared = *ep.capability<SharedMemory>();
            EXPECT_EQ(shared.ranks_here(), 4);
            EXPECT_EQ(shared.rank_here(shared.index_here()), ep.rank());
            auto words = shared.segment(1, 16);
            auto& count = *reinterpret_cast<std::uint64_t*>(words.data());
            auto& release = *reinterpret_cast<std::uint64_t*>(words.data() + 8);
            // A counter barrier, several times in a row.
            for (std::uint64_t turn = 1; turn <= 5; ++turn) {
              if ((co_await shared.increment(count)).immediate + 1 == 4 * turn)
                co_await shared.store(release, turn);
              else
                co_await ep.until(release, at_least(turn));
              EXPECT_GE(count, 4 * turn);
            }
          },
          options);
}

TEST(MemoryOfAHost, MessagesWithinAHostDoNotCrossTheNetwork) {
  const Machine machine("crossbar:hosts=2");
  WorldOptions options;
  options.ranks_per_host = 2;
  options.hosts = {HostId(1)};
  World world(machine.fabric, machine.tables, machine.switches, machine.nic, options);
  Time took{};
  const WorldResult outcome = world.run([&](Endpoint& ep) -> Task {
    std::vector<std::byte> data(100'000);
    const Region region = ep.expose(data);
    const RemoteSlice mine = region.slice();
    RemoteSlice theirs;
    Op sent = ep.send(1 - ep.rank(), 0, bytes_of(mine));
    co_await ep.recv(1 - ep.rank(), 0, writable_bytes_of(theirs));
    const Time before = ep.now();
    if (ep.rank() == 0) {
      data.assign(data.size(), std::byte{7});
      EXPECT_TRUE((co_await ep.put(1, theirs, data)).ok());
      took = ep.now() - before;
      co_await ep.send(1, 1, data);
    } else {
      std::vector<std::byte> into(data.size());
      co_await ep.recv(0, 1, into);
      EXPECT_EQ(into, data);
      EXPECT_EQ(into.back(), std::byte{7});
      EXPECT_TRUE((co_await ep.get(0, theirs, into)).ok());
    }
    co_await test::dissemination(ep, 5);
  });
  EXPECT_EQ(outcome.ended, WorldEnd::finished) << outcome.explanation;
  EXPECT_EQ(world.hosts().network().totals().sent, 0U);
  EXPECT_GT(took, Time(10us));  // one copy at 10 GB/s
  EXPECT_LT(took, Time(11us));
}

}  // namespace
}  // namespace weft::run
