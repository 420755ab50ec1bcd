// SPDX-License-Identifier: Apache-2.0
// hot_spot: all other ranks write to, or read from, the same memory of rank 0 by DMAs (Petrini et
// al. 2002, "Hot spot").
#include <algorithm>

#include "comm/coll/coll.hpp"
#include "lab/programs/parts/elan.hpp"
#include "lab/programs/parts/values.hpp"
#include "lab/programs/rows.hpp"

namespace weft {
namespace {

struct Plan {
  ElanPlan elan;
  bool reads;
};

comm::Task press(comm::Endpoint& ep, const Plan& plan) {
  ElanPlayer player(ep, plan.elan);
  comm::Team team(ep);
  const comm::How how{"dissemination"};
  const auto barrier = co_await comm::make_barrier(team, how);
  co_await barrier->enter();
  comm::Elan3::Dma dma = player.dma_to(0);
  if (plan.reads) std::swap(dma.from, dma.to);
  if (ep.rank() != 0) co_await player.stream(dma);
  co_await barrier->enter();
}

/// All begin together: together they are as fast as the slowest makes it. Beside it the slowest and
/// the fastest by themselves.
std::vector<Figure> figures(const Params& params, const Laps& laps) {
  const std::size_t bytes = size_from(params, "bytes");
  Duration shortest = laps.of(1).mean, longest = shortest;
  for (comm::Rank rank = 2; rank < laps.ranks(); ++rank) {
    shortest = std::min(shortest, laps.of(rank).mean);
    longest = std::max(longest, laps.of(rank).mean);
  }
  const double each = megabytes_per_second(bytes, longest);
  return {{"aggregate", each * (laps.ranks() - 1), "MB/s"},
          {"per_source", each, "MB/s"},
          {"fastest", megabytes_per_second(bytes, shortest), "MB/s"}};
}

}  // namespace

Prepared hot_spot_program(const Params& params, const Setting& setting, Laps& laps) {
  const Plan plan{ElanPlan(params, setting, laps), params.choice("by", {"write", "read"}) == 1};
  return {[plan](comm::Endpoint& ep) { return press(ep, plan); }, {}, figures};
}

}  // namespace weft
