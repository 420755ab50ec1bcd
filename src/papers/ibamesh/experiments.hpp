// SPDX-License-Identifier: Apache-2.0
// The experiments of the InfiniBand mesh paper, and what they share.
#pragma once
#include <string>
#include <vector>

#include "fabric/tables.hpp"
#include "lab/cluster/cluster.hpp"
#include "papers/ibamesh/study.hpp"
#include "papers/runner/page.hpp"

namespace weft::papers::ibamesh {

/// The mesh's switch N(x,y), or its host by LID; a mesh that lacks it is a bug.
SwitchId switch_named(const Fabric& fabric, const std::string& name);
HostId host_with_lid(const Fabric& fabric, Lid lid);
/// XY routes, which every mesh has.
Tables xy_tables(const Fabric& fabric);

Section lids(const IbameshContext&);
Section forwarding(const IbameshContext&);
Section multicast_forwarding(const IbameshContext&);

/// Figure 6: "a" to "e".
Section lane_setting(const IbameshContext&, std::string_view name);
/// Figures 1 and 2.
Section deadlocks(const IbameshContext&);

/// Section 4, by the name of the case.
Section simulated_case(const IbameshContext&, const std::string& name, const TrafficCase& what);
/// Figures 8 to 16: those of a case.
std::vector<PaperFigure> case_figures(const IbameshStudy& study, const TrafficCase& what);
/// Section 5, and the runs of all numbers of sources and sizes of groups that it names.
std::vector<MulticastRun> remark_runs(const IbameshStudy& study);
Section remarks(const IbameshContext&);

}  // namespace weft::papers::ibamesh
