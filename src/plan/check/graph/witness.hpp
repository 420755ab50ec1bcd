// SPDX-License-Identifier: Apache-2.0
// Which packets make the steps of a dependency cycle.
#pragma once
#include <optional>

#include "fabric/choice_routes.hpp"
#include "fabric/route_set.hpp"
#include "plan/check/deadlock.hpp"
#include "plan/check/graph/rooted.hpp"
#include "plan/check/survey.hpp"

namespace weft {

/// Finds for each step of a cycle one route, or one group, that makes it.
class CycleWitness {
 public:
  CycleWitness(const Fabric& fabric, const Tables& tables);
  ChannelWait find(Hop first, Hop second);

 private:
  bool in_group(const Group& group, Hop first, Hop second) const;
  bool may_step(Hop first, Hop second) const;
  bool by_column(Hop first, Hop second, ChannelWait& wait);
  bool by_candidates(Hop first, Hop second, ChannelWait& wait);
  bool route(HostId to, Hop first, Hop second, ChannelWait& wait);
  bool takes(HostId from, HostId to, Hop first, Hop second);
  bool may_choose(HostId from, HostId to, Hop first, Hop second);
  unsigned lid_of(HostId to) const;
  bool is_host_link(ChannelId c) const { return c.index() >= fabric_.channel_count(); }
  HostId host_of(ChannelId c) const { return HostId(c.index() - fabric_.channel_count()); }

  const Fabric& fabric_;
  const Tables& tables_;
  Traffic traffic_;
  RootedGroups rooted_;
  Walker walk_;
  ColumnId column_{};                  ///< that is looked at
  std::optional<RouteSet> route_set_;  ///< where source routes leave choices
  std::optional<ChoiceRoutes> choices_;
};

}  // namespace weft
