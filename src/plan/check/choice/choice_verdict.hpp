// SPDX-License-Identifier: Apache-2.0
// The verdict on tables by some of whose choices channels wait for each other, where switches do
// not commit to a choice.
#pragma once
#include "plan/check/deadlock.hpp"

namespace weft {

/// `cycle`: by some choices; it stays the reason where nothing else is found.
DeadlockVerdict judge_choices(const Fabric& fabric, const Tables& tables, WaitKind waiting,
                              DependencyCycle cycle);

}  // namespace weft
