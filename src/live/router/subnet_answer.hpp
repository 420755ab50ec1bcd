// SPDX-License-Identifier: Apache-2.0
// Tables in the form in which OpenSM's plugin takes them.
#pragma once
#include <variant>

#include "base/error.hpp"
#include "fabric/tables.hpp"
#include "live/frames.hpp"
#include "plan/export/multicast_tree.hpp"

namespace weft::live {

/// Levels that the tables do not use have a lane of their own where one is left: packets that
/// somebody sends on them cannot come in the way of the others.
struct SpareLevels {
  unsigned first = 0;  ///< this one and all above it
  Lane lane = 0;
};

struct SubnetAnswer {
  SubnetTables tables;
  SpareLevels spare;
};

SpareLevels spare_levels(const Tables& tables, unsigned lanes);

/// Of a fabric with GUIDs and LIDs, whose links have so many data lanes. Refused where InfiniBand
/// cannot do what the tables want.
std::variant<SubnetAnswer, Refused> subnet_answer(const Fabric& fabric, const Tables& tables,
                                                  unsigned lanes);

/// How packets of a group on this level choose their lanes.
GroupLane group_lane_of(const Tables& tables, const SpareLevels& spare, std::uint8_t level);

}  // namespace weft::live
