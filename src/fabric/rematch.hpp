// SPDX-License-Identifier: Apache-2.0
// Tables of the same fabric at another time: LIDs may have been assigned anew, hosts may have come,
// gone or moved, and the dump may have another order.
#pragma once
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "fabric/noted_tables.hpp"

namespace weft {

/// "12 hosts have other LIDs there; matched by GUID".
std::string other_lids_note(std::size_t hosts);

/// The tables of `theirs` for `ours`. Switches and hosts are the same by GUID, or else by name; a
/// host that is not at the same port there has no routes. Throws Error when a switch is not there,
/// or has another number of ports.
NotedTables rematch(const Tables& tables, const Fabric& theirs, const Fabric& ours);
/// The same, but says why it cannot be done.
std::variant<NotedTables, Refused> try_rematch(const Tables& tables, const Fabric& theirs,
                                               const Fabric& ours);

}  // namespace weft
