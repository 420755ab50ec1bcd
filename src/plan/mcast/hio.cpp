// SPDX-License-Identifier: Apache-2.0
// HIO, host-id order: doubling over the root and then all other hosts by id.
#include "plan/mcast/schemes.hpp"
#include "plan/mcast/trees/doubling.hpp"

namespace weft {

std::vector<Send> hio(const Fabric&, const OrderRequest& request) {
  std::vector<Send> sends;
  double_over(root_first(request, lowest_root(request)), 1, 1, sends);
  return sends;
}

}  // namespace weft
