// SPDX-License-Identifier: Apache-2.0
// Random sweeps of real simulations on several threads, with a journal, cut short and resumed: the
// same bytes as on one thread. The thread sanitizer runs this.
#include <gtest/gtest.h>

#include <atomic>
#include <sstream>
#include <stdexcept>

#include "base/rng.hpp"
#include "lab/report/json_rows.hpp"
#include "lab/report/report.hpp"
#include "lab/simulate/sweep.hpp"
#include "support/fabrics.hpp"
#include "support/files.hpp"

namespace weft::testing {
namespace {

template <class Choices>
std::string one_of(Rng& rng, const Choices& choices) {
  return choices[rng.below(std::size(choices))];
}

/// Eight points or a few searches, on networks that several of them share.
SweepSpec random_sweep(std::uint64_t seed) {
  Rng rng(seed);
  const char* const fabrics[] = {"[mesh:dims=3x3,torus:dims=4x4]", "[ring,rhinet2_a]",
                                 "[mesh,hypercube]"};
  const char* const tables[] = {"[updown,dl]", "[updown,lash]", "[nue,updown]"};
  const char* const switches[] = {"iq:lanes=4", "iq:lanes=8,buffer=4", "iq:flow=stop_go,lanes=4"};
  const char* const faults[] = {"", "errors=1e-4", "link=s0:1@100"};
  SweepSpec out;
  out.simulation.fabric = one_of(rng, fabrics);
  out.simulation.tables = one_of(rng, tables);
  out.simulation.switches = one_of(rng, switches);
  out.simulation.faults = one_of(rng, faults);
  out.simulation.packet = rng.below(2) == 0 ? "1" : "1*0.8+16*0.2";
  out.simulation.cycles = "300";
  out.simulation.warmup = "100";
  out.saturation = rng.below(4) == 0;
  if (out.saturation)
    out.resolution = "0.1";
  else
    out.simulation.load = "[0.05,0.3]";
  return out;
}

std::string as_json(const std::vector<SweepRow>& rows) {
  std::ostringstream out;
  write_json(out, document_of(rows));
  return out.str();
}

TEST(SweepOnSeveralThreads, GoesOnToTheSameBytes) {
  const TemporaryFolder folder;
  const int sweeps = test::tries(4, 200);
  int simulations = 0, resumed = 0;
  for (int turn = 0; turn < sweeps && !HasFailure(); ++turn) {
    const SweepRequest request = request_of(random_sweep(static_cast<std::uint64_t>(turn)));
    const SweepExperiment sweep = resolve(request);
    SCOPED_TRACE(command_of(request.spec.simulation));
    std::atomic<int> ran = 0, last = 1 + turn % 5;
    const auto one = [&](const SimulationExperiment& point) {
      if (++ran > last) throw std::runtime_error("cut short");
      return simulate(point);
    };
    {
      SimulationJournal journal(folder / "journal", identity_of(request));
      EXPECT_THROW(run_sweep(sweep, one, {4, &journal, {}}), std::runtime_error);
    }
    last = 1 << 20;
    SimulationJournal journal(folder / "journal", identity_of(request));
    if (!journal.finished().empty()) ++resumed;
    const std::string threads = as_json(run_sweep(sweep, one, {4, &journal, {}}));
    journal.remove();
    simulations += ran;
    EXPECT_EQ(threads, as_json(run_sweep(sweep, one, {1, nullptr, {}})));
  }
  EXPECT_EQ(resumed, sweeps);
  fmt::print("campaign: sweeps on 4 threads: {} cut short, {} resumed, {} simulations\n", sweeps,
             resumed, simulations);
}

}  // namespace
}  // namespace weft::testing
