// SPDX-License-Identifier: Apache-2.0
// Finds switches and hosts by the GUIDs and LIDs that InfiniBand's dumps name.
#pragma once
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "fabric/fabric.hpp"

namespace weft::infiniband {

/// All LIDs of a host, those of its LMC as well, are its own.
class PortIndex {
 public:
  explicit PortIndex(const Fabric& fabric);
  SwitchId switch_with(Guid guid) const;
  /// Hosts with this GUID, of their NIC or of their port.
  std::vector<HostId> hosts_with(Guid guid) const;
  HostId host_with(Lid lid) const { return by_lid_[lid]; }
  /// Whether a host or a switch has it.
  bool knows(Lid lid) const { return host_with(lid).valid() || switch_lids_.count(lid) > 0; }

 private:
  std::unordered_map<Guid, SwitchId> switches_;
  std::unordered_multimap<Guid, HostId> hosts_;
  std::vector<HostId> by_lid_;
  std::unordered_set<Lid> switch_lids_;
};

}  // namespace weft::infiniband
