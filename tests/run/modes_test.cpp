// SPDX-License-Identifier: Apache-2.0
// Synchronous sends: nothing but the envelope leaves before the receiver has asked for the message.
#include <gtest/gtest.h>

#include "comm/team.hpp"
#include "support/worlds.hpp"

namespace weft::run {
namespace {

using namespace comm;
using test::Machine;
using namespace std::chrono_literals;

constexpr Duration late = 500us;

/// When the send of rank 0 ended, whose receiver comes late.
Time sent_at(const Machine& machine, const WorldOptions& options, std::size_t bytes, Mode mode) {
  Time sent{};
  machine.finish(
      [&](Endpoint& ep) -> Task {
        Team team(ep);
        std::vector<std::byte> data(bytes, std::byte{9}), into(bytes);
        if (ep.rank() == 0) {
          EXPECT_TRUE((co_await team.send(1, 4, data, mode)).ok());
          sent = ep.now();
        } else if (ep.rank() == 1) {
          co_await ep.sleep(late);
          const Result result = co_await team.recv(any_source, 4, into);
          EXPECT_TRUE(result.ok());
          EXPECT_EQ(result.bytes, bytes);
          EXPECT_EQ(into, data);
        }
      },
      options);
  return sent;
}

TEST(SynchronousSends, EndAfterTheReceiveWasPostedWhateverTheirSize) {
  for (const int ranks_per_host : {1, 2})
    for (const std::size_t bytes : {0U, 8U, 1000U, 100'000U}) {
      WorldOptions options;
      options.ranks_per_host = ranks_per_host;
      const Machine hca("crossbar:hosts=2", "updown", "hca:eager=4KiB");
      EXPECT_GT(sent_at(hca, options, bytes, Mode::synchronous), late);
      EXPECT_EQ(sent_at(hca, options, bytes, Mode::asynchronous) > late, bytes > 4096);
      options.library = library_from("mpich_gm");
      const Machine gm("crossbar:hosts=2", "updown", "gm");
      EXPECT_GT(sent_at(gm, options, bytes, Mode::synchronous), late);
    }
}

TEST(SynchronousSends, CarryTheirDataOnlyWhenAskedFor) {
  const Machine machine("crossbar:hosts=2");
  World world(machine.fabric, machine.tables, machine.switches, machine.nic);
  std::uint64_t before = 0, after = 0;
  const auto flits = [&] { return world.hosts().network().totals().sent; };
  world.run([&](Endpoint& ep) -> Task {
    std::array<std::byte, 200> data{};
    if (ep.rank() == 0) {
      data.fill(std::byte{1});
      Op sent = ep.send(1, 0, data, Mode::synchronous);
      data.fill(std::byte{2});  // the sender still has them
      co_await sent;
    } else {
      co_await ep.sleep(late);
      before = flits();
      co_await ep.recv(0, 0, data);
      after = flits();
      EXPECT_EQ(data[199], std::byte{2});
    }
  });
  EXPECT_GT(before, 0U);  // the envelope
  EXPECT_GT(after, before);
}

TEST(SynchronousSends, ThoseThatAreWithdrawnAreNotReceived) {
  Machine("crossbar:hosts=2").finish([](Endpoint& ep) -> Task {
    const std::uint64_t lost = 1, kept = 2;
    std::uint64_t into = 0;
    if (ep.rank() == 0) {
      { Op sent = ep.send(1, 0, bytes_of(lost), Mode::synchronous); }
      Op sent = ep.send(1, 0, bytes_of(kept), {Priority::high, Mode::synchronous});
      EXPECT_TRUE((co_await sent).ok());
    } else {
      co_await ep.sleep(late);
      EXPECT_TRUE((co_await ep.recv(0, 0, writable_bytes_of(into))).ok());
      EXPECT_EQ(into, kept);
    }
  });
}

}  // namespace
}  // namespace weft::run
