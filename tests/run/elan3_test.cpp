// SPDX-License-Identifier: Apache-2.0
// Elan3lib: remote DMA between all kinds of memory, events, and what is refused.
#include "comm/elan3.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "support/elan_worlds.hpp"

namespace weft::run {
namespace {

using namespace comm;
using namespace test;
using namespace std::chrono_literals;
using Store = Elan3::Store;
using Block = Elan3::Block;

constexpr Store stores[] = {Store::main, Store::elan};

/// Everyone's memory is open to everyone, in blocks at the same addresses.
struct Open {
  Elan3& elan;
  Block block;
  Elan3::Event event;
  Elan3::Segment data, word;
  Open(Endpoint& ep, Store store, std::size_t bytes)
      : elan(*ep.capability<Elan3>()),
        block(elan.allocate(store, bytes)),
        event(elan.make_event()),
        data(elan.open(block, RegionRights::remote)),
        word(elan.open_event(event)) {}
};

TEST(Elan3lib, IsThereOnlyOnElans) {
  Machine("crossbar:hosts=1").finish([](Endpoint& ep) -> Task {
    EXPECT_EQ(ep.capability<Elan3>(), nullptr);
    co_return;
  });
}

/// Both ranks have blocks of both kinds, at the same addresses.
Task place_and_bring(Endpoint& ep, Store from, Store to, std::size_t bytes) {
  const Open main(ep, Store::main, bytes + 16), elan(ep, Store::elan, bytes + 16);
  const Open& source = from == Store::main ? main : elan;
  const Open& target = to == Store::main ? main : elan;
  fill(source.block.bytes, static_cast<std::uint64_t>(2 * ep.rank() + 1));
  if (from != to) fill(target.block.bytes, static_cast<std::uint64_t>(2 * ep.rank() + 2));
  std::vector<std::byte> expected = copy_of(target.block.bytes);
  co_await dissemination(ep, 1);
  if (ep.rank() == 0) {
    const Op sent = main.elan.dma({.from = 0,
                                   .to = 1,
                                   .source = source.block.elan + 3,
                                   .target = target.block.elan + 5,
                                   .bytes = bytes,
                                   .source_event = main.event,
                                   .target_event = elan.event});
    co_await main.elan.wait(main.event, 1);
    EXPECT_EQ(main.elan.poll(main.event), 1U);
  } else {
    co_await main.elan.wait(elan.event, 1);
    const std::vector<std::byte> sent = filled(bytes + 16, 1);
    std::copy_n(sent.begin() + 3, bytes, expected.begin() + 5);
  }
  EXPECT_EQ(copy_of(target.block.bytes), expected) << bytes;
  co_await dissemination(ep, 2);
}

TEST(Elan3lib, DmasBringTheirDataForEveryPlacementAndSize) {
  for (const Store from : stores)
    for (const Store to : stores)
      for (const std::size_t bytes : {0U, 1U, 63U, 64U, 65U, 320U, 321U, 5000U,
                                      test::is_slow_build() ? 1U << 16U : 1U << 20U})
        elan_machine().finish([&](Endpoint& ep) { return place_and_bring(ep, from, to, bytes); },
                              first_hosts(2));
}

TEST(Elan3lib, APacketThatEndsInAnotherBlockIsSeenThere) {
  elan_machine().finish(
      [&](Endpoint& ep) -> Task {
        Elan3& elan = *ep.capability<Elan3>();
        const Block first = elan.allocate(Store::main, 8192);
        const Block second = elan.allocate(Store::main, 8192);
        EXPECT_EQ(first.elan + 8192, second.elan);
        const Elan3::Segment end = elan.open(first, RegionRights::remote),
                             begin = elan.open(second, RegionRights::remote);
        std::fill(first.bytes.begin(), first.bytes.end(), std::byte{1});
        co_await dissemination(ep, 1);
        if (ep.rank() == 1) {
          co_await elan.dma({.from = 1,
                             .to = 0,
                             .source = first.elan,
                             .target = second.elan - 100,
                             .bytes = 200});
          co_return;
        }
        const auto& word = *reinterpret_cast<std::uint64_t*>(second.bytes.data());
        Op seen = ep.until(word, equal_to(std::uint64_t{0x0101010101010101}));
        seen.within(1ms);
        EXPECT_TRUE((co_await seen).ok());
      },
      first_hosts(2));
}

TEST(Elan3lib, AGetIsADmaWhoseSourceIsAnother) {
  elan_machine().finish(
      [&](Endpoint& ep) -> Task {
        const Open mine(ep, Store::main, 3000);
        fill(mine.block.bytes, static_cast<std::uint64_t>(ep.rank() + 1));
        co_await dissemination(ep, 1);
        Elan3::Dma dma{.from = 1,
                       .to = 0,
                       .source = mine.block.elan,
                       .target = mine.block.elan,
                       .bytes = 3000,
                       .source_event = mine.event,
                       .target_event = mine.event};
        if (ep.rank() == 0) {
          EXPECT_TRUE((co_await mine.elan.dma(dma)).ok());
          EXPECT_EQ(copy_of(mine.block.bytes), filled(3000, 2));
        } else if (ep.rank() == 1) {
          co_await mine.elan.wait(mine.event, 1);
        } else {  // of which it is neither source nor target
          co_await ep.sleep(100us);
          dma.from = 0;
          dma.to = 3;
          EXPECT_TRUE((co_await mine.elan.dma(dma)).ok());
        }
        if (ep.rank() == 3) {
          co_await mine.elan.wait(mine.event, 1);
          EXPECT_EQ(copy_of(mine.block.bytes), filled(3000, 2));
        }
        co_await dissemination(ep, 2);
      },
      first_hosts(4));
}

TEST(Elan3lib, ADmaGoesThroughTheThirteenSteps) {
  const Machine machine = elan_machine();
  World world(machine.fabric, machine.tables, machine.switches, machine.nic, first_hosts(2));
  auto& elans = *world.hosts().capability<sim::Elans>();
  elans.record_steps();
  const WorldResult outcome = world.run([&](Endpoint& ep) -> Task {
    const Open mine(ep, Store::main, 1000);
    co_await dissemination(ep, 1);
    Op waiting = mine.elan.wait(mine.event, 1);
    co_await ep.sleep(100us);  // the copies are armed
    if (ep.rank() == 0)
      co_await mine.elan.dma({.from = 0,
                              .to = 1,
                              .source = mine.block.elan,
                              .target = mine.block.elan,
                              .bytes = 1000,
                              .source_event = mine.event,
                              .target_event = mine.event});
    co_await waiting;
  });
  EXPECT_EQ(outcome.ended, WorldEnd::finished) << outcome.explanation;
  std::map<int, std::pair<Duration, HostId>> steps;
  for (const sim::elan::DmaStep& step : elans.steps())
    if (step.time >= 100us) steps[step.number] = {step.time, step.at};
  ASSERT_EQ(steps.size(), 13U);
  for (const auto& order : {std::vector{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, std::vector{6, 11, 12, 13}})
    for (std::size_t i = 1; i < order.size(); ++i)
      EXPECT_LE(steps[order[i - 1]].first, steps[order[i]].first) << order[i];
  for (const int there : {6, 11, 12, 13}) EXPECT_EQ(steps[there].second, HostId(1)) << there;
  for (const int here : {1, 2, 3, 4, 5, 8, 9, 10}) EXPECT_EQ(steps[here].second, HostId(0)) << here;
}

// --- events -------------------------------------------------------------------------------------

/// The time from the setting of an event on another host until a rank that waits like this, from a
/// time on, has seen it, and how long its processor was busy meanwhile.
std::pair<Duration, Duration> waited(Elan3::How how, const std::string& nic = "elan",
                                     Time from = {}) {
  const Machine machine = elan_machine(2, nic);
  World world(machine.fabric, machine.tables, machine.switches, machine.nic, first_hosts(2));
  Duration took{}, busy{};
  const WorldResult outcome = world.run([&](Endpoint& ep) -> Task {
    Elan3& elan = *ep.capability<Elan3>();
    const Elan3::Event event = elan.make_event();
    const Elan3::Segment word = elan.open_event(event);
    if (ep.rank() == 1) {
      co_await ep.sleep(100us);
      EXPECT_TRUE((co_await elan.set(0, event)).ok());
      co_return;
    }
    if (from > ep.now()) co_await ep.sleep(from - ep.now());
    const auto& processor = world.hosts().processor(HostId(0), 0);
    const Duration before = processor.busy();
    EXPECT_TRUE((co_await elan.wait(event, 1, how)).ok());
    took = ep.now() - 100us;
    busy = processor.busy() - before;
    EXPECT_TRUE((co_await elan.wait(event, 1, how)).ok());  // it is past
  });
  EXPECT_EQ(outcome.ended, WorldEnd::finished) << outcome.explanation;
  return {took, busy};
}

TEST(Elan3lib, EachKindOfWaitingHasItsOwnCosts) {
  const auto [polled, polling] = waited(Elan3::How::poll, "elan:pci_latency=100ns");
  const auto [copied, copying] = waited(Elan3::How::busy_wait, "elan:pci_latency=100ns");
  const auto [blocked, blocking] = waited(Elan3::How::block, "elan:interrupt=10us");
  EXPECT_GT(blocked, copied + 9us);
  EXPECT_GT(blocked, polled + 9us);
  EXPECT_LT(polled, Duration(5us));
  EXPECT_LT(copied, Duration(5us));
  EXPECT_EQ(blocking, Duration(10us));
  // The Elan is asked over PCI, to which only a poller is sensitive here: a block copy writes.
  const auto slower = [](Elan3::How how) {
    return waited(how, "elan:pci_latency=2us").first - waited(how, "elan:pci_latency=100ns").first;
  };
  EXPECT_GT(slower(Elan3::How::poll), Duration(1us));
  EXPECT_EQ(slower(Elan3::How::busy_wait), Duration(0));
  EXPECT_EQ(waited(Elan3::How::block, "elan:interrupt=20us").first - blocked, Duration(10us));
  EXPECT_GT(waited(Elan3::How::busy_wait, "elan:poll=1us").first, copied + 900ns);
}

/// One poll follows another; one that begins a picosecond before the event misses it.
TEST(Elan3lib, APollSeesWhatWasThereWhenItBegan) {
  const std::string nic = "elan:interrupt=10us";
  const Machine machine = elan_machine(2, nic);
  World world(machine.fabric, machine.tables, machine.switches, machine.nic);
  const Duration turn = world.hosts().capability<sim::Elans>()->look_time();
  const Time set = 100us + waited(Elan3::How::block, nic).first - 10us;
  const auto polled = [&](Duration early) {
    return waited(Elan3::How::poll, nic, set - 10 * turn - early).first;
  };
  const Duration at_once = polled(Duration(0));
  EXPECT_EQ(100us + at_once, set + turn);
  EXPECT_EQ(polled(Duration(1)), at_once + turn - Duration(1));
  EXPECT_EQ(polled(Duration(2)), at_once + turn - Duration(2));
}

TEST(Elan3lib, AWaitThatIsWithdrawnDoesNotEndTheNextOneInItsPlace) {
  elan_machine().finish(
      [&](Endpoint& ep) -> Task {
        Elan3& elan = *ep.capability<Elan3>();
        const std::array<Elan3::Event, 2> events{elan.make_event(), elan.make_event()};
        const Elan3::Segment word = elan.open_event(events[0]);
        co_await dissemination(ep, 1);
        if (ep.rank() == 1) {
          co_await ep.sleep(150us);
          EXPECT_TRUE((co_await elan.set(0, events[0])).ok());
        } else {
          for (const Elan3::Event event : events) {
            const Op waiting = elan.wait(event, 1, Elan3::How::busy_wait);
            co_await ep.sleep(100us);
            EXPECT_FALSE(waiting.done());
          }
          EXPECT_EQ(elan.poll(events[0]), 1U);
        }
        co_await dissemination(ep, 2);
      },
      first_hosts(2));
}

TEST(Elan3lib, CountsAreWaitedForInAnyOrder) {
  elan_machine().finish(
      [&](Endpoint& ep) -> Task {
        const Open mine(ep, Store::main, 8);
        co_await dissemination(ep, 1);
        if (ep.rank() > 0) {
          for (int i = 0; i < 5; ++i) EXPECT_TRUE((co_await mine.elan.set(0, mine.event)).ok());
        } else {
          for (const auto how : {Elan3::How::poll, Elan3::How::busy_wait, Elan3::How::block}) {
            Op late = mine.elan.wait(mine.event, 15, how);
            { const Op withdrawn = mine.elan.wait(mine.event, 14, how); }
            Op early = mine.elan.wait(mine.event, 3, how);
            EXPECT_TRUE((co_await early).ok());
            EXPECT_GE(mine.elan.poll(mine.event), 3U);
            EXPECT_TRUE((co_await late).ok());
            EXPECT_EQ(mine.elan.poll(mine.event), 15U);
          }
          EXPECT_TRUE((co_await mine.elan.set(0, mine.event)).ok());  // one's own
          co_await mine.elan.wait(mine.event, 16);
          EXPECT_EQ(mine.elan.poll(mine.event), 16U);
          Op never = mine.elan.wait(mine.event, 17);
          never.within(20us);
          EXPECT_EQ((co_await never).status, Status::timed_out);
        }
        co_await dissemination(ep, 2);
      },
      first_hosts(4));
}

TEST(Elan3lib, AnEventInMainMemoryIsRefused) {
  elan_machine().finish(
      [&](Endpoint& ep) -> Task {
        Elan3& elan = *ep.capability<Elan3>();
        const Block block = elan.allocate(Store::main, 64);
        const Elan3::Segment open = elan.open(block, RegionRights::remote);
        const Block copy = elan.allocate(Store::elan, 64);
        const std::string words = fmt::format(
            "event {:#x} is in main memory: events live in Elan memory only, as PCI cannot add to "
            "a word in one piece",
            block.elan);
        const Elan3::Dma dma{.from = 0, .to = 0, .source_event = block.elan};
        EXPECT_EQ(error_of([&] { elan.poll(block.elan); }), words);
        EXPECT_EQ(error_of([&] { elan.wait(block.elan, 1); }), words);
        EXPECT_EQ(error_of([&] { elan.copy_when(block.elan, 1, copy, block); }), words);
        EXPECT_EQ(error_of([&] { elan.dma_when(block.elan, 1, {}); }), words);
        if (ep.rank() == 0) {
          EXPECT_EQ(error_of([&] { elan.dma(dma); }), words);
          EXPECT_EQ(error_of([&] { elan.set(0, block.elan); }), words);
        }
        co_await dissemination(ep, 1);
        if (ep.rank() == 0) {  // another's is found out there
          EXPECT_EQ((co_await elan.set(1, block.elan)).status, Status::refused);
          EXPECT_EQ(elan.traps().size(), 1U);
        }
        co_await dissemination(ep, 2);
        if (ep.rank() == 1) {
          EXPECT_TRUE(elan.traps().empty());
          EXPECT_EQ(copy_of(block.bytes), std::vector<std::byte>(64));
        }
      },
      first_hosts(2));
}

TEST(Elan3lib, ABlockCopyShowsInMainMemory) {
  elan_machine().finish(
      [&](Endpoint& ep) -> Task {
        const Open mine(ep, Store::elan, 8);
        const Block flag = mine.elan.allocate(Store::main, 8);
        auto& word = *reinterpret_cast<std::uint64_t*>(flag.bytes.data());
        fill(mine.block.bytes, 7);
        std::uint64_t expected = 0;
        std::memcpy(&expected, mine.block.bytes.data(), 8);
        co_await dissemination(ep, 1);
        if (ep.rank() == 0) {
          mine.elan.copy_when(mine.event, 2, mine.block, flag);
          co_await mine.elan.wait(mine.event, 1);
          EXPECT_EQ(word, 0U);
          co_await ep.until(word, equal_to(expected));
          EXPECT_EQ(mine.elan.poll(mine.event), 2U);
          word = 0;
          mine.elan.copy_when(mine.event, 1, mine.block, flag);  // it is past
          co_await ep.until(word, equal_to(expected));
          EXPECT_EQ(error_of([&] { mine.elan.copy_when(mine.event, 1, flag, mine.block); }),
                    "Elan3: a block copy goes from Elan memory to main memory");
          EXPECT_EQ(
              error_of([&] { mine.elan.copy_when(mine.event, 1, mine.block, flag.part(0, 4)); }),
              "Elan3: a block copy of 8 bytes to 4");
        } else {
          co_await mine.elan.set(0, mine.event);
          co_await ep.sleep(20us);
          co_await mine.elan.set(0, mine.event);
        }
        co_await dissemination(ep, 2);
      },
      first_hosts(2));
}

TEST(Elan3lib, AnEventWhereAnotherWasReleasedHasNothingOfIt) {
  elan_machine().finish(
      [](Endpoint& ep) -> Task {
        Elan3& elan = *ep.capability<Elan3>();
        const Block from = elan.allocate(Store::elan, 8), to = elan.allocate(Store::main, 8);
        from.bytes[0] = std::byte{1};
        const Elan3::Event first = elan.make_event();
        co_await elan.set(0, first);
        co_await elan.wait(first, 1);
        elan.copy_when(first, 2, from, to);
        co_await ep.sleep(10us);  // it is armed
        elan.release(first);
        const Elan3::Event second = elan.make_event();
        EXPECT_EQ(first, second);
        EXPECT_EQ(elan.poll(second), 0U);
        for (int i = 0; i < 2; ++i) EXPECT_TRUE((co_await elan.set(0, second)).ok());
        co_await ep.sleep(10us);
        EXPECT_EQ(elan.poll(second), 2U);
        EXPECT_EQ(to.bytes[0], std::byte{0});
      },
      first_hosts(1));
}

TEST(Elan3lib, WhatIsChainedToAReleasedEventIsForgotten) {
  elan_machine().finish(
      [](Endpoint& ep) -> Task {
        Elan3& elan = *ep.capability<Elan3>();
        const Block from = elan.allocate(Store::elan, 8000), to = elan.allocate(Store::main, 8000);
        const Elan3::Event event = elan.make_event();
        elan.copy_when(event, 0, from, to);
        elan.dma_when(event, 0, {});
        elan.release(event);  // before the Elan has received the commands
        EXPECT_EQ(elan.allocate(Store::main, 8).elan, event);
        co_await ep.sleep(10us);
      },
      first_hosts(1));
}

TEST(Elan3lib, WaitingDoesNotMoveTheBlocksAllocatedLater) {
  std::vector<Elan3::Event> later(2);
  elan_machine().finish(
      [&](Endpoint& ep) -> Task {
        Elan3& elan = *ep.capability<Elan3>();
        const Elan3::Event event = elan.make_event();
        if (ep.rank() == 0) {
          co_await elan.set(0, event);
          co_await elan.wait(event, 1);
        }
        elan.allocate(Store::main, 8);
        later[static_cast<std::size_t>(ep.rank())] = elan.make_event();
      },
      first_hosts(2));
  EXPECT_EQ(later[0], later[1]);
}

TEST(Elan3lib, ThousandsMayBeWaitedForAtOnce) {
  elan_machine().finish(
      [](Endpoint& ep) -> Task {
        Elan3& elan = *ep.capability<Elan3>();
        const Elan3::Event event = elan.make_event();
        std::vector<std::unique_ptr<LastOp>> waiting;
        for (std::uint64_t i = 0; i < 2500; ++i) {
          waiting.push_back(std::make_unique<LastOp>());
          waiting.back()->make([&] { return elan.wait(event, 1 + i % 2); });
        }
        for (int i = 0; i < 2; ++i) co_await elan.set(0, event);
        for (const auto& each : waiting) EXPECT_TRUE((co_await *each->get()).ok());
      },
      first_hosts(1));
}

TEST(Elan3lib, AChainedDmaIsBegunByTheElan) {
  // A ring of four: each passes on what it got, without its processor.
  elan_machine().finish(
      [&](Endpoint& ep) -> Task {
        const Open mine(ep, Store::main, 2000);
        const Rank next = (ep.rank() + 1) % 4;
        const Elan3::Dma pass{.from = ep.rank(),
                              .to = next,
                              .source = mine.block.elan,
                              .target = mine.block.elan,
                              .bytes = 2000,
                              .target_event = mine.event};
        if (ep.rank() > 0) mine.elan.dma_when(mine.event, 1, pass);
        if (ep.rank() == 0) fill(mine.block.bytes, 5);
        co_await dissemination(ep, 1);
        if (ep.rank() == 0) co_await mine.elan.dma(pass);
        co_await mine.elan.wait(mine.event, 1, Elan3::How::block);
        EXPECT_EQ(copy_of(mine.block.bytes), filled(2000, 5));
        co_await dissemination(ep, 2);
      },
      first_hosts(4));
}

TEST(Elan3lib, DmasOfOneQueueGoInOrder) {
  for (const bool queued : {true, false}) {
    std::vector<Time> ended(2);
    elan_machine().finish(
        [&](Endpoint& ep) -> Task {
          const Open mine(ep, Store::main, 200'000);
          co_await dissemination(ep, 1);
          if (ep.rank() == 0) {
            Elan3::Dma dma{.from = 0,
                           .to = 1,
                           .source = mine.block.elan,
                           .target = mine.block.elan,
                           .bytes = 200'000};
            if (queued) dma.queue = 3;
            Op large = mine.elan.dma(dma);
            dma.bytes = 8;
            dma.to = 2;
            Op small = mine.elan.dma(dma);
            co_await any(large, small);
            EXPECT_EQ(large.done(), queued);  // a short one overtakes, unless it must not
            co_await all(large, small);
            EXPECT_TRUE(large.result().ok() && small.result().ok());
          }
          co_await dissemination(ep, 2);
        },
        first_hosts(3));
  }
}

// --- what is refused ----------------------------------------------------------------------------

TEST(Elan3lib, WhatIsNotExportedIsRefusedToTheOffenderOnly) {
  elan_machine().finish(
      [&](Endpoint& ep) -> Task {
        Elan3& elan = *ep.capability<Elan3>();
        const Block block = elan.allocate(Store::main, 4096);
        const Elan3::Event event = elan.make_event();
        const Elan3::Segment word = elan.open_event(event);
        fill(block.bytes, static_cast<std::uint64_t>(ep.rank()));
        const std::vector<Rank> friends{1};
        const Elan3::Segment writable =
            elan.open(block.part(0, 1024), RegionRights::remote_write, friends);
        const Elan3::Segment readable =
            elan.open(block.part(1024, 1024), RegionRights::remote_read);
        Elan3::Segment stale = elan.open(block.part(2048, 1024), RegionRights::remote);
        stale.close();
        EXPECT_NE(error_of([&] { stale.close(); }), "");
        EXPECT_NE(error_of([&] { elan.close(stale.handle()); }), "");
        co_await dissemination(ep, 1);
        std::size_t traps = 0;
        const auto refused = [&](Elan3::Dma dma) -> TaskOf<bool> {
          dma.source_event = dma.from == ep.rank() ? event : 0;
          const Result result = co_await elan.dma(dma);
          const bool trapped = elan.traps().size() == ++traps;
          co_return result.status == Status::refused&& trapped;
        };
        const auto write = [&](std::uint32_t to, std::uint64_t bytes) {
          return Elan3::Dma{.from = ep.rank(),
                            .to = 0,
                            .source = block.elan,
                            .target = block.elan + to,
                            .bytes = bytes,
                            .target_event = event};
        };
        if (ep.rank() == 1) {
          EXPECT_TRUE(co_await refused(write(1020, 8)));    // beyond the segment
          EXPECT_TRUE(co_await refused(write(500, 2000)));  // the same, in several packets
          EXPECT_TRUE(co_await refused(write(1024, 8)));    // read only
          EXPECT_TRUE(co_await refused(write(2048, 8)));    // closed
          EXPECT_TRUE(co_await refused(write(3072, 8)));    // never opened
          EXPECT_TRUE(co_await refused(write(0x10000, 8)));
          Elan3::Dma get = write(0, 8);
          std::swap(get.from, get.to);  // write only
          EXPECT_TRUE(co_await refused(get));
          get.source = block.elan + 1024;
          EXPECT_TRUE((co_await elan.dma(get)).ok());
          const std::vector<std::byte> theirs = filled(4096, 0);
          EXPECT_EQ(copy_of(block.bytes.first(8)), copy_of(std::span(theirs).subspan(1024, 8)));
          EXPECT_NE(elan.traps()[2].find("process 1 may not write"), std::string::npos)
              << elan.traps()[2];
        } else if (ep.rank() == 2) {
          EXPECT_TRUE(co_await refused(write(0, 8)));  // another's right
          Elan3::Dma own = write(0, 8);
          own.source = 64;  // what it does not have itself
          EXPECT_TRUE(co_await refused(own));
        }
        co_await dissemination(ep, 2);
        if (ep.rank() == 0) {
          EXPECT_EQ(copy_of(block.bytes), filled(4096, 0));
          EXPECT_TRUE(elan.traps().empty());
          EXPECT_EQ(elan.poll(event), 0U);
        }
        if (ep.rank() == 1) {
          EXPECT_TRUE((co_await elan.dma(write(0, 1024))).ok());
          EXPECT_EQ(elan.poll(event), 1U);  // of the get
        }
        co_await dissemination(ep, 3);
      },
      first_hosts(3));
}

TEST(Elan3lib, WrongNamesAreErrorsWithWords) {
  elan_machine().finish(
      [&](Endpoint& ep) -> Task {
        Elan3& elan = *ep.capability<Elan3>();
        const Block block = elan.allocate(Store::main, 64);
        EXPECT_EQ(error_of([&] { elan.dma({.from = 0, .to = 2}); }),
                  "Elan3: there is no rank 2; there are 2");
        EXPECT_EQ(error_of([&] { elan.dma({.from = -1, .to = 1}); }),
                  "Elan3: there is no rank -1; there are 2");
        EXPECT_EQ(error_of([&] { elan.open(block, RegionRights::remote, std::vector<Rank>{9}); }),
                  "Elan3: there is no rank 9; there are 2");
        EXPECT_EQ(error_of([&] { elan.dma({.bytes = std::uint64_t{1} << 32U}); }),
                  "Elan3: a DMA of 4294967296 bytes: there are no more than 2^32 addresses");
        EXPECT_EQ(error_of([&] { elan.broadcast({.group = 0}); }),
                  "Elan3: there is no group 0; there are 0");
        EXPECT_EQ(error_of([&] { block.part(60, 5); }),
                  fmt::format("block {:#x}: it has 64 bytes, and none from 60 to 65", block.elan));
        EXPECT_NE(error_of([&] { elan.release(block.elan + 1); }), "");
        EXPECT_NE(error_of([&] { elan.load_routes(1, {{1, {1, 1, 1, 1, 1}}}); }), "");
        const Elan3::Segment open = elan.open(block, RegionRights::remote);
        elan.release(block.elan);
        EXPECT_NE(error_of([&] { elan.close(open.handle()); }), "");  // it went with its memory
        EXPECT_NE(error_of([&] { elan.open(block, RegionRights::remote); }), "");
        co_return;
      },
      first_hosts(2));
}

TEST(Elan3lib, ARankThatDiesTakesItsMemoryWithIt) {
  WorldOptions options = first_hosts(2);
  options.departures.push_back({1, 50us});
  elan_machine().finish(
      [&](Endpoint& ep) -> Task {
        std::vector<std::byte> memory(100'000);
        Elan3& elan = *ep.capability<Elan3>();
        const Block block = elan.map(memory);
        const Elan3::Segment open = elan.open(block, RegionRights::remote);
        co_await dissemination(ep, 1);
        if (ep.rank() == 1) co_await ep.sleep(1ms);
        const Elan3::Dma dma{
            .from = 0, .to = 1, .source = block.elan, .target = block.elan, .bytes = 100'000};
        EXPECT_EQ((co_await elan.dma(dma)).status, Status::peer_gone);  // on its way
        EXPECT_EQ((co_await elan.dma(dma)).status, Status::peer_gone);
        co_await ep.sleep(1ms);
      },
      options);
}

}  // namespace
}  // namespace weft::run
