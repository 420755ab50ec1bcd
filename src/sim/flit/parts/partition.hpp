// SPDX-License-Identifier: Apache-2.0
// Partition: which blocks of switches a thread moves.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "sim/flit/units.hpp"

namespace weft::sim {

/// The part of every block: parts have about the same number of ports, and few links between them;
/// so many blocks stay together. By structure or by links, whichever has fewer links between parts.
std::vector<Index> partition(const Units& units, Index parts, Index together);

/// By level, that is, by the distance from hosts, and along each level: topologies number their
/// switches by structure, so that neighbours in number (rows, groups, pods) are mostly neighbours.
/// Every part gets its share of every level: the levels of trees have different work.
std::vector<Index> partition_by_structure(const Units& units, Index parts, Index together);
/// By METIS, with as much of every level for each part. Nothing where weft was built without it, or
/// it finds no parts that are about as even as those by structure.
std::optional<std::vector<Index>> partition_by_links(const Units& units, Index parts,
                                                     Index together);
/// Links, both directions counted, between switches of different parts.
std::size_t links_between_parts(const Units& units, const std::vector<Index>& part_of_block);

}  // namespace weft::sim
