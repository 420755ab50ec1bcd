// SPDX-License-Identifier: Apache-2.0
// Maps from one fabric's ids to another's, turned round.
#pragma once
#include "base/ids.hpp"

namespace weft {

/// The id that leads to each of `count` others; none where no id does.
template <class Id>
IdVector<Id, Id> inverse(const IdVector<Id, Id>& map, std::size_t count) {
  IdVector<Id, Id> out(count);
  for (Id id : map.ids())
    if (map[id].valid()) out[map[id]] = id;
  return out;
}

}  // namespace weft
