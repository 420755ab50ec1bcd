// SPDX-License-Identifier: Apache-2.0
// Message-passing libraries: every message arrives whatever the library, and each of its costs is
// paid where it belongs.
#include "comm/library.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "comm/coll/coll.hpp"
#include "support/worlds.hpp"

namespace weft::run {
namespace {

using namespace comm;
using test::Machine;
using namespace std::chrono_literals;

/// From the posting of a send on rank 0 until rank 1 has received it, which posts its receive so
/// much later.
Duration one_way(const std::string& library, std::size_t bytes = 8, Duration late = {}) {
  WorldOptions options;
  options.library = library_from(library);
  Time received{};
  Machine("crossbar:hosts=5", "updown", "via")
      .finish(
          [&](Endpoint& ep) -> Task {
            std::vector<std::byte> data(bytes, static_cast<std::byte>(ep.rank()));
            co_await ep.sleep(10us);
            if (ep.rank() == 0) co_await ep.send(1, 0, data);
            if (ep.rank() != 1) co_return;
            co_await ep.sleep(late);
            EXPECT_TRUE((co_await ep.recv(0, 0, data)).ok());
            EXPECT_EQ(data, std::vector<std::byte>(bytes));
            received = ep.now() - 10us;
          },
          options);
  return received;
}

TEST(Libraries, EveryCostIsPaidWhereItBelongs) {
  const auto cost = [](const std::string& what, std::size_t bytes = 8, Duration late = {}) {
    const std::string plain = "mvich:mhz=1000,send=0,recv=0,unexpected=0,check=0,copy=100TB/s";
    std::string with = plain;
    const std::string key = what.substr(0, what.find('=') + 1);
    const std::size_t at = with.find(key);
    with.replace(at, with.find(',', at) - at, what);
    return one_way(with, bytes, late) - one_way(plain, bytes, late);
  };
  EXPECT_EQ(cost("send=3000"), Duration(3us));
  EXPECT_EQ(cost("recv=2000"), Duration(2us));
  EXPECT_EQ(cost("check=100"), Duration(400ns));  // four connections
  EXPECT_EQ(cost("unexpected=5000"), Duration(0));
  const auto copies = [&](Duration late) {
    return std::chrono::duration<double, std::micro>(cost("copy=100MB/s", 4000, late)).count() / 40;
  };
  EXPECT_NEAR(copies(Duration{0}), 2, 1e-3);
  // Once it waits, only the receive is left to pay; what was put aside is copied again.
  EXPECT_EQ(cost("send=3000", 8, 100us), Duration(0));
  EXPECT_EQ(cost("recv=2000", 8, 100us), Duration(2us));
  EXPECT_NEAR(copies(1ms), 1, 1e-3);
}

// What is delivered holds back who sends it: a flow whose NIC is slow cannot take the tokens of
// others.
TEST(Libraries, ShortSendsEndWhenCopiedAndLongOnesWhenDelivered) {
  const auto times = [](std::size_t bytes) {
    WorldOptions options;
    options.library = library_from("mpich_gm:buffered=16KiB,copy=1GB/s");
    std::pair<Time, Time> sent_received;
    Machine("crossbar:hosts=2", "updown", "gm")
        .finish(
            [&](Endpoint& ep) -> Task {
              std::vector<std::byte> data(bytes);
              if (ep.rank() == 0) {
                co_await ep.send(1, 0, data);
                sent_received.first = ep.now();
              } else {
                EXPECT_TRUE((co_await ep.recv(0, 0, data)).ok());
                sent_received.second = ep.now();
              }
            },
            options);
    return sent_received;
  };
  const auto [copied, short_arrived] = times(16384);
  EXPECT_LT(copied, Duration(30us));
  EXPECT_GT(short_arrived, Duration(150us));
  const auto [ended, long_arrived] = times(16385);
  EXPECT_GT(ended, Duration(150us));
  EXPECT_LT(ended, long_arrived + 30us);
}

TEST(Libraries, AllMessagesArriveInEachOfThem) {
  for (const LibraryRow& row : libraries())
    for (const int ranks : {1, 2, 5}) {
      WorldOptions options;
      options.library = library_from(row.name);
      options.ranks_per_host = ranks > 2 ? 2 : 1;
      // Without a library, only a NIC that buffers messages itself takes unexpected ones.
      const char* nic = options.library.match.count() > 0 ? "elan"
                        : options.library.buffers         ? "via"
                                                          : "hca";
      const int hosts = (ranks + 1) / options.ranks_per_host;
      Machine("crossbar:hosts=" + std::to_string(hosts), "updown", nic)
          .finish(
              [&](Endpoint& ep) -> Task {
                Rng rng(static_cast<std::uint64_t>(row.name.size()));  // the same at every rank
                for (int turn = 0; turn < 40; ++turn) {
                  const auto from =
                      static_cast<Rank>(rng.below(static_cast<std::uint64_t>(ep.size())));
                  const auto to =
                      static_cast<Rank>(rng.below(static_cast<std::uint64_t>(ep.size())));
                  const std::size_t size = rng.below(2) == 0 ? rng.below(100) : rng.below(40'000);
                  std::vector<std::byte> data(size, static_cast<std::byte>(turn)), into(size);
                  if (ep.rank() == to && ep.rank() == from) {
                    Op sent = ep.send(to, turn, data);
                    co_await ep.recv(from, turn, into);
                    co_await sent;
                  } else if (ep.rank() == from) {
                    EXPECT_TRUE((co_await ep.send(to, turn, data)).ok());
                  } else if (ep.rank() == to) {
                    EXPECT_TRUE((co_await ep.recv(from, turn, into)).ok());
                    EXPECT_EQ(into, data);
                  }
                }
              },
              options);
    }
}

TEST(Libraries, BarriersHoldEveryoneUntilTheLastInEachOfThem) {
  for (const char* algorithm : {"pairwise", "pairwise_rdma", "dissemination", "tree", "smp"})
    for (int hosts = 1; hosts <= 33; hosts += hosts < 9 ? 1 : 6) {
      WorldOptions options;
      options.library = library_from("mvich");
      options.ranks_per_host = std::string_view(algorithm) == "smp" ? 2 : 1;
      const CollectiveSpec how{.spec = algorithm};
      std::vector<int> entered;
      Machine("crossbar:hosts=" + std::to_string(hosts), "updown", "via")
          .finish(
              [&](Endpoint& ep) -> Task {
                Rng rng(static_cast<std::uint64_t>(ep.rank() + 1));
                entered.resize(static_cast<std::size_t>(ep.size()));
                Team team(ep);
                const auto barrier = co_await make_barrier(team, how);
                for (int turn = 1; turn <= 6; ++turn) {
                  co_await ep.sleep(Duration(1us) * static_cast<std::int64_t>(rng.below(60)));
                  entered[static_cast<std::size_t>(ep.rank())] = turn;
                  EXPECT_EQ(co_await barrier->enter(), Status::ok);
                  EXPECT_GE(*std::min_element(entered.begin(), entered.end()), turn) << algorithm;
                }
              },
              options);
    }
}

/// With a window of one packet, a packet leaves when the one before it is acknowledged.
TEST(Libraries, AWindowLetsTheProcessorWaitForAcknowledgments) {
  const auto ack_time = [](const std::string& window, std::size_t packets) {
    WorldOptions options;
    options.library = library_from(
        "mpich_score:mpi_send=0ns,mpi_recv=0ns,pm_send=1us,pm_recv=0ns,"
        "packet=1KiB,copy=100TB/s,window=" +
        window);
    const Machine machine("crossbar:hosts=2", "updown", "martini");
    World world(machine.fabric, machine.tables, machine.switches, machine.nic, options);
    Time sent{};
    const WorldResult result = world.run([&](Endpoint& ep) -> Task {
      std::vector<std::byte> data(packets * 1024, static_cast<std::byte>(1 + ep.rank()));
      if (ep.rank() == 0) {
        co_await ep.send(1, 0, data);
        sent = ep.now();
      } else {
        EXPECT_TRUE((co_await ep.recv(0, 0, data)).ok());
        EXPECT_EQ(data, std::vector<std::byte>(packets * 1024, std::byte{1}));
      }
    });
    EXPECT_EQ(result.ended, WorldEnd::finished) << result.explanation;
    EXPECT_LT(world.at(0).software_times().library, Duration(1ns));  // copies
    return std::pair(sent, world.at(0).software_times().ack);
  };
  const auto [one_packet, no_wait] = ack_time("1", 1);
  EXPECT_EQ(no_wait, Duration(0));
  const auto [two_packets, one_wait] = ack_time("1", 2);
  EXPECT_GT(one_wait, Duration(1us));
  EXPECT_EQ(two_packets, 2 * one_packet + one_wait);
  const auto [five_packets, four_waits] = ack_time("1", 5);
  EXPECT_EQ(four_waits, 4 * one_wait);
  EXPECT_EQ(five_packets, 5 * one_packet + four_waits);
  EXPECT_EQ(ack_time("5", 5).second, Duration(0));
  EXPECT_EQ(ack_time("0", 5).first, 5 * one_packet);
}

TEST(Libraries, AWrongSpecSaysWhatWouldBeRight) {
  const auto rejection = [](const char* spec) -> std::string {
    try {
      library_from(spec);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(rejection("lam"),
            "no library is called \"lam\"; there are: none mvich mpich_gm mpich_score tports "
            "mpich_qsnet ucx");
  EXPECT_EQ(rejection("mvich:mhz=0"), "mvich: mhz=0: a whole number from 1 to 100000 is needed");
  EXPECT_EQ(library_from("mvich:send=5").spec, "mvich:send=5");
}

}  // namespace
}  // namespace weft::run
