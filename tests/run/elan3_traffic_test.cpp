// SPDX-License-Identifier: Apache-2.0
// Elan3lib, messages and generic operations together: random traffic of all of it against what
// memory is expected to hold; routing tables; broadcasts by the switches.
#include <gtest/gtest.h>

#include "comm/capabilities.hpp"
#include "comm/team.hpp"
#include "support/elan_worlds.hpp"

namespace weft::run {
namespace {

using namespace comm;
using namespace test;
using namespace std::chrono_literals;
using Store = Elan3::Store;
using Block = Elan3::Block;

// --- random traffic -----------------------------------------------------------------------------

constexpr std::size_t constant = 8192;  ///< bytes that nobody writes to, at the beginning of blocks
constexpr std::size_t slot = 2048;      ///< behind them, two for each rank that may write

struct RandomOperation {
  enum OpKind { dma, message, trespass, none } kind{};
  Rank from = 0, to = 0;
  Store source{}, target{};
  std::size_t at = 0, bytes = 0, in_slot = 0;
  Mode mode{};
  bool queued = false, urgent = false;
};

/// What a rank does in a round; every rank can compute it for all.
RandomOperation random_operation(std::uint64_t seed, std::size_t round, Rank by, int ranks) {
  Rng rng(seed * 1'000'003 + round * 1009 + static_cast<std::uint64_t>(by));
  const auto any_rank = [&] {
    return static_cast<Rank>(rng.below(static_cast<std::uint64_t>(ranks)));
  };
  RandomOperation out;
  out.kind = static_cast<RandomOperation::OpKind>(rng.below(4));
  out.from = rng.below(3) == 0 || out.kind != RandomOperation::dma ? by : any_rank();
  out.to = any_rank();
  out.source = rng.below(2) == 0 ? Store::main : Store::elan;
  out.target = rng.below(2) == 0 ? Store::main : Store::elan;
  out.bytes = rng.below(4) == 0 ? rng.below(65) : rng.below(slot + 1);
  out.at = rng.below(constant - out.bytes);
  out.in_slot = rng.below(slot - out.bytes + 1);
  out.mode = rng.below(2) == 0 ? Mode::asynchronous : Mode::synchronous;
  out.queued = rng.below(2) == 0;
  out.urgent = rng.below(4) == 0;
  return out;
}

using Memories = std::vector<std::array<std::vector<std::byte>, 2>>;  ///< by rank and store

Memories at_first(int ranks) {
  Memories out(static_cast<std::size_t>(ranks));
  const std::size_t size = constant + static_cast<std::size_t>(ranks) * 2 * slot;
  for (std::size_t rank = 0; rank < out.size(); ++rank)
    for (const std::size_t store : {0U, 1U}) {
      out[rank][store] = filled(size, 7 + 2 * rank + store);
      std::fill(out[rank][store].begin() + constant, out[rank][store].end(), std::byte{0});
    }
  return out;
}

/// A message may be received after later DMAs, and has a slot of its own.
std::size_t place_of(const RandomOperation& operation, Rank by) {
  const std::size_t slots =
      2 * static_cast<std::size_t>(by) + (operation.kind == RandomOperation::message ? 1 : 0);
  return constant + slots * slot + operation.in_slot;
}

/// What memories and events are when all is done.
Memories at_last(std::uint64_t seed, std::size_t rounds, int ranks,
                 std::vector<std::uint64_t>& events) {
  Memories out = at_first(ranks);
  events.assign(static_cast<std::size_t>(ranks), 0);
  for (std::size_t round = 0; round < rounds; ++round)
    for (Rank by = 0; by < ranks; ++by) {
      const RandomOperation d = random_operation(seed, round, by, ranks);
      if (d.kind == RandomOperation::trespass || d.kind == RandomOperation::none) continue;
      const auto& from = out[static_cast<std::size_t>(d.from)][d.source == Store::elan ? 1 : 0];
      auto& to = out[static_cast<std::size_t>(d.to)][d.target == Store::elan ? 1 : 0];
      std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(d.at), d.bytes,
                  to.begin() + static_cast<std::ptrdiff_t>(place_of(d, by)));
      if (d.kind == RandomOperation::dma) ++events[static_cast<std::size_t>(d.to)];
    }
  return out;
}

struct Home {
  Elan3& elan;
  std::array<Block, 2> blocks;
  Block closed;
  Elan3::Event came;
  std::vector<Elan3::Segment> open{};
  Home(Endpoint& ep, std::size_t size)
      : elan(*ep.capability<Elan3>()),
        blocks{elan.allocate(Store::main, size), elan.allocate(Store::elan, size)},
        closed(elan.allocate(Store::main, slot)),
        came(elan.make_event()) {
    for (const Block& block : blocks) open.push_back(elan.open(block, RegionRights::remote));
    open.push_back(elan.open_event(came));
  }
  const Block& of(Store store) const { return blocks[store == Store::elan ? 1 : 0]; }
};

Task carry_out(Endpoint& ep, Home& home, const RandomOperation& d, Tag tag) {
  const auto source = home.of(d.source).part(d.at, d.bytes);
  if (d.kind == RandomOperation::message) {
    EXPECT_TRUE((co_await ep.send(d.to, tag, source.bytes, d.mode)).ok());
    co_return;
  }
  Elan3::Dma dma{.from = d.from,
                 .to = d.to,
                 .source = source.elan,
                 .target = home.of(d.target).part(place_of(d, ep.rank()), d.bytes).elan,
                 .bytes = d.bytes,
                 .target_event = home.came};
  if (d.queued) dma.queue = 1;
  if (d.urgent) dma.priority = Priority::high;
  if (d.kind == RandomOperation::dma) {
    const Status status = (co_await home.elan.dma(dma)).status;
    EXPECT_EQ(status, Status::ok) << to_text(status);
    co_return;
  }
  if (d.to == ep.rank() || d.bytes == 0) co_return;  // one's own is never closed
  const std::size_t traps = home.elan.traps().size();
  dma.target = home.closed.elan;
  EXPECT_EQ((co_await home.elan.dma(dma)).status, Status::refused);
  EXPECT_EQ(home.elan.traps().size(), traps + 1);
}

Task live(Endpoint& ep, std::uint64_t seed, std::size_t rounds) {
  const Memories first = at_first(ep.size());
  Home home(ep, first[0][0].size());
  const auto me = static_cast<std::size_t>(ep.rank());
  for (const std::size_t store : {0U, 1U})
    std::copy(first[me][store].begin(), first[me][store].end(), home.blocks[store].bytes.begin());
  co_await dissemination(ep, 1);
  for (std::size_t round = 0; round < rounds; ++round) {
    const auto tag = static_cast<Tag>(10 + round);
    const RandomOperation mine = random_operation(seed, round, ep.rank(), ep.size());
    Task doing = carry_out(ep, home, mine, tag);
    if (mine.kind != RandomOperation::none) doing.start(ep.ready());
    for (Rank by = 0; by < ep.size(); ++by) {
      const RandomOperation theirs = random_operation(seed, round, by, ep.size());
      if (theirs.kind != RandomOperation::message || theirs.to != ep.rank()) continue;
      const auto into = home.of(theirs.target).part(place_of(theirs, by), theirs.bytes).bytes;
      EXPECT_TRUE((co_await ep.recv(by, tag, into)).ok());
    }
    if (mine.kind != RandomOperation::none) co_await doing;
    if (round % 4 == 3) co_await dissemination(ep, 2);
  }
  co_await dissemination(ep, 3);
  std::vector<std::uint64_t> events;
  const Memories last = at_last(seed, rounds, ep.size(), events);
  co_await home.elan.wait(home.came, events[me]);
  EXPECT_EQ(home.elan.poll(home.came), events[me]);
  for (const std::size_t store : {0U, 1U})
    EXPECT_EQ(copy_of(home.blocks[store].bytes), last[me][store]) << seed << ' ' << store;
  EXPECT_EQ(copy_of(home.closed.bytes), std::vector<std::byte>(slot));
}

TEST(ElanTraffic, RandomOperationsLeaveMemoryAsExpected) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    WorldOptions options = first_hosts(seed % 2 == 0 ? 7 : 3);
    options.ranks_per_host = seed % 3 == 0 ? 2 : 1;
    options.library = library_from(seed % 4 < 2 ? "tports" : "none");
    elan_machine().finish([&](Endpoint& ep) { return live(ep, seed, 40); }, options);
  }
}

// --- the same over what every network has -------------------------------------------------------

TEST(ElanTraffic, RegionsNoticesAndGenericEventsWorkOnElans) {
  for (const int ranks_per_host : {1, 2}) {
    WorldOptions options = first_hosts(2);
    options.ranks_per_host = ranks_per_host;
    elan_machine().finish(
        [](Endpoint& ep) -> Task {
          Events& events = *ep.capability<Events>();
          std::vector<std::byte> data = filled(3000, 4), into(3000), got(3000);
          const Region region = ep.expose(into);
          const RemoteSlice mine = region.slice();
          RemoteSlice theirs;
          const Rank next = (ep.rank() + 1) % ep.size();
          const Rank before = (ep.rank() + ep.size() - 1) % ep.size();
          Op sent = ep.send(before, 1, bytes_of(mine));
          co_await ep.recv(next, 1, writable_bytes_of(theirs));
          EXPECT_TRUE((co_await events.put_and_set(next, theirs, data, 1)).ok());
          co_await events.wait(1, 1);
          EXPECT_EQ(into, data);
          EXPECT_TRUE((co_await ep.get(next, theirs, got)).ok());
          EXPECT_EQ(got, data);
          Op notice = ep.notice();
          EXPECT_TRUE((co_await ep.put(next, theirs, data, Immediate{9})).ok());
          EXPECT_EQ((co_await notice).immediate, 9U);
          EXPECT_EQ((co_await ep.put(next, {theirs.key, 1}, data)).status, Status::refused);
          EXPECT_TRUE((co_await events.set(next, 2)).ok());
          co_await events.wait(2, 1);
          co_await dissemination(ep, 2);
        },
        options);
  }
}

// --- routing tables -----------------------------------------------------------------------------

/// A route from the first host to the last: up by a channel of its switch, and down again.
struct SpineRoute {
  ChannelId up;
  std::vector<std::uint16_t> tags;
};
std::vector<SpineRoute> routes_to(const Fabric& fabric, HostId last) {
  std::vector<SpineRoute> out;
  for (const ChannelId up : fabric.out(fabric[HostId(0)].on))
    for (const ChannelId down : fabric.out(fabric.to(up)))
      if (fabric.to(down) == fabric[last].on)
        out.push_back({up, {fabric.out_port(up), fabric.out_port(down), fabric[last].port}});
  return out;
}

TEST(ElanTraffic, DmasTakeTheRoutingTableTheyName) {
  const Machine machine = elan_machine();
  const HostId last(machine.fabric.host_count() - 1);
  const std::vector<SpineRoute> routes = routes_to(machine.fabric, last);
  ASSERT_EQ(routes.size(), 4U);
  for (const std::uint32_t wanted : {1U, 2U}) {
    WorldOptions options;
    options.hosts = {HostId(0), last};
    World world(machine.fabric, machine.tables, machine.switches, machine.nic, options);
    const WorldResult outcome = world.run([&](Endpoint& ep) -> Task {
      Elan3& elan = *ep.capability<Elan3>();
      const Block block = elan.allocate(Store::main, 32'000);
      const Elan3::Segment open = elan.open(block, RegionRights::remote);
      if (ep.rank() == 1) {
        co_await ep.sleep(1ms);
        co_return;
      }
      for (const std::uint32_t table : {1U, 2U}) elan.load_routes(table, {{1, routes[table].tags}});
      const Elan3::Dma dma{.from = 0,
                           .to = 1,
                           .source = block.elan,
                           .target = block.elan,
                           .bytes = 32'000,
                           .table = wanted};
      EXPECT_TRUE((co_await elan.dma(dma)).ok());
    });
    EXPECT_EQ(outcome.ended, WorldEnd::finished) << outcome.explanation;
    std::map<ChannelId, std::uint64_t> flits;
    for (const sim::LaneUse& use : world.hosts().network().lane_use())
      if (use.channel.valid()) flits[use.channel] += use.flits;
    for (std::size_t route = 0; route < routes.size(); ++route)
      EXPECT_EQ(flits[routes[route].up] > 0, route == wanted) << route;
  }
}

}  // namespace
}  // namespace weft::run
