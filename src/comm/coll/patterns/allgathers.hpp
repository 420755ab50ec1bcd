// SPDX-License-Identifier: Apache-2.0
// Allgathers whose blocks are those of ranks counted from a root: of the allgather itself (root 0),
// and of a broadcast that scatters the root's data before.
#pragma once
#include <span>

#include "comm/coll/blocks.hpp"
#include "comm/task.hpp"
#include "comm/team.hpp"

namespace weft::comm {

/// Every member passes on to the next what the one before has sent it: N - 1 steps.
TaskOf<Status> ring_allgather_from(const Team& team, Rank root, std::span<std::byte> all,
                                   const Blocks& blocks);
/// Members exchange all they have with partners 1, 2, 4, … places away.
TaskOf<Status> doubling_allgather_from(const Team& team, Rank root, std::span<std::byte> all,
                                       const Blocks& blocks);

}  // namespace weft::comm
