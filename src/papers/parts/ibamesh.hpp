// SPDX-License-Identifier: Apache-2.0
// The experiments of the InfiniBand mesh paper, and what they share.
#pragma once
#include <string>
#include <vector>

#include "fabric/tables.hpp"
#include "lab/cluster.hpp"
#include "papers/paper.hpp"

namespace weft::papers::iba {

struct Context {
  const Lab& lab;
  Cluster cluster;
  std::vector<Stated> stated;
};

/// Its switch N(x,y) or its host by LID; a mesh that lacks it is a bug.
SwitchId switch_named(const Fabric& fabric, const std::string& name);
HostId host_with_lid(const Fabric& fabric, Lid lid);
/// XY routes, which every mesh has.
Tables xy_tables(const Fabric& fabric);

Section lids(const Context&);
Section forwarding(const Context&);
Section multicast_forwarding(const Context&);

}  // namespace weft::papers::iba
