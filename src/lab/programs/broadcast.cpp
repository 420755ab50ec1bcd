// SPDX-License-Identifier: Apache-2.0
// broadcast: one rank sends its data to all others. A barrier that is not measured separates
// broadcasts, and a rank's time is from the root's start until it has the data; back to back, it is
// from the rank's own start.
#include "lab/programs/programs.hpp"
#include "lab/programs/shared/collective.hpp"
#include "lab/programs/shared/values.hpp"

namespace weft {
namespace {

struct BroadcastPlan {
  comm::CollectiveSpec collective;
  comm::Rank root;
  std::size_t bytes, warmup;
  bool back_to_back;
  Laps& laps;
  std::shared_ptr<comm::Time> start = std::make_shared<comm::Time>();  ///< of the root
};

comm::Task run_broadcasts(comm::Endpoint& ep, const BroadcastPlan& plan) {
  comm::Team team(ep);
  const comm::CollectiveSpec barrier_spec{"dissemination"};
  const auto barrier = co_await comm::make_barrier(team, barrier_spec);
  const auto broadcast = co_await comm::make_broadcast(team, plan.collective);
  std::vector<std::byte> data(plan.bytes);
  for (std::size_t i = 0; i < plan.warmup || plan.laps.goes_on(i - plan.warmup); ++i) {
    const auto value = static_cast<std::byte>(i % 251);
    if (ep.rank() == plan.root) std::fill(data.begin(), data.end(), value);
    if (!plan.back_to_back) co_await barrier->enter();
    if (ep.rank() == plan.root) *plan.start = ep.now();
    const comm::Time own_start = ep.now();
    const comm::Status status = co_await broadcast->run(plan.root, data);
    if (status != comm::Status::ok)
      throw Error("broadcast: rank {}: {}", ep.rank(), to_text(status));
    invariant(data.empty() || (data.front() == value && data.back() == value),
              "a broadcast brings other data than the root's");
    const comm::Time start = plan.back_to_back ? own_start : *plan.start;
    if (i >= plan.warmup) plan.laps.add(ep.rank(), i - plan.warmup, ep.now() - start);
  }
  co_await barrier->enter();  // no rank leaves while others still need its data
}

}  // namespace

std::vector<Param> broadcast_params() {
  return {
      {"algorithm", FreeText{}, "binomial", "one of weft list collectives, or of weft list orders"},
      {"bytes", message_size, "512B", "of data"},
      steady_iterations_param,
      warmup_param(),
      {"back_to_back", YesNo{}, "no", "yes: no barrier between; times are from a rank's own start"},
      {"root", root_rank, "", "the rank that has the data; otherwise the order's own, or 0"},
      by_param,
      {"buffer", FreeText{}, "", "of the algorithm: registered for data"},
      scheme_param};
}

Prepared broadcast_program(const Params& params, const ProgramSetting& setting, Laps& laps) {
  ChosenCollective chosen =
      choose_collective(params, setting, {"broadcast", comm::algorithms<comm::Broadcast>()});
  const BroadcastPlan plan{std::move(chosen.collective), chosen.root,
                           size_from(params, "bytes"),   params.whole<std::size_t>("warmup"),
                           params.flag("back_to_back"),  laps};
  expect_iterations(params, laps);
  return {[plan](comm::Endpoint& ep) { return run_broadcasts(ep, plan); },
          std::move(chosen.tables)};
}

}  // namespace weft
