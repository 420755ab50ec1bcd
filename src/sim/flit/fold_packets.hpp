// SPDX-License-Identifier: Apache-2.0
// Folding and unfolding packets: a network that handles packets as a whole goes on flit by flit, in
// the midst of a run, and back; each time as if it had never been otherwise.
#pragma once
#include "sim/flit/injector.hpp"

namespace weft::sim {

/// Puts all flits and credits where they are at the beginning of this cycle, for the pipelines that
/// move them one by one. The caller counts the flits that have yet to move (Units::ends) before.
void unfold_packets(Units& units, Injector& injection);

/// Notes the times of packets instead, from where their flits are at the beginning of this cycle.
/// The network must have been built for packets as a whole, and all of its links work; no failure
/// has cut a packet that it holds. The caller counts the flits that have yet to move after.
void fold_packets(Units& units, Injector& injection);

}  // namespace weft::sim
