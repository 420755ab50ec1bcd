// SPDX-License-Identifier: Apache-2.0
// The differences of two fabrics, as of a plan and what was found. Switches and hosts are the same
// when they have the same GUID, or else the same name.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "fabric/fabric.hpp"

namespace weft {

/// Who is who in another fabric; none where nobody is.
struct Partners {
  IdVector<SwitchId, SwitchId> switches;
  IdVector<HostId, HostId> hosts;
};
Partners partners(const Fabric& expected, const Fabric& found);

enum class DifferenceKind {
  switch_missing,
  switch_new,
  switch_changed,  ///< its name, GUID or number of ports
  host_missing,
  host_new,
  host_moved,
  host_changed,  ///< its name or GUID
  cable_missing,
  cable_new,
  cable_moved,
  cable_slower,
  cable_faster,
  lid_changed,  ///< of a switch or host that has one in both
};

/// "cables moved", for headings.
std::string_view to_text(DifferenceKind kind);

struct FabricDifference {
  DifferenceKind kind{};
  std::string what;      ///< "s0:1", "switch s7"
  std::string expected;  ///< "s1:2", "100 Gb/s"; empty where nothing was
  std::string found;     ///< the same; empty where nothing is
  // Where in the expected fabric; none of what is new, or of what has no place there.
  SwitchId of_switch{};
  HostId of_host{};
  LinkId of_link{};
};

/// All of them, by kind.
std::vector<FabricDifference> differences(const Fabric& expected, const Fabric& found);

}  // namespace weft
