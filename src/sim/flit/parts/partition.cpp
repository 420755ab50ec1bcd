// SPDX-License-Identifier: Apache-2.0
// Parts by structure, and by links where numbers of switches say little: irregular fabrics, and
// those read from files.
#include "sim/flit/parts/partition.hpp"

#ifdef WEFT_HAS_METIS
#include <metis.h>
#endif

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

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

/// `visit` gets the blocks of both ends of a link between switches, once for either direction.
template <class Visit>
void each_link(const Units& units, Visit visit) {
  for (Index p = 0; p < units.layout.switch_ports; ++p) {
    const SwitchPort& port = units.ports[p];
    if (port.peer != nothing && !port.to_host) visit(port.block, units.ports[port.peer].block);
  }
}

#ifdef WEFT_HAS_METIS
/// What METIS calls a graph: of groups of blocks, with the links between them, and their ports by
/// level.
struct BlockGraph {
  std::vector<idx_t> first_neighbour{0}, neighbours, links, ports;
  idx_t groups = 0, levels = 0;
};

BlockGraph graph_of(const Units& units, Index together) {
  constexpr Index most_levels = 4;  // the farthest ones count as one
  const Layout& layout = units.layout;
  const std::vector<Index> level = levels(units);
  BlockGraph out;
  out.groups = static_cast<idx_t>((layout.blocks + together - 1) / together);
  for (const Index each : level)
    out.levels = std::max(out.levels, static_cast<idx_t>(std::min(each + 1, most_levels)));
  out.ports.assign(static_cast<std::size_t>(out.groups * out.levels), 0);
  for (Index s = 0; s < layout.switches.size(); ++s) {
    const Index at = std::min(level[s], static_cast<Index>(out.levels) - 1);
    const Index group = layout.block_of(s) / together;
    out.ports[group * static_cast<Index>(out.levels) + at] +=
        static_cast<idx_t>(layout.switches[s].count);
  }
  std::vector<std::map<idx_t, idx_t>> links(static_cast<std::size_t>(out.groups));
  each_link(units, [&](Index from, Index to) {
    if (from / together != to / together)
      ++links[from / together][static_cast<idx_t>(to / together)];
  });
  for (const auto& own : links) {
    for (const auto& [to, count] : own) {
      out.neighbours.push_back(to);
      out.links.push_back(count);
    }
    out.first_neighbour.push_back(static_cast<idx_t>(out.neighbours.size()));
  }
  return out;
}

/// The ports of the largest part.
std::size_t most_ports(const Units& units, const std::vector<Index>& part_of_block, Index parts) {
  std::vector<std::size_t> ports(parts, 0);
  for (Index p = 0; p < units.layout.switch_ports; ++p)
    ++ports[part_of_block[units.ports[p].block]];
  return *std::max_element(ports.begin(), ports.end());
}
#endif

}  // namespace

std::vector<Index> partition_by_structure(const Units& units, Index parts, Index together) {
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

std::optional<std::vector<Index>> partition_by_links([[maybe_unused]] const Units& units,
                                                     [[maybe_unused]] Index parts,
                                                     [[maybe_unused]] Index together) {
#ifdef WEFT_HAS_METIS
  BlockGraph graph = graph_of(units, together);
  if (graph.groups < static_cast<idx_t>(2 * parts)) return std::nullopt;  // nothing to choose
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  std::vector<idx_t> part_of_group(static_cast<std::size_t>(graph.groups));
  idx_t wanted = static_cast<idx_t>(parts), cut = 0;
  {
    static std::mutex one_at_a_time;  // METIS changes how signals are handled meanwhile
    const std::lock_guard lock(one_at_a_time);
    if (METIS_PartGraphRecursive(&graph.groups, &graph.levels, graph.first_neighbour.data(),
                                 graph.neighbours.data(), graph.ports.data(), nullptr,
                                 graph.links.data(), &wanted, nullptr, nullptr, options, &cut,
                                 part_of_group.data()) != METIS_OK)
      return std::nullopt;
  }
  std::vector<Index> out;
  for (Index block = 0; block < units.layout.blocks; ++block)
    out.push_back(static_cast<Index>(part_of_group[block / together]));
  const std::vector<Index> even = partition_by_structure(units, parts, together);
  for (Index part = 0; part < parts; ++part)
    if (std::find(out.begin(), out.end(), part) == out.end()) return std::nullopt;
  constexpr double as_even = 1.05;
  if (static_cast<double>(most_ports(units, out, parts)) >
      as_even * static_cast<double>(most_ports(units, even, parts)))
    return std::nullopt;
  return out;
#else
  return std::nullopt;
#endif
}

std::size_t links_between_parts(const Units& units, const std::vector<Index>& part_of_block) {
  std::size_t out = 0;
  each_link(units,
            [&](Index from, Index to) { out += part_of_block[from] != part_of_block[to] ? 1 : 0; });
  return out;
}

std::vector<Index> partition(const Units& units, Index parts, Index together) {
  const std::vector<Index> by_structure = partition_by_structure(units, parts, together);
  const auto by_links = partition_by_links(units, parts, together);
  const bool fewer =
      by_links && links_between_parts(units, *by_links) < links_between_parts(units, by_structure);
  return fewer ? *by_links : by_structure;
}

}  // namespace weft::sim
