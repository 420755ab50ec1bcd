// SPDX-License-Identifier: Apache-2.0
// How long engines and the deadlock check take, and how they grow. CPU time of one core, table
// computation only; the rows of the first list are those for which OpenSM's times are known
// (docs/design/performance.md).
#include "plan/route/route.hpp"

#include <benchmark/benchmark.h>

#include <string>

#include "plan/check/deadlock.hpp"
#include "plan/check/graph/certificate.hpp"
#include "plan/check/survey.hpp"
#include "plan/topo/topology.hpp"
#include "plan/verify/verify_text.hpp"

namespace {

using namespace weft;

struct Case {
  const char* topology;
  const char* engine;
};

void run_engine(benchmark::State& state, Case what) {
  const Fabric fabric = make_fabric(what.topology);
  for (auto _ : state) benchmark::DoNotOptimize(route(fabric, what.engine));
}

void run_check(benchmark::State& state, Case what) {
  const Fabric fabric = make_fabric(what.topology);
  const Routed routed = route(fabric, what.engine);
  const auto* tables = std::get_if<Tables>(&routed);
  if (tables == nullptr) {
    state.SkipWithError(std::get<Refused>(routed).why.c_str());
    return;
  }
  for (auto _ : state) {
    const DeadlockVerdict verdict = deadlock(fabric, *tables);
    state.counters["free"] = std::holds_alternative<Certificate>(verdict) ? 1 : 0;
  }
  state.counters["lanes"] = tables->lane_count;
}

void add(Case what) {
  const std::string name = std::string(what.topology) + " " + what.engine;
  benchmark::RegisterBenchmark(("engine " + name).c_str(), run_engine, what)
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark(("deadlock " + name).c_str(), run_check, what)
      ->Unit(benchmark::kMillisecond);
}

/// A three-level fat tree with 65,536 hosts: built, routed, surveyed, certified and verified.
void whole_chain(benchmark::State& state) {
  for (auto _ : state) {
    const Fabric fabric = make_fabric("clos3:radix=64");
    const Tables tables = std::get<Tables>(route(fabric, "dmodk"));
    const Survey seen = survey(fabric, tables);
    const auto certificate = std::get<Certificate>(deadlock(fabric, tables));
    if (!seen.complete() || verify(fabric, tables, certificate))
      state.SkipWithError("not certified");
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (Case what :
       {Case{"torus:dims=32x32,hosts=4", "updown"},
        Case{"torus:dims=32x32,hosts=4", "updown:columns=switch,select=low_port"},
        Case{"mesh:dims=32x32", "minhop"}, Case{"tree:k=16,n=3", "dfsssp"},
        Case{"tree:k=10,n=3", "lash"}, Case{"mesh:dims=32x32", "lash"},
        Case{"torus:dims=32x32,hosts=4", "nue"}, Case{"torus:dims=32x32,hosts=4", "dor"},
        Case{"torus:dims=32x32,hosts=4", "dl"}, Case{"tree:k=16,n=3", "dmodk"}})
    add(what);
  for (const char* size : {"8x8", "16x16", "32x32", "64x64"})
    for (const char* engine :
         {"updown:columns=switch", "dl:columns=switch", "nue:columns=switch"}) {
      static std::vector<std::string> names;
      names.reserve(64);
      names.push_back(std::string("torus:dims=") + size);
      add({names.back().c_str(), engine});
    }
  benchmark::RegisterBenchmark("chain clos3:radix=64 dmodk", whole_chain)
      ->Unit(benchmark::kSecond)
      ->Iterations(1);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
