// SPDX-License-Identifier: Apache-2.0
// barrier: all ranks enter a barrier again and again, back to back, or all at the same moments.
#include "lab/programs/programs.hpp"
#include "lab/programs/shared/collective.hpp"
#include "lab/programs/shared/values.hpp"

namespace weft {
namespace {

struct BarrierPlan {
  comm::CollectiveSpec collective;
  std::size_t warmup;
  Duration every;  ///< 0: back to back
  Laps& laps;
};

comm::Task run_barriers(comm::Endpoint& ep, const BarrierPlan& plan) {
  comm::Team team(ep);
  const auto barrier = co_await comm::make_barrier(team, plan.collective);
  for (std::size_t i = 0; i < plan.warmup || plan.laps.goes_on(i - plan.warmup); ++i) {
    if (plan.every.count() > 0) co_await ep.sleep(plan.every - ep.now() % plan.every);
    const comm::Time before = ep.now();
    const comm::Status status = co_await barrier->enter();
    if (status != comm::Status::ok) throw Error("barrier: rank {}: {}", ep.rank(), to_text(status));
    if (i >= plan.warmup) plan.laps.add(ep.rank(), i - plan.warmup, ep.now() - before);
  }
}

}  // namespace

std::vector<Param> barrier_params() {
  return {
      {"algorithm", FreeText{}, "dissemination",
       "one of weft list collectives, or of weft list orders"},
      steady_iterations_param,
      warmup_param(),
      {"every", DurationText{}, "0ns", "all enter at multiples of this time; 0ns: back to back"},
      {"root", root_rank, "", "an order's first rank; otherwise the order's own"},
      by_param,
      {"degree", FreeText{}, "", "of the algorithm: children in a tree"},
      {"between", FreeText{}, "", "of the algorithm: smp's barrier between hosts"},
      scheme_param};
}

Prepared barrier_program(const Params& params, const ProgramSetting& setting, Laps& laps) {
  ChosenCollective chosen = choose_collective(params, setting, collectives_of<comm::Barrier>());
  const BarrierPlan plan{std::move(chosen.collective), params.whole<std::size_t>("warmup"),
                         params.duration("every"), laps};
  expect_iterations(params, laps);
  return {[plan](comm::Endpoint& ep) { return run_barriers(ep, plan); }, std::move(chosen.tables)};
}

}  // namespace weft
