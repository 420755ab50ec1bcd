// SPDX-License-Identifier: Apache-2.0
// SHO, switch-based hierarchical order (Kesavan and Panda): one host of every switch first, the
// switches in random order, then everyone inside its switch.
#include "plan/mcast/schemes.hpp"
#include "plan/mcast/trees/doubling.hpp"

namespace weft {

std::vector<Send> sho(const Fabric& fabric, const OrderRequest& request) {
  Rng rng(request.seed);
  auto groups = by_switch(fabric, request, random_root(request, rng));
  shuffle_tail(groups, 1, rng);
  return between_then_within(groups);
}

}  // namespace weft
