// SPDX-License-Identifier: Apache-2.0
// Blocks by level, that is, by their distance from hosts, and along each level: topologies number
// their switches by structure, so that neighbours in number (rows, groups, pods) are mostly
// neighbours. Every part gets its share of every level: the levels of trees have different work.
#include "sim/flit/parts/partition.hpp"

#include <algorithm>
#include <map>

namespace weft::sim {
namespace {

/// By switch: links to the nearest switch with hosts.
std::vector<Index> levels(const Units& units) {
  const Layout& layout = units.layout;
  std::vector<Index> out(layout.switches.size(), nothing), found;
  for (Index p = layout.switch_ports; p < layout.all_ports; ++p) {
    const Index home = units.ports[units.ports[p].peer].home;
    if (std::exchange(out[home], 0) == nothing) found.push_back(home);
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const SwitchPorts& own = layout.switches[found[i]];
    for (Index p = own.first; p < own.first + own.count; ++p) {
      if (units.ports[p].peer == nothing || units.ports[p].to_host) continue;
      const Index next = units.ports[units.ports[p].peer].home;
      if (out[next] != nothing) continue;
      out[next] = out[found[i]] + 1;
      found.push_back(next);
    }
  }
  return out;
}

}  // namespace

std::vector<Index> partition(const Units& units, Index parts, Index together) {
  const Layout& layout = units.layout;
  const std::vector<Index> level = levels(units);
  std::map<Index, std::vector<Index>> groups;  // by level
  for (Index first = 0; first < layout.blocks; first += together)
    groups[level[std::size_t{first} << layout.block_bits]].push_back(first);
  std::vector<Index> out(layout.blocks, 0);
  std::vector<std::size_t> groups_of(parts, 0);
  for (const auto& [unused, all] : groups)
    for (std::size_t i = 0; i < all.size(); ++i) {
      // Few groups go where there is least.
      const auto least = std::min_element(groups_of.begin(), groups_of.end());
      const auto part = all.size() < parts
                            ? static_cast<Index>(least - groups_of.begin())
                            : static_cast<Index>((2 * i + 1) * parts / (2 * all.size()));
      ++groups_of[part];
      for (Index block = all[i]; block < std::min(all[i] + together, layout.blocks); ++block)
        out[block] = part;
    }
  return out;
}

}  // namespace weft::sim
