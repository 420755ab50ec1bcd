// SPDX-License-Identifier: Apache-2.0
// Schedules that drive simulated networks into a deadlock which the checks have found: who sends
// when, and which of its choices each packet prefers.
#pragma once
#include <optional>
#include <set>
#include <string>

#include "plan/check/deadlock.hpp"
#include "support/recorder.hpp"

namespace weft::test {

using LaneSet = std::set<std::pair<ChannelId, Lane>>;

/// The tables of a network with further hosts, in the same positions: every packet has a source and
/// a destination of its own, and prefers the choices that lead it where it shall wait.
struct DirectedWorld {
  Fabric fabric;
  Tables tables;
  std::string switches;  ///< spec of the model
  Script script{};
  LaneSet lanes{};  ///< that packets of one lane may hold for good
};

/// The deadlock that the checks find for a kind of switch; nothing if they find none. Needs choice
/// tables without intermediate destinations and with one lane rule. Every packet goes over its
/// lanes from a host, and all come to their ends at once: that may fail if some must pass others.
std::optional<DirectedWorld> directed_deadlock(const Fabric& fabric, const Tables& tables,
                                               WaitKind waiting);

/// What switches wait for, as the spec of a model for packets of 8 flits.
std::string switches_that_wait(const Tables& tables, WaitKind waiting);

/// The lanes of the packets that an explanation of a deadlock names.
LaneSet lanes_of(const Fabric& fabric, const std::string& explanation);

}  // namespace weft::test
