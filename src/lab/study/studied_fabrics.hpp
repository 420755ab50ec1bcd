// SPDX-License-Identifier: Apache-2.0
// What studies begin with: all fabrics are made and all engines tried before the work.
#pragma once
#include <string>
#include <vector>

#include "lab/cluster/cluster.hpp"
#include "plan/route/route.hpp"

namespace weft {

/// The fabrics of a cluster, in the order of its topologies. Throws Error.
std::vector<Fabric> studied_fabrics(const Cluster& cluster);

/// Throws Error for an engine that does not exist or does not take these parameters.
void try_engine(const std::string& engine, const std::vector<Fabric>& fabrics);

/// An engine that does not fit one fabric does not end the study of the others.
Routed route_or_refuse(const Fabric& fabric, const std::string& engine);

}  // namespace weft
