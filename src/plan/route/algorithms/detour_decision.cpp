// SPDX-License-Identifier: Apache-2.0
// Decisions with the numbers of BookSim 2 (Jiang et al., 2013) where none are given, but for the
// threshold on dragonflies: its 30 flits suit its lanes of 256, and shorter ones never hold as
// many.
#include "plan/route/algorithms/detour_decision.hpp"

namespace weft {
namespace {

/// "hops", or two numbers such as 1:2.
void take_weights(const Params& params, DetourDecision& decision) {
  const std::string_view text = params.text("weights");
  decision.weight = decision.detour_weight = 0;
  if (text == "hops") return;
  std::string_view rest = text;
  try {
    const std::string_view own = take_until(rest, ':');
    decision.weight = static_cast<std::uint32_t>(whole_from(own, 1, 1000));
    decision.detour_weight = static_cast<std::uint32_t>(whole_from(rest, 1, 1000));
  } catch (const Error&) {
    params.reject("weights", "write auto, hops, or two numbers from 1 to 1000, such as 1:2");
  }
}

/// The dragonfly's numbers count global links; those of the flattened butterfly, all links. The sum
/// of all queues of a path needs neither weights nor a threshold (PolarFly: Lakhotia et al., 2022).
DetourDecision usual_decision(const TwoPhases& phases, DetourDecision::Queue queue) {
  if (queue == DetourDecision::Queue::path) return {queue, 1, 1, 0, 1};
  if (phases.dragonfly) return {queue, 1, 2, 3, 1};
  return {queue, 0, 0, 2, 1};
}

}  // namespace

std::vector<Param> decision_params() {
  return {{"threshold", Whole{-1'000'000, 1'000'000, "flits", "auto"}, "auto",
           "how much longer the weighted queue may be without a detour; auto: 3 on dragonflies, "
           "else 2; ugal_g 0"},
          {"weights", FreeText{"auto | hops | 1:2"}, "auto",
           "of the two queues; auto: 1:2 on dragonflies, else hops; ugal_g 1:1"},
          {"draws", Whole{1, 64}, "1", "intermediate destinations drawn; the best one counts"}};
}

void decide_at_start(TwoPhases& phases, const Params& params, DetourDecision::Queue queue) {
  ChoiceTables& choices = phases.choices();
  choices.phases.push_back({.name = "undecided", .detour = TwoPhases::to_intermediate});
  choices.starts = {TwoPhases::undecided};
  if (phases.is_hyperx) choices.intermediates.rule = IntermediateRule::aligned;
  choices.decision = usual_decision(phases, queue);
  if (!params.is("threshold", "auto"))
    choices.decision.threshold = params.whole<std::int32_t>("threshold");
  if (params.text("weights") != "auto") take_weights(params, choices.decision);
  choices.decision.draws = params.whole<std::uint32_t>("draws");
}

}  // namespace weft
