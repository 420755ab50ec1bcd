// SPDX-License-Identifier: Apache-2.0
// A folder that stock OpenSM loads: its forwarding tables, LIDs, service levels, and the tree of
// its multicast, named by an opensm.conf.
#pragma once
#include <functional>
#include <iosfwd>
#include <string>
#include <variant>
#include <vector>

#include "plan/export/multicast_tree.hpp"
#include "plan/export/opensm_levels.hpp"

namespace weft {

/// What OpenSM is to load.
struct OpensmPlan {
  Fabric fabric;  ///< with GUIDs and LIDs
  Tables tables;
  PairLevels levels;
  std::vector<Lane> lane_of;  ///< by level
  MulticastTree tree;
  unsigned multicast_level = 0;  ///< one of its own where the others leave no tree free of deadlock
  Lane multicast_lane = 0;
  /// Whether OpenSM has to set lanes at all.
  bool uses_lanes() const { return levels.count > 1 || multicast_level > 0; }
  int lane_count() const;
};

/// Refused where InfiniBand, or stock OpenSM, cannot do what the tables want.
std::variant<OpensmPlan, Refused> plan_opensm(const Fabric& fabric, const Tables& tables);

struct OpensmFile {
  std::string name;
  std::function<void(std::ostream&)> write;
};
/// The files of the folder, which opensm.conf names by the absolute path of where it is to be. The
/// plan must outlive them.
std::vector<OpensmFile> opensm_files(const OpensmPlan& plan, const std::string& place);

/// Names of all files that such a folder may have, those that OpenSM leaves there included.
const std::vector<std::string>& opensm_file_names();

}  // namespace weft
