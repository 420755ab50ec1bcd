// SPDX-License-Identifier: Apache-2.0
// SCO, switch-based contention order: SHO turned round, to cause contention. First everyone inside
// the root's switch; then host number j of that switch serves hosts number j of all switches, all j
// at once over the same links.
#include <algorithm>

#include "plan/mcast/schemes.hpp"
#include "plan/mcast/trees/doubling.hpp"

namespace weft {

std::vector<Send> sco(const Fabric& fabric, const OrderRequest& request) {
  Rng rng(request.seed);
  auto groups = by_switch(fabric, request, random_root(request, rng));
  shuffle_tail(groups, 1, rng);
  const std::size_t width = groups.front().size();
  std::vector<std::vector<HostId>> columns(width);
  // Hosts beyond the size of the root's switch are served in the first column.
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::size_t j = 0; j < std::min(width, groups[g].size()); ++j)
      columns[j].push_back(groups[g][j]);
  for (const auto& group : groups)
    for (std::size_t j = width; j < group.size(); ++j) columns.front().push_back(group[j]);
  std::vector<Send> sends;
  const int last = double_over(groups.front(), 1, 1, sends);
  for (const auto& column : columns) double_over(column, 1, last + 1, sends);
  std::stable_sort(sends.begin(), sends.end(),
                   [](const Send& a, const Send& b) { return a.step < b.step; });
  return sends;
}

}  // namespace weft
