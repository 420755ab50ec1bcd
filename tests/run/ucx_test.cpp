// SPDX-License-Identifier: Apache-2.0
// Messages in fragments and by RDMA read: they arrive whole, in order and with the right data,
// whatever becomes of their peers.
#include <gtest/gtest.h>

#include <optional>

#include "support/infiniband_worlds.hpp"

namespace weft::run::ucx_test {
namespace {

using namespace comm;
using namespace test;
using namespace std::chrono_literals;

std::vector<std::byte> contents(std::size_t size, std::size_t seed = 1) {
  std::vector<std::byte> out(size);
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<std::byte>((i * 7 + i / 251) ^ seed);
  return out;
}

// --- data ---------------------------------------------------------------------------------------

/// A message from rank 0 to rank 1 whose receive is posted so much later than it is sent, or
/// earlier.
Task one_message(Endpoint& ep, std::size_t bytes, Duration late, Mode mode) {
  const auto data = contents(bytes);
  std::vector<std::byte> into(bytes + 1, std::byte{0x55});
  if (ep.rank() == 0) {
    if (late.count() < 0) co_await ep.sleep(-late);
    EXPECT_TRUE((co_await ep.send(1, 4, data, mode)).ok());
  } else if (ep.rank() == 1) {
    if (late.count() > 0) co_await ep.sleep(late);
    const Result result = co_await ep.recv(0, 4, into);
    EXPECT_TRUE(result.ok());
    EXPECT_EQ(result.bytes, bytes);
    EXPECT_TRUE(std::equal(data.begin(), data.end(), into.begin())) << bytes;
    EXPECT_EQ(into[bytes], std::byte{0x55});
  }
}

TEST(Ucx, EverySizeArrivesWhereverTheReceiveIsPosted) {
  constexpr std::size_t sizes[] = {0,
                                   1,
                                   64,
                                   65,
                                   200,
                                   201,
                                   fragment - 1,
                                   fragment,
                                   fragment + 1,
                                   2 * fragment,
                                   2 * fragment + 1,
                                   eager - 1,
                                   eager,
                                   eager + 1,
                                   100'000,
                                   1U << 20U};
  for (const char* nic : {"hca", "hca:inline=0B", "via", "via:rdma_read=yes", "gm", "elan"})
    for (const char* by : {",by=read", ",by=write"})
      for (const int ranks_per_host : {1, 2})
        for (const Duration late : {Duration(-50us), Duration(0), Duration(500us)}) {
          WorldOptions options = with_ucx(by);
          options.ranks_per_host = ranks_per_host;
          const bool slow = std::string_view(nic) == "gm" || std::string_view(nic) == "elan";
          const Machine network =
              slow ? Machine("crossbar:hosts=2", "updown", nic) : infiniband(nic);
          for (const std::size_t bytes : sizes) {
            if (slow && bytes > 100'000) continue;
            network.finish(
                [&](Endpoint& ep) { return one_message(ep, bytes, late, Mode::asynchronous); },
                options);
          }
          network.finish(
              [&](Endpoint& ep) { return one_message(ep, 3000, late, Mode::synchronous); },
              options);
        }
}

TEST(Ucx, ReceivesOfFragmentsInOtherOrders) {
  for (const char* by : {",by=read", ",by=write"})
    for (const bool high : {false, true})
      infiniband().finish(
          [&](Endpoint& ep) -> Task {
            constexpr std::size_t sizes[] = {5000, 100, 20'000, 3000, 8192, 1025};
            constexpr std::size_t count = std::size(sizes);
            std::vector<std::vector<std::byte>> data;
            for (std::size_t i = 0; i < count; ++i) data.push_back(contents(sizes[i], i));
            if (ep.rank() == 0) {
              Ops sends(ep, count);
              for (std::size_t i = 0; i < count; ++i)
                sends.add([&] {
                  const bool urgent = high && i % 2 == 1;
                  return ep.send(1, static_cast<Tag>(i), data[i],
                                 urgent ? Priority::high : Priority::low);
                });
              co_await sends.all();
              for (std::size_t i = 0; i < count; ++i) EXPECT_TRUE(sends[i].result().ok());
              co_return;
            }
            // Some are unexpected, some have arrived in part, some are awaited.
            for (const std::size_t i : {3U, 0U, 5U, 4U, 1U, 2U}) {
              std::vector<std::byte> into(sizes[i]);
              EXPECT_TRUE((co_await ep.recv(0, static_cast<Tag>(i), into)).ok());
              EXPECT_EQ(into, data[i]) << i;
            }
          },
          with_ucx(by));
}

TEST(Ucx, ARankSendsToItself) {
  for (const std::size_t bytes : {0U, 5000U, 20'000U})
    infiniband().finish(
        [&](Endpoint& ep) -> Task {
          const auto data = contents(bytes);
          std::vector<std::byte> into(bytes);
          Op sent = ep.send(ep.rank(), 0, data);
          EXPECT_TRUE((co_await ep.recv(ep.rank(), 0, into)).ok());
          EXPECT_TRUE((co_await sent).ok());
          EXPECT_EQ(into, data);
        },
        with_ucx());
}

TEST(Ucx, AMessageThatIsTooLongIsCutAndSaysSo) {
  for (const char* by : {",by=read", ",by=write"})
    for (const Duration late : {Duration(0), Duration(500us)})
      for (const std::size_t bytes : {5000U, 20'000U})
        for (const std::size_t room : {0U, 1U, 1000U, 1024U, 1500U, 2048U, 4999U})
          infiniband().finish(
              [&](Endpoint& ep) -> Task {
                const auto data = contents(bytes);
                if (ep.rank() == 0) {
                  EXPECT_TRUE((co_await ep.send(1, 0, data)).ok());
                  co_return;
                }
                co_await ep.sleep(late);
                std::vector<std::byte> into(room + 8, std::byte{0x55});
                const Result result = co_await ep.recv(0, 0, std::span(into).first(room));
                EXPECT_EQ(result.status, Status::truncated);
                EXPECT_EQ(result.bytes, bytes);
                EXPECT_TRUE(
                    std::equal(data.begin(), data.begin() + static_cast<int>(room), into.begin()));
                EXPECT_EQ(into[room], std::byte{0x55});
                co_await ep.sleep(100us);
                EXPECT_EQ(into[room], std::byte{0x55});
              },
              with_ucx(by));
}

// --- peers that change their minds --------------------------------------------------------------

TEST(Ucx, AReceiveMayBeWithdrawnAtAnyTime) {
  for (const char* by : {",by=read", ",by=write"})
    for (const std::size_t bytes : {8000U, 40'000U})
      for (Duration after{0}; after < 6us; after += 200ns)
        infiniband().finish(
            [&](Endpoint& ep) -> Task {
              const auto data = contents(bytes), next = contents(3000, 2);
              if (ep.rank() == 0) {
                EXPECT_TRUE((co_await ep.send(1, 0, data)).ok());
                EXPECT_TRUE((co_await ep.send(1, 0, next)).ok());
                co_return;
              }
              std::vector<std::byte> into(bytes), then(bytes);
              bool received = false;
              {
                Op op = ep.recv(0, 0, into);
                co_await ep.sleep(after);
                received = op.done();
              }
              std::fill(into.begin(), into.end(), std::byte{0x55});
              // The first message is lost with its receive, unless that was not matched yet.
              const Result result = co_await ep.recv(0, 0, then);
              EXPECT_TRUE(result.ok());
              then.resize(result.bytes);
              if (result.bytes == bytes) {
                EXPECT_EQ(then, data);
                EXPECT_FALSE(received);
                then.resize(3000);
                EXPECT_TRUE((co_await ep.recv(0, 0, then)).ok());
              }
              EXPECT_EQ(then, next);
              EXPECT_EQ(into, std::vector<std::byte>(bytes, std::byte{0x55}));
            },
            with_ucx(by));
}

TEST(Ucx, ALongSendMayBeWithdrawnAtAnyTime) {
  for (const char* nic : {"hca", "via:rdma_read=yes"})
    for (const Duration late : {Duration(0), Duration(100us)})
      for (Duration after{0}; after < 12us; after += 300ns) {
        std::optional<Result> first;
        infiniband(nic).finish(
            [&](Endpoint& ep) -> Task {
              const auto next = contents(20'000, 2);
              if (ep.rank() == 0) {
                std::optional<std::vector<std::byte>> data = contents(20'000);
                {
                  const Op sent = ep.send(1, 0, *data);
                  co_await ep.sleep(after);
                }
                data.reset();
                EXPECT_TRUE((co_await ep.send(1, 1, next)).ok());
                co_return;
              }
              co_await ep.sleep(late);
              std::vector<std::byte> into(20'000), then(20'000);
              Op op = ep.recv(0, 0, into);
              EXPECT_TRUE((co_await ep.recv(0, 1, then)).ok());
              EXPECT_EQ(then, next);
              co_await ep.sleep(50us);
              if (!op.done()) co_return;  // never came
              first = op.result();
              if (first->ok()) {
                EXPECT_EQ(into, contents(20'000));
              } else {
                EXPECT_EQ(first->status, Status::cancelled);
              }
            },
            with_ucx());
        EXPECT_FALSE(late > 50us && first);  // withdrawn before anyone asked
      }
}

TEST(Ucx, OneWhoLeavesInTheMiddleLeavesNobodyWaiting) {
  for (const char* by : {",by=read", ",by=write"})
    for (const std::size_t bytes : {8000U, 40'000U})
      for (const bool posted : {true, false})
        for (Duration when{200'000}; when < 8us; when += 200ns) {
          WorldOptions options = with_ucx(by);
          options.departures = {{0, when}};
          infiniband("hca", 3).finish(
              [&](Endpoint& ep) -> Task {
                if (ep.rank() == 0) {
                  const auto data = contents(bytes);
                  co_await ep.send(1, 0, data);
                  co_await ep.sleep(1s);
                }
                if (ep.rank() == 2) {
                  co_await ep.sleep(100us);
                  co_await ep.send(1, 0, contents(5000, 2));
                }
                if (ep.rank() != 1) co_return;
                std::vector<std::byte> into(bytes);
                if (!posted) co_await ep.sleep(50us);
                const Result result = co_await ep.recv(any_source, 0, into);
                if (result.ok() && result.sender == 0) {
                  EXPECT_EQ(into, contents(bytes));
                } else if (result.ok()) {
                  into.resize(5000);
                  EXPECT_EQ(into, contents(5000, 2));
                  co_return;
                } else {
                  EXPECT_EQ(result.status, Status::peer_gone);
                }
                into.resize(5000);
                EXPECT_TRUE((co_await ep.recv(2, 0, into)).ok());
                EXPECT_EQ(into, contents(5000, 2));
              },
              options);
        }
}

TEST(Ucx, AReceiverThatLeavesEndsTheSendsToIt) {
  for (const char* by : {",by=read", ",by=write"})
    for (Duration when{200'000}; when < 8us; when += 200ns) {
      WorldOptions options = with_ucx(by);
      options.departures = {{1, when}};
      infiniband().finish(
          [&](Endpoint& ep) -> Task {
            std::vector<std::byte> data(40'000);
            if (ep.rank() == 1) co_await ep.recv(0, 0, data);
            if (ep.rank() == 1) co_await ep.sleep(1s);
            const Status status = (co_await ep.send(1, 0, data)).status;
            EXPECT_TRUE(status == Status::ok || status == Status::peer_gone);
          },
          options);
    }
}

}  // namespace
}  // namespace weft::run::ucx_test
