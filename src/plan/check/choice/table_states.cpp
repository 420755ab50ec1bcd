// SPDX-License-Identifier: Apache-2.0
// States are numbered aim by aim in a first pass, and get their candidates in a second one: what is
// explored for one aim is dropped before the next.
#include "plan/check/choice/table_states.hpp"

#include <algorithm>

#include "plan/check/graph/group_steps.hpp"
#include "plan/check/survey.hpp"

namespace weft {

TableStates::TableStates(const Fabric& fabric, const Tables& tables)
    : fabric_(fabric),
      tables_(tables),
      lanes_(static_cast<std::size_t>(tables.lane_count)),
      states_(fabric.channel_count() * lanes_) {
  if (std::holds_alternative<ChoiceTables>(tables.paths))
    add_choices();
  else
    add_routes();
  add_groups();
}

WaitingPacket TableStates::packet(StateId state) {
  const auto after = std::upper_bound(begin_.begin(), begin_.end(), std::size_t{state});
  const auto aim = static_cast<std::size_t>(after - begin_.begin()) - 1;
  const std::size_t place = state - begin_[aim];
  WaitingPacket out;
  const std::size_t group = begin_.size() - tables_.groups.size();
  if (aim >= group)
    out.group = tables_.groups[aim - group].name;
  else
    out = choices_ ? choice_packet(aim, place) : route_packet(aim, place);
  out.holds = hop(states_.lane(state));
  return out;
}

// --- choice tables

void TableStates::add_choices() {
  choices_.emplace(fabric_, tables_, ChoiceRoutes::FollowedLids::all);
  const auto joint = [](const ChoiceRoutes::Start& start) {
    return JointKey{start.by, start.lane, start.phase, start.level};
  };
  for (const auto& start : choices_->arrivals())
    if (start.by.valid()) arrivals_.emplace(joint(start), arrivals_.size());
  for (const auto& start : choices_->detours())
    if (start.by.valid()) detours_.emplace(joint(start), detours_.size());
  after_arrival_.resize(arrivals_.size());
  after_detour_.resize(detours_.size());
  const std::size_t aims = choices_->aims().size();
  for (std::size_t aim = 0; aim < aims; ++aim) add_positions(aim);
  StateId first = 0;
  for (std::size_t aim = 0; aim < aims; ++aim) {
    choices_->explore(aim);
    StateList own;
    for (const auto& position : choices_->positions())
      own.push_back(position.arrives ? WaitingStates::no_state : first++);
    set_choices(aim, own);
  }
}

/// Those that arrive at an intermediate destination are on
/// their way to a host from then on.
TableStates::StateList TableStates::add_positions(std::size_t aim) {
  begin_.push_back(states_.size());
  choices_->explore(aim);
  StateList own;
  for (const auto& position : choices_->positions()) {
    if (position.arrives)
      own.push_back(WaitingStates::no_state);
    else
      own.push_back(states_.add(position.by.valid() ? lane(position.by, position.lane)
                                                    : LaneChannel::none()));
  }
  const bool to_hosts = aim < choices_->host_aims();
  for (const auto& start : to_hosts ? choices_->arrivals() : choices_->detours()) {
    if (!start.by.valid()) continue;
    const ChoiceRoutes::Index at = choices_->at(start);
    const JointKey key{start.by, start.lane, start.phase, start.level};
    if (to_hosts) {
      after_arrival_[arrivals_.at(key)].push_back(own[at]);
    } else if (const auto& position = choices_->positions()[at]; !position.arrives) {
      after_detour_[detours_.at(key)].push_back(own[at]);
    } else {
      // Drawn where it is: the packet goes on at once.
      StateList& all = after_detour_[detours_.at(key)];
      const StateList& more = after_arrival_[arrivals_.at(
          {position.by, position.lane, position.phase, position.level})];
      all.insert(all.end(), more.begin(), more.end());
    }
  }
  return own;
}

/// All states that a packet may be in once it has come to a position; they share its lane.
void TableStates::add_becoming(const ChoiceRoutes::Position& position, StateId own,
                               StateList& out) const {
  if (position.arrives) {
    const StateList& all =
        after_arrival_[arrivals_.at({position.by, position.lane, position.phase, position.level})];
    out.insert(out.end(), all.begin(), all.end());
    return;
  }
  out.push_back(own);
  if (!choices_->decides(position)) return;
  const ChoiceRoutes::Start start = choices_->detour(position);
  const StateList& all =
      after_detour_[detours_.at({start.by, start.lane, start.phase, start.level})];
  out.insert(out.end(), all.begin(), all.end());
}

void TableStates::set_choices(std::size_t, const StateList& own) {
  const auto& all = choices_->positions();
  StateList next;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (own[i] == WaitingStates::no_state) continue;
    next.clear();
    for (const auto& hop : choices_->next_hops(all[i]))
      add_becoming(all[hop.to], own[hop.to], next);
    states_.set_candidates(own[i], next);
  }
}

WaitingPacket TableStates::choice_packet(std::size_t aim, std::size_t place) {
  choices_->explore(aim);
  for (const auto& position : choices_->positions()) {
    if (position.arrives || place-- != 0) continue;
    return {{},
            position.source,
            choices_->target(aim, position.source),
            choices_->aims()[aim].first_column,
            {},
            position.count};
  }
  return {};
}

// --- source routes

void TableStates::add_routes() {
  routes_.emplace(fabric_, tables_);
  const Traffic traffic(fabric_, tables_, Lids::all);
  hosts_to_ = traffic.to;
  for (const auto& sources : traffic.sources)
    sources_.insert(sources_.end(), sources.begin(), sources.end());
  for (std::size_t column = 0; column < hosts_to_.size(); ++column) {
    begin_.push_back(states_.size());
    const std::size_t count = explore(column);
    for (RouteSet::Index i = 0; i < count; ++i) {
      const auto& node = (*routes_)[i];
      states_.add(node.by.valid() ? lane(node.by, node.position.lane) : LaneChannel::none());
    }
  }
  StateList next;
  for (std::size_t column = 0; column < hosts_to_.size(); ++column) {
    const std::size_t count = explore(column);
    for (RouteSet::Index i = 0; i < count; ++i) {
      next.clear();
      for (const auto& hop : routes_->next_hops((*routes_)[i]))
        next.push_back(static_cast<StateId>(begin_[column] + hop.to));
      states_.set_candidates(static_cast<StateId>(begin_[column] + i), next);
    }
  }
}

std::size_t TableStates::explore(std::size_t column) {
  if (hosts_to_[column].empty()) return 0;
  routes_->aim(hosts_to_[column].front());
  for (const HostId from : sources_) routes_->start(from);
  routes_->explore();
  return routes_->order().size();
}

WaitingPacket TableStates::route_packet(std::size_t column, std::size_t place) {
  explore(column);
  const RouteSet::RouteNode wanted = (*routes_)[static_cast<RouteSet::Index>(place)];
  const HostId to = hosts_to_[column].front();
  WaitingPacket out{{}, {}, to, ColumnId(column), {}, wanted.count};
  for (const HostId from : sources_) {
    routes_->aim(to);
    if (routes_->start(from) == RouteSet::no_node) continue;
    routes_->explore();
    for (const RouteSet::Index i : routes_->order()) {
      const auto& node = (*routes_)[i];
      if (node.by == wanted.by && node.position.lane == wanted.position.lane &&
          std::equal(node.tags.begin(), node.tags.end(), wanted.tags.begin(), wanted.tags.end()))
        out.from = from;
    }
    if (out.from.valid()) break;
  }
  return out;
}

// --- groups

void TableStates::add_groups() {
  for (const Group& group : tables_.groups) {
    begin_.push_back(states_.size());
    add_group(group);
  }
}

/// A copy waits for its own port: a state for every step, and one where a packet is handed to hosts
/// alone.
void TableStates::add_group(const Group& group) {
  std::map<LaneChannel, std::vector<LaneChannel>> after;
  for_each_step(fabric_, tables_, group, [&](Hop in, Hop out) {
    after[lane(out.channel, out.lane)];
    if (in.channel.valid()) after[lane(in.channel, in.lane)].push_back(lane(out.channel, out.lane));
  });
  std::map<LaneChannel, StateList> states;
  for (const auto& [in, all] : after)
    for (std::size_t i = 0; i < std::max<std::size_t>(1, all.size()); ++i)
      states[in].push_back(states_.add(in));
  for (const auto& [in, all] : after)
    for (std::size_t i = 0; i < states[in].size(); ++i)
      states_.set_candidates(states[in][i], all.empty() ? StateList{} : states[all[i]]);
}

}  // namespace weft
