// SPDX-License-Identifier: Apache-2.0
// RO, random order: doubling over the root and then all other hosts in random order.
#include "plan/mcast/schemes.hpp"
#include "plan/mcast/trees/doubling.hpp"

namespace weft {

std::vector<Send> ro(const Fabric&, const OrderRequest& request) {
  Rng rng(request.seed);
  auto list = root_first(request, random_root(request, rng));
  shuffle_tail(list, 1, rng);
  std::vector<Send> sends;
  double_over(list, 1, 1, sends);
  return sends;
}

}  // namespace weft
