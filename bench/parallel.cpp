// SPDX-License-Identifier: Apache-2.0
// One simulation on several threads: time on the clock, speed-up and efficiency by threads, size
// and load. `parallel [THREADS] [ROW] [always]`: up to so many threads (all cores), rows whose
// names have this word; threads where they are found to be faster, or always. Runs of a row take
// turns, best of three; each prints a hash of its results, which must not differ.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "lab/program/experiment.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
#include "sim/workload/workload.hpp"

namespace {

using namespace weft;

struct Case {
  std::string name, topology, engine, model, packet;
  const char* load;
  sim::Cycle cycles;              ///< after as many of warm-up
  sim::Window window{.size = 0};  ///< without one, an open loop
  double bit_errors = 0;
};

const std::vector<Case> cases{
    {"fat tree, 4,096 hosts, 1 flit", "tree:k=16,n=3", "dmodk", "iq:lanes=4,link=20ns", "1", "0.3",
     1'000},
    {"fat tree, 4,096 hosts, 16 flits", "tree:k=16,n=3", "dmodk", "iq:lanes=4,link=20ns", "16",
     "0.3", 2'000},
    {"fat tree, 4,096 hosts, load 0.05", "tree:k=16,n=3", "dmodk", "iq:lanes=4,link=20ns", "1",
     "0.05", 2'000},
    {"torus 8x8x8, 1 flit", "torus:dims=8x8x8", "dor", "iq:lanes=4", "1", "0.2", 8'000},
    {"torus 8x8x8, 16 flits", "torus:dims=8x8x8", "dor", "iq:lanes=4", "16", "0.2", 16'000},
    {"torus 16x16x16, 1 flit", "torus:dims=16x16x16", "dor", "iq:lanes=4", "1", "0.1", 3'000},
    {"torus 16x16x16, 16 flits", "torus:dims=16x16x16", "dor", "iq:lanes=4", "16", "0.1", 3'000},
    {"mesh 32x32, 16 flits", "mesh:dims=32x32", "dor", "iq:lanes=2", "16", "0.06", 8'000},
    {"dragonfly, 1,056 hosts, 1 flit", "dragonfly:a=8,p=4,h=4", "dfsssp", "iq:buffer=256", "1",
     "0.2", 4'000},
    {"fat tree, 1,024 hosts, 1 flit", "clos3:radix=16", "dmodk", "iq:lanes=2", "1", "0.3", 4'000},
    {"fat tree, 8,192 hosts, 1 flit", "clos3:radix=32", "dmodk", "iq:lanes=1", "1", "0.1", 2'000},
    {"fat tree, 8,192 hosts, window 4",
     "clos3:radix=32",
     "dmodk",
     "iq:lanes=2,link=20ns",
     "1",
     "",
     2'000,
     {4, 1}},
    {"fat tree, 8,192 hosts, window 4x16",
     "clos3:radix=32",
     "dmodk",
     "iq:lanes=2,link=20ns",
     "16",
     "",
     2'000,
     {4, 1}},
    {"fat tree, 4,096 hosts, bit errors",
     "tree:k=16,n=3",
     "dmodk",
     "iq:lanes=4,link=20ns",
     "1",
     "0.3",
     1'000,
     {.size = 0},
     1e-9},
    {"fat tree, 65,536 hosts, 1 flit", "clos3:radix=64", "dmodk", "iq:lanes=1", "1", "0.1", 2'000},
};

/// Host programs: their hosts go with the switches.
struct ProgramCase {
  std::string name;
  MachineSpec machine;
  std::string program;
};

const std::vector<ProgramCase> program_cases{
    {"allreduce, 1,024 ranks",
     {.topology = "clos3:radix=16,delay=100ns", .engine = "dmodk", .switches = "iq", .nic = "hca"},
     "allreduce:iterations=10,warmup=0"},
    {"allreduce, 8,192 ranks",
     {.topology = "clos3:radix=32,delay=100ns", .engine = "dmodk", .switches = "iq", .nic = "hca"},
     "allreduce:iterations=2,warmup=0"},
    {"alltoall, 1,024 ranks",
     {.topology = "clos3:radix=16,delay=100ns", .engine = "dmodk", .switches = "iq", .nic = "hca"},
     "alltoall:bytes=64B,iterations=1,warmup=0,algorithm=bruck"},
};

struct Timing {
  double seconds = 0;
  std::uint64_t hash = 0;
};

/// Of all that is added.
class Hash {
 public:
  void add(std::uint64_t value) { value_ = value_ * 0x9e37'79b9'7f4a'7c15 + value; }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

sim::ThreadUse thread_use = sim::ThreadUse::where_faster;

Timing time_of(const Case& what, const Fabric& fabric, const Tables& tables, unsigned threads) {
  const sim::SwitchModel model = sim::model_from(what.model);
  const sim::Lengths lengths(what.packet, model.flit);
  sim::Network network(fabric, tables, model,
                       {.faults = {.bit_error_rate = what.bit_errors},
                        .longest_packet = lengths.longest(),
                        .threads = threads,
                        .thread_use = thread_use});
  sim::Meter meter(fabric.host_count());
  sim::Demand demand{sim::make_pattern(fabric, "uniform:self=yes"), lengths};
  const auto workload = what.window.size > 0
                            ? sim::closed_loop(std::move(demand), what.window, meter)
                            : sim::open_loop(std::move(demand), chance_from(what.load), meter);
  workload->start(network);
  network.run(*workload, what.cycles);
  meter.open(network.now());
  const Stopwatch watch;
  network.run(*workload, 2 * what.cycles);
  const double took = watch.seconds();
  Hash hash;
  hash.add(network.totals().flit_hops);
  for (const std::uint64_t flits : meter.flits_of()) hash.add(flits);
  hash.add(meter.counts().latency);
  hash.add(meter.sample().normal.quantile(990));
  for (const sim::LaneUse& use : network.lane_use()) hash.add(use.flits);
  return {took, hash.value()};
}

Timing time_of(const ProgramCase& what, const Machine& machine, unsigned threads) {
  ProgramOptions options;
  options.threads = threads;
  options.thread_use = thread_use;
  const Stopwatch watch;
  const ProgramResult result = run_program(machine, what.program, options);
  const double took = watch.seconds();
  Hash hash;
  hash.add(result.flit_hops);
  for (const Times& times : result.by_rank)
    for (const Duration time : {times.mean, times.least, times.most})
      hash.add(static_cast<std::uint64_t>(time.count()));
  return {took, hash.value()};
}

/// `run` is called with a number of threads.
template <class Run>
void measure(const std::string& name, unsigned most, Run run) {
  std::vector<unsigned> counts;
  for (unsigned threads = 1; threads < most; threads *= 2) counts.push_back(threads);
  counts.push_back(most);
  std::vector<Timing> best(counts.size(), {1e9, 0});
  for (int round = 0; round < 3; ++round)
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const Timing one = run(counts[i]);
      invariant(one.hash == (i == 0 && round == 0 ? one.hash : best[0].hash),
                "the results depend on the number of threads");
      best[i] = {std::min(best[i].seconds, one.seconds), one.hash};
    }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double speed_up = best[0].seconds / best[i].seconds;
    fmt::print("{:34} {:7} {:8.1f} ms {:8.2f} {:9.0f} %\n", i == 0 ? name : "", counts[i],
               1000 * best[i].seconds, speed_up, 100 * speed_up / counts[i]);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const unsigned most = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : cores;
  if (most == 0 || argc > 4 || (argc > 3 && argv[3] != std::string("always"))) {
    fmt::print(stderr, "usage: parallel [THREADS] [ROW] [always]\n");
    return 2;
  }
  if (argc > 3) thread_use = sim::ThreadUse::always;
  fmt::print("{:34} {:>7} {:>11} {:>8} {:>11}\n", "", "threads", "time", "speed-up", "efficiency");
  const auto is_wanted = [&](const std::string& name) {
    return argc <= 2 || name.find(argv[2]) != std::string::npos;
  };
  for (const Case& what : cases) {
    if (!is_wanted(what.name)) continue;
    const Fabric fabric = make_fabric(what.topology);
    const Tables tables = std::get<Tables>(route(fabric, what.engine));
    measure(what.name, most,
            [&](unsigned threads) { return time_of(what, fabric, tables, threads); });
  }
  for (const ProgramCase& what : program_cases) {
    if (!is_wanted(what.name)) continue;
    const Machine machine = make_machine(what.machine);
    measure(what.name, most, [&](unsigned threads) { return time_of(what, machine, threads); });
  }
}
