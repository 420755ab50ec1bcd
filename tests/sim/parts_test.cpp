// SPDX-License-Identifier: Apache-2.0
// A network on several threads gives the same results as on one, to the last flit of every lane.
#include <gtest/gtest.h>
#include <pthread.h>

#include <map>
#include <set>

#include "base/rng.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
#include "sim/flit/parts/partition.hpp"
#include "sim/flit/parts/thread_chooser.hpp"
#include "sim/workload/measurement.hpp"
#include "support/fabrics.hpp"
#include "support/networks.hpp"
#include "support/routes.hpp"

namespace weft::sim {
namespace {

using test::RandomNetwork;
using test::tries;

/// All that a run reports.
struct Seen {
  NetworkEnd ended{};
  Cycle now = 0;
  std::string explanation{};
  std::uint64_t sent = 0, delivered = 0, lost = 0, flit_hops = 0, injected = 0, waiting = 0;
  std::uint64_t latency = 0, network_latency = 0, hops = 0, kept = 0;
  Cycle most = 0, median = 0, last = 0;
  std::vector<std::uint64_t> of_hosts{}, lanes{};
  bool operator==(const Seen&) const = default;
};

struct WorkloadRun {
  std::string pattern = "uniform", load = "0.3", lengths = "1";
  std::vector<Cycle> stops{300, 301, 900};
  std::uint64_t seed = 1;
  std::uint32_t reply = 0;
  Window window{.size = 0};  ///< without one, an open loop
};

std::unique_ptr<Workload> workload_of(const WorkloadRun& how, const Fabric& fabric, Bytes flit,
                                      Meter& meter) {
  Demand demand{make_pattern(fabric, how.pattern), Lengths(how.lengths, flit), {}, how.seed};
  if (how.window.size > 0) return closed_loop(std::move(demand), how.window, meter);
  OfferedLoad load{chance_from(how.load)};
  load.reply = how.reply;
  return open_loop(std::move(demand), load, meter);
}

/// What a network says of itself at the end.
void see_totals(const Network& network, Seen& out) {
  const Totals& totals = network.totals();
  out.now = network.now();
  out.explanation = network.explanation();
  out.sent = totals.sent;
  out.delivered = totals.delivered;
  out.lost = totals.lost;
  out.flit_hops = totals.flit_hops;
  out.injected = totals.flits_injected;
  out.waiting = totals.waiting;
}

Seen run(Network& network, const WorkloadRun& how, Bytes flit) {
  const Fabric& fabric = network.fabric();
  Meter meter(fabric.host_count());
  const auto workload = workload_of(how, fabric, flit, meter);
  workload->start(network);
  Seen out;
  for (const Cycle stop : how.stops) {
    out.ended = network.run(*workload, stop);
    if (meter.sample().begin == never) meter.open(network.now());
    for (const LaneUse& use : network.lane_use()) out.lanes.push_back(use.flits);
  }
  see_totals(network, out);
  out.latency = meter.counts().latency;
  out.network_latency = meter.sample().network_latency;
  out.hops = meter.sample().hops;
  out.kept = workload->kept();
  out.most = meter.sample().normal.most();
  out.median = meter.sample().normal.quantile(500);
  out.last = meter.last();
  for (const auto* flits : {&meter.flits_of(), &meter.flits_sent_of(), &meter.flits_lost_of()})
    for (const std::uint64_t count : *flits) out.of_hosts.push_back(count);
  return out;
}

std::uint64_t cycles_in_parts(const Network& network, std::string_view path) {
  std::uint64_t out = 0;
  for (const PathUse& use : network.paths_used())
    if (use.name.find(path) != std::string_view::npos) out += use.cycles;
  return out;
}

/// Networks of every kind: what links, switches and packets may be.
TEST(Parts, RandomNetworksReportTheSameOnAnyNumberOfThreads) {
  for (int i = 0; i < tries(12, 5'000) && !HasFailure(); ++i) {
    const std::uint64_t seed = 400'000 + static_cast<std::uint64_t>(i);
    const RandomNetwork network =
        i % 3 == 2 ? test::random_whole_packets(seed)
                   : test::random_network(seed, {.speeds = true, .special = true});
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, network.describe()));
    if (network.fabric.host_count() < 2) continue;
    Rng rng(seed);
    WorkloadRun how;
    how.load = fmt::format("0.{}", 1 + rng.below(9));
    how.lengths = std::to_string(network.options.longest_packet);
    how.seed = seed;
    const SwitchModel model = model_from(network.switches);
    NetworkOptions options = network.options;
    options.review = rng.below(2) == 0 ? 4096 : 70;
    const auto with = [&](unsigned threads) {
      options.threads = threads;
      Network made(network.fabric, network.tables, model, options);
      return run(made, how, model.flit);
    };
    const Seen alone = with(1);
    for (const unsigned threads : {2U, 3U, 7U})
      if (threads <= network.fabric.switch_count()) {
        EXPECT_TRUE(with(threads) == alone) << threads;
      }
  }
}

struct LargeNetwork {
  std::string topology, engine, switches;
  WorkloadRun how{};
  Pace pace = Pace::events;
  std::string faults{};
};

void PrintTo(const LargeNetwork& network, std::ostream* out) {
  *out << network.topology << " " << network.engine << " " << network.switches;
}

class PartsOfNetworks : public ::testing::TestWithParam<LargeNetwork> {};

TEST_P(PartsOfNetworks, ReportTheSame) {
  const LargeNetwork& what = GetParam();
  const Fabric fabric = make_fabric(what.topology);
  const Tables tables = std::get<Tables>(route(fabric, what.engine));
  const SwitchModel model = model_from(what.switches);
  const Lengths lengths(what.how.lengths, model.flit);
  std::optional<Seen> alone;
  for (const unsigned threads : {1U, 2U, 3U, 7U}) {
    Network network(fabric, tables, model,
                    {.faults = faults_from(fabric, what.faults),
                     .longest_packet = lengths.longest(),
                     .pace = what.pace,
                     .threads = threads,
                     .review = 250});
    const Seen seen = run(network, what.how, model.flit);
    EXPECT_EQ(cycles_in_parts(network, "threads") > 0, threads > 1);
    if (what.pace == Pace::bit_sliced && fabric.switch_count() > 256) {
      EXPECT_EQ(cycles_in_parts(network, "words of switches, on several") > 0, threads > 1);
    }
    if (!alone) alone = seen;
    EXPECT_TRUE(seen == *alone) << threads << " threads; " << seen.explanation;
  }
}

const std::vector<LargeNetwork> large_networks{
    {"torus:dims=6x6x4", "dor", "iq:lanes=4", {.load = "0.2"}, Pace::automatic},
    {"torus:dims=8x8", "minhop", "iq", {.load = "0.6", .lengths = "12"}},  // deadlocks
    {"mesh:dims=12x12", "dor", "iq:lanes=2", {.load = "0.1", .lengths = "16"}},
    {"mesh:dims=12x12", "dor", "iq:lanes=4", {.load = "1", .lengths = "1*0.8+16*0.2"}},
    {"tree:k=4,n=3", "dmodk", "iq:lanes=4,link=20ns", {.load = "0.3"}},
    {"tree:k=6,n=3", "dmodk", "iq:lanes=2", {.load = "0.9", .lengths = "9"}},
    {"clos3:radix=8",
     "dmodk",
     "iq:lanes=3,switching=cut_through,buffer=16,multiplex=packet",
     {.load = "0.5", .lengths = "12"}},
    {"clos3:radix=8",
     "dmodk",
     "iq:lanes=2,buffer=40,flow=stop_go",
     {.load = "0.7", .lengths = "7"}},
    {"dragonfly:a=4,p=2,h=2", "dfsssp", "iq:buffer=64,link=10", {.load = "0.4", .lengths = "3"}},
    {"dragonfly:a=4,p=2,h=2", "dfsssp", "iq:buffer=64", {.load = "0.001", .stops = {5'000, 9'000}}},
    {"random_regular:switches=60,degree=5,hosts=2",
     "updown",
     "iq:priorities=yes",
     {.load = "0.3", .lengths = "5"}},
    {"tree:k=4,n=3", "nca", "iq:lanes=4", {.load = "0.5"}},  // tags of source routes
    {"clos3:radix=8",
     "updown_adaptive",
     "iq:lanes=3,policy=random",
     {.load = "0.6", .lengths = "4"}},
    {"clos3:radix=8", "updown_adaptive", "iq:lanes=3,policy=sticky,choice=commit", {.load = "0.6"}},
    {"torus:dims=6x6x4", "min_adaptive", "iq:lanes=4", {.load = "0.4", .lengths = "3"}},
    {"dragonfly:a=4,p=2,h=2", "par", "iq:lanes=8", {.pattern = "adversarial", .load = "0.5"}},
    {"dragonfly:a=4,p=2,h=2", "ugal", "iq:lanes=6", {.pattern = "adversarial", .load = "0.6"}},
    {"mesh:dims=8x8", "romm", "iq:lanes=4", {.load = "0.3", .lengths = "6"}},
    {"hyperx:dims=5x5,hosts=4", "valiant", "iq:lanes=4,policy=queue", {.load = "0.4"}},
    {"hypercube:dims=6", "lash", "iq:inputs=lane", {.load = "0.8", .lengths = "4"}},
    {"dragonfly:a=4,p=2,h=2", "ugal_g", "iq:lanes=6", {.pattern = "adversarial", .load = "0.6"}},
    {"clos3:radix=8", "dmodk", "iq:lanes=2", {.lengths = "6", .window = {4, 2}}},
    {"torus:dims=6x6x4", "dor", "iq:lanes=4", {.window = {3, 0}}, Pace::events},
    {"mesh:dims=8x8", "dor", "iq:lanes=2", {.load = "0.2", .reply = 1}},
    {"clos3:radix=8",
     "dmodk",
     "iq:lanes=3,switching=cut_through,buffer=16,multiplex=packet",
     {.lengths = "12", .window = {2, 1}}},
    {"torus:dims=8x8", "minhop", "iq", {.lengths = "12", .window = {8, 1}}},  // deadlocks
    {"clos3:radix=8",
     "updown_adaptive",
     "iq:lanes=3",
     {.lengths = "5", .window = {4, 1}},
     Pace::events,
     "errors=1e-6;link=s0:6@200-400;link=h9@250;switch=s40@310"},
    {"mesh:dims=8x8", "dor", "iq", {.load = "0.3", .lengths = "9"}, Pace::events, "errors=1e-5"},
    // Packets that wait for several ports when somebody looks for deadlocks.
    {"xgft:children=8x8x4,parents=1x2x2",
     "nca",
     "iq:choice=any",
     {.pattern = "hot_spot:share=0.9", .lengths = "16", .window = {8, 1}}},
    {"xgft:children=8x8x4,parents=1x2x2",
     "nca",
     "iq:choice=any",
     {.pattern = "hot_spot:share=0.9", .load = "0.95", .lengths = "16"}},
    // Words of one thread in turns with events of several, and backlogs.
    {"mesh:dims=8x8", "dor", "iq:lanes=4", {.load = "0.9"}, Pace::bit_sliced},
    // In words: plain networks by table, by turns and by phases; and others.
    {"mesh:dims=20x20", "dor", "iq:lanes=2", {.load = "0.15"}, Pace::bit_sliced},
    {"torus:dims=8x8x8", "dor", "iq:lanes=4", {.load = "0.3"}, Pace::bit_sliced},
    {"torus:dims=8x8x8", "dor", "iq:lanes=2", {.load = "0.9"}, Pace::bit_sliced},
    {"mesh:dims=18x18", "romm", "iq:lanes=4,link=20ns", {.load = "0.1"}, Pace::bit_sliced},
    {"mesh:dims=20x20", "dor", "iq:lanes=2", {.window = {3, 1}}, Pace::bit_sliced},
    {"torus:dims=8x8x8", "dor", "iq:lanes=4", {.lengths = "5", .window = {2, 2}}, Pace::bit_sliced},
    {"mesh:dims=20x20",
     "dor",
     "iq:lanes=2",
     {.load = "0.1", .lengths = "3", .reply = 3},
     Pace::bit_sliced},
    {"torus:dims=8x8x8", "dor", "iq:lanes=4", {.load = "0.4", .lengths = "16"}, Pace::bit_sliced},
    {"mesh:dims=30x30",
     "dor",
     "iq:lanes=2,link=16ns",
     {.load = "0.06", .lengths = "1*0.8+16*0.2"},
     Pace::bit_sliced},
    {"mesh:dims=20x20",
     "dor",
     "iq:lanes=2,switching=cut_through,buffer=16",
     {.load = "0.3", .lengths = "7"},
     Pace::bit_sliced},
    {"clos3:radix=16", "dmodk", "iq:lanes=2", {.load = "0.4", .lengths = "3"}, Pace::bit_sliced},
    {"mesh:dims=17x17",
     "dor",
     "iq:lanes=2",
     {.load = "0.02", .stops = {5'000, 9'000}},
     Pace::bit_sliced},
};
INSTANTIATE_TEST_SUITE_P(All, PartsOfNetworks, ::testing::ValuesIn(large_networks));

/// Requests whose replies are awaited at the end of a measurement.
TEST(Parts, MeasurementsEndAtTheSameTime) {
  const Fabric fabric = make_fabric("torus:dims=8x8");
  const Tables tables = std::get<Tables>(route(fabric, "dor"));
  const SwitchModel model = model_from("iq:lanes=4,link=20ns");
  for (const WorkloadRun& how :
       {WorkloadRun{.load = "0.03", .reply = 2},
        WorkloadRun{.lengths = "4", .window = {.size = 2, .ack = 4, .reply = true}}}) {
    std::optional<std::vector<std::uint64_t>> alone;
    for (const unsigned threads : {1U, 2U, 3U, 7U}) {
      Network network(fabric, tables, model, {.longest_packet = 4, .threads = threads});
      Meter meter(fabric.host_count());
      const auto workload = workload_of(how, fabric, model.flit, meter);
      const Measured measured = measure(network, *workload, meter, {.warmup = 300, .cycles = 500});
      EXPECT_EQ(measured.conclusion, Conclusion::steady) << threads << " threads";
      EXPECT_EQ(cycles_in_parts(network, "threads") > 0, threads > 1);
      const std::vector<std::uint64_t> seen{network.now(), meter.counts().latency,
                                            meter.sample().replies.count(), meter.outstanding()};
      if (!alone) alone = seen;
      EXPECT_EQ(seen, *alone) << threads << " threads";
    }
  }
}

/// Runs that stop just before, and just after, the network becomes quiet.
TEST(Parts, NetworksBecomeQuietAtTheSameTime) {
  const Fabric fabric = make_fabric("torus:dims=6x6x4");
  const Tables tables = std::get<Tables>(route(fabric, "dor"));
  const SwitchModel model = model_from("iq:lanes=4,link=60ns");
  for (Cycle stop = 60; stop < 90; ++stop) {
    std::optional<std::vector<Cycle>> alone;
    for (const unsigned threads : {1U, 2U}) {
      Network network(fabric, tables, model, {.pace = Pace::events, .threads = threads});
      Meter meter(fabric.host_count());
      Demand demand{limited(make_pattern(fabric, "neighbour"), fabric.host_count(), 1),
                    Lengths("1", model.flit)};
      const auto workload = closed_loop(std::move(demand), {.size = 1, .ack = 1}, meter);
      workload->start(network);
      std::vector<Cycle> seen;
      for (const Cycle until : {stop, stop + 1, stop + 30, Cycle{1'000}}) {
        seen.push_back(static_cast<Cycle>(network.run(*workload, until)));
        seen.push_back(network.now());
      }
      if (!alone) alone = seen;
      EXPECT_EQ(seen, *alone) << threads << " threads, stopped at " << stop;
    }
  }
}

/// A deadlock beside traffic that goes on, after a pause longer than that between two looks.
TEST(Parts, DeadlocksAreFoundAtTheSameTime) {
  const Fabric fabric = make_fabric("torus:dims=8x8");
  const Tables tables = std::get<Tables>(route(fabric, "minhop"));
  const SwitchModel model = model_from("iq:lanes=1,buffer=8,link=20ns");
  const auto hosts = static_cast<std::uint32_t>(fabric.host_count());
  Trace trace;
  for (std::uint32_t i = 0; i < 32; ++i) trace.push_back({HostId(i), HostId(i + 1), 1, 1'005});
  for (std::uint32_t i = 0; i < 8 * hosts; ++i)
    trace.push_back({HostId(i % hosts), HostId((i * 29 + i / hosts * 11) % hosts), 60, 1'040});
  for (Cycle at = 3'000; at < 9'000; at += 7) trace.push_back({HostId(5), HostId(5), 1, at});
  std::optional<std::pair<NetworkEnd, Cycle>> alone;
  for (const unsigned threads : {1U, 2U, 3U, 7U}) {
    Network network(fabric, tables, model,
                    {.longest_packet = 60, .threads = threads, .review = 400});
    Meter meter(fabric.host_count());
    const auto workload = replay(trace, 60, meter);
    workload->start(network);
    const std::pair<NetworkEnd, Cycle> seen{network.run(*workload, 20'000), network.now()};
    EXPECT_EQ(seen.first, NetworkEnd::deadlocked);
    if (!alone) alone = seen;
    EXPECT_TRUE(seen == *alone) << threads << " threads: " << seen.second;
  }
}

/// A network that stands still soon, by events and in words, which notice it at different times.
TEST(Parts, NetworksThatStandStillAreDeadlockedAtTheSameTime) {
  const Fabric fabric = make_fabric("torus:dims=6x6x6,delay=100ns");
  const Tables tables = std::get<Tables>(route(fabric, "minhop"));
  const SwitchModel model = model_from("iq:lanes=1");
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    const WorkloadRun how{
        .load = "0.6", .lengths = "8", .stops = {1'000, 3'000, 6'000}, .seed = seed};
    std::optional<Seen> alone;
    for (const Pace pace : {Pace::events, Pace::bit_sliced, Pace::automatic})
      for (const unsigned threads : {1U, 2U, 3U}) {
        Network network(fabric, tables, model,
                        {.longest_packet = 8, .pace = pace, .threads = threads});
        const Seen seen = run(network, how, model.flit);
        EXPECT_EQ(seen.ended, NetworkEnd::deadlocked);
        if (!alone) alone = seen;
        EXPECT_TRUE(seen == *alone) << threads << " threads: " << seen.now;
      }
  }
}

/// As sweeps and `weft sim` measure: the verdict, and what has been counted before it.
TEST(Parts, MeasurementsEndInTheSameDeadlock) {
  const Fabric fabric = make_fabric("torus:dims=6x6x6,delay=100ns");
  const Tables tables = std::get<Tables>(route(fabric, "minhop"));
  const SwitchModel model = model_from("iq:lanes=1");
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    std::optional<std::vector<std::uint64_t>> alone;
    for (const unsigned threads : {1U, 2U, 7U}) {
      Network network(fabric, tables, model, {.longest_packet = 8, .threads = threads});
      Meter meter(fabric.host_count());
      const auto workload =
          open_loop({make_pattern(fabric, "uniform"), Lengths("8", model.flit), {}, seed},
                    chance_from("0.6"), meter);
      const Measured measured =
          measure(network, *workload, meter, {.warmup = 1'000, .cycles = 2'000});
      const std::vector<std::uint64_t> seen{static_cast<std::uint64_t>(measured.conclusion),
                                            network.now(), network.totals().sent,
                                            network.totals().delivered, meter.counts().latency};
      EXPECT_EQ(measured.conclusion, Conclusion::deadlocked);
      if (!alone) alone = seen;
      EXPECT_EQ(seen, *alone) << threads << " threads";
    }
  }
}

/// Every flit is reported in the same order, whatever number of threads could be had.
TEST(Parts, FlitsAreReportedInTheSameOrder) {
  const Fabric fabric = make_fabric("torus:dims=8x8");
  const Tables tables = std::get<Tables>(route(fabric, "dor"));
  const SwitchModel model = model_from("iq:lanes=2");
  struct Order final : Driver {
    void timer(Network&, HostId) override {}
    void delivered(Network&, const Packet&, HostId, unsigned) override {}
    void lost(Network&, const Packet&, HostId, Loss) override {}
    void flit_departed(Network& network, const Packet& packet, const FlitDeparture& flit) override {
      seen.push_back({network.now(), packet.id, flit.channel.index(), flit.flit});
    }
    std::vector<std::array<std::uint64_t, 4>> seen{};
  };
  std::optional<Order> alone;
  for (const unsigned threads : {1U, 2U, 3U, 7U}) {
    Network network(fabric, tables, model,
                    {.longest_packet = 4, .flit_departures = true, .threads = threads});
    const std::size_t hosts = fabric.host_count();
    for (std::size_t i = 0; i < 10 * hosts; ++i)
      network.send(HostId(i % hosts), HostId((i * 7 + i / hosts) % hosts), 4, false, 0);
    Order order;
    EXPECT_EQ(network.run(order, 10'000), NetworkEnd::quiet);
    if (!alone) alone = order;
    EXPECT_TRUE(order.seen == alone->seen) << threads;
  }
}

/// A machine that makes no more threads: one line instead of a program that never ends.
TEST(Parts, ThreadsThatCannotBeMadeAreAnError) {
  const Fabric fabric = make_fabric("torus:dims=6x6x4");
  const Tables tables = std::get<Tables>(route(fabric, "dor"));
  const SwitchModel model = model_from("iq:lanes=4");
  pthread_attr_t usual, huge;
  ASSERT_EQ(pthread_getattr_default_np(&usual), 0);
  ASSERT_EQ(pthread_attr_init(&huge), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&huge, std::size_t{1} << 46U), 0);
  Network network(fabric, tables, model, {.threads = 3});
  Meter meter(fabric.host_count());
  const auto workload = open_loop({make_pattern(fabric, "uniform"), Lengths("1", model.flit)},
                                  chance_from("0.1"), meter);
  workload->start(network);
  ASSERT_EQ(pthread_setattr_default_np(&huge), 0);
  std::string said;
  try {
    network.run(*workload, 100);
  } catch (const Error& error) {
    said = error.what();
  }
  ASSERT_EQ(pthread_setattr_default_np(&usual), 0);
  EXPECT_EQ(said, "--threads 3: this process can have 1 here");
}

// --- which blocks a thread moves -----------------------------------------------------------------

TEST(Partition, IsByLinksWhereThatHasFewerBetweenParts) {
  int by_links_are_fewer = 0;
  for (const char* const topology :
       {"torus:dims=8x8x8", "torus:dims=24x24", "tree:k=8,n=3", "dragonfly:a=8,p=4,h=4",
        "random_regular:switches=512,degree=6,hosts=2",
        "random_irregular:switches=512,links=1400,hosts=2", "ring:switches=300"})
    for (const unsigned threads : {2U, 3U, 7U}) {
      SCOPED_TRACE(fmt::format("{} {}", topology, threads));
      const Fabric fabric = make_fabric(topology);
      const Tables tables = std::get<Tables>(route(fabric, "updown"));
      const Layout layout(fabric, tables, model_from("iq"), {.threads = threads});
      const Units units(layout);
      const auto by_structure = partition_by_structure(units, threads, 1);
      const auto by_links = partition_by_links(units, threads, 1);
      const auto chosen = partition(units, threads, 1);
      const std::size_t cut = links_between_parts(units, by_structure);
      EXPECT_LE(links_between_parts(units, chosen), cut);
      EXPECT_EQ(std::set<Index>(chosen.begin(), chosen.end()).size(), threads);
      if (by_links && links_between_parts(units, *by_links) < cut) {
        ++by_links_are_fewer;
        EXPECT_EQ(chosen, *by_links);
      } else {
        EXPECT_EQ(chosen, by_structure);
      }
    }
  EXPECT_GT(by_links_are_fewer, 0);
}

// --- one thread, or several ----------------------------------------------------------------------

TEST(ThreadChooser, KeepsTheFasterWayAndTriesTheOtherEverMoreSeldom) {
  constexpr double moment = 0.025;
  ThreadChooser chooser;
  /// Moments until the other way is used.
  const auto moments = [&](std::uint64_t alone, std::uint64_t together) {
    const bool before = chooser.several();
    int out = 0;
    for (; out < 1'000 && chooser.several() == before; ++out)
      chooser.moved(before ? together : alone, moment);
    return out;
  };
  EXPECT_TRUE(chooser.several());
  EXPECT_EQ(moments(100, 190), 1) << "one thread is tried";
  EXPECT_EQ(moments(100, 190), 1) << "and is slower";
  const int first = moments(100, 190);
  EXPECT_EQ(moments(100, 190), 1);
  const int second = moments(100, 190);
  EXPECT_GT(second, 1.5 * first);
  EXPECT_EQ(moments(100, 190), 1);
  moments(100, 70);
  EXPECT_GT(moments(100, 70), 3) << "it is faster now, and stays";
  EXPECT_EQ(moments(100, 70), 1) << "several are tried in vain";
  EXPECT_FALSE(chooser.several());
  moments(100, 95);
  EXPECT_GT(moments(100, 95), 3) << "not clearly faster";
}

TEST(ThreadChooser, DecidesNothingWhileNothingMoves) {
  ThreadChooser chooser;
  for (int i = 0; i < 100; ++i) chooser.moved(0, 1);
  EXPECT_TRUE(chooser.several());
}

/// Messages of a trace, many of them at once, and some earlier than the replay begins.
TEST(Parts, ReplaysReportTheSame) {
  const Fabric fabric = make_fabric("torus:dims=6x6x4");
  const Tables tables = std::get<Tables>(route(fabric, "dor"));
  const SwitchModel model = model_from("iq:lanes=4,link=20ns");
  Rng rng(5);
  Trace trace;
  for (int i = 0; i < 3'000; ++i) {
    const HostId from(rng.below(fabric.host_count())), to(rng.below(fabric.host_count()));
    trace.push_back({.from = from, .to = to, .flits = 1 + rng.below(40), .at = rng.below(30) * 17});
  }
  std::optional<std::vector<std::uint64_t>> alone;
  for (const unsigned threads : {1U, 2U, 3U, 7U}) {
    Network network(fabric, tables, model,
                    {.longest_packet = 7, .pace = Pace::events, .threads = threads});
    Meter meter(fabric.host_count());
    const auto workload = replay(trace, 7, meter);
    class Nothing final : public Driver {
      void timer(Network&, HostId) override {}
      void delivered(Network&, const Packet&, HostId, unsigned) override {}
      void lost(Network&, const Packet&, HostId, Loss) override {}
    } nothing;
    network.wake(HostId(0), 99);
    network.run(nothing, 100);
    workload->start(network);
    EXPECT_EQ(network.run(*workload, 250), NetworkEnd::in_time);
    EXPECT_EQ(network.run(*workload, never), NetworkEnd::quiet);
    EXPECT_EQ(cycles_in_parts(network, "threads") > 0, threads > 1);
    std::vector<std::uint64_t> seen{network.now(), meter.last(), meter.counts().latency,
                                    meter.counts().delivered};
    for (const LaneUse& use : network.lane_use()) seen.push_back(use.flits);
    if (!alone) alone = seen;
    EXPECT_TRUE(seen == *alone) << threads << " threads";
    EXPECT_EQ(meter.counts().delivered, meter.counts().sent);
  }
}

/// A driver that answers, with one source of random numbers for all hosts: whatever is reported in
/// another order, or in another cycle, changes all that it sends from then on.
class Gossip final : public Driver {
 public:
  Gossip(Network& network, const RandomNetwork& random, std::uint64_t seed)
      : hosts_(network.fabric().host_count()),
        groups_(random.tables.groups.size()),
        longest_(random.options.longest_packet),
        buffers_(random.options.receive_buffers > 0),
        rng_(seed) {
    for (const HostId host : network.fabric().hosts()) network.wake(host, rng_.below(40));
  }
  void timer(Network& network, HostId host) override {
    note(1, network, host.index());
    if (left_ == 0) return;
    send(network, host);
    if (rng_.below(2) == 0)
      network.wake(host, network.now() + rng_.below(60));
    else
      network.wake_when_idle(host, network.now() + rng_.below(9));
  }
  void delivered(Network& network, const Packet& packet, HostId at, unsigned hops) override {
    note(2 + hops, network, packet.tag << 16U | at.index());
    if (buffers_) network.release_buffer(at);
    for (std::uint64_t answers = rng_.below(3); answers != 0; --answers) send(network, at);
  }
  void lost(Network& network, const Packet& packet, HostId at, Loss why) override {
    note(100 + static_cast<unsigned>(why), network, packet.tag << 16U | at.index());
    send(network, packet.from);
  }
  void departed(Network& network, const Packet& packet) override { note(200, network, packet.tag); }

  std::uint64_t seen = 0;  ///< a hash of all reports, in their order

 private:
  void note(std::uint64_t what, const Network& network, std::uint64_t which) {
    seen = mixed(seen ^ mixed(what ^ mixed(network.now() ^ mixed(which))));
  }
  void send(Network& network, HostId from) {
    if (left_ == 0) return;
    --left_;
    Packet packet{.from = from, .to = HostId(rng_.below(hosts_ - 1))};
    if (packet.to.index() >= from.index()) packet.to = HostId(packet.to.index() + 1);
    if (groups_ > 0 && rng_.below(3) == 0)
      packet.group = static_cast<std::uint32_t>(rng_.below(groups_));
    packet.flits = 1 + static_cast<std::uint32_t>(rng_.below(longest_));
    packet.urgent = rng_.below(4) == 0;
    packet.tag = left_;
    network.send(packet);
  }

  std::uint64_t hosts_, groups_;
  std::uint32_t longest_;
  bool buffers_;
  Rng rng_;
  std::uint64_t left_ = 600;
};

struct Gossiped {
  Seen seen{};
  std::uint64_t in_parts = 0;  ///< cycles
};

Gossiped gossip(const RandomNetwork& random, const NetworkOptions& options, std::uint64_t seed) {
  Network network(random.fabric, random.tables, model_from(random.switches), options);
  Gossip driver(network, random, seed);
  Seen out;
  for (const Cycle stop : {Cycle{200}, Cycle{201}, Cycle{20'000}}) {
    out.ended = network.run(driver, stop);
    for (const LaneUse& use : network.lane_use()) out.lanes.push_back(use.flits);
  }
  see_totals(network, out);
  out.latency = driver.seen;
  return {out, cycles_in_parts(network, "threads")};
}

/// Multicast, failures, bit errors, lost packets, hosts with few buffers: hosts that answer hear of
/// everything in the same order.
TEST(Parts, DriversThatAnswerHearTheSameOnAnyNumberOfThreads) {
  std::uint64_t in_parts = 0, lost = 0, copied = 0;
  const int networks = tries(14, 10'000);
  for (int i = 0; i < networks && !HasFailure(); ++i) {
    const std::uint64_t seed = 700'000 + static_cast<std::uint64_t>(i);
    Rng rng(seed);
    RandomNetwork random = i % 4 == 3 ? test::random_whole_packets(seed)
                                      : test::random_network(seed, {.speeds = rng.below(2) == 0,
                                                                    .groups = rng.below(2) == 0,
                                                                    .faults = rng.below(2) == 0,
                                                                    .special = true});
    if (random.fabric.host_count() < 2) continue;
    if (rng.below(4) == 0) test::make_holes(random, seed);
    if (!random.tables.groups.empty() && rng.below(6) == 0)
      test::add_group_that_is_no_tree(random, seed);
    NetworkOptions options = random.options;
    options.review = rng.below(2) == 0 ? 4096 : 70;
    options.departures = rng.below(3) == 0;
    if (i % 4 != 3 && rng.below(4) == 0) options.receive_buffers = 70;
    random.options = options;
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, random.describe()));
    const auto with = [&](unsigned threads) {
      options.threads = threads;
      return gossip(random, options, seed);
    };
    const Gossiped alone = with(1);
    for (const unsigned threads : {2U, 3U, 7U})
      if (threads <= random.fabric.switch_count()) {
        const Gossiped gossiped = with(threads);
        EXPECT_TRUE(gossiped.seen == alone.seen) << threads;
        if (gossiped.in_parts == 0) continue;
        in_parts += gossiped.in_parts;
        lost += gossiped.seen.lost;
        copied += random.tables.groups.empty() ? 0 : 1;
      }
  }
  if (networks < 14) return;     // sanitized code tries few
  EXPECT_GT(in_parts, 10'000U);  // cycles
  EXPECT_GT(lost, 50U);
  EXPECT_GT(copied, 3U);
}

/// What a driver asks in the middle of a run is answered as on one thread; and when it fails, the
/// threads that wait for it end.
TEST(Parts, DriversMayAskAndFailInTheMiddleOfARun) {
  class Asking final : public Driver {
   public:
    explicit Asking(std::uint64_t fails_after) : left_(fails_after) {}
    void timer(Network& network, HostId host) override {
      network.send(host, HostId(63 - host.index()), 8, false, network.now());
      network.wake(host, network.now() + 3);
      if (network.now() % 100 != 0) return;
      EXPECT_FALSE(network.deadlocked());
      for (const LaneUse& use : network.lane_use()) seen = mixed(seen ^ use.flits);
      seen = mixed(seen ^ network.totals().flit_hops ^ network.totals().waiting << 40U);
    }
    void delivered(Network&, const Packet&, HostId, unsigned) override {
      if (--left_ == 0) throw Error("the driver has had enough");
    }
    void lost(Network&, const Packet&, HostId, Loss) override {}
    std::uint64_t seen = 0;

   private:
    std::uint64_t left_;
  };
  const Fabric fabric = make_fabric("mesh:dims=8x8");
  const Tables tables = std::get<Tables>(route(fabric, "dor"));
  std::optional<std::uint64_t> alone;
  for (const unsigned threads : {1U, 2U, 5U}) {
    Network network(fabric, tables, model_from("iq"), {.longest_packet = 8, .threads = threads});
    Asking driver(2'000);
    for (const HostId host : fabric.hosts()) network.wake(host, 3 * host.index());
    EXPECT_THROW(network.run(driver, 100'000), Error);
    EXPECT_NE(driver.seen, 0U);
    if (!alone) alone = driver.seen;
    EXPECT_EQ(driver.seen, *alone) << threads;
  }
}

/// Words that several threads have: blocks are of 256 switches.
TEST(Parts, RandomLoadsInWordsReportTheSame) {
  const std::vector<std::pair<std::string, std::string>> networks{{"mesh:dims=17x17", "dor"},
                                                                  {"torus:dims=7x7x7", "dor"},
                                                                  {"clos3:radix=16", "dmodk"},
                                                                  {"mesh:dims=18x15", "updown"},
                                                                  {"mesh:dims=17x16", "valiant"}};
  std::map<std::string, std::pair<Fabric, Tables>> made;
  for (int i = 0; i < tries(6, 2'000) && !HasFailure(); ++i) {
    const std::uint64_t seed = 900'000 + static_cast<std::uint64_t>(i);
    Rng rng(seed);
    const auto& [topology, engine] = networks[static_cast<std::size_t>(i) % networks.size()];
    if (made.count(topology) == 0) {
      Fabric fabric = make_fabric(topology);
      Tables tables = std::get<Tables>(route(fabric, engine));
      made.emplace(topology, std::pair{std::move(fabric), std::move(tables)});
    }
    const auto& [fabric, tables] = made.at(topology);
    const std::string spec = fmt::format(
        "iq:lanes={},buffer={},link={}ns{}",
        std::max<std::uint64_t>(static_cast<std::uint64_t>(tables.lane_count), 1 + rng.below(3)),
        4 + rng.below(12), 8 * rng.below(4), rng.below(3) == 0 ? ",reuse=empty" : "");
    const SwitchModel model = model_from(spec);
    WorkloadRun how{.load = fmt::format("0.{:02}", 1 + rng.below(40)), .seed = seed};
    how.lengths = std::vector<std::string>{"1", "1", "3", "1*0.7+9*0.3"}[rng.below(4)];
    how.stops = {260 + rng.below(300), 600, 1'000};
    SCOPED_TRACE(fmt::format("seed {}: {} {} {} {} {}", seed, topology, engine, spec, how.load,
                             how.lengths));
    const Cycle review = 100 + rng.below(3) * 100;
    std::optional<Seen> alone;
    for (const unsigned threads : {1U, 2U, 3U}) {
      Network network(fabric, tables, model,
                      {.longest_packet = Lengths(how.lengths, model.flit).longest(),
                       .pace = Pace::bit_sliced,
                       .threads = threads,
                       .review = review});
      const Seen seen = run(network, how, model.flit);
      if (!alone) alone = seen;
      EXPECT_TRUE(seen == *alone) << threads << " threads; " << seen.explanation;
    }
  }
}

/// Hosts of a batch come to an end, and the clock stands where it does on one thread.
TEST(Parts, ABatchEndsInTheSameCycle) {
  const Fabric fabric = make_fabric("mesh:dims=10x10");
  const Tables tables = std::get<Tables>(route(fabric, "dor"));
  std::optional<Cycle> end;
  for (const unsigned threads : {1U, 2U, 5U}) {
    Network network(fabric, tables, model_from("iq:lanes=2"),
                    {.longest_packet = 6, .pace = Pace::events, .threads = threads});
    Meter meter(fabric.host_count());
    const auto workload = batch(
        {limited(make_pattern(fabric, "uniform"), fabric.host_count(), 30), Lengths("6", Bytes{8})},
        0, meter);
    workload->start(network);
    EXPECT_EQ(network.run(*workload, 1'000'000), NetworkEnd::quiet);
    EXPECT_EQ(meter.counts().delivered, 3'000U);
    if (!end) end = network.now();
    EXPECT_EQ(network.now(), *end);
  }
}

}  // namespace
}  // namespace weft::sim
