// SPDX-License-Identifier: Apache-2.0
// recursive_doubling: members exchange all they have with partners 1, 2, 4, … places away (Thakur,
// Rabenseifner and Gropp, 2005). Ranks beyond a power of two take part by a partner,
// which sends them the whole result at the end.
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/allgathers.hpp"

namespace weft::comm {

TaskOf<Status> doubling_allgather(const Team& team, std::span<std::byte> all,
                                  const Blocks& blocks) {
  return doubling_allgather_from(team, 0, all, blocks);
}

}  // namespace weft::comm
