// SPDX-License-Identifier: Apache-2.0
// PAR, progressive adaptive routing (Jiang, Kim, Dally, 2009): as ugal on dragonflies, but packets
// that stayed on their own route decide again at the switch with the link to the last group. A lane
// more than ugal, for the local link before that decision.
#include "plan/route/algorithms/base_routes.hpp"
#include "plan/route/algorithms/detour_decision.hpp"
#include "plan/route/routing_engines.hpp"

namespace weft {
namespace {

/// Packets remain undecided on a local link of their first group.
void decide_again(const Fabric& fabric, TwoPhases& phases) {
  const SwitchGroups& groups = phases.dragonfly->groups();
  const auto step = [&](SwitchId to, SwitchId at) -> std::optional<std::vector<Candidate>> {
    if (at == to) return std::nullopt;
    std::vector<Candidate> out;
    for (const PortNumber port : phases.ports(at, to)) {
      const bool local = groups.is_local(fabric, fabric.channel_at(at, port));
      if (groups.of(at) == groups.of(to))
        out.push_back({port, static_cast<Lane>(phases.lanes.last), TwoPhases::to_host});
      else if (local)
        out.push_back({port, static_cast<Lane>(phases.lanes.undecided), TwoPhases::undecided});
      else
        out.push_back({port, static_cast<Lane>(phases.lanes.global), TwoPhases::to_host});
    }
    return out;
  };
  ChoiceTables& choices = phases.choices();
  choices.phases[TwoPhases::undecided].to_host = add_host_columns(fabric, choices, step);
}

}  // namespace

Routed par(const Fabric& fabric, const Params& params) {
  auto found = two_phases(fabric, params, {.dragonfly_only = true, .decides_again = true});
  if (const auto* refused = std::get_if<Refused>(&found)) return *refused;
  auto& phases = std::get<TwoPhases>(found);
  if (phases.dragonfly->groups().have_spines())
    return Refused{"serves dragonflies whose hosts' switches have the links to other groups"};
  decide_at_start(phases, params, DetourDecision::Queue::port);
  decide_again(fabric, phases);
  return std::move(phases.tables);
}

}  // namespace weft
