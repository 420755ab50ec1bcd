// SPDX-License-Identifier: Apache-2.0
// ring: every member passes on to the next rank what the one before has sent it; N - 1 steps of a
// block (Thakur, Rabenseifner and Gropp, 2005).
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/allgathers.hpp"

namespace weft::comm {

TaskOf<Status> ring_allgather(const Team& team, std::span<std::byte> all, const Blocks& blocks) {
  return ring_allgather_from(team, 0, all, blocks);
}

}  // namespace weft::comm
