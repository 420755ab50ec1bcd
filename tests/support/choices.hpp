// SPDX-License-Identifier: Apache-2.0
// ChoiceTables by hand: from a rule that says where packets may go next.
#pragma once
#include <functional>
#include <vector>

#include "base/rng.hpp"
#include "fabric/tables.hpp"

namespace weft::test {

/// A neighbour that a packet may go to, by number, on a lane.
struct WantedHop {
  int next = 0, lane = 0;
  int phase = 0, preference = 0;
};
/// By phase, switch and destination, both by number; empty where there is no route.
using ChoiceRule = std::function<std::vector<WantedHop>(int phase, int at, int to)>;
/// Whether a switch belongs to an intermediate destination.
using IsIntermediate = std::function<bool(int intermediate, int at)>;

/// Tables for a fabric whose host n is on switch n. Every phase has columns of its own, but a
/// single one; those that lead to intermediates ask the rule for the way to one of them.
Tables choice_tables(const Fabric& fabric, int lanes, std::vector<Phase> phases,
                     const ChoiceRule& rule, int intermediates = 0,
                     const IsIntermediate& is_intermediate = {});

/// Any candidates by switch and destination, on one or two lanes, with a phase or two; packets
/// need not arrive.
Tables random_choices(const Fabric& fabric, Rng& rng);

}  // namespace weft::test
