// SPDX-License-Identifier: Apache-2.0
// Whether a counterexample proves what it says, where packets take any of their choices.
#pragma once
#include <optional>
#include <string>

#include "plan/check/deadlock.hpp"

namespace weft::test {

/// The packets of a refutation by switches that wait for any choice: those of a circle hold a lane
/// each. Empty for all other verdicts.
BlockedPackets blocked_packets(const DeadlockVerdict& verdict);

/// What is wrong with the packets; nothing if each can hold its lanes and then has no choice but
/// those that it names, each of which one packet holds, and if none of them is needless.
std::optional<std::string> not_blocked(const Fabric& fabric, const Tables& tables,
                                       const BlockedPackets& blocked);

}  // namespace weft::test
