// SPDX-License-Identifier: Apache-2.0
// Topologies: functions from parameters to a Fabric. One file per topology, one row per file.
#pragma once
#include <span>
#include <string_view>

#include "base/catalog.hpp"
#include "base/params.hpp"
#include "fabric/fabric.hpp"

namespace weft {

using Topology = Fabric(const Params&);

std::span<const Row<Topology>> topologies();

/// The fabric of a spec such as "torus:dims=4x4,hosts=4". Throws Error.
Fabric make_fabric(const Spec& spec);
Fabric make_fabric(std::string_view text);

}  // namespace weft
