// SPDX-License-Identifier: Apache-2.0
// Messages of which only the size counts take the time that the same messages take with their
// contents, however they travel.
#include "comm/unbacked.hpp"

#include <gtest/gtest.h>

#include "support/infiniband_worlds.hpp"
#include "support/test_memory.hpp"

namespace weft::run::unbacked_test {
namespace {

using namespace comm;
using namespace test;
using namespace std::chrono_literals;

/// Sends before and after its receive is posted, and a read of exposed memory.
Task several(Endpoint& ep, std::size_t size, bool backed, bool reads) {
  const TestMemory data(size, backed), into(size, backed);
  const Region region = ep.expose(data.bytes);
  if (ep.rank() == 0) {
    const RemoteSlice slice = region.slice();
    EXPECT_TRUE((co_await ep.send(1, 1, bytes_of(slice))).ok());
    EXPECT_TRUE((co_await ep.send(1, 2, data.bytes)).ok());
    co_await ep.sleep(1ms);
    EXPECT_TRUE((co_await ep.send(1, 3, data.bytes)).ok());
    EXPECT_TRUE((co_await ep.send(1, 4, data.bytes, Mode::synchronous)).ok());
    co_await ep.recv(1, 5, {});
  } else {
    RemoteSlice slice;
    EXPECT_TRUE((co_await ep.recv(0, 1, writable_bytes_of(slice))).ok());
    co_await ep.sleep(500us);
    for (const Tag tag : {2, 3, 4}) {
      const Result result = co_await ep.recv(0, tag, into.bytes);
      EXPECT_TRUE(result.ok());
      EXPECT_EQ(result.bytes, size);
    }
    if (reads) {
      const Result read = co_await ep.get(0, slice, into.bytes);
      EXPECT_TRUE(read.ok());
    }
    co_await ep.send(0, 5, {});
  }
}

TEST(Unbacked, TakesTheTimeOfTheSameMessagesWithContents) {
  for (const char* nic : {"hca", "via:rdma_read=yes", "gm", "martini", "elan"})
    for (const char* by : {",by=read", ",by=write"})
      for (const int ranks_per_host : {1, 2})
        for (const std::size_t size : {std::size_t{0}, std::size_t{8}, fragment + 1, eager + 1}) {
          WorldOptions options = with_ucx(by);
          options.ranks_per_host = ranks_per_host;
          const Machine machine(ranks_per_host == 1 ? "crossbar:hosts=2" : "crossbar:hosts=1",
                                "updown", nic);
          const auto time = [&](bool backed) {
            World world(machine.fabric, machine.tables, machine.switches, machine.nic, options);
            const WorldResult result = world.run(
                [&](Endpoint& ep) { return several(ep, size, backed, machine.nic.reads); });
            EXPECT_EQ(result.ended, WorldEnd::finished) << result.explanation;
            return result.time;
          };
          EXPECT_EQ(time(true), time(false)) << nic << by << ' ' << ranks_per_host << ' ' << size;
        }
}

TEST(Unbacked, BackedBuffersKeepWhatTheyHadWhenNothingArrives) {
  const Machine machine("crossbar:hosts=2", "updown", "hca");
  World world(machine.fabric, machine.tables, machine.switches, machine.nic, with_ucx(""));
  const auto program = [](Endpoint& ep) -> Task {
    std::vector<std::byte> into(100, std::byte{7});
    if (ep.rank() == 0) {
      co_await ep.send(1, 1, unbacked(100));
    } else {
      EXPECT_TRUE((co_await ep.recv(0, 1, into)).ok());
      EXPECT_EQ(into, std::vector<std::byte>(100, std::byte{7}));
    }
  };
  EXPECT_EQ(world.run(program).ended, WorldEnd::finished);
}

TEST(Unbacked, MoreThanThereAreAddressesIsAnError) {
  EXPECT_THROW(unbacked(std::size_t{1} << 50U), Error);
  EXPECT_FALSE(is_unbacked(static_cast<const std::byte*>(nullptr)));
  EXPECT_TRUE(is_unbacked(unbacked(10).subspan(9)));
}

}  // namespace
}  // namespace weft::run::unbacked_test
