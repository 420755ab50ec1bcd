// SPDX-License-Identifier: Apache-2.0
// Maps from GUIDs and LIDs.
#include "fabric/infiniband/port_index.hpp"

namespace weft::infiniband {

PortIndex::PortIndex(const Fabric& fabric) : by_lid_(std::size_t{1} << 16) {
  for (SwitchId s : fabric.switches()) {
    switches_.emplace(fabric[s].guid, s);
    switch_lids_.insert(fabric[s].lid);
  }
  for (HostId h : fabric.hosts()) {
    const Host& host = fabric[h];
    hosts_.emplace(host.guid, h);
    if (host.port_guid != host.guid) hosts_.emplace(host.port_guid, h);
    for (unsigned i = 0; host.lid != 0 && i < 1U << host.lmc && host.lid + i < by_lid_.size(); ++i)
      by_lid_[host.lid + i] = h;
  }
}

SwitchId PortIndex::switch_with(Guid guid) const {
  const auto found = switches_.find(guid);
  return found == switches_.end() ? SwitchId::none() : found->second;
}

std::vector<HostId> PortIndex::hosts_with(Guid guid) const {
  std::vector<HostId> out;
  const auto [first, last] = hosts_.equal_range(guid);
  for (auto each = first; each != last; ++each) out.push_back(each->second);
  return out;
}

}  // namespace weft::infiniband
