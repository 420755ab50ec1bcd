// SPDX-License-Identifier: Apache-2.0
// Column by column, packets are followed until one makes the step.
#include "plan/check/graph/witness.hpp"

#include <algorithm>

#include "plan/check/graph/group_steps.hpp"

namespace weft {

CycleWitness::CycleWitness(const Fabric& fabric, const Tables& tables)
    : fabric_(fabric),
      tables_(tables),
      traffic_(fabric, tables, Lids::all),
      rooted_(fabric, tables),
      walk_(fabric, tables) {
  if (std::holds_alternative<ChoiceTables>(tables.paths))
    choices_.emplace(fabric, tables, ChoiceRoutes::FollowedLids::all);
  else if (leave_choices(tables))
    route_set_.emplace(fabric, tables);
}

ChannelWait CycleWitness::find(Hop first, Hop second) {
  ChannelWait wait{first.channel, first.lane, {}, {}, 0, {}};
  if (!is_host_link(first.channel) &&
      (choices_ ? by_candidates(first, second, wait) : by_column(first, second, wait)))
    return wait;
  for (const Group& group : tables_.groups)
    if (group.root ? rooted_.has(group, first, second) : in_group(group, first, second))
      wait.group = group.name;
  return wait;
}

bool CycleWitness::by_column(Hop first, Hop second, ChannelWait& wait) {
  for (std::size_t column = 0; column < traffic_.to.size(); ++column) {
    const auto& hosts = traffic_.to[column];
    if (hosts.empty()) continue;
    column_ = ColumnId(column);
    // The hosts of a column share their routes but for the last link.
    const HostId to = is_host_link(second.channel) ? host_of(second.channel) : hosts.front();
    if (std::find(hosts.begin(), hosts.end(), to) != hosts.end() && may_step(first, second) &&
        route(to, first, second, wait))
      return true;
  }
  return false;
}

bool CycleWitness::by_candidates(Hop first, Hop second, ChannelWait& wait) {
  for (std::size_t aim = 0; aim < choices_->aims().size(); ++aim) {
    choices_->explore(aim);
    for (const ChoiceRoutes::Position& position : choices_->positions()) {
      if (position.by != first.channel || position.lane != first.lane) continue;
      const auto next = choices_->next_hops(position);
      const bool goes_on = std::any_of(next.begin(), next.end(), [&](const auto& hop) {
        return Hop{hop.by, hop.lane} == second;
      });
      if (!goes_on && !(position.delivers && is_host_link(second.channel))) continue;
      const auto& to = choices_->aims()[aim];
      column_ = to.first_column;
      wait.from = position.source;
      wait.to = goes_on ? choices_->target(aim, position.source) : host_of(second.channel);
      wait.lid = to.hosts.empty() ? 0 : lid_of(wait.to);
      wait.choices = std::max<std::size_t>(1, next.size());
      return true;
    }
  }
  return false;
}

bool CycleWitness::in_group(const Group& group, Hop first, Hop second) const {
  bool found = false;
  const auto compare = [&](Hop in, Hop out) { found |= in == first && out == second; };
  for_each_step(fabric_, tables_, group, compare);
  for_each_arrival(fabric_, tables_, group,
                   [&](Hop in, HostId host) { compare(in, link_to(fabric_, host)); });
  return found;
}

/// Cheap: does this destination's column take the second channel after the first at all?
bool CycleWitness::may_step(Hop first, Hop second) const {
  const auto* next = std::get_if<DestinationTables>(&tables_.paths);
  if (next == nullptr) return true;
  const auto column = (*next)[column_];
  if (is_host_link(second.channel))
    return column[fabric_.from(first.channel).index()] == fabric_.out_port(first.channel);
  return column[fabric_.from(first.channel).index()] == fabric_.out_port(first.channel) &&
         column[fabric_.from(second.channel).index()] == fabric_.out_port(second.channel);
}

bool CycleWitness::route(HostId to, Hop first, Hop second, ChannelWait& wait) {
  for (const auto& sources : traffic_.sources)
    for (HostId from : sources) {
      if (!(route_set_ ? may_choose(from, to, first, second) : takes(from, to, first, second)))
        continue;
      wait.from = from;
      wait.to = to;
      wait.lid = lid_of(to);
      return true;
    }
  return false;
}

bool CycleWitness::takes(HostId from, HostId to, Hop first, Hop second) {
  const auto& hops = walk_(from, to, column_).hops;
  for (std::size_t i = 1; i < hops.size(); ++i)
    if (hops[i - 1] == first && hops[i] == second) return true;
  return is_host_link(second.channel) && !hops.empty() && hops.back() == first;
}

bool CycleWitness::may_choose(HostId from, HostId to, Hop first, Hop second) {
  route_set_->aim(to);
  if (route_set_->start(from) == RouteSet::no_node) return false;
  route_set_->explore();
  for (const RouteSet::Index i : route_set_->order()) {
    const RouteSet::RouteNode& node = (*route_set_)[i];
    if (node.by != first.channel || node.position.lane != first.lane) continue;
    for (const RouteSet::NextHop& hop : route_set_->next_hops(node))
      if (Hop{hop.by, hop.lane} == second) return true;
    if (node.count == 0 && is_host_link(second.channel)) return true;
  }
  return false;
}

/// Above the first LID of the host, that of the column.
unsigned CycleWitness::lid_of(HostId to) const {
  if (tables_.to_host[to] == column_) return 0;
  for (const FurtherColumn& further : tables_.further)
    if (further.host == to && further.column == column_) return further.lid;
  return 0;
}
}  // namespace weft
