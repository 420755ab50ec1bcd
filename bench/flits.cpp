// SPDX-License-Identifier: Apache-2.0
// The speed of the flit simulator: flit-hops (switch traversals) per second of CPU time of one
// core, in the steady state, traffic and a sample included. The first rows are those for which
// BookSim 2's speed is known (docs/design/performance.md).
#include <benchmark/benchmark.h>

#include <string>

#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
#include "sim/workload/workload.hpp"

namespace {

using namespace weft;

struct Case {
  std::string name, topology, engine, model, packet;
  const char* load;
  sim::Cycle cycles;  ///< after as many of warm-up
};

void run(benchmark::State& state, const Case& what) {
  const Fabric fabric = make_fabric(what.topology);
  const Tables tables = std::get<Tables>(route(fabric, what.engine));
  const sim::SwitchModel model = sim::model_from(what.model);
  const sim::Lengths lengths(what.packet, model.flit);
  double hops = 0, cycles = 0;
  for (auto _ : state) {
    state.PauseTiming();
    sim::Network network(fabric, tables, model, {.longest_packet = lengths.longest()});
    sim::Meter meter(fabric.host_count());
    const auto workload = sim::open_loop({sim::make_pattern(fabric, "uniform:self=yes"), lengths},
                                         chance_from(what.load), meter);
    workload->start(network);
    network.run(*workload, what.cycles);
    meter.open(network.now());
    const std::uint64_t before = network.totals().flit_hops;
    state.ResumeTiming();
    network.run(*workload, 2 * what.cycles);
    hops += static_cast<double>(network.totals().flit_hops - before);
    cycles += static_cast<double>(what.cycles);
  }
  state.counters["hops"] = benchmark::Counter(hops, benchmark::Counter::kIsRate);
  state.counters["per cycle"] =
      benchmark::Counter(cycles, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

const std::vector<Case> cases{
    {"8x8, 1 flit", "mesh:dims=8x8", "dor", "iq:lanes=4", "1", "0.2", 10'000},
    {"8x8, 16 flits", "mesh:dims=8x8", "dor", "iq:lanes=2", "16", "0.2", 20'000},
    {"16x16, 20 flits", "mesh:dims=16x16", "dor", "iq:lanes=4", "20", "0.1", 10'000},
    {"32x32, 16 flits", "mesh:dims=32x32", "dor", "iq:lanes=2", "16", "0.06", 4'000},
    {"32x32, near idle", "mesh:dims=32x32", "dor", "iq:lanes=2", "16", "0.0001", 100'000},
    {"64x64, near idle, as many packets", "mesh:dims=64x64", "dor", "iq:lanes=2", "16", "0.000025",
     100'000},
    {"16x16 saturated", "mesh:dims=16x16", "dor", "iq:lanes=4", "20", "1", 2'000},
    {"16x16, cut-through", "mesh:dims=16x16", "dor", "iq:lanes=4,buffer=20,switching=cut_through",
     "20", "0.1", 10'000},
    {"16x16, cut-through, whole packets", "mesh:dims=16x16", "dor",
     "iq:lanes=4,buffer=20,switching=cut_through,multiplex=packet", "20", "0.1", 10'000},
    {"16x16, stop and go", "mesh:dims=16x16", "dor", "iq:lanes=4,buffer=32,flow=stop_go", "20",
     "0.1", 10'000},
    {"torus 16x16, two lanes", "torus:dims=16x16", "dor", "iq:buffer=16", "16", "0.2", 10'000},
    {"fat tree, 1,024 hosts", "clos3:radix=16", "dmodk", "iq:lanes=2", "16", "0.3", 4'000},
    {"dragonfly, 1,056 hosts", "dragonfly:a=8,p=4,h=4", "dfsssp", "iq", "16", "0.1", 4'000},
};

/// 65,536 hosts at a load of 0.1.
const Case large{"fat tree, 65,536 hosts", "clos3:radix=64", "dmodk", "iq", "1", "0.1", 5'000};

}  // namespace

int main(int argc, char** argv) {
  for (const Case& what : cases)
    benchmark::RegisterBenchmark(what.name.c_str(), run, what)->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark(large.name.c_str(), run, large)
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
