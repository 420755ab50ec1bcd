// SPDX-License-Identifier: Apache-2.0
// From switch models to kinds of waiting.
#include "lab/cluster/waiting.hpp"

namespace weft {

WaitKind waiting_in(const sim::SwitchModel& model) {
  if (model.choice == sim::PortChoice::commit) return WaitKind::commit;
  return model.switching == sim::Switching::wormhole ? WaitKind::wormhole : WaitKind::cut_through;
}

WaitKind waiting_in(const std::string& spec) {
  return waiting_in(sim::model_from(spec.empty() ? "iq" : spec));
}

}  // namespace weft
