// SPDX-License-Identifier: Apache-2.0
// How long a decision of the bandwidth manager takes: a reservation or release among 100,000 flows
// on a fat tree of 11,664 hosts, with the new rates of all flows it changes. And how long a second
// of a cluster takes to simulate: 16 hosts, 50 flows of 64 KiB messages.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>

#include "base/rng.hpp"
#include "comm/qos/admission_control.hpp"
#include "lab/flows/flows.hpp"
#include "lab/flows/limits.hpp"
#include "lab/program/experiment.hpp"

namespace weft {
namespace {

using namespace comm::qos;
using comm::Flow;

constexpr Bandwidth megabytes(std::int64_t count) { return {count * 8'000'000}; }

/// Three levels of switches with 36 ports (Al-Fares et al., 2008), up by the target's digits.
class FatTree {
 public:
  static constexpr int half = 18, pods = 2 * half, per_pod = half * half, hosts = pods * per_pod;

  static Path path(int from, int to) {
    Path path{from, to, {}};
    const int edge = from / half, to_edge = to / half, pod = from / per_pod, to_pod = to / per_pod;
    const int first = to % half, second = to / half % half;
    const int middle = pod * half + first, core = first * half + second;
    if (edge != to_edge) add(path, 0, edge * half + first);
    if (pod != to_pod) {
      add(path, 1, middle * half + second);
      add(path, 2, core * pods + to_pod);
    }
    if (edge != to_edge) add(path, 3, to_pod * per_pod + first * half + second);
    add(path, 4, to);
    return path;
  }

 private:
  static void add(Path& path, int level, int port) {
    path.ports.push_back({static_cast<std::uint32_t>(level * hosts + port), megabytes(160)});
  }
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Flow random_flow(Rng& rng) {
  const auto rank = [&] { return static_cast<comm::Rank>(rng.below(FatTree::hosts)); };
  for (;;)
    if (const Flow flow{rank(), rank()}; flow.source != flow.target) return flow;
}

AdmissionControl filled(Policy policy, int flows, Rng& rng) {
  const Limits limits{.per_packet = std::chrono::microseconds(48),
                      .peak = {682'640'000},
                      .curve = {{megabytes(0), megabytes(78)},
                                {megabytes(16), megabytes(65)},
                                {megabytes(84), megabytes(0)}}};
  AdmissionControl admission(limits, FatTree::hosts, policy);
  while (admission.size() < static_cast<std::size_t>(flows)) {
    const Flow flow = random_flow(rng);
    const Path path = FatTree::path(flow.source, flow.target);
    if (rng.below(4) == 0)
      admission.reserve(flow, path, megabytes(1 + static_cast<std::int64_t>(rng.below(5))));
    else
      admission.best_effort(flow, path);
  }
  admission.changes();
  return admission;
}

void decide(benchmark::State& state, Policy policy) {
  Rng rng(1);
  AdmissionControl admission = filled(policy, 100'000, rng);
  double whole = 0, worst = 0;
  std::int64_t decisions = 0, changed = 0, granted = 0;
  const auto timed = [&](auto decision) {
    const double before = cpu_seconds();
    decision();
    changed += static_cast<std::int64_t>(admission.changes().size());
    const double took = cpu_seconds() - before;
    whole += took;
    worst = std::max(worst, took);
    ++decisions;
  };
  for (auto _ : state) {
    const Flow flow = random_flow(rng);
    const Path path = FatTree::path(flow.source, flow.target);
    const bool is_new = admission.grant(flow).kind == GrantKind::none;
    timed([&] { granted += admission.reserve(flow, path, megabytes(10)) ? 0 : 1; });
    if (is_new && admission.grant(flow).kind != GrantKind::none)
      timed([&] { admission.release(flow); });
  }
  const auto each = static_cast<double>(decisions);
  state.counters["mean_us"] = 1e6 * whole / each;
  state.counters["worst_us"] = 1e6 * worst;
  state.counters["changed"] = static_cast<double>(changed) / each;
  state.counters["granted"] =
      static_cast<double>(granted) / static_cast<double>(state.iterations());
}
void decide_equal(benchmark::State& state) { decide(state, Policy::equal); }
void decide_max_min(benchmark::State& state) { decide(state, Policy::max_min); }

/// Random flows, a quarter best effort; or all as fast as they can, on stock GM.
void cluster_second(benchmark::State& state, bool rates) {
  const Machine machine = make_machine({.cluster = "gmqos", .nic = rates ? "" : "gm"});
  FlowsPlan plan;
  if (rates) plan.limits = measure_limits(machine, megabytes(78));
  Rng rng(1);
  for (int i = 0; i < 50; ++i) {
    FlowPlan flow;
    flow.name = std::to_string(i);
    flow.from = HostId(rng.below(16));
    flow.to = HostId((flow.from.index() + 1 + rng.below(15)) % 16);
    flow.bandwidth = megabytes(static_cast<std::int64_t>(1 + rng.below(30)));
    flow.service = !rates       ? FlowService::free
                   : i % 4 == 0 ? FlowService::best_effort
                                : FlowService::promised;
    flow.stop = std::chrono::seconds(1);
    plan.flows.push_back(flow);
  }
  std::uint64_t packets = 0;
  for (auto _ : state) packets = run_flows(machine, plan).packets;
  state.counters["packets"] = static_cast<double>(packets);
}
void second_with_rates(benchmark::State& state) { cluster_second(state, true); }
void second_of_stock_gm(benchmark::State& state) { cluster_second(state, false); }

BENCHMARK(second_with_rates)->Unit(benchmark::kMillisecond)->Iterations(3);
BENCHMARK(second_of_stock_gm)->Unit(benchmark::kMillisecond)->Iterations(3);
BENCHMARK(decide_equal)->Unit(benchmark::kMicrosecond)->Iterations(100'000);
BENCHMARK(decide_max_min)->Unit(benchmark::kMillisecond)->Iterations(20);

}  // namespace
}  // namespace weft
