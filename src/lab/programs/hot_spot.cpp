// SPDX-License-Identifier: Apache-2.0
// hot_spot: all other ranks write to, or read from, the same memory of rank 0 by DMAs (Petrini et
// al. 2002, "Hot spot"). Rank 0's times are those of all ranks together.
#include <algorithm>

#include "comm/coll/coll.hpp"
#include "lab/programs/programs.hpp"
#include "lab/programs/shared/elan.hpp"
#include "lab/programs/shared/values.hpp"

namespace weft {
namespace {

struct HotSpotPlan {
  ElanPlan elan;
  bool reads;
};

comm::Task run_hot_spot(comm::Endpoint& ep, const HotSpotPlan& plan) {
  ElanPlayer player(ep, plan.elan);
  comm::Team team(ep);
  const comm::CollectiveSpec barrier_spec{"dissemination"};
  const auto barrier = co_await comm::make_barrier(team, barrier_spec);
  comm::Elan3::Dma dma = player.dma_to(0);
  if (plan.reads) std::swap(dma.from, dma.to);
  co_await barrier->enter();
  if (ep.rank() != 0) co_await player.stream(dma, false);
  co_await barrier->enter();
  const comm::Time before = ep.now();
  if (ep.rank() != 0) co_await player.stream(dma, true);
  co_await barrier->enter();
  const auto times = static_cast<std::int64_t>(plan.elan.iterations);
  if (ep.rank() != 0) co_return;
  for (std::size_t i = 0; i < plan.elan.iterations; ++i)
    plan.elan.laps.add(0, i, (ep.now() - before) / times);
}

std::vector<Figure> hot_spot_figures(const Params& params, const Laps& laps) {
  const std::size_t bytes = size_from(params, "bytes");
  Duration slowest = laps.of(1).mean, fastest = slowest;
  for (comm::Rank rank = 2; rank < laps.ranks(); ++rank) {
    slowest = std::max(slowest, laps.of(rank).mean);
    fastest = std::min(fastest, laps.of(rank).mean);
  }
  const double aggregate = megabytes_per_second(bytes, laps.of(0).mean) * (laps.ranks() - 1);
  return {{"aggregate", aggregate, "MB/s"},
          {"per_source", aggregate / (laps.ranks() - 1), "MB/s"},
          {"slowest", megabytes_per_second(bytes, slowest), "MB/s"},
          {"fastest", megabytes_per_second(bytes, fastest), "MB/s"}};
}

}  // namespace

std::vector<Param> hot_spot_params() {
  return {{"bytes", message_size, "64KiB", "of data"},
          {"by", OneOf{"write", "read"}, "write", "what the others do"},
          {"from", store_choice, "main", "where the data are"},
          {"to", store_choice, "main", "where they go"},
          {"window", Whole{0, 1'000'000'000}, "2", "DMAs of a rank under way at once"},
          wait_param,
          iterations_param("100"),
          warmup_param("2")};
}

Prepared hot_spot_program(const Params& params, const ProgramSetting& setting, Laps& laps) {
  const HotSpotPlan plan{ElanPlan(params, setting, laps), params.is("by", "read")};
  return {[plan](comm::Endpoint& ep) { return run_hot_spot(ep, plan); }, {}, hot_spot_figures};
}

}  // namespace weft
