// SPDX-License-Identifier: Apache-2.0
// The experiments of the InfiniBand mesh paper, and what they share.
#pragma once
#include <string>
#include <vector>

#include "fabric/tables.hpp"
#include "lab/cluster.hpp"
#include "papers/paper.hpp"
#include "papers/parts/ibamesh_study.hpp"

namespace weft::papers::iba {

struct Context {
  const Lab& lab;
  const Cluster& cluster;
  const Study& study;  ///< with the runs of the experiment simulated
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

/// Figure 6: "a" to "e".
Section lane_setting(const Context&, std::string_view name);
/// Figures 1 and 2.
Section deadlocks(const Context&);

/// Section 4, by the name of the case.
Section simulated_case(const Context&, const std::string& name, const Case& what);
/// Section 5, and what it needs beyond the cases.
std::vector<Run> remark_runs(const Study& study);
Section remarks(const Context&);

}  // namespace weft::papers::iba
