// SPDX-License-Identifier: Apache-2.0
// Broadcasts by the switches of QsNet: to the hosts of a group, with one acknowledgment of all.
#include <gtest/gtest.h>

#include "comm/coll/coll.hpp"
#include "plan/mcast/mcast.hpp"
#include "support/elan_worlds.hpp"

namespace weft::run {
namespace {

using namespace comm;
using namespace test;
using namespace std::chrono_literals;
using Store = Elan3::Store;

Machine with_rooted_group(std::size_t hosts, std::size_t first = 0) {
  Machine machine = elan_machine();
  GroupRequest request{"some", {}};
  for (std::size_t i = first; i < first + hosts; ++i) request.members.emplace_back(i);
  machine.tables.groups.push_back(
      std::get<Group>(make_group({machine.fabric, machine.tables, request}, "rooted")));
  return machine;
}

TEST(ElanBroadcast, BringsTheSameDataToARankOfEveryHost) {
  for (const int ranks_per_host : {1, 2})
    for (const std::size_t bytes : {0U, 1U, 320U, 5000U}) {
      const Machine machine = with_rooted_group(6, 2);
      WorldOptions options;
      options.ranks_per_host = ranks_per_host;
      machine.finish(
          [&](Endpoint& ep) -> Task {
            Elan3& elan = *ep.capability<Elan3>();
            const Elan3::Block block = elan.allocate(Store::main, bytes + 8);
            const Elan3::Event out = elan.make_event(), in = elan.make_event();
            const Elan3::Segment data = elan.open(block, RegionRights::remote),
                                 word = elan.open_event(in);
            const Rank root = 3 * ranks_per_host;
            if (ep.rank() == root) fill(block.bytes, 8);
            co_await dissemination(ep, 1);
            const auto host = static_cast<std::size_t>(ep.rank() / ranks_per_host);
            if (ep.rank() == root) {
              EXPECT_TRUE((co_await elan.broadcast({.group = 0,
                                                    .source = block.elan,
                                                    .target = block.elan,
                                                    .bytes = bytes,
                                                    .source_event = out,
                                                    .target_event = in}))
                              .ok());
              co_await elan.wait(out, 1);
            }
            co_await dissemination(ep, 2);
            const bool gets = host >= 2 && host < 8 && host != 3 && ep.rank() % ranks_per_host == 0;
            if (gets) co_await elan.wait(in, 1);
            EXPECT_EQ(elan.poll(in), gets ? 1U : 0U) << ep.rank();
            std::vector<std::byte> expected(bytes + 8);
            const std::vector<std::byte> sent = filled(bytes + 8, 8);
            if (gets) std::copy_n(sent.begin(), bytes, expected.begin());
            if (ep.rank() == root) expected = sent;
            EXPECT_EQ(copy_of(block.bytes), expected);
            co_await dissemination(ep, 3);
          },
          options);
    }
}

TEST(ElanBroadcast, IsRefusedWhereOneOfThemDoesNotOpenItsMemory) {
  with_rooted_group(4).finish(
      [&](Endpoint& ep) -> Task {
        Elan3& elan = *ep.capability<Elan3>();
        const Elan3::Block block = elan.allocate(Store::main, 64);
        Elan3::Segment open;
        if (ep.rank() != 2) open = elan.open(block, RegionRights::remote);
        co_await dissemination(ep, 1);
        if (ep.rank() == 0) {
          fill(block.bytes, 1);
          EXPECT_EQ((co_await elan.broadcast(
                         {.group = 0, .source = block.elan, .target = block.elan, .bytes = 64}))
                        .status,
                    Status::refused);
        }
        co_await dissemination(ep, 2);
        EXPECT_EQ(elan.traps().size(), ep.rank() == 0 ? 1U : 0U);
        if (ep.rank() == 2) {
          EXPECT_EQ(copy_of(block.bytes), std::vector<std::byte>(64));
        }
      },
      first_hosts(4));
}

TEST(ElanBroadcast, OfMoreThanThereAreAddressesIsAnError) {
  with_rooted_group(2).finish(
      [&](Endpoint& ep) -> Task {
        Elan3& elan = *ep.capability<Elan3>();
        EXPECT_EQ(error_of([&] { elan.broadcast({.bytes = std::uint64_t{1} << 42U}); }),
                  "Elan3: a DMA of 4398046511104 bytes: there are no more than 2^32 addresses");
        co_return;
      },
      first_hosts(2));
}

TEST(ElanBroadcast, HardwareCollectivesUseIt) {
  for (const char* library : {"none", "tports"})
    for (const int ranks_per_host : {1, 2}) {
      WorldOptions options;
      options.ranks_per_host = ranks_per_host;
      options.library = library_from(library);
      std::vector<int> entered;
      with_rooted_group(16).finish(
          [&](Endpoint& ep) -> Task {
            Team team(ep);
            const CollectiveSpec how{.spec = "hardware"};
            const auto barrier = co_await make_barrier(team, how);
            const auto broadcast = co_await make_broadcast(team, how);
            entered.resize(static_cast<std::size_t>(ep.size()));
            Rng rng(static_cast<std::uint64_t>(ep.rank() + 1));
            for (int turn = 1; turn <= 8; ++turn) {
              co_await ep.sleep(Duration(1us) * static_cast<std::int64_t>(rng.below(60)));
              entered[static_cast<std::size_t>(ep.rank())] = turn;
              EXPECT_EQ(co_await barrier->enter(), Status::ok);
              EXPECT_GE(*std::min_element(entered.begin(), entered.end()), turn);
              const Rank root = turn % ep.size();
              const auto data = filled(static_cast<std::size_t>(turn) * 150, 3);
              std::vector<std::byte> into(data.size());
              if (ep.rank() == root) into = data;
              EXPECT_EQ(co_await broadcast->run(root, into), Status::ok);
              EXPECT_EQ(into, data);
            }
            EXPECT_EQ(co_await barrier->enter(), Status::ok);
          },
          options);
    }
}

}  // namespace
}  // namespace weft::run
