// SPDX-License-Identifier: Apache-2.0
// Host programs give the same results, to the last operation of every rank, whether one thread has
// all hosts or each has those of its switches.
#include <gtest/gtest.h>

#include <cstring>

#include "base/rng.hpp"
#include "comm/coll/coll.hpp"
#include "support/collective_worlds.hpp"

namespace weft::run {
namespace {

using namespace comm;
using namespace std::chrono_literals;
using test::Machine;
using test::tries;

/// Keeps the operations of every rank apart.
class OperationsByRank final : public OperationLog {
 public:
  explicit OperationsByRank(int ranks) : of_rank(static_cast<std::size_t>(ranks)) {}
  void completed(const Op& op, Rank rank, Time at) override {
    of_rank[static_cast<std::size_t>(rank)].push_back(record_of(op, rank, at));
  }
  std::vector<std::vector<OperationRecord>> of_rank;
};

/// All that a run reports, as text: what differs can be read.
std::string report_of(World& world, const WorldResult& result, const OperationsByRank& log) {
  const sim::Totals& totals = world.hosts().network().totals();
  std::string out =
      fmt::format("ended {} at {}, {}\n{} transfers, packets {} {} {}, flits {} {}, waiting {}\n",
                  static_cast<int>(result.ended), result.time.count(), result.explanation,
                  world.hosts().begun(), totals.sent, totals.delivered, totals.lost,
                  totals.flit_hops, totals.flits_injected, totals.waiting);
  for (const sim::LaneUse& use : world.hosts().network().lane_use())
    out += fmt::format("{} ", use.flits);
  for (Rank rank = 0; rank < world.size(); ++rank) {
    const auto place = static_cast<std::size_t>(rank);
    out += fmt::format("\nrank {} finished {}, processor {}, software {} {} {}:", rank,
                       result.finished[place].count(), world.processor_of(rank).busy().count(),
                       world.at(rank).software_times().library.count(),
                       world.at(rank).software_times().ack.count(),
                       world.at(rank).software_times().nic.count());
    for (const OperationRecord& each : log.of_rank[place])
      out += fmt::format(" {}/{}/{}/{}/{}-{}", static_cast<int>(each.kind),
                         static_cast<int>(each.status), each.peer, each.message,
                         each.posted.count(), each.completed.count());
  }
  for (std::size_t part = 0; part < world.hosts().part_names().size(); ++part)
    for (HostId host : world.hosts().network().fabric().hosts())
      out += fmt::format(" {}", world.hosts().part(host, part).busy().count());
  return out;
}

struct PartedRun {
  std::string report{};
  Time time{};
  std::size_t parts = 0;
};

PartedRun run_with(const Machine& machine, WorldOptions options, const Program& program,
                   unsigned threads, sim::Pace pace = sim::Pace::automatic) {
  const int hosts =
      static_cast<int>(options.hosts.empty() ? machine.fabric.host_count() : options.hosts.size());
  OperationsByRank log(hosts * options.ranks_per_host);
  options.log = &log;
  options.ranks_are_apart = true;
  options.network.threads = threads;
  options.network.pace = pace;
  World world(machine.fabric, machine.tables, machine.switches, machine.nic, options);
  PartedRun out;
  try {
    const WorldResult result = world.run(program);
    out.report = report_of(world, result, log);
    out.time = result.time;
  } catch (const Error& error) {
    out.report = error.what();
  }
  out.parts = world.hosts().parts();
  return out;
}

/// Expects the same of any number of threads, with hosts in parts. Returns the time it takes.
Time expect_same(const Machine& machine, const WorldOptions& options, const Program& program) {
  const PartedRun alone = run_with(machine, options, program, 1);
  EXPECT_EQ(alone.parts, 1U);
  using sim::Pace;
  for (const auto& [threads, pace] : {std::pair{2U, Pace::bit_sliced},
                                      {3U, Pace::automatic},
                                      {3U, Pace::events},
                                      {7U, Pace::events}}) {
    if (threads > machine.fabric.switch_count()) continue;
    const PartedRun parted = run_with(machine, options, program, threads, pace);
    EXPECT_EQ(parted.report, alone.report) << threads << " threads";
    EXPECT_GE(parted.parts, 2U);
  }
  return alone.time;
}

// --- random programs ----------------------------------------------------------------------------

/// What all ranks do, drawn once: messages of every protocol, some without contents, and memory
/// that others write to and read from.
struct RandomExchange {
  struct SentMessage {
    Rank from, to;
    Tag tag;
    std::size_t bytes;
    bool has_contents, is_synchronous, is_urgent;
  };
  std::vector<SentMessage> messages{};
  std::size_t rounds, segment;
  bool ends;                     ///< or somebody waits for a message in vain
  std::vector<Duration> work{};  ///< by rank and round

  RandomExchange(Rng& rng, int ranks)
      : rounds(1 + rng.below(2)),
        segment(std::size_t{64} << rng.below(6)),
        ends(rng.below(3) != 0) {
    constexpr std::array<std::size_t, 4> most{1, 200, 3'000, 20'000};
    const auto any_rank = [&] {
      return static_cast<Rank>(rng.below(static_cast<std::uint64_t>(ranks)));
    };
    for (std::uint64_t i = 10 + rng.below(50); i > 0; --i)
      messages.push_back({any_rank(), any_rank(), static_cast<Tag>(i),
                          rng.below(most[rng.below(most.size())]), rng.below(2) == 0,
                          rng.below(8) == 0, rng.below(8) == 0});
    for (std::size_t i = 0; i < rounds * static_cast<std::size_t>(ranks); ++i)
      work.push_back(Duration(static_cast<std::int64_t>(rng.below(300'000))));
  }
  static std::byte content(const SentMessage& of, std::size_t at) {
    return static_cast<std::byte>(static_cast<std::size_t>(of.tag) * 31 + at);
  }
};

struct Transit {
  Transit(const RandomExchange::SentMessage& message, bool is_sent)
      : own(message.has_contents ? message.bytes : 0),
        bytes(message.has_contents ? std::span(own) : unbacked(message.bytes)) {
    if (is_sent)
      for (std::size_t i = 0; i < own.size(); ++i) own[i] = RandomExchange::content(message, i);
  }
  std::vector<std::byte> own;
  std::span<std::byte> bytes;
};

Task run_random(Endpoint& ep, const RandomExchange& program) {
  using Slice = RemoteSlice;
  const auto rank = static_cast<std::size_t>(ep.rank());
  const auto ranks = static_cast<std::size_t>(ep.size());
  std::vector<std::byte> memory(program.segment), copy(program.segment);
  const Region region = ep.expose(memory);
  const Slice mine = region.slice();
  const Rank next = static_cast<Rank>((rank + 1) % ranks),
             before = static_cast<Rank>((rank + ranks - 1) % ranks);
  constexpr Tag address = 1'000'000;
  Slice there;
  {
    Op told = ep.send(before, address, bytes_of(mine));
    co_await ep.recv(next, address, writable_bytes_of(there));
    co_await told;
  }
  for (std::size_t round = 0; round < program.rounds; ++round) {
    co_await ep.spend(program.work[round * ranks + rank]);
    std::vector<std::unique_ptr<Transit>> buffers;
    std::vector<const RandomExchange::SentMessage*> received;
    Ops ops(ep, 2 * program.messages.size());
    for (const RandomExchange::SentMessage& each : program.messages) {
      if (each.to == ep.rank()) {
        buffers.push_back(std::make_unique<Transit>(each, false));
        ops.add([&] { return ep.recv(each.from, each.tag, buffers.back()->bytes); });
      }
      if (each.from != ep.rank()) continue;
      buffers.push_back(std::make_unique<Transit>(each, true));
      const SendOptions how(each.is_urgent ? Priority::high : Priority::low,
                            each.is_synchronous ? Mode::synchronous : Mode::asynchronous);
      ops.add([&] { return ep.send(each.to, each.tag, buffers.back()->bytes, how); });
    }
    co_await ops.all();
    // A number that grows: the neighbour waits for it.
    std::vector<std::byte> data(program.segment, static_cast<std::byte>(round + 1));
    Op put = ep.put(next, there, data);
    const auto& last = reinterpret_cast<const std::uint8_t&>(memory.back());
    co_await ep.until(last, at_least(static_cast<std::uint8_t>(round + 1)));
    co_await put;
    co_await ep.get(next, there, copy);
  }
  if (!program.ends && ep.rank() == 0) co_await ep.recv(any_source, address, memory);
}

struct RandomScene {
  RandomScene(Rng& rng, const std::string& nic)
      : machine(topologies[rng.below(topologies.size())], "updown", nic,
                rng.below(2) == 0 ? "iq:buffer=64" : "iq:buffer=96,vcs=2") {
    for (HostId host : machine.fabric.hosts()) options.hosts.push_back(host);
    rng.shuffle(options.hosts);
    options.hosts.resize(2 + rng.below(options.hosts.size() - 1));
    options.ranks_per_host = 1 + static_cast<int>(rng.below(2));
  }
  int ranks() const { return static_cast<int>(options.hosts.size()) * options.ranks_per_host; }

  static inline const std::vector<std::string> topologies{
      "tree:k=2,n=3", "torus:dims=3x3,hosts=2", "random_irregular:switches=8,links=14,hosts=2",
      "tree:k=4,n=2,delay=20ns"};
  Machine machine;
  WorldOptions options;
};

TEST(WorldParts, RandomProgramsReportTheSame) {
  const std::vector<std::string> nics{"hca:mtu=256B", "hca", "via", "loggp",
                                      "hca:eager=1KiB,mtu=1KiB"};
  for (int i = 0; i < tries(6, 2'000) && !::testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE(i);
    Rng rng(9'100 + static_cast<std::uint64_t>(i));
    RandomScene scene(rng, nics[static_cast<std::size_t>(i) % nics.size()]);
    const RandomExchange program(rng, scene.ranks());
    const Program run = [&](Endpoint& ep) { return run_random(ep, program); };
    const Time time = expect_same(scene.machine, scene.options, run);
    // Cut short, or a little later than nothing moves any more.
    scene.options.until = rng.below(2) == 0
                              ? Time(rng.below(static_cast<std::uint64_t>(time.count()) + 1))
                              : time + Time(rng.below(100'000));
    expect_same(scene.machine, scene.options, run);
  }
}

/// On small networks, too, whose windows differ with threads.
TEST(WorldParts, DeadlocksAreFoundAtTheSameTime) {
  for (const char* const nic : {"hca", "loggp"})
    for (const char* const topology : {"ring:switches=40,delay=300ns", "torus:dims=6x6"}) {
      const Machine machine(topology, "minhop", nic, "iq:lanes=1,buffer=8");
      const int ranks = static_cast<int>(machine.fabric.host_count());
      const Program program = [&](Endpoint& ep) -> Task {
        return [](Endpoint& own, int all) -> Task {
          std::vector<std::byte> bytes(9'000);
          std::vector<std::vector<std::byte>> received(static_cast<std::size_t>(all), bytes);
          Ops ops(own, 2 * static_cast<std::size_t>(all));
          for (int i = 1; i < all; ++i) {
            const Rank from = (own.rank() + all - i) % all, to = (own.rank() + i) % all;
            ops.add([&] { return own.recv(from, 1, received[static_cast<std::size_t>(i)]); });
            ops.add([&] { return own.send(to, 1, bytes); });
          }
          co_await ops.all();
        }(ep, ranks);
      };
      EXPECT_NE(run_with(machine, {}, program, 1).report.find("wait for each other"),
                std::string::npos);
      expect_same(machine, {}, program);
    }
}

/// Where hosts know at once of others, or somebody looks at all of them, one thread has them.
TEST(WorldParts, HostsThatAreNotApartStayTogether) {
  const Program program = [](Endpoint& ep) { return test::dissemination(ep, 1); };
  for (const std::string nic : {"martini", "gm", "hca"}) {
    const Machine machine("torus:dims=3x3,delay=50ns", "updown", nic);
    WorldOptions options;
    if (nic == "hca") options.departures = {{.rank = 3, .at = 1ms}};
    const PartedRun alone = run_with(machine, options, program, 1);
    const PartedRun parted = run_with(machine, options, program, 3);
    EXPECT_EQ(parted.report, alone.report) << nic;
    EXPECT_EQ(parted.parts, 1U) << nic;
  }
}

}  // namespace
}  // namespace weft::run
