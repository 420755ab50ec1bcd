// SPDX-License-Identifier: Apache-2.0
// elan_ping: DMAs of Elan3lib between two ranks, there and back, or as streams; one way, or both
// ways at once (Petrini et al. 2002, figures 6 and 7).
#include "base/error.hpp"
#include "lab/programs/programs.hpp"
#include "lab/programs/shared/elan.hpp"
#include "lab/programs/shared/values.hpp"

namespace weft {
namespace {

struct ElanPingPlan {
  ElanPlan elan;
  comm::Rank first, second;
  bool both;
};

/// The rank that receives a DMA answers it; with `both`, each sends at once and waits for the
/// other's.
comm::Task there_and_back(ElanPlayer& player, comm::Rank peer, bool begins, bool both) {
  comm::Elan3::Dma dma = player.dma_to(peer);
  dma.target_event = player.in;
  comm::Endpoint& ep = player.ep;
  const ElanPlan& plan = player.plan;
  comm::LastOp sent;
  for (std::size_t i = 0; i < plan.warmup + plan.iterations; ++i) {
    const comm::Time before = ep.now();
    if (begins || both) sent.make([&] { return player.elan.dma(dma); });
    co_await player.wait(player.in, i + 1);
    if (i >= plan.warmup && (begins || both))
      plan.laps.add(ep.rank(), i - plan.warmup, ep.now() - before);
    if (!begins && !both) sent.make([&] { return player.elan.dma(dma); });
  }
  if (const comm::Result result = co_await *sent.get(); !result.ok())
    throw Error("elan_ping: {}", to_text(result.status));
}

comm::Task start_together(comm::Endpoint& ep, comm::Rank peer) {
  constexpr comm::Tag tag = 1;
  comm::Op sent = ep.send(peer, tag, {});
  co_await ep.recv(peer, tag, {});
  co_await sent;
}

comm::Task run_elan_ping(comm::Endpoint& ep, const ElanPingPlan& plan) {
  const bool begins = ep.rank() == plan.first;
  if (!begins && ep.rank() != plan.second) co_return;
  const comm::Rank peer = begins ? plan.second : plan.first;
  ElanPlayer player(ep, plan.elan);
  co_await start_together(ep, peer);
  if (plan.elan.window == 0) {
    co_await there_and_back(player, peer, begins, plan.both);
  } else if (begins || plan.both) {
    for (const bool measured : {false, true}) co_await player.stream(player.dma_to(peer), measured);
  }
  co_await start_together(ep, peer);
}

/// Latency and bandwidth of one direction.
std::vector<Figure> elan_ping_figures(const Params& params, const Laps& laps) {
  const bool halved = params.whole("window") == 0 && !params.flag("both");
  const Duration each = laps.all().mean / (halved ? 2 : 1);
  return {{"latency", microseconds_of(each), "us"},
          {"bandwidth", megabytes_per_second(size_from(params, "bytes"), each), "MB/s"}};
}

}  // namespace

std::vector<Param> elan_ping_params() {
  return {{"bytes", message_size, "0B", "of data"},
          {"from", store_choice, "main", "where they are"},
          {"to", store_choice, "main", "where they go"},
          {"both", YesNo{}, "no", "yes: both ways at once"},
          {"window", Whole{0, 1'000'000'000}, "0",
           "DMAs under way at once in a stream; 0: there and back"},
          wait_param,
          iterations_param(),
          warmup_param(),
          {"first", any_rank, "0", "the rank that begins"},
          {"second", any_rank, "1", "the other rank"}};
}

Prepared elan_ping_program(const Params& params, const ProgramSetting& setting, Laps& laps) {
  const ElanPingPlan plan{ElanPlan(params, setting, laps), rank_from(params, "first", setting),
                          rank_from(params, "second", setting), params.flag("both")};
  if (plan.first == plan.second) params.reject("second", "another rank than the first is needed");
  return {[plan](comm::Endpoint& ep) { return run_elan_ping(ep, plan); }, {}, elan_ping_figures};
}

}  // namespace weft
