// SPDX-License-Identifier: Apache-2.0
// Every row of the collectives on small random networks: nobody leaves a barrier before the last
// has entered, and a broadcast brings the root's bytes.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.hpp"
#include "comm/coll/coll.hpp"
#include "comm/coll/patterns/exchanges.hpp"
#include "plan/mcast/mcast.hpp"
#include "support/collective_worlds.hpp"
#include "support/test_memory.hpp"

namespace weft::run {
namespace {

using namespace comm;
using test::Machine;
using test::team_sizes;
using test::variants;
using namespace std::chrono_literals;

/// A random order in which a team may be served.
std::vector<ScheduledSend> random_schedule(int size, Rng& rng) {
  std::vector<Rank> order;
  for (Rank rank = 0; rank < size; ++rank) order.push_back(rank);
  rng.shuffle(order);
  std::vector<ScheduledSend> hops;
  std::vector<int> busy_until(static_cast<std::size_t>(size), 0);
  for (std::size_t i = 1; i < order.size(); ++i) {
    const Rank from = order[rng.below(i)];
    int& busy = busy_until[static_cast<std::size_t>(from)];
    hops.push_back({++busy, from, order[i]});
    busy_until[static_cast<std::size_t>(order[i])] = busy;
  }
  return hops;
}

/// A random network, some ranks of it, and how a collective is made there.
struct Scene {
  Machine machine;
  WorldOptions options;
  CollectiveSpec how;
  int size;

  Scene(const std::string& spec, int ranks_per_host, int hosts, std::uint64_t seed)
      : machine("crossbar:hosts=1") {
    Rng rng(seed);
    machine.fabric = hosts > 8 ? make_fabric(fmt::format("torus:dims=3x3,hosts=4"))
                               : test::from_links(3, {{0, 1}, {1, 2}, {0, 2}}, 3);
    machine.tables = std::get<Tables>(route(machine.fabric, "updown"));
    for (HostId host : machine.fabric.hosts()) options.hosts.push_back(host);
    rng.shuffle(options.hosts);
    options.hosts.resize(static_cast<std::size_t>(hosts));
    options.ranks_per_host = ranks_per_host;
    size = hosts * ranks_per_host;
    how = {spec, random_schedule(size, rng), 0};
    if (spec.starts_with("hardware")) add_group();
  }

  /// A group with all hosts; of a single host nothing needs to be copied.
  void add_group() {
    GroupRequest request{"all", options.hosts};
    for (HostId host : machine.fabric.hosts())
      if (request.members.size() < 2 && host != request.members[0]) request.members.push_back(host);
    machine.tables.groups.push_back(
        std::get<Group>(make_group({machine.fabric, machine.tables, request}, "oriented")));
  }
};

/// Of each barrier: the last one that entered, and the first that left.
struct Meetings {
  explicit Meetings(std::size_t count) : entered(count, Time(0)), left(count, Time::max()) {}
  std::vector<Time> entered, left;
};

Task meet(Endpoint& ep, const CollectiveSpec& how, std::uint64_t seed, Meetings& meetings) {
  Team team(ep);
  const auto barrier = co_await make_barrier(team, how);
  Rng rng(seed * 1000 + static_cast<std::uint64_t>(ep.rank()));
  for (std::size_t i = 0; i < meetings.entered.size(); ++i) {
    // Often none, sometimes long: overlaps of all kinds.
    if (rng.below(3) == 0) co_await ep.sleep(Duration(rng.below(20'000'000)));
    meetings.entered[i] = std::max(meetings.entered[i], ep.now());
    EXPECT_EQ(co_await barrier->enter(), Status::ok);
    meetings.left[i] = std::min(meetings.left[i], ep.now());
  }
}

void expect_meetings(const Scene& scene, std::uint64_t seed, std::size_t count) {
  Meetings meetings(count);
  const WorldResult outcome = scene.machine.run(
      [&](Endpoint& ep) { return meet(ep, scene.how, seed, meetings); }, scene.options);
  ASSERT_EQ(outcome.ended, WorldEnd::finished) << scene.how.spec << ", " << scene.size << " ranks\n"
                                               << outcome.explanation;
  for (std::size_t i = 0; i < count; ++i)
    ASSERT_GE(meetings.left[i], meetings.entered[i])
        << scene.how.spec << ", " << scene.size << " ranks, barrier " << i;
}

bool within_a_host(std::string_view name) { return name == "counter" || name == "flags"; }

TEST(Barriers, HoldEveryoneUntilTheLastHasCome) {
  std::uint64_t seed = 0;
  for (const auto& row : algorithms<Barrier>())
    for (const std::string& spec : variants(row))
      for (const int size : team_sizes())
        for (int each = 1; each <= 4; ++each) {
          ++seed;
          if (within_a_host(row.name)) {
            if (each == 1) expect_meetings(Scene(spec, size, 1, seed), seed, 8);
          } else if (size % each == 0 && (each == 1 || size <= 24)) {
            expect_meetings(Scene(spec, each, size / each, seed), seed, 8);
          }
        }
}

/// A flag of one byte wraps around after 256 barriers, and 40 times more.
TEST(Barriers, TenThousandInARowWork) {
  const auto turns = static_cast<std::uint64_t>(test::tries(10'000));
  for (const char* spec : {"pairwise_rdma", "dissemination:by=puts", "pairwise", "smp"}) {
    Scene scene(spec, 1, 3, 1);
    std::uint64_t entered = 0;
    const auto program = [&](Endpoint& ep) -> Task {
      return [](Endpoint& at, const CollectiveSpec& how, std::uint64_t last,
                std::uint64_t& count) -> Task {
        Team team(at);
        const auto barrier = co_await make_barrier(team, how);
        for (std::uint64_t i = 0; i < last; ++i) {
          ++count;
          EXPECT_EQ(co_await barrier->enter(), Status::ok);
          EXPECT_GE(count, 3 * (i + 1));
        }
      }(ep, scene.how, turns, entered);
    };
    scene.machine.finish(program, scene.options);
    EXPECT_EQ(entered, 3 * turns) << spec;
  }
}

/// The slow rank finds flags of the next barrier where it waits for those of this one.
TEST(Barriers, ASlowRankLosesNoRelease) {
  for (const auto& row : algorithms<Barrier>())
    for (const std::string& spec : variants(row)) {
      const bool one_host = within_a_host(row.name);
      Scene scene(spec, one_host ? 6 : 1, one_host ? 1 : 6, 3);
      for (Rank slow = 0; slow < 6; slow += test::tries(100) < 100 ? 5 : 1) {
        const WorldResult outcome = scene.machine.run(
            [&](Endpoint& ep) -> Task {
              return [](Endpoint& at, const CollectiveSpec& how, bool sleeps) -> Task {
                Team team(at);
                const auto barrier = co_await make_barrier(team, how);
                for (int i = 0; i < 300; ++i) {
                  if (sleeps) co_await at.sleep(30us);
                  EXPECT_EQ(co_await barrier->enter(), Status::ok);
                }
              }(ep, scene.how, ep.rank() == slow);
            },
            scene.options);
        ASSERT_EQ(outcome.ended, WorldEnd::finished) << spec << '\n' << outcome.explanation;
        EXPECT_LT(outcome.time, 300 * 60us) << spec;
      }
    }
}

/// Acts as a member of two that is always a barrier ahead: as if the other had been put to sleep
/// between its own put and its look at the flag.
Task hurry(Endpoint& ep, int count) {
  Team team(ep);
  Team barriers_team = team.again();
  std::uint8_t flag = 0xff, number = 0;
  const Region region = ep.expose(writable_bytes_of(flag));
  const RemoteSlice mine = region.slice();
  RemoteSlice there;
  constexpr Tag address = 2;
  Op sent = barriers_team.send(0, address, bytes_of(mine));
  co_await barriers_team.recv(0, address, writable_bytes_of(there));
  co_await sent;
  for (int i = 0; i < count; ++i) {
    ++number;  // of the barrier after this one
    EXPECT_TRUE((co_await team.put(0, there, bytes_of(number))).ok());
    co_await ep.until(flag, at_least(static_cast<std::uint8_t>(number - 1)));
  }
}

TEST(Barriers, AMemberThatIsOneBarrierAheadIsHeard) {
  const Machine machine("crossbar:hosts=2");
  int met = 0;
  machine.finish([&](Endpoint& ep) -> Task {
    if (ep.rank() == 1) return hurry(ep, 1000);
    return [](Endpoint& at, int& count) -> Task {
      Team team(at);
      const CollectiveSpec how{"pairwise_rdma"};
      const auto barrier = co_await make_barrier(team, how);
      for (; count < 1000; ++count) {
        co_await at.sleep(20us);
        EXPECT_EQ(co_await barrier->enter(), Status::ok);
      }
    }(ep, met);
  });
  EXPECT_EQ(met, 1000);
}

TEST(Barriers, OfPartsDoNotDisturbEachOther) {
  Scene scene("pairwise_rdma", 2, 6, 5);
  scene.machine.finish(
      [&](Endpoint& ep) -> Task {
        return [](Endpoint& at, const CollectiveSpec& rdma) -> Task {
          Team team(at);
          std::vector<Rank> same;
          for (Rank rank = 0; rank < team.size(); ++rank)
            if (rank % 3 == team.rank() % 3) same.push_back(rank);
          for (Rank third = 0; third < team.rank() % 3; ++third) team.skip();
          Team part = team.part(same);
          for (Rank third = team.rank() % 3 + 1; third < 3; ++third) team.skip();
          const CollectiveSpec tree{"tree"}, smp{"smp"};
          const auto of_all = co_await make_barrier(team, tree);
          const auto of_part = co_await make_barrier(part, rdma);
          const auto of_both = co_await make_barrier(part, smp);
          for (int i = 0; i < 20 + team.rank() % 3; ++i) {
            EXPECT_EQ(co_await of_part->enter(), Status::ok);
            EXPECT_EQ(co_await of_both->enter(), Status::ok);
          }
          EXPECT_EQ(co_await of_all->enter(), Status::ok);
        }(ep, scene.how);
      },
      scene.options);
}

Task give(Endpoint& ep, const CollectiveSpec& how, std::uint64_t seed) {
  Team team(ep);
  const auto broadcast = co_await make_broadcast(team, how);
  Rng same(seed), own(seed * 1000 + static_cast<std::uint64_t>(ep.rank()));
  constexpr std::array<std::size_t, 7> sizes{0, 1, 63, 256, 512, 3000, 9000};
  for (int turn = 0; turn < 8; ++turn) {
    const auto root = static_cast<Rank>(same.below(static_cast<std::uint64_t>(team.size())));
    std::vector<std::byte> right(sizes[same.below(sizes.size())]);
    for (std::byte& byte : right) byte = static_cast<std::byte>(same.below(256));
    std::vector<std::byte> data = right;
    if (team.rank() != root) std::fill(data.begin(), data.end(), std::byte{0});
    if (own.below(3) == 0) co_await ep.sleep(Duration(own.below(20'000'000)));
    EXPECT_EQ(co_await broadcast->run(root, data), Status::ok);
    EXPECT_EQ(data, right) << how.spec << ", turn " << turn;
  }
}

TEST(Broadcasts, BringTheRootsBytes) {
  std::uint64_t seed = 0;
  for (const auto& row : algorithms<Broadcast>())
    for (const std::string& spec : variants(row))
      for (const int size : team_sizes())
        for (int each = 1; each <= 4; ++each) {
          ++seed;
          if (size % each != 0 || (each > 1 && size > 24)) continue;
          Scene scene(spec, each, size / each, seed);
          const WorldResult outcome = scene.machine.run(
              [&](Endpoint& ep) { return give(ep, scene.how, seed); }, scene.options);
          ASSERT_EQ(outcome.ended, WorldEnd::finished) << spec << ", " << size << " ranks\n"
                                                       << outcome.explanation;
        }
}

/// When the last rank has the root's 9000 bytes.
Time last_has(const Scene& scene, bool backed) {
  return scene.machine
      .finish(
          [&](Endpoint& ep) -> Task {
            return [](Endpoint& at, const CollectiveSpec& how, bool with_contents) -> Task {
              Team team(at);
              const auto broadcast = co_await make_broadcast(team, how);
              const test::TestMemory data(9000, with_contents);
              EXPECT_EQ(co_await broadcast->run(1, data.bytes), Status::ok);
            }(ep, scene.how, backed);
          },
          scene.options)
      .time;
}

TEST(Broadcasts, WithoutContentsTakeTheSameTime) {
  for (const auto& row : algorithms<Broadcast>())
    for (const std::string& spec : variants(row)) {
      const Scene scene(spec, 2, 4, 1);
      EXPECT_EQ(last_has(scene, true), last_has(scene, false)) << spec;
    }
}

TEST(Exchanges, OfNonPowersOfTwoTakeTwoStepsMore) {
  for (int size = 1; size <= 33; ++size) {
    const auto steps = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(size))) - 1;
    const bool power = std::has_single_bit(static_cast<unsigned>(size));
    std::size_t most = 0;
    for (Rank rank = 0; rank < size; ++rank)
      most = std::max(most, pairwise_exchanges(rank, size).size());
    EXPECT_EQ(most, power ? steps : steps + 2) << size;
  }
}

std::string complaint(const CollectiveSpec& how, int size = 3) {
  try {
    Machine(fmt::format("crossbar:hosts={}", size)).run([&](Endpoint& ep) -> Task {
      return [](Endpoint& at, const CollectiveSpec& made) -> Task {
        Team team(at);
        co_await make_barrier(team, made);
      }(ep, how);
    });
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Barriers, RejectWhatTheyCannotServe) {
  EXPECT_EQ(complaint({"pairwise:by=hand"}), "pairwise: by=hand: it can be messages, puts");
  EXPECT_TRUE(
      complaint({"none"}).starts_with("no barrier is called \"none\"; there are: pairwise"));
  EXPECT_EQ(complaint({"hardware"}), "hardware: the switches of this network copy nothing");
  EXPECT_EQ(complaint({"counter"}), "counter: its 3 ranks are on several hosts; smp is for those");
  EXPECT_EQ(complaint({"smp:between=smp"}), "smp: between=smp: not smp itself");
  EXPECT_EQ(complaint({"schedule"}),
            "schedule: nobody reaches rank 0, nor rank 1: there is one root");
  EXPECT_EQ(complaint({"schedule", {{1, 0, 3}}}), "schedule: 3 is not a rank of a team of 3");
  EXPECT_EQ(complaint({"schedule", {{0, 0, 1}}}), "schedule: step 0: steps count from 1");
  EXPECT_EQ(complaint({"schedule", {{1, 0, 1}, {2, 2, 1}}}), "schedule: rank 1 is reached twice");
  EXPECT_EQ(complaint({"schedule", {{1, 0, 1}, {1, 1, 2}}}),
            "schedule: rank 1 sends in step 1 what reaches it in step 1");
  EXPECT_EQ(complaint({"schedule", {{1, 0, 1}, {1, 1, 2}, {2, 2, 0}}}),
            "schedule: every rank is reached: nobody is the root");
}

}  // namespace
}  // namespace weft::run
