// SPDX-License-Identifier: Apache-2.0
// The speed of the flit simulator: flit-hops (switch traversals) per second of CPU time of one
// core, in the steady state, traffic and a sample included; on large fabrics also the memory.
// Rows with a figure of BookSim 2 show it and the ratio of the two speeds. bench/booksim.sh
// measures BookSim 2 again; a test compares its rows with these. Rows of adaptive routing are timed
// in turn with a deterministic run on the same fabric, switches and load, and show their share of
// its speed.
#include <benchmark/benchmark.h>
#include <malloc.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
#include "sim/workload/workload.hpp"

namespace {

using namespace weft;
using benchmark::Counter;

struct Case {
  std::string name, topology, engine, model, packet;
  const char* load;
  sim::Cycle cycles;   ///< after as many of warm-up
  double booksim = 0;  ///< BookSim 2: million flit-hops per second of CPU time; 0: not measured
  const char* beside = nullptr;  ///< a deterministic engine that it is compared with
};

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Bytes of physical memory that the process holds, without what it has freed.
double resident_memory() {
  malloc_trim(0);
  double all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// A fabric with its tables, and the memory that both take.
struct RoutedFabric {
  double before = resident_memory();
  Fabric fabric;
  Tables tables;
  double memory = resident_memory() - before;

  explicit RoutedFabric(const Case& what)
      : fabric(make_fabric(what.topology)), tables(std::get<Tables>(route(fabric, what.engine))) {}
};

/// The fabric of the current row, or of the run beside it. Successive rows with the same one share
/// it, because a large one takes seconds to route; the next one replaces it, because it takes 0.7
/// GiB.
class CurrentFabric {
 public:
  const RoutedFabric& of(const Case& what) {
    if (const std::string wanted = what.topology + " " + what.engine; wanted != name_) {
      routed_.reset();
      routed_ = std::make_unique<RoutedFabric>(what);
      name_ = wanted;
    }
    return *routed_;
  }

 private:
  std::string name_;
  std::unique_ptr<RoutedFabric> routed_;
};

/// A network with traffic that has run for the cycles of warm-up.
class WarmNetwork {
 public:
  WarmNetwork(const Case& what, const RoutedFabric& routed)
      : model_(sim::model_from(what.model)),
        lengths_(what.packet, model_.flit),
        network_(routed.fabric, routed.tables, model_, {.longest_packet = lengths_.longest()}),
        meter_(routed.fabric.host_count()),
        workload_(sim::open_loop({sim::make_pattern(routed.fabric, "uniform:self=yes"), lengths_},
                                 chance_from(what.load), meter_)) {
    workload_->start(network_);
    network_.run(*workload_, what.cycles);
    meter_.open(network_.now());
  }

  /// Simulates further cycles; the flit-hops in them. (bench/instructions.sh counts in here.)
  [[gnu::noinline]] double run(sim::Cycle cycles) { return simulate(cycles); }
  /// The same, not counted.
  double simulate(sim::Cycle cycles) {
    const std::uint64_t before = network_.totals().flit_hops;
    network_.run(*workload_, network_.now() + cycles);
    return static_cast<double>(network_.totals().flit_hops - before);
  }

 private:
  sim::SwitchModel model_;
  sim::Lengths lengths_;
  sim::Network network_;
  sim::Meter meter_;
  std::unique_ptr<sim::Workload> workload_;
};

/// Flit-hops, and the CPU time that they took.
struct Work {
  double hops = 0, seconds = 0;
  double speed() const { return hops / seconds; }

  void add_run(const Case& what, const RoutedFabric& routed) {
    WarmNetwork network(what, routed);
    const double start = cpu_seconds();
    hops += network.simulate(what.cycles);
    seconds += cpu_seconds() - start;
  }
};

enum class ShowMemory { no, yes };

/// Fabrics of the row, and of the run beside it, if there is one.
struct Fabrics {
  const RoutedFabric& own;
  const RoutedFabric* beside;
};

void measure(benchmark::State& state, const Case& what, const Fabrics& fabrics,
             ShowMemory show_memory) {
  const RoutedFabric& routed = fabrics.own;
  double cycles = 0, memory = 0;
  Work own, beside;
  std::optional<WarmNetwork> network;
  for (auto _ : state) {
    state.PauseTiming();
    network.reset();
    const double memory_before = resident_memory();
    network.emplace(what, routed);
    const double start = cpu_seconds();
    state.ResumeTiming();
    own.hops += network->run(what.cycles);
    state.PauseTiming();
    own.seconds += cpu_seconds() - start;
    cycles += static_cast<double>(what.cycles);
    if (fabrics.beside != nullptr) beside.add_run(what, *fabrics.beside);
    memory = resident_memory() - memory_before;
    state.ResumeTiming();
  }
  state.counters["hops"] = Counter(own.hops, Counter::kIsRate);
  state.counters["per cycle"] = Counter(cycles, Counter::kIsRate | Counter::kInvert);
  if (what.booksim > 0) {
    state.counters["booksim"] = what.booksim * 1e6;
    state.counters["ratio"] = own.speed() / (what.booksim * 1e6);
  }
  if (fabrics.beside != nullptr) {
    state.counters["deterministic"] = beside.speed();
    state.counters["share"] = own.speed() / beside.speed();
  }
  if (show_memory == ShowMemory::yes) {
    state.counters["memory"] = Counter(memory, Counter::kDefaults, Counter::kIs1024);
    state.counters["tables"] = Counter(routed.memory, Counter::kDefaults, Counter::kIs1024);
  }
}

const std::vector<Case> cases{
    // With a figure of BookSim 2. Its dragonfly has long links and therefore large buffers.
    {"mesh 8x8, 1 flit", "mesh:dims=8x8", "dor", "iq:lanes=4", "1", "0.2", 10'000, 0.335},
    {"mesh 8x8, 1 flit, saturated", "mesh:dims=8x8", "dor", "iq:lanes=4", "1", "1", 5'000, 0.25},
    {"mesh 8x8, 16 flits", "mesh:dims=8x8", "dor", "iq:lanes=2", "16", "0.2", 20'000, 0.631},
    {"mesh 8x8, 16 lanes, 1 flit", "mesh:dims=8x8", "dor", "iq:lanes=16", "1", "0.2", 5'000, 0.14},
    {"mesh 8x8, 16 lanes, 16 flits", "mesh:dims=8x8", "dor", "iq:lanes=16", "16", "0.2", 5'000,
     0.42},
    {"mesh 16x16, 20 flits", "mesh:dims=16x16", "dor", "iq:lanes=4", "20", "0.1", 10'000, 0.440},
    {"mesh 32x32, 16 flits", "mesh:dims=32x32", "dor", "iq:lanes=2", "16", "0.06", 4'000, 0.248},
    {"torus 8x8, 1 flit", "torus:dims=8x8", "dor", "iq:lanes=4", "1", "0.2", 10'000, 0.33},
    {"torus 8x8, 1 flit, saturated", "torus:dims=8x8", "dor", "iq:lanes=4", "1", "1", 5'000, 0.30},
    {"4-ary 3-tree, 1 flit, dmodk", "tree:k=4,n=3", "dmodk", "iq:lanes=4", "1", "0.3", 5'000, 0.30},
    {"4-ary 3-tree, 1 flit, nca", "tree:k=4,n=3", "nca", "iq:lanes=4", "1", "0.3", 5'000, 0.30},
    {"8-ary 3-tree, 1 flit, dmodk", "tree:k=8,n=3", "dmodk", "iq:lanes=4", "1", "0.3", 1'000, 0.13},
    {"16-ary 2-tree, 1 flit", "tree:k=16,n=2", "dmodk", "iq:lanes=4", "1", "0.3", 2'000, 0.21},
    {"16-ary 2-tree, 16 flits", "tree:k=16,n=2", "dmodk", "iq:lanes=4", "16", "0.3", 2'000, 0.39},
    {"dragonfly, 1 flit, load 0.2", "dragonfly:a=8,p=4,h=4", "dfsssp", "iq:buffer=256", "1", "0.2",
     1'000, 0.14},
    {"dragonfly, 1 flit, load 0.6", "dragonfly:a=8,p=4,h=4", "dfsssp", "iq:buffer=256", "1", "0.6",
     1'000, 0.10},
    // Without.
    {"dragonfly, 16 flits", "dragonfly:a=8,p=4,h=4", "dfsssp", "iq", "16", "0.1", 4'000},
    {"mesh 32x32, near idle", "mesh:dims=32x32", "dor", "iq:lanes=2", "16", "0.0001", 100'000},
    {"mesh 64x64, near idle, as many packets", "mesh:dims=64x64", "dor", "iq:lanes=2", "16",
     "0.000025", 100'000},
    {"mesh 16x16, saturated", "mesh:dims=16x16", "dor", "iq:lanes=4", "20", "1", 2'000},
    {"mesh 16x16, cut-through", "mesh:dims=16x16", "dor",
     "iq:lanes=4,buffer=20,switching=cut_through", "20", "0.1", 10'000},
    {"mesh 16x16, cut-through, whole packets", "mesh:dims=16x16", "dor",
     "iq:lanes=4,buffer=20,switching=cut_through,multiplex=packet", "20", "0.1", 10'000},
    {"mesh 16x16, stop and go", "mesh:dims=16x16", "dor", "iq:lanes=4,buffer=32,flow=stop_go", "20",
     "0.1", 10'000},
    {"torus 16x16, two lanes", "torus:dims=16x16", "dor", "iq:buffer=16", "16", "0.2", 10'000},
    {"8-ary 3-tree, 1 flit, nca", "tree:k=8,n=3", "nca", "iq:lanes=4", "1", "0.3", 1'000},
    {"8-ary 3-tree, 1 flit, nca, by queue", "tree:k=8,n=3", "nca", "iq:lanes=4,policy=queue", "1",
     "0.3", 1'000},
    {"8-ary 3-tree, 1 flit, nca, committed", "tree:k=8,n=3", "nca",
     "iq:lanes=4,choice=commit,policy=random", "1", "0.3", 1'000},
    {"8-ary 3-tree, whole packets, nca, by queue", "tree:k=8,n=3", "nca",
     "iq:lanes=4,buffer=32,switching=cut_through,multiplex=packet,choice=commit,policy=queue", "16",
     "0.3", 2'000},
    {"fat tree, 1,024 hosts", "clos3:radix=16", "dmodk", "iq:lanes=2", "16", "0.3", 4'000},
};

/// Adaptive and non-minimal routing beside a deterministic engine on the same fabric, at loads that
/// both can take.
const std::vector<Case> adaptive_cases = [] {
  struct Comparison {
    std::string name, topology;
    const char* beside;
    std::string model;
    const char* load;
    sim::Cycle cycles;
    std::vector<std::string> engines;  ///< or "engine MODEL", with more parameters of switches
  };
  const std::string empty = "iq:lanes=4,reuse=empty";  // the escape lanes of min_adaptive
  const std::vector<Comparison> comparisons{
      {"mesh 8x8",
       "mesh:dims=8x8",
       "dor",
       "iq:lanes=4",
       "0.1",
       5'000,
       {"valiant", "romm", "xy_yx"}},
      {"mesh 8x8", "mesh:dims=8x8", "dor", empty, "0.1", 5'000, {"min_adaptive"}},
      {"torus 8x8", "torus:dims=8x8", "dor", "iq:lanes=4", "0.1", 5'000, {"valiant"}},
      {"torus 8x8", "torus:dims=8x8", "dor", empty, "0.1", 5'000, {"min_adaptive"}},
      {"hyperx 8x8",
       "hyperx:dims=8x8,hosts=8",
       "dor",
       "iq:lanes=4",
       "0.2",
       1'000,
       {"valiant", "romm", "ugal", "ugal_g"}},
      {"dragonfly",
       "dragonfly:a=8,p=4,h=4",
       "min",
       "iq:lanes=4",
       "0.2",
       500,
       {"valiant", "ugal", "ugal_g", "par"}},
      {"dragonfly+",
       "dragonfly_plus:leaves=4,spines=4,hosts=4,groups=9,h=4",
       "min",
       "iq:lanes=4",
       "0.2",
       1'000,
       {"ugal", "ugal_g"}},
      {"fat tree, 1,024 hosts",
       "clos3:radix=16",
       "dmodk",
       "iq:lanes=2",
       "0.2",
       500,
       {"updown_adaptive", "updown_adaptive choice=commit", "updown_adaptive policy=random",
        "updown_adaptive policy=credits", "updown_adaptive policy=queue",
        "updown_adaptive policy=sticky"}},
      {"random, 64 switches",
       "random_regular:switches=64,degree=6,hosts=4",
       "updown",
       "iq:lanes=4",
       "0.05",
       2'000,
       {"updown_adaptive"}},
      {"random, 64 switches",
       "random_regular:switches=64,degree=6,hosts=4",
       "updown",
       empty,
       "0.03",
       2'000,
       {"min_adaptive"}},
  };
  std::vector<Case> out;
  for (const Comparison& fabric : comparisons)
    for (const std::string& engine : fabric.engines)
      for (const std::string packet : {"1", "16"}) {
        const std::size_t space = engine.find(' ');
        const std::string more = space == std::string::npos ? "" : "," + engine.substr(space + 1);
        const std::string flits = packet == "1" ? ", 1 flit, " : ", 16 flits, ";
        out.push_back({fabric.name + flits + engine, fabric.topology, engine.substr(0, space),
                       fabric.model + more, packet, fabric.load,
                       fabric.cycles * (packet == "1" ? 1 : 4), 0, fabric.beside});
      }
  return out;
}();

/// Links of an InfiniBand subnet: packets of 2 KiB, of which buffers and links take whole ones.
const std::string infiniband =
    "iq:lanes=4,flit=64B,buffer=32,switching=cut_through,multiplex=packet";

/// Three-level fat trees at a load of 0.1, from 1,024 to 65,536 hosts. These run once.
const std::vector<Case> large_cases{
    {"1,024 hosts, 1 lane, 1 flit", "clos3:radix=16", "dmodk", "iq:lanes=1", "1", "0.1", 5'000},
    {"8,192 hosts, 1 lane, 1 flit", "clos3:radix=32", "dmodk", "iq:lanes=1", "1", "0.1", 1'000},
    {"8,192 hosts, 4 lanes, 1 flit", "clos3:radix=32", "dmodk", "iq:lanes=4", "1", "0.1", 1'000},
    {"8,192 hosts, 1 lane, 64 flits", "clos3:radix=32", "dmodk", "iq:lanes=1", "64", "0.1", 2'000},
    {"8,192 hosts, 4 lanes, 64 flits", "clos3:radix=32", "dmodk", "iq:lanes=4", "64", "0.1", 2'000},
    {"16,000 hosts, 1 lane, 1 flit", "clos3:radix=40", "dmodk", "iq:lanes=1", "1", "0.1", 500},
    {"16,000 hosts, 4 lanes, 1 flit", "clos3:radix=40", "dmodk", "iq:lanes=4", "1", "0.1", 500},
    {"16,000 hosts, 1 lane, 64 flits", "clos3:radix=40", "dmodk", "iq:lanes=1", "64", "0.1", 1'000},
    {"16,000 hosts, 4 lanes, 64 flits", "clos3:radix=40", "dmodk", "iq:lanes=4", "64", "0.1",
     1'000},
    {"16,000 hosts, InfiniBand, load 0.1", "clos3:radix=40", "dmodk", infiniband, "2KiB", "0.1",
     1'000},
    {"16,000 hosts, InfiniBand, load 0.5", "clos3:radix=40", "dmodk", infiniband, "2KiB", "0.5",
     500},
    {"27,648 hosts, 1 lane, 1 flit", "clos3:radix=48", "dmodk", "iq:lanes=1", "1", "0.1", 300},
    {"65,536 hosts, 1 lane, 1 flit", "clos3:radix=64", "dmodk", "iq:lanes=1", "1", "0.1", 200},
    {"65,536 hosts, 4 lanes, 1 flit", "clos3:radix=64", "dmodk", "iq:lanes=4", "1", "0.1", 200},
    {"65,536 hosts, 1 lane, 64 flits", "clos3:radix=64", "dmodk", "iq:lanes=1", "64", "0.1", 500},
    {"65,536 hosts, 4 lanes, 64 flits", "clos3:radix=64", "dmodk", "iq:lanes=4", "64", "0.1", 500},
};

}  // namespace

int main(int argc, char** argv) {
  CurrentFabric current, beside;
  const auto add = [&](const Case& what, const std::string& name, ShowMemory show_memory) {
    const auto run = [&current, &beside, &what, show_memory](benchmark::State& state) {
      const RoutedFabric* other = nullptr;
      if (what.beside != nullptr) {
        Case deterministic = what;
        deterministic.engine = what.beside;
        other = &beside.of(deterministic);
      }
      measure(state, what, {current.of(what), other}, show_memory);
    };
    return benchmark::RegisterBenchmark(name.c_str(), run)->Unit(benchmark::kMillisecond);
  };
  for (const Case& what : cases) add(what, what.name, ShowMemory::no);
  for (const Case& what : adaptive_cases) add(what, what.name, ShowMemory::no);
  for (const Case& what : large_cases)
    add(what, "clos3, " + what.name, ShowMemory::yes)->Iterations(1);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
