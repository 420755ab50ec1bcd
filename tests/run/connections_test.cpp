// SPDX-License-Identifier: Apache-2.0
// Virtual Interfaces: a message takes the sum of its pipeline, an error breaks a connection for
// both ends and for nobody else, and a library keeps that from happening.
#include <gtest/gtest.h>

#include <array>

#include "support/worlds.hpp"

namespace weft::run {
namespace {

using namespace comm;
using test::Machine;
using namespace std::chrono_literals;

constexpr const char* quick_via = "via:rdma_read=no";

Machine via(const std::string& nic = quick_via, int hosts = 3) {
  return Machine("crossbar:speed=1.25Gb/s,hosts=" + std::to_string(hosts), "updown", nic);
}

TEST(VirtualInterface, APutTakesTheSumOfItsPipeline) {
  // Processor 1 us + 0.5 us, bus 1 us a cycle, NIC 100 us at each end.
  const Machine machine =
      via("via:mhz=100,post=100,poll=50,pci_mhz=1,pci_bits=32,pci_write=2,pci_read=3,process=100us,"
          "dma=1000us");
  Time seen{}, completed{};
  machine.finish([&](Endpoint& ep) -> Task {
    std::uint64_t word = 0;
    const Region region = ep.expose(writable_bytes_of(word));
    if (ep.rank() == 1) {
      co_await ep.until(word, at_least(std::uint64_t{5}));
      seen = ep.now();
    } else if (ep.rank() == 0) {
      co_await ep.sleep(1ms);
      const std::uint64_t five = 5;
      const RemoteSlice there = region.slice();  // everyone's first region has the same key
      EXPECT_TRUE((co_await ep.put(1, there, bytes_of(five))).ok());
      completed = ep.now();
    }
  });
  // post; doorbell 2+1, process, descriptor 3+16; dma, data 3+2; wire; process, dma, data 2+2;
  // poll.
  const Duration pipeline = 1us + 3us + 100us + 19us + 1000us + 5us + 100us + 1000us + 4us + 500ns;
  EXPECT_NEAR(static_cast<double>((seen - 1ms - pipeline).count()), 0.5e6, 0.4e6);
  EXPECT_GT(completed, seen);
}

/// Expects what two ranks learn about each other after an error.
void expect_broken(Endpoint& ep, Rank peer) {
  std::uint64_t word = 0;
  EXPECT_EQ(ep.send(peer, 9, bytes_of(word)).result().status, Status::broken);
  EXPECT_EQ(ep.recv(peer, 9, writable_bytes_of(word)).result().status, Status::broken);
  EXPECT_EQ(ep.put(peer, {0, 0}, bytes_of(word)).result().status, Status::broken);
  EXPECT_EQ(ep.notice(peer).result().status, Status::broken);
  EXPECT_EQ(ep.get(peer, {0, 0}, writable_bytes_of(word)).result().status, Status::broken);
}

TEST(VirtualInterface, ASendWithoutAPostedReceiveBreaksTheConnection) {
  via().finish([](Endpoint& ep) -> Task {
    std::uint64_t word = 7, into = 0;
    if (ep.rank() == 0) {
      Op waits = ep.recv(1, 2, writable_bytes_of(into));
      Op second_of_two = ep.send(1, 1, bytes_of(word));
      Op third = ep.send(1, 1, bytes_of(word));
      EXPECT_EQ((co_await second_of_two).status, Status::not_ready);
      EXPECT_EQ((co_await third).status, Status::broken);
      EXPECT_EQ((co_await waits).status, Status::broken);
      expect_broken(ep, 1);
      EXPECT_TRUE((co_await ep.send(2, 3, bytes_of(word))).ok());
    } else if (ep.rank() == 1) {
      Op waits = ep.recv(0, 5, writable_bytes_of(into));  // another tag
      EXPECT_EQ((co_await waits).status, Status::broken);
      expect_broken(ep, 0);
      EXPECT_TRUE((co_await ep.send(2, 4, bytes_of(word))).ok());
    } else {
      std::array<std::uint64_t, 2> heard{};
      Op first = ep.recv(0, 3, writable_bytes_of(heard[0]));
      Op second = ep.recv(1, 4, writable_bytes_of(heard[1]));
      co_await all(first, second);
      EXPECT_EQ(heard[0] + heard[1], 14U);
    }
  });
}

TEST(VirtualInterface, ASendWithAPostedReceiveEndsWhenItIsAcknowledged) {
  via().finish([](Endpoint& ep) -> Task {
    std::uint64_t word = 7, into = 0;
    if (ep.rank() == 0) {
      co_await ep.sleep(100us);
      const Time before = ep.now();
      EXPECT_TRUE((co_await ep.send(1, 1, bytes_of(word))).ok());
      EXPECT_GT(ep.now() - before, Duration(5us));
    } else if (ep.rank() == 1) {
      EXPECT_TRUE((co_await ep.recv(0, 1, writable_bytes_of(into))).ok());
      EXPECT_EQ(into, 7U);
    }
  });
}

TEST(VirtualInterface, RdmaErrorsBreakTheConnectionAndTouchNothing) {
  for (const bool immediate : {false, true})
    via().finish([=](Endpoint& ep) -> Task {
      std::uint64_t word = 7, memory = 1;
      const Region region = ep.expose(writable_bytes_of(memory));
      const RemoteSlice there = region.slice(immediate ? 0 : 4);  // the second is outside
      if (ep.rank() == 0) {
        Op put = immediate ? ep.put(1, there, bytes_of(word), Immediate{3})
                           : ep.put(1, there, bytes_of(word));
        EXPECT_EQ((co_await put).status, immediate ? Status::not_ready : Status::refused);
        expect_broken(ep, 1);
      } else if (ep.rank() == 1) {
        co_await ep.sleep(1ms);
        EXPECT_EQ(memory, 1U);
        expect_broken(ep, 0);
      }
    });
}

TEST(VirtualInterface, RdmaReadIsAnOption) {
  for (const char* option : {"no", "yes"})
    via(fmt::format("via:rdma_read={}", option)).finish([&](Endpoint& ep) -> Task {
      std::uint64_t memory = static_cast<std::uint64_t>(ep.rank()), into = 9;
      const Region region = ep.expose(writable_bytes_of(memory));
      const RemoteSlice there = region.slice();
      if (ep.rank() == 0) {
        const Result result = co_await ep.get(1, there, writable_bytes_of(into));
        EXPECT_EQ(result.ok(), into == 1);
        EXPECT_EQ(result.status, option[0] == 'y' ? Status::ok : Status::refused);
      }
      co_await ep.sleep(1ms);
    });
}

TEST(VirtualInterface, ALibraryKeepsReceivesPosted) {
  WorldOptions options;
  options.library = library_from("mvich");
  via().finish(
      [](Endpoint& ep) -> Task {
        std::uint64_t word = 7, into = 0;
        if (ep.rank() == 0) {
          EXPECT_TRUE((co_await ep.send(1, 1, bytes_of(word))).ok());  // copied: it has ended
          EXPECT_TRUE((co_await ep.send(1, 2, bytes_of(word))).ok());
        } else if (ep.rank() == 1) {
          co_await ep.sleep(1ms);
          EXPECT_TRUE((co_await ep.recv(0, 2, writable_bytes_of(into))).ok());
          EXPECT_TRUE((co_await ep.recv(0, 1, writable_bytes_of(into))).ok());
        }
      },
      options);
}

}  // namespace
}  // namespace weft::run
