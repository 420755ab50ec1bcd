// SPDX-License-Identifier: Apache-2.0
// Whether copies of a packet can meet: a link joins switches that others have joined.
#include "fabric/group_walk.hpp"

#include <algorithm>
#include <numeric>

namespace weft {

bool is_tree(const Fabric& fabric, const Group& group) {
  std::vector<LinkId> links;
  for (const PortSet& set : group.out)
    for (const PortNumber port : set.ports)
      if (const ChannelId channel = fabric.channel_at(set.on, port); channel.valid())
        links.push_back(link_of(channel));
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
  std::vector<std::size_t> joined(fabric.switch_count());  // to a switch of the same tree
  std::iota(joined.begin(), joined.end(), std::size_t{0});
  const auto root_of = [&](SwitchId at) {
    std::size_t i = at.index();
    while (joined[i] != i) i = joined[i] = joined[joined[i]];
    return i;
  };
  for (const LinkId link : links) {
    const std::size_t a = root_of(fabric[link].a.on), b = root_of(fabric[link].b.on);
    if (a == b) return false;
    joined[a] = b;
  }
  return true;
}

}  // namespace weft
