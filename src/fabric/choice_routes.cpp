// SPDX-License-Identifier: Apache-2.0
// ChoiceRoutes, position by position. Where packets join, as they arrive at an intermediate
// destination or decide on a detour, is found first: any packet may draw any of them.
#include "fabric/choice_routes.hpp"

#include <algorithm>
#include <set>

namespace weft {

ChoiceRoutes::ChoiceRoutes(const Fabric& fabric, const Tables& tables, FollowedLids lids)
    : fabric_(fabric),
      tables_(tables),
      choices_(std::get<ChoiceTables>(tables.paths)),
      stepper_(fabric, tables),
      service_(std::get_if<ServiceLanes>(&tables.lanes)) {
  find_sources();
  add_hosts(lids);
  if (choices_.have_detours())
    for (const ColumnId column : choices_.intermediates.columns) {
      Aim aim{{}, std::vector<ColumnId>(choices_.phases.size()), column};
      for (std::size_t p = 0; p < choices_.phases.size(); ++p)
        if (choices_.phases[p].to_intermediate) aim.columns[p] = column;
      aims_.push_back(std::move(aim));
    }
  const std::size_t places = fabric.channel_count() + fabric.host_count();
  known_.assign(
      places * static_cast<std::size_t>(tables.lane_count) * choices_.phases.size() * levels_,
      no_position);
  if (choices_.have_detours()) find_joints();
}

/// Hosts of a switch begin alike unless their first lane follows from their port or level.
void ChoiceRoutes::find_sources() {
  const bool by_turn = std::holds_alternative<TurnLanes>(tables_.lanes);
  sources_alike_ = !by_turn && (service_ == nullptr || (!service_->map && !service_->by_host));
  for (const SwitchId s : fabric_.switches())
    for (const HostId host : fabric_.hosts_on(s)) {
      sources_.push_back(host);
      if (sources_alike_) break;
    }
  if (service_ == nullptr) return;
  for (const ColumnId column : service_->level.ids())
    for (const std::uint8_t level : service_->level[column])
      levels_ = std::max(levels_, level + std::size_t{1});
}

// --- aims

void ChoiceRoutes::add_hosts(FollowedLids lids) {
  aim_of_.assign(fabric_.host_count(), no_aim);
  for (const HostId host : fabric_.hosts())
    if (tables_.to_host[host].valid()) aim_of_[host] = add_host(host, tables_.to_host[host]);
  if (lids == FollowedLids::all)
    for (const FurtherColumn& further : tables_.further) add_host(further.host, further.column);
  host_aims_ = aims_.size();
}

/// A switch hands packets to the host's own port, by whichever entry.
bool ChoiceRoutes::delivers(ChoiceTables::Entry entry, HostId host) const {
  if (entry == ChoiceTables::at_end) return true;
  if (entry == ChoiceTables::no_route) return false;
  const auto all = choices_.candidates(entry);
  return std::all_of(all.begin(), all.end(), [&](const Candidate& candidate) {
    return candidate.port == fabric_[host].port;
  });
}

ChoiceTables::Entry ChoiceRoutes::entry(const Aim& aim, PhaseId phase, SwitchId at) const {
  const ColumnId column = aim.columns[phase];
  if (!column.valid()) return ChoiceTables::no_route;
  const ChoiceTables::Entry found = choices_.next[column][at.index()];
  if (aim.hosts.empty() || fabric_[aim.hosts.front()].on != at) return found;
  return delivers(found, aim.hosts.front()) ? ChoiceTables::at_end : found;
}

/// Whether its last switch may hand a packet to the host, by some candidate: it takes no detour.
bool ChoiceRoutes::may_deliver(ChoiceTables::Entry entry, HostId host) const {
  if (entry >= ChoiceTables::no_route) return entry == ChoiceTables::at_end;
  const auto all = choices_.candidates(entry);
  return std::any_of(all.begin(), all.end(), [&](const Candidate& candidate) {
    return candidate.port == fabric_[host].port;
  });
}

bool ChoiceRoutes::same_rows(const Aim& a, const Aim& b) const {
  if (service_ != nullptr && a.first_column != b.first_column) return false;
  const SwitchId last = fabric_[a.hosts.front()].on;
  if (last != fabric_[b.hosts.front()].on) return false;
  const auto may_end = [&](const Aim& aim, std::size_t p) {
    return aim.columns[p].valid() &&
           may_deliver(choices_.next[aim.columns[p]][last.index()], aim.hosts.front());
  };
  for (std::size_t p = 0; p < a.columns.size(); ++p) {
    if (a.columns[p].valid() != b.columns[p].valid() || may_end(a, p) != may_end(b, p))
      return false;
    if (a.columns[p] == b.columns[p]) continue;
    for (const SwitchId s : fabric_.switches())
      if (entry(a, static_cast<PhaseId>(p), s) != entry(b, static_cast<PhaseId>(p), s))
        return false;
  }
  return true;
}

std::size_t ChoiceRoutes::add_host(HostId host, ColumnId first_column) {
  Aim aim{{host}, std::vector<ColumnId>(choices_.phases.size()), first_column};
  for (std::size_t p = 0; p < choices_.phases.size(); ++p) {
    const Phase& phase = choices_.phases[p];
    if (!phase.to_intermediate)
      aim.columns[p] = phase.to_host.empty() ? first_column : phase.to_host[host];
  }
  // Hosts of a switch mostly come one after the other.
  constexpr std::size_t looked_at = 64;
  for (std::size_t i = aims_.size(); i-- > 0 && aims_.size() - i <= looked_at;)
    if (same_rows(aims_[i], aim)) {
      aims_[i].hosts.push_back(host);
      return i;
    }
  aims_.push_back(std::move(aim));
  return aims_.size() - 1;
}

/// Any destination will do for packets on their way to an intermediate one.
HostId ChoiceRoutes::target(std::size_t aim, HostId from) const {
  const auto& hosts = aims_[aim].hosts;
  for (const HostId host : hosts)
    if (host != from) return host;
  if (!hosts.empty()) return hosts.front();
  for (const HostId host : fabric_.hosts())
    if (fabric_[host].on != fabric_[from].on) return host;
  return from;
}

// --- starts

std::vector<PhaseId> ChoiceRoutes::first_phases(unsigned level) const {
  if (choices_.start_rule != StartRule::level) return choices_.starts;
  return {choices_.starts[std::min<std::size_t>(level, choices_.starts.size() - 1)]};
}

std::vector<ChoiceRoutes::Start> ChoiceRoutes::host_starts(std::size_t aim) const {
  std::vector<Start> out;
  for (const HostId source : sources_)
    for (const Start& start : host_starts(aim, source)) out.push_back(start);
  return out;
}

/// The level is that of the destination: on the way to an intermediate one it may be any.
std::vector<ChoiceRoutes::Start> ChoiceRoutes::host_starts(std::size_t aim, HostId source) const {
  const Aim& to = aims_[aim];
  std::set<unsigned> levels;
  if (service_ == nullptr) {
    levels.insert(0);
  } else if (!to.hosts.empty()) {
    levels.insert(service_->of(fabric_, to.first_column, source));
  } else {
    for (std::size_t i = 0; i < host_aims_; ++i)
      levels.insert(service_->of(fabric_, aims_[i].first_column, source));
  }
  std::vector<Start> out;
  for (const unsigned level : levels)
    for (const PhaseId phase : first_phases(level))
      if (choices_.phases[phase].to_intermediate == to.hosts.empty())
        out.push_back({ChannelId::none(), source, 0, phase, static_cast<std::uint8_t>(level)});
  return out;
}

/// Those of packets for which no intermediate destination can be drawn: they are in the phase
/// behind it at once.
std::vector<ChoiceRoutes::Start> ChoiceRoutes::undrawn_starts(std::size_t aim) const {
  std::vector<Start> out;
  if (aims_[aim].hosts.empty()) return out;
  for (const HostId source : sources_) {
    const std::uint8_t level =
        service_ == nullptr ? 0 : service_->of(fabric_, aims_[aim].first_column, source);
    for (const PhaseId phase : first_phases(level))
      if (choices_.phases[phase].to_intermediate)
        out.push_back({ChannelId::none(), source, 0, choices_.phases[phase].next, level});
  }
  return out;
}

std::size_t ChoiceRoutes::hosts_at(const Start& start) const {
  return sources_alike_ ? fabric_.hosts_on(fabric_[start.source].on).size() : 1;
}

/// Packets that arrive at intermediate destinations, and those that take detours, until there are
/// no more of them.
void ChoiceRoutes::find_joints() {
  std::vector<bool> arrives(known_.size()), detours(known_.size());
  const auto note = [&](std::vector<bool>& seen, std::vector<Start>& list, const Start& start) {
    const std::size_t place = key(start);
    if (seen[place]) return;
    seen[place] = true;
    list.push_back(start);
  };
  const bool some_decide = std::any_of(choices_.phases.begin(), choices_.phases.end(),
                                       [](const Phase& phase) { return phase.detour.has_value(); });
  for (std::size_t before = 1; before != 0;) {
    before = arrivals_.size() + detours_.size() + 1;
    for (std::size_t aim = 0; some_decide && aim < host_aims_; ++aim) {
      explore(aim);
      for (const Position& position : positions_)
        if (decides(position)) note(detours, detours_, detour(position));
    }
    for (std::size_t aim = host_aims_; aim < aims_.size(); ++aim) {
      explore(aim);
      for (const Position& p : positions_)
        if (p.arrives) note(arrives, arrivals_, {p.by, p.source, p.lane, p.phase, p.level});
    }
    if (arrivals_.size() + detours_.size() + 1 == before || !some_decide) before = 0;
  }
  for (std::size_t i = 0; i < arrivals_.size(); ++i) arrival_of_.emplace(key(arrivals_[i]), i);
}

// --- positions

std::size_t ChoiceRoutes::key(const Start& start) const {
  const std::size_t place =
      start.by.valid() ? start.by.index() : fabric_.channel_count() + start.source.index();
  const std::size_t lane = place * static_cast<std::size_t>(tables_.lane_count) + start.lane;
  return (lane * choices_.phases.size() + start.phase) * levels_ + start.level;
}

ChoiceRoutes::Index ChoiceRoutes::at(const Start& start) const {
  Start here_now = start;
  const SwitchId on = start.by.valid() ? fabric_.to(start.by) : fabric_[start.source].on;
  const Aim& aim = aims_[aim_];
  if (aim.hosts.empty() && choices_.phases[start.phase].to_intermediate &&
      entry(aim, start.phase, on) == ChoiceTables::at_end)
    here_now.phase = choices_.phases[start.phase].next;
  return known_[key(here_now)];
}

void ChoiceRoutes::begin(std::size_t aim) {
  for (const std::size_t place : used_keys_) known_[place] = no_position;
  used_keys_.clear();
  positions_.clear();
  next_hops_.clear();
  aim_ = aim;
}

/// The position of packets that start so; at an intermediate destination they are in its next
/// phase at once.
ChoiceRoutes::Index ChoiceRoutes::enter(const Start& start) {
  const Aim& aim = aims_[aim_];
  const SwitchId on = start.by.valid() ? fabric_.to(start.by) : fabric_[start.source].on;
  Position position{start.by, start.source, on, start.lane, start.phase, start.level};
  if (aim.hosts.empty()) {
    const Phase& phase = choices_.phases[start.phase];
    if (phase.to_intermediate && entry(aim, start.phase, on) == ChoiceTables::at_end)
      position.phase = phase.next;
    position.arrives = !choices_.phases[position.phase].to_intermediate;
  }
  const std::size_t place =
      key({position.by, position.source, position.lane, position.phase, position.level});
  if (known_[place] != no_position) return known_[place];
  known_[place] = static_cast<Index>(positions_.size());
  used_keys_.push_back(place);
  positions_.push_back(position);
  return known_[place];
}

void ChoiceRoutes::explore(std::size_t aim) {
  begin(aim);
  for (const Start& start : host_starts(aim)) enter(start);
  for (const Start& start : undrawn_starts(aim)) enter(start);
  for (const Start& start : aims_[aim].hosts.empty() ? detours_ : arrivals_) enter(start);
  follow();
}

void ChoiceRoutes::explore(std::size_t aim, std::span<const Start> starts) {
  begin(aim);
  for (const Start& start : starts) enter(start);
  follow();
}

void ChoiceRoutes::follow() {
  for (Index i = 0; i < positions_.size(); ++i)
    if (!positions_[i].arrives) expand(i);
}

/// A lane that does not exist is worse than all else, as then nothing can be said of deadlocks.
void ChoiceRoutes::fail(Position& position, RouteEnd end, PortNumber port) const {
  if (position.end != RouteEnd::reached &&
      (end != RouteEnd::no_lane || position.end == RouteEnd::no_lane))
    return;
  position.end = end;
  position.port = port;
}

void ChoiceRoutes::expand(Index index) {
  Position position = positions_[index];
  const Aim& aim = aims_[aim_];
  position.first = static_cast<Index>(next_hops_.size());
  const ChoiceTables::Entry set = entry(aim, position.phase, position.at);
  if (set == ChoiceTables::no_route) {
    fail(position, RouteEnd::no_entry, no_port);
  } else if (set == ChoiceTables::at_end) {
    position.delivers = fabric_[aim.hosts.front()].on == position.at;
    if (!position.delivers) fail(position, RouteEnd::wrong_host, here);
  } else {
    for (const Candidate& candidate : choices_.candidates(set))
      take(positions_[index], candidate, position);
  }
  position.count = static_cast<Index>(next_hops_.size()) - position.first;
  positions_[index] = position;
}

void ChoiceRoutes::take(const Position& from, const Candidate& candidate, Position& out) {
  const Aim& aim = aims_[aim_];
  const ChannelId by = fabric_.channel_at(from.at, candidate.port);
  if (!by.valid()) {
    const bool to_host = fabric_.at_port(from.at, candidate.port).host.valid();
    const RouteEnd end = !aim.hosts.empty()
                             ? stepper_.end(aim.hosts.front(), from.at, candidate.port)
                         : to_host ? RouteEnd::wrong_host
                                   : RouteEnd::dead_port;
    if (end == RouteEnd::reached)
      out.delivers = true;
    else
      fail(out, end, candidate.port);
    return;
  }
  const SwitchId source = fabric_[from.source].on;
  const PortNumber in = from.by.valid() ? fabric_.in_port(from.by) : fabric_[from.source].port;
  const auto lane = stepper_.lane(
      {aim.columns[from.phase], source, from.at, in, from.lane, from.level, from.phase}, candidate);
  if (!lane) return fail(out, RouteEnd::no_lane, candidate.port);
  const Start next{by, from.source, *lane, candidate.phase, from.level};
  next_hops_.push_back({by, *lane, candidate.preference, enter(next)});
}

std::span<const ChoiceRoutes::ChoiceHop> ChoiceRoutes::preferred(const Position& position) const {
  const auto all = next_hops(position);
  const auto end = std::find_if(all.begin(), all.end(), [&](const ChoiceHop& hop) {
    return hop.preference != all.front().preference;
  });
  return all.first(static_cast<std::size_t>(end - all.begin()));
}

}  // namespace weft
