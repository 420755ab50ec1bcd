// SPDX-License-Identifier: Apache-2.0
// What has changed from one sweep to the next.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fabric/tables.hpp"
#include "live/frames.hpp"

namespace weft::live {

/// "h1, h2 and 7 more".
std::string first_of(const std::vector<std::string>& names);
/// What has come and gone: "gone: s0:1 - s1:2".
std::vector<std::string> described_changes(const Fabric& before, const Fabric& now);

/// Whether all links, switches and hosts of another time are there.
bool has_all(const Fabric& now, const Fabric& then);
/// Whether hosts are where they were, with the LIDs that they had, and nobody has another's LID.
bool have_same_places(const Fabric& before, const Fabric& now);

/// Entries towards hosts that are other than before, of those that there are now.
struct EntryCount {
  std::size_t changed = 0, all = 0;
};
EntryCount changed_entries(std::span<const SwitchTables> before, const Fabric& fabric,
                           std::span<const SwitchTables> now);
/// Entries towards hosts by ports at which nothing is any more, and which lead somewhere again.
std::uint64_t mended_entries(const Fabric& fabric, const Tables& before, const Tables& after);

}  // namespace weft::live
