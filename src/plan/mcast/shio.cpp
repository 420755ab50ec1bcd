// SPDX-License-Identifier: Apache-2.0
// SHIO: SHO with the switches in the order of their ids.
#include "plan/mcast/schemes.hpp"
#include "plan/mcast/trees/doubling.hpp"

namespace weft {

std::vector<Send> shio(const Fabric& fabric, const OrderRequest& request) {
  return between_then_within(by_switch(fabric, request, lowest_root(request)));
}

}  // namespace weft
