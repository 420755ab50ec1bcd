// SPDX-License-Identifier: Apache-2.0
// The times of a library like UCX are paid where they belong, and its fragments overlap.
#include <gtest/gtest.h>

#include "support/infiniband_worlds.hpp"

namespace weft::run::ucx_times_test {
namespace {

using namespace comm;
using namespace test;
using namespace std::chrono_literals;

/// From the posting of a send on rank 0 until rank 1 has received it, and until it has ended.
struct Course {
  Duration received{}, sent{};
};
Course course(const std::string& more, std::size_t bytes, Duration late = {}) {
  Course out;
  infiniband().finish(
      [&](Endpoint& ep) -> Task {
        std::vector<std::byte> data(bytes);
        co_await ep.sleep(10us);
        if (ep.rank() == 0) {
          EXPECT_TRUE((co_await ep.send(1, 0, data)).ok());
          out.sent = ep.now() - 10us;
        } else {
          co_await ep.sleep(late);
          EXPECT_TRUE((co_await ep.recv(0, 0, data)).ok());
          out.received = ep.now() - 10us;
        }
      },
      with_ucx(more));
  return out;
}

/// How much later a message arrives.
Duration cost(const std::string& more, const std::string& less, std::size_t bytes) {
  return course(more, bytes).received - course(less, bytes).received;
}

/// Within two cycles of the network.
void near(Duration measured, Duration expected) {
  EXPECT_GE(measured, expected - 6ns);
  EXPECT_LE(measured, expected + 6ns);
}

TEST(Ucx, EveryTimeIsPaidWhereItBelongs) {
  near(cost(",send=520ns", "", 8), 500ns);
  near(cost(",recv=640ns", "", 8), 500ns);
  near(cost(",touch=600ns", "", 8), 0ns);  // with the completion entry
  near(cost(",touch=600ns", "", 1000), 500ns);
  near(cost(",copy_in=1GB/s", ",copy_in=2GB/s", 1000), 500ns);
  near(cost(",copy_out=1GB/s", ",copy_out=2GB/s", 1000), 500ns);
  near(cost(",rendezvous=3us", ",rendezvous=1us", 1000), 0ns);
  for (const std::string by : {",by=read", ",by=write"}) {
    near(cost(by + ",rendezvous=3us", by + ",rendezvous=1us", 20'000), 2us);
    near(cost(by + ",send=520ns", by, 20'000), 500ns);
    near(cost(by + ",recv=640ns", by, 20'000), 500ns);
    near(cost(by + ",copy_in=1GB/s,copy_out=1GB/s", by, 20'000), 0ns);
  }
}

// The receiver's work on fragments limits the rate of eager messages, and all but the last overlap
// the way of the others.
TEST(Ucx, FragmentsOverlap) {
  const auto time = [](std::size_t bytes) {
    return course(",copy_in=100GB/s,copy_out=2GB/s,recv=100ns", bytes).received;
  };
  // Per fragment: 512 ns of copying, 100 ns of the library and 90 ns of hca's poll and match.
  near(time(6 * fragment) - time(2 * fragment), 4 * 702ns);
  // At the sender the copies of a slow processor follow each other, with 80 ns of hca's post.
  const auto slow_sender = [](std::size_t bytes) {
    return course(",copy_in=1GB/s,copy_out=100GB/s,send=100ns,recv=0ns", bytes).received;
  };
  near(slow_sender(6 * fragment) - slow_sender(2 * fragment), 4 * (1024ns + 180ns));
}

TEST(Ucx, EagerSendsEndWithTheirLastCopyAndLongOnesWhenRead) {
  const Course buffered = course(",copy_in=1GB/s,send=0ns", eager, 500us);
  near(buffered.sent, 8192ns + 8 * 80ns);
  EXPECT_GT(buffered.received, 500us);
  EXPECT_GT(course("", eager + 1, 500us).sent, 500us);
  // Unexpected messages are copied once, when they are received.
  const Duration late = course(",copy_out=1GB/s", 4000, 500us).received - 500us;
  near(late - (course(",copy_out=2GB/s", 4000, 500us).received - 500us), 2us);
}

// Nothing but the request is work of the sender's processor.
TEST(Ucx, ABusySenderIsReadFromButDoesNotWrite) {
  const auto received = [](const std::string& by, bool reads = true) {
    Duration out{};
    Machine network = infiniband();
    network.nic.reads = reads;
    network.finish(
        [&](Endpoint& ep) -> Task {
          std::vector<std::byte> data(20'000);
          if (ep.rank() == 0) {
            Op sent = ep.send(1, 0, data);
            co_await ep.spend(1ms);
            EXPECT_TRUE((co_await sent).ok());
          } else {
            EXPECT_TRUE((co_await ep.recv(0, 0, data)).ok());
            out = ep.now();
          }
        },
        with_ucx(by));
    return out;
  };
  EXPECT_LT(received(",by=read"), 20us);
  EXPECT_GT(received(",by=write"), 1ms);
  EXPECT_GT(received(",by=read", false), 1ms);
}

/// Half of the round trip of a message, the second of two.
Duration half_round_trip(const Machine& network, const std::string& library, std::size_t bytes) {
  WorldOptions options;
  options.library = library_from(library);
  Duration half{};
  network.finish(
      [&](Endpoint& ep) -> Task {
        std::vector<std::byte> data(bytes);
        const Rank peer = 1 - ep.rank();
        for (int turn = 0; turn < 2; ++turn) {
          const Time before = ep.now();
          if (ep.rank() == 0) co_await ep.send(peer, 0, data);
          co_await ep.recv(peer, 0, data);
          if (ep.rank() == 1) co_await ep.send(peer, 0, data);
          half = (ep.now() - before) / 2;
        }
      },
      options);
  return half;
}

TEST(Ucx, LongMessagesFillTheLink) {
  constexpr std::size_t bytes = std::size_t{4} << 20U;
  const Duration time = half_round_trip(infiniband(), "ucx", bytes);
  // Of the flits of 64 B, a packet of 4 KiB takes 65.
  const double rate = 25e9 * 64 / 65;
  const double share =
      static_cast<double>(bytes) / std::chrono::duration<double>(time).count() / rate;
  EXPECT_GE(share, 0.95);
  EXPECT_LE(share, 1);
}

// Without a library the NIC's copies are paid, with one its own, never both.
TEST(Ucx, MessagesAreCopiedOnceOnEachSide) {
  const auto slower = [](const std::string& library, const char* slow, const char* fast) {
    return half_round_trip(infiniband(slow), library, 4000) -
           half_round_trip(infiniband(fast), library, 4000);
  };
  near(slower("ucx", "hca:copy=1GB/s", "hca:copy=10GB/s"), 0ns);
  near(slower("none", "hca:copy=1GB/s", "hca:copy=2GB/s"), 2 * 2000ns);
}

}  // namespace
}  // namespace weft::run::ucx_times_test
