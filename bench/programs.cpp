// SPDX-License-Identifier: Apache-2.0
// Small messages of host programs simulated per second of CPU time, flit network included:
// dissemination barriers, chains of a message each, and exchanges with neighbours and with all.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "lab/program/experiment.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"

namespace weft {
namespace {

struct Specs {
  const char* topology;
  const char* engine = "updown";
  const char* switches = "iq:flit=32B,buffer=16";
  const char* nic = "hca:mtu=256B";
  const char* library = "none";
};

Machine machine_of(const Specs& specs) {
  return make_machine({.topology = specs.topology,
                       .engine = specs.engine,
                       .switches = specs.switches,
                       .nic = specs.nic,
                       .library = specs.library});
}

comm::Task barrier(comm::Endpoint& ep, comm::Tag tag) {
  std::uint64_t token = 1, received = 0;
  for (int distance = 1; distance < ep.size(); distance *= 2) {
    comm::Op sent = ep.send((ep.rank() + distance) % ep.size(), tag, comm::bytes_of(token));
    co_await ep.recv((ep.rank() + ep.size() - distance) % ep.size(), tag,
                     comm::writable_bytes_of(received));
    co_await sent;
  }
}

/// Gathers up a binary tree and releases down it: 2(n-1) messages.
comm::Task tree_barrier(comm::Endpoint& ep, comm::Tag tag) {
  std::uint64_t token = 1, received = 0;
  const int first = 2 * ep.rank() + 1;
  for (int child = first; child < std::min(first + 2, ep.size()); ++child)
    co_await ep.recv(child, tag, comm::writable_bytes_of(received));
  if (ep.rank() > 0) {
    co_await ep.send((ep.rank() - 1) / 2, tag, comm::bytes_of(token));
    co_await ep.recv((ep.rank() - 1) / 2, tag, comm::writable_bytes_of(received));
  }
  for (int child = first; child < std::min(first + 2, ep.size()); ++child)
    co_await ep.send(child, tag, comm::bytes_of(token));
}

/// Receives from all peers and sends to them at once, as replayed traces do.
template <std::size_t bytes>
comm::Task exchange(comm::Endpoint& ep, comm::Tag tag, std::vector<comm::Rank> peers) {
  const auto memory = comm::unbacked(bytes);
  comm::Ops ops(ep, 2 * peers.size());
  for (const comm::Rank peer : peers) ops.add([&] { return ep.recv(peer, tag, memory); });
  for (const comm::Rank peer : peers) ops.add([&] { return ep.send(peer, tag, memory); });
  co_await ops.all();
}

/// With the four neighbours in a torus of ranks with rows of eight.
template <std::size_t bytes>
comm::Task exchange_with_neighbours(comm::Endpoint& ep, comm::Tag tag) {
  std::vector<comm::Rank> peers;
  for (const int distance : {1, 8}) {
    peers.push_back((ep.rank() + distance) % ep.size());
    peers.push_back((ep.rank() + ep.size() - distance) % ep.size());
  }
  return exchange<bytes>(ep, tag, std::move(peers));
}

template <std::size_t bytes>
comm::Task exchange_with_all(comm::Endpoint& ep, comm::Tag tag) {
  std::vector<comm::Rank> peers;
  for (int distance = 1; distance < ep.size(); ++distance)
    peers.push_back((ep.rank() + distance) % ep.size());
  return exchange<bytes>(ep, tag, std::move(peers));
}

using Round = comm::Task(comm::Endpoint&, comm::Tag);

void run_rounds(benchmark::State& state, const Specs& specs, Round* one, int count) {
  const Machine machine = machine_of(specs);
  run::WorldOptions options;
  options.library = machine.library;
  std::uint64_t messages = 0;
  for (auto _ : state) {
    run::World world(machine.fabric(), machine.tables(), machine.switches, machine.nic, options);
    const auto outcome = world.run([&](comm::Endpoint& ep) -> comm::Task {
      return [](comm::Endpoint& at, Round* round, int repeat) -> comm::Task {
        for (int i = 0; i < repeat; ++i) co_await round(at, i);
      }(ep, one, count);
    });
    if (outcome.ended != run::WorldEnd::finished) state.SkipWithError(outcome.explanation.c_str());
    messages += world.hosts().begun();
  }
  state.counters["messages"] =
      benchmark::Counter(static_cast<double>(messages), benchmark::Counter::kIsRate);
}

void dissemination_64(benchmark::State& state) {
  run_rounds(state, {"mesh:dims=4x4,hosts=4"}, barrier, 200);
}
/// Without the switches' share of the work, for comparison with simulators that have no network.
void dissemination_64_contention_free(benchmark::State& state) {
  run_rounds(state, {.topology = "mesh:dims=4x4,hosts=4", .switches = "iq:flit=32B,contention=no"},
             barrier, 200);
}
void tree_64(benchmark::State& state) {
  run_rounds(state, {"mesh:dims=4x4,hosts=4"}, tree_barrier, 1000);
}
void dissemination_4096(benchmark::State& state) {
  run_rounds(state, {"torus:dims=16x16x4,hosts=4"}, barrier, 1);
}
/// Packets of 17 flits of 8 bytes, as long as RHiNET-2's shortest; acknowledgments as well.
void tree_64_long_packets(benchmark::State& state) {
  run_rounds(state,
             {"mesh:dims=4x4,hosts=4,speed=6Gb/s", "dor", "iq:flit=8B,buffer=64,route=24",
              "hca:mtu=256B,header=128B,post=1us,process=1us"},
             tree_barrier, 1000);
}
/// The same with stop and go instead of credits, which the flit simulator's fast path does not
/// serve.
void tree_64_stop_go(benchmark::State& state) {
  run_rounds(state,
             {"mesh:dims=4x4,hosts=4,speed=6Gb/s", "dor",
              "iq:flit=8B,route=24,flow=stop_go,stop=200,go=100,buffer=512",
              "hca:mtu=256B,header=128B,post=1us,process=1us"},
             tree_barrier, 1000);
}
/// A program of the catalogue; messages a second of CPU time, and seconds for 100,000 iterations.
void run_catalogue(benchmark::State& state, const Machine& machine, const char* program) {
  std::uint64_t messages = 0, iterations = 0;
  for (auto _ : state) {
    const ProgramResult result = run_program(machine, program);
    if (result.ended != run::WorldEnd::finished) state.SkipWithError(result.explanation.c_str());
    messages += result.messages;
    iterations += result.iterations;
  }
  state.counters["messages"] =
      benchmark::Counter(static_cast<double>(messages), benchmark::Counter::kIsRate);
  state.counters["s_per_100000"] =
      benchmark::Counter(static_cast<double>(iterations) / 100'000,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
/// Barriers of 64 hosts on RHiNET-2, as its cluster file says.
void rhinet2_barriers(benchmark::State& state, const char* program) {
  run_catalogue(state, make_machine({.cluster = "rhinet2", .engine = "dl:root=best"}), program);
}
void rhinet2_barrier(benchmark::State& state) {
  rhinet2_barriers(state, "barrier:algorithm=shio,iterations=2000");
}
void rhinet2_barrier_by_puts(benchmark::State& state) {
  rhinet2_barriers(state, "barrier:algorithm=shio,iterations=2000,by=puts");
}
/// The catalogue's barrier, with the time to make it.
void collective_4096(benchmark::State& state) {
  run_catalogue(state, machine_of(Specs{"torus:dims=16x16x4,hosts=4"}),
                "barrier:algorithm=dissemination,iterations=1,warmup=0");
}

/// Replayed traces look like this: small to long messages with four neighbours.
void neighbours_64(benchmark::State& state, const char* nic, Round* round, int count) {
  run_rounds(state, {.topology = "mesh:dims=4x4,hosts=4", .nic = nic, .library = "ucx"}, round,
             count);
}

/// Classes of runs, none of which may get slower where another gains.
void classes(benchmark::State& state) {
  struct Pattern {
    const char* name;
    Round* round;
    std::array<int, 3> counts;  ///< rounds, by size
  };
  static constexpr std::array<Pattern, 4> patterns{
      {{"dissemination", barrier, {200, 50, 2}},
       {"tree", tree_barrier, {500, 100, 5}},
       {"neighbours", exchange_with_neighbours<8>, {200, 50, 3}},
       {"all", exchange_with_all<8>, {50, 5, 0}}}};
  static constexpr std::array<const char*, 3> topologies{
      "mesh:dims=2x2,hosts=4", "mesh:dims=4x4,hosts=4", "mesh:dims=16x16,hosts=4"};
  static constexpr std::array<std::pair<const char*, const char*>, 6> hosts{{{"hca", "none"},
                                                                             {"hca", "ucx"},
                                                                             {"loggp", "none"},
                                                                             {"loggp", "ucx"},
                                                                             {"martini", "none"},
                                                                             {"via", "mvich"}}};
  const auto size = static_cast<std::size_t>(state.range(0));
  const Pattern& pattern = patterns[static_cast<std::size_t>(state.range(1))];
  const auto [nic, library] = hosts[static_cast<std::size_t>(state.range(2))];
  state.SetLabel(fmt::format("{} {} {} {}", topologies[size], pattern.name, nic, library));
  run_rounds(state, {.topology = topologies[size], .nic = nic, .library = library}, pattern.round,
             pattern.counts[size]);
}

BENCHMARK_CAPTURE(neighbours_64, hca_8B, "hca", exchange_with_neighbours<8>, 100)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(neighbours_64, hca_1KiB, "hca", exchange_with_neighbours<1024>, 50)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(neighbours_64, hca_64KiB, "hca", exchange_with_neighbours<65536>, 2)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(neighbours_64, loggp_8B, "loggp", exchange_with_neighbours<8>, 100)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(neighbours_64, loggp_1KiB, "loggp", exchange_with_neighbours<1024>, 50)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(classes)
    ->ArgNames({"size", "pattern", "hosts"})
    ->ArgsProduct({{0, 1}, {0, 1, 2, 3}, {0, 1, 2, 3, 4, 5}})
    ->ArgsProduct({{2}, {0, 1, 2}, {0, 1, 2, 3, 4, 5}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(dissemination_64)->Unit(benchmark::kMillisecond);
BENCHMARK(dissemination_64_contention_free)->Unit(benchmark::kMillisecond);
BENCHMARK(tree_64)->Unit(benchmark::kMillisecond);
BENCHMARK(tree_64_long_packets)->Unit(benchmark::kMillisecond);
BENCHMARK(tree_64_stop_go)->Unit(benchmark::kMillisecond);
BENCHMARK(dissemination_4096)->Unit(benchmark::kMillisecond);
BENCHMARK(rhinet2_barrier)->Unit(benchmark::kMillisecond);
BENCHMARK(rhinet2_barrier_by_puts)->Unit(benchmark::kMillisecond);
BENCHMARK(collective_4096)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weft
