// SPDX-License-Identifier: Apache-2.0
// Tables that keep what they can after the loss of one link: processor time, and entries changed
// per entry that had to (docs/design/performance.md). The links are random, the same in every run.
#include "plan/repair/sticky.hpp"

#include <benchmark/benchmark.h>

#include <string>

#include "base/rng.hpp"
#include "fabric/without.hpp"
#include "plan/check/deadlock.hpp"
#include "plan/check/survey.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"

namespace {

using namespace weft;

struct Case {
  const char* topology;
  const char* engine;
};

constexpr int losses = 30;

struct Totals {
  double changed = 0, fewest = 0, levels = 0, refused = 0;
  double longest = 0;  ///< in seconds
};

void lose_link(const Fabric& fabric, const Tables& tables, LinkId link, benchmark::State& state,
               Totals& totals) {
  const Remainder rest = without(fabric, Removal{.links = {link}});
  const Tables left = tables_without(tables, fabric, rest);
  const auto begin = std::clock();
  const auto made = sticky_tables(rest.fabric, left);
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  state.SetIterationTime(seconds);
  totals.longest = std::max(totals.longest, seconds);
  const auto* sticky = std::get_if<StickyTables>(&made);
  if (sticky == nullptr) {
    ++totals.refused;
    return;
  }
  totals.changed += static_cast<double>(sticky->changed);
  totals.fewest += static_cast<double>(sticky->fewest);
  totals.levels += static_cast<double>(sticky->changed_levels);
  if (!survey(rest.fabric, sticky->tables).complete() ||
      !std::holds_alternative<Certificate>(deadlock(rest.fabric, sticky->tables)))
    state.SkipWithError("not certified");
}

void lose_links(benchmark::State& state, Case what) {
  const Fabric fabric = make_fabric(what.topology);
  const Routed routed = route(fabric, what.engine);
  const auto* tables = std::get_if<Tables>(&routed);
  if (tables == nullptr) {
    state.SkipWithError(std::get<Refused>(routed).why.c_str());
    return;
  }
  Rng rng(1);
  Totals totals;
  for (auto _ : state)
    lose_link(fabric, *tables, LinkId(rng.below(fabric.link_count())), state, totals);
  state.counters["changed"] = totals.changed;
  state.counters["fewest"] = totals.fewest;
  state.counters["ratio"] = totals.fewest == 0 ? 1 : totals.changed / totals.fewest;
  state.counters["levels"] = totals.levels;
  state.counters["refused"] = totals.refused;
  state.counters["longest_ms"] = 1000 * totals.longest;
}

}  // namespace

int main(int argc, char** argv) {
  for (Case what :
       {Case{"mesh:dims=32x32", "xy"}, Case{"mesh:dims=32x32", "updown"},
        Case{"torus:dims=32x32", "dor:lanes=service"}, Case{"torus:dims=32x32", "dor"},
        Case{"torus:dims=32x32", "updown"}, Case{"tree:k=16,n=3", "dmodk"},
        Case{"clos3:radix=16", "dmodk"}, Case{"random_regular:switches=1024,degree=8", "updown"},
        Case{"random_regular:switches=256,degree=8", "dfsssp"},
        Case{"random_regular:switches=256,degree=8", "lash"},
        Case{"random_regular:switches=256,degree=8", "nue"},
        Case{"dragonfly:a=8,p=4,h=4", "dfsssp"}, Case{"dragonfly:a=8,p=4,h=4", "updown"}})
    benchmark::RegisterBenchmark((std::string(what.topology) + " " + what.engine).c_str(),
                                 lose_links, what)
        ->Unit(benchmark::kMillisecond)
        ->Iterations(losses)
        ->UseManualTime();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
