// SPDX-License-Identifier: Apache-2.0
// Deadlocks of packets that wait for any of their candidates and hold every lane that their flits
// stand in (wormhole switching, circuits). To decide it is co-NP-complete; but numbers of lanes are
// verified in polynomial time, and a set of packets that block each other is a proof as well. Where
// neither is found, it is not known.
#pragma once
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "plan/check/choice/waiting_states.hpp"

namespace weft {

/// Numbers by lane. The greatest number of all lanes that a packet may hold is less than that of
/// some candidate, from every state that is not delivered. Then no packets block each other: of
/// those that hold lanes, take the one with the greatest; it has a candidate with a greater one,
/// which nobody can hold. Returns a state for which it does not hold; nothing: it holds for all.
std::optional<WaitingStates::StateId> worm_that_contradicts(
    const WaitingStates& states, const std::vector<std::uint32_t>& number);

/// A packet in the network: its states from the one in the lane of its last flit to that of its
/// head, which waits.
using Worm = std::vector<WaitingStates::StateId>;

/// Packets that share no lane, and every candidate of whose heads is a lane that one of them holds.
struct BlockedWorms {
  std::vector<Worm> worms;
};
/// Neither numbers nor blocked packets were found.
struct WormsNotJudged {};

using WormVerdict = std::variant<std::vector<std::uint32_t>, BlockedWorms, WormsNotJudged>;

/// `lanes` is the number of lanes that every channel has: those with the smaller numbers, or the
/// larger ones, may be the ones that packets escape to.
WormVerdict judge_worms(const WaitingStates& states, std::size_t lanes);

}  // namespace weft
