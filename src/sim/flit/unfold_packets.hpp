// SPDX-License-Identifier: Apache-2.0
// Unfolding packets: a network that has handled packets as a whole goes on flit by flit, in the
// midst of a run, as if it had moved every flit from the start.
#pragma once
#include "sim/flit/injector.hpp"

namespace weft::sim {

/// Puts all flits and credits where they are at the beginning of this cycle, for the pipelines that
/// move them one by one. The caller counts the flits that have yet to move (Units::ends) before.
void unfold_packets(Units& units, Injector& injection);

}  // namespace weft::sim
