// SPDX-License-Identifier: Apache-2.0
// 1SHO-3RO: one host of every switch as in SHO, then the remaining hosts in random order from
// everyone who has the data.
#include "plan/mcast/schemes.hpp"
#include "plan/mcast/trees/doubling.hpp"

namespace weft {

std::vector<Send> one_sho_three_ro(const Fabric& fabric, const OrderRequest& request) {
  Rng rng(request.seed);
  auto groups = by_switch(fabric, request, random_root(request, rng));
  shuffle_tail(groups, 1, rng);
  std::vector<HostId> list;
  for (const auto& group : groups) list.push_back(group.front());
  std::vector<Send> sends;
  const int last = double_over(list, 1, 1, sends);
  for (const auto& group : groups) list.insert(list.end(), group.begin() + 1, group.end());
  shuffle_tail(list, groups.size(), rng);
  double_over(list, groups.size(), last + 1, sends);
  return sends;
}

}  // namespace weft
