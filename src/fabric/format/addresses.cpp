// SPDX-License-Identifier: Apache-2.0
// Fills in GUIDs and LIDs that differ from those already assigned.
#include "fabric/format/addresses.hpp"

#include <unordered_set>
#include <vector>

#include "fabric/builder.hpp"

namespace weft {
namespace {

constexpr std::size_t lids_in_all = 0xBFFF;

class Addresses {
 public:
  explicit Addresses(const Fabric& fabric)
      : lids_used_(lids_in_all + 1, false),
        enough_lids_(fabric.switch_count() + fabric.host_count() <= lids_in_all) {
    for (SwitchId s : fabric.switches()) note(fabric[s].guid, fabric[s].lid);
    for (HostId h : fabric.hosts()) {
      note(fabric[h].guid, fabric[h].lid);
      note(fabric[h].port_guid, 0);
    }
  }

  Guid guid(Guid present, Guid wanted) {
    if (present != 0) return present;
    constexpr Guid step = Guid{1} << 32;
    while (wanted == 0 || !guids_.insert(wanted).second) wanted += step;
    return wanted;
  }

  Lid lid(Lid present) {
    if (present != 0 || !enough_lids_) return present;
    while (lids_used_[next_lid_]) ++next_lid_;
    return next_lid_++;
  }

 private:
  void note(Guid guid, Lid lid) {
    guids_.insert(guid);
    lids_used_[lid] = true;
  }

  std::unordered_set<Guid> guids_;
  std::vector<bool> lids_used_;
  bool enough_lids_;
  Lid next_lid_ = 1;
};

}  // namespace

Fabric with_addresses(const Fabric& fabric) {
  Addresses addresses(fabric);
  IdVector<HostId, Lid> host_lids;
  for (HostId h : fabric.hosts()) host_lids.push_back(addresses.lid(fabric[h].lid));

  FabricBuilder builder(fabric.name());
  for (SwitchId s : fabric.switches()) {
    Switch copy = fabric[s];
    copy.guid = addresses.guid(copy.guid, 0x100000 + s.index());
    copy.lid = addresses.lid(copy.lid);
    builder.add_switch(std::move(copy));
  }
  for (HostId h : fabric.hosts()) {
    Host copy = fabric[h];
    copy.guid = addresses.guid(copy.guid, 0x200000 + 16 * h.index());
    copy.port_guid = addresses.guid(copy.port_guid, copy.guid + copy.nic_port);
    copy.lid = host_lids[h];
    builder.add_host(std::move(copy));
  }
  for (LinkId link : fabric.links()) builder.add_link(fabric[link]);
  return std::move(builder).build();
}

}  // namespace weft
