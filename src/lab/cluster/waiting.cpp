// SPDX-License-Identifier: Apache-2.0
// From switch models to kinds of waiting.
#include "lab/cluster/waiting.hpp"

#include <fmt/format.h>

namespace weft {

WaitKind waiting_in(const sim::SwitchModel& model) {
  if (model.choice == sim::PortChoice::commit) return WaitKind::commit;
  if (model.switching != sim::Switching::wormhole) return WaitKind::cut_through;
  const bool empty = model.reuse != sim::LaneReuse::sent && model.flow == sim::FlowControl::credit;
  return empty ? WaitKind::wormhole : WaitKind::wormhole_queues;
}

WaitKind waiting_in(const std::string& spec) {
  return waiting_in(sim::model_from(spec.empty() ? "iq" : spec));
}

sim::SwitchModel settled(sim::SwitchModel model, const ResolvedNetwork& network) {
  if (model.reuse != sim::LaneReuse::automatic) return model;
  const bool empty = waiting_in(model) == WaitKind::wormhole &&
                     network.choice_safety() == ChoiceSafety::empty_lanes;
  model.reuse = empty ? sim::LaneReuse::empty : sim::LaneReuse::sent;
  return model;
}

sim::SwitchModel settled(const std::string& spec, const Fabric& fabric, const Tables& tables) {
  sim::SwitchModel model = sim::model_from(spec);
  if (leave_choices(tables)) {
    const std::shared_ptr<const Fabric> borrowed(std::shared_ptr<void>(), &fabric);
    return settled(std::move(model), ResolvedNetwork(borrowed, tables));
  }
  if (model.reuse == sim::LaneReuse::automatic) model.reuse = sim::LaneReuse::sent;
  return model;
}

std::vector<std::string> warnings_about(const ResolvedNetwork& network,
                                        const sim::SwitchModel& model) {
  constexpr std::size_t most_switches = 1024;  // a second or so
  if (network.fabric().switch_count() > most_switches) return {};
  const DeadlockVerdict& verdict = network.deadlock_verdict(waiting_in(model));
  const auto* cycle = std::get_if<DependencyCycle>(&verdict);
  const auto* blocked = std::get_if<BlockedPackets>(&verdict);
  if (cycle == nullptr && blocked == nullptr) return {};
  const std::string& engine = network.tables().engine;
  const std::string why =
      cycle != nullptr
          ? fmt::format("{} channels may wait for each other in a cycle", cycle->waits.size())
          : fmt::format("{} packets may block each other", blocked->packets.size());
  return {fmt::format("the routes{} can deadlock: {}, which weft check shows",
                      engine.empty() ? "" : " of " + engine, why)};
}

}  // namespace weft
