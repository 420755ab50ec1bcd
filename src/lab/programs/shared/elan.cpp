// SPDX-License-Identifier: Apache-2.0
// Programs of Elan3lib: memory, events and streams.
#include "lab/programs/shared/elan.hpp"

#include "base/error.hpp"
#include "lab/programs/shared/values.hpp"
#include "sim/elan/model.hpp"

namespace weft {

using comm::Elan3;

namespace {

Elan3::Store store_from(const Params& params, std::string_view name) {
  return params.is(name, "main") ? Elan3::Store::main : Elan3::Store::elan;
}

}  // namespace

ElanPlan::ElanPlan(const Params& params, const ProgramSetting& setting, Laps& to_fill)
    : from(store_from(params, "from")),
      to(store_from(params, "to")),
      bytes(size_from(params, "bytes")),
      iterations(params.whole<std::size_t>("iterations")),
      warmup(params.whole<std::size_t>("warmup")),
      window(params.whole<std::size_t>("window")),
      how(params.choice<Elan3::How>("wait")),
      laps(to_fill) {
  if (setting.machine.nic.capability<sim::elan::Model>() == nullptr)
    throw Error("{}: the NIC {} is no Elan: --nic elan", params.owner(), setting.machine.nic.spec);
  if (setting.ranks() < 2) throw Error("{}: two ranks are needed", params.owner());
  laps.expect(iterations);
}

ElanPlayer::ElanPlayer(comm::Endpoint& endpoint, const ElanPlan& elan_plan)
    : ep(endpoint),
      plan(elan_plan),
      elan(*ep.capability<Elan3>()),
      source(elan.allocate(plan.from, std::max<std::size_t>(plan.bytes, 1))),
      target(elan.allocate(plan.to, std::max<std::size_t>(plan.bytes, 1))),
      out(elan.make_event()),
      in(elan.make_event()) {
  open_.push_back(elan.open(source, comm::RegionRights::remote_read));
  open_.push_back(elan.open(target, comm::RegionRights::remote_write));
  open_.push_back(elan.open_event(out));
  open_.push_back(elan.open_event(in));
}

Elan3::Dma ElanPlayer::dma_to(comm::Rank rank) const {
  return {.from = ep.rank(),
          .to = rank,
          .source = source.elan,
          .target = target.elan,
          .bytes = plan.bytes};
}

comm::Task ElanPlayer::stream(Elan3::Dma dma, bool measured) {
  const bool reads = dma.to == ep.rank();
  (reads ? dma.target_event : dma.source_event) = out;
  const std::size_t window = std::max<std::size_t>(plan.window, 1);
  const std::size_t count = measured ? plan.iterations : plan.warmup;
  std::vector<comm::LastOp> ops(window);
  comm::Time before = ep.now();
  for (std::size_t i = 0; i < count + window; ++i) {
    if (i >= window && i - window < count) {
      ++ended_;  // by itself: the order of side effects around co_await differs between compilers
      co_await wait(out, ended_);
      const comm::Result result = co_await *ops[i % window].get();
      if (!result.ok())
        throw Error("a DMA of rank {}: {}{}", ep.rank(), to_text(result.status),
                    elan.traps().empty() ? "" : ": " + elan.traps().back());
      if (measured) plan.laps.add(ep.rank(), i - window, ep.now() - before);
      before = ep.now();
    }
    if (i < count) ops[i % window].make([&] { return elan.dma(dma); });
  }
}

}  // namespace weft
