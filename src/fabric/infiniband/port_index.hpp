// SPDX-License-Identifier: Apache-2.0
// Finds switches and hosts by the GUIDs and LIDs that InfiniBand's dumps name.
#pragma once
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fabric/fabric.hpp"
#include "fabric/format/format.hpp"

namespace weft::infiniband {

/// All LIDs of a host, those of its LMC as well, are its own.
class PortIndex {
 public:
  explicit PortIndex(const Fabric& fabric);
  SwitchId switch_with(Guid guid) const;
  /// Hosts with this GUID, of their NIC or of their port.
  std::vector<HostId> hosts_with(Guid guid) const;
  HostId host_with(Lid lid) const { return by_lid_[lid]; }

 private:
  std::unordered_map<Guid, SwitchId> switches_;
  std::unordered_multimap<Guid, HostId> hosts_;
  std::vector<HostId> by_lid_;
};

/// The GUID of a word such as "0x0002c90300000001,". Throws Error naming the line.
Guid guid_of(const Source& source, std::size_t line, std::string_view word);

/// A whole number, hexadecimal after 0x. Throws Error naming the line.
unsigned number_of(const Source& source, std::size_t line, std::string_view word, unsigned most,
                   std::string_view what);

}  // namespace weft::infiniband
