// SPDX-License-Identifier: Apache-2.0
// What packets wait for in the switches of a model, as the check for deadlocks asks.
#pragma once
#include <string>

#include "plan/check/deadlock.hpp"
#include "sim/switch_model.hpp"

namespace weft {

WaitKind waiting_in(const sim::SwitchModel& model);
/// The same of a spec; without one, those of "iq".
WaitKind waiting_in(const std::string& spec);

}  // namespace weft
