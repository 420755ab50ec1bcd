// SPDX-License-Identifier: Apache-2.0
// What studies begin with: all fabrics are made, all engines tried and all tables read before the
// work.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "lab/cluster/cluster.hpp"
#include "plan/route/route.hpp"

namespace weft {

/// The fabrics of a cluster, in the order of its topologies. Throws Error.
std::vector<Fabric> studied_fabrics(const Cluster& cluster);

/// An engine, or the tables of a file for each of the fabrics, as far as they fit.
struct Contender {
  std::string engine;               ///< or the path of the file
  std::vector<Routed> from_file{};  ///< by fabric; empty for an engine
  bool is_engine() const { return from_file.empty(); }
};
/// What becomes of routes over parts that a cluster is to do without, in tables of a file.
enum class BrokenRoutes : std::uint8_t {
  stay,  ///< until the subnet manager reacts
  move,  ///< to detours, as far as there are some (plan/repair)
};

/// The engines of a cluster. Throws Error for one that does not exist or does not take these
/// parameters, and for tables that fit none of the fabrics.
std::vector<Contender> contenders(const Cluster& cluster, const std::vector<Fabric>& fabrics,
                                  BrokenRoutes broken);

/// An engine that does not fit one fabric does not end the study of the others.
Routed route_or_refuse(const Fabric& fabric, const std::string& engine);

}  // namespace weft
