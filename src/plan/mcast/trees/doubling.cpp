// SPDX-License-Identifier: Apache-2.0
// Recursive doubling and hosts by switch.
#include "plan/mcast/trees/doubling.hpp"

#include <algorithm>
#include <map>

namespace weft {

int double_over(const std::vector<HostId>& list, std::size_t have, int first_step,
                std::vector<Send>& sends) {
  int step = first_step - 1;
  while (have < list.size()) {
    ++step;
    const std::size_t now = std::min(have, list.size() - have);
    for (std::size_t i = 0; i < now; ++i) sends.push_back({step, list[i], list[have + i]});
    have += now;
  }
  return step;
}

HostId lowest_root(const OrderRequest& request) {
  return request.root.value_or(*std::min_element(request.hosts.begin(), request.hosts.end()));
}

HostId random_root(const OrderRequest& request, Rng& rng) {
  if (request.root) return *request.root;
  return request.hosts[rng.below(request.hosts.size())];
}

std::vector<HostId> root_first(const OrderRequest& request, HostId root) {
  std::vector<HostId> list = request.hosts;
  std::sort(list.begin(), list.end(),
            [&](HostId a, HostId b) { return (a == root) != (b == root) ? a == root : a < b; });
  return list;
}

std::vector<std::vector<HostId>> by_switch(const Fabric& fabric, const OrderRequest& request,
                                           HostId root) {
  std::map<SwitchId, std::vector<HostId>> found;
  for (HostId h : root_first(request, root)) found[fabric[h].on].push_back(h);
  std::vector<std::vector<HostId>> groups{std::move(found[fabric[root].on])};
  found.erase(fabric[root].on);
  for (auto& [s, hosts] : found) groups.push_back(std::move(hosts));
  return groups;
}

std::vector<Send> between_then_within(const std::vector<std::vector<HostId>>& groups) {
  std::vector<Send> sends;
  std::vector<HostId> leaders;
  leaders.reserve(groups.size());
  for (const auto& group : groups) leaders.push_back(group.front());
  const int last = double_over(leaders, 1, 1, sends);
  for (const auto& group : groups) double_over(group, 1, last + 1, sends);
  std::stable_sort(sends.begin(), sends.end(),
                   [](const Send& a, const Send& b) { return a.step < b.step; });
  return sends;
}

}  // namespace weft
