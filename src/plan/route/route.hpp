// SPDX-License-Identifier: Apache-2.0
// Routing engines: functions from a Fabric to Tables. One file per engine, one row per file; what
// several engines share is in algorithms/.
#pragma once
#include <span>
#include <string_view>
#include <variant>

#include "base/catalog.hpp"
#include "base/error.hpp"
#include "base/params.hpp"
#include "fabric/tables.hpp"

namespace weft {

/// An engine that cannot serve a fabric says why.
using Routed = std::variant<Tables, Refused>;
using RoutingEngine = Routed(const Fabric&, const Params&);

/// What an engine promises about its tables; the property tests hold it to that.
struct Guarantees {
  bool deadlock_free = false;
  bool minimal = false;  ///< every route is a shortest one
};

struct RoutingEngineRow : Row<RoutingEngine> {
  Guarantees promise;
};

std::span<const RoutingEngineRow> engines();

/// Runs the engine of a spec such as "dl:lanes=2". Throws Error for a wrong spec.
Routed route(const Fabric& fabric, std::string_view spec);

}  // namespace weft
