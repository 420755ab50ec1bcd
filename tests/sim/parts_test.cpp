// SPDX-License-Identifier: Apache-2.0
// A network on several threads gives the same results as on one, to the last flit of every lane.
#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
#include "sim/workload/workload.hpp"
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

struct OpenLoopRun {
  std::string pattern = "uniform", load = "0.3", lengths = "1";
  std::vector<Cycle> stops{300, 301, 900};
  std::uint64_t seed = 1;
};

Seen run(Network& network, const OpenLoopRun& how, Bytes flit) {
  const Fabric& fabric = network.fabric();
  Meter meter(fabric.host_count());
  const auto workload =
      open_loop({make_pattern(fabric, how.pattern), Lengths(how.lengths, flit), {}, how.seed},
                chance_from(how.load), meter);
  workload->start(network);
  Seen out;
  for (const Cycle stop : how.stops) {
    out.ended = network.run(*workload, stop);
    if (meter.sample().begin == never) meter.open(network.now());
    for (const LaneUse& use : network.lane_use()) out.lanes.push_back(use.flits);
  }
  const Totals& totals = network.totals();
  out.now = network.now();
  out.explanation = network.explanation();
  out.sent = totals.sent;
  out.delivered = totals.delivered;
  out.lost = totals.lost;
  out.flit_hops = totals.flit_hops;
  out.injected = totals.flits_injected;
  out.waiting = totals.waiting;
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

std::uint64_t cycles_in_parts(const Network& network) {
  std::uint64_t out = 0;
  for (const PathUse& path : network.paths_used())
    if (path.name.find("threads") != std::string_view::npos) out += path.cycles;
  return out;
}

/// Networks of every kind: what links, switches and packets may be.
TEST(Parts, RandomNetworksReportTheSameOnAnyNumberOfThreads) {
  for (int i = 0; i < tries(20, 5'000) && !HasFailure(); ++i) {
    const std::uint64_t seed = 400'000 + static_cast<std::uint64_t>(i);
    const RandomNetwork network =
        i % 3 == 2 ? test::random_whole_packets(seed)
                   : test::random_network(seed, {.speeds = true, .special = true});
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, network.describe()));
    if (network.fabric.host_count() < 2) continue;
    Rng rng(seed);
    OpenLoopRun how;
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
  OpenLoopRun how{};
  Pace pace = Pace::events;
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
                    {.longest_packet = lengths.longest(), .pace = what.pace, .threads = threads});
    const Seen seen = run(network, what.how, model.flit);
    EXPECT_EQ(cycles_in_parts(network) > 0, threads > 1);
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
};
INSTANTIATE_TEST_SUITE_P(All, PartsOfNetworks, ::testing::ValuesIn(large_networks));

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
