// SPDX-License-Identifier: Apache-2.0
// Follows packets by every candidate at once, hop by hop.
#include "fabric/choice_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "fabric/intermediate_draws.hpp"
#include "fabric/route_front.hpp"
#include "fabric/walk.hpp"

namespace weft {
namespace {

/// All positions of packets of a pair, by hop; to one intermediate destination first, or none.
class ChoiceSpread {
 public:
  ChoiceSpread(const Fabric& fabric, const Tables& tables, HostId from, HostId to, ColumnId via)
      : fabric_(fabric),
        tables_(tables),
        choices_(std::get<ChoiceTables>(tables.paths)),
        stepper_(fabric, tables),
        from_(from),
        to_(to),
        via_(via) {}

  /// From the host, in these phases.
  void spread(const std::vector<PhaseId>& phases) {
    PacketPosition start = stepper_.start(from_, tables_.to_host[to_]);
    for (const PhaseId phase : phases) {
      start.phase = phase;
      add(start, Hop{}, none, 0);
    }
    while (todo_ < positions_.size() && !failed_) step(todo_++);
  }

  /// The routes, or one that does not arrive.
  std::string text() const {
    if (failed_) return to_text(fabric_, from_, to_, walk_to_failure());
    std::string out = fabric_[from_].name;
    for (const RouteFront& front : fronts_) out += " -> " + front_text(fabric_, front);
    return out + " -> " + fabric_[to_].name;
  }
  bool has_failed() const { return failed_.has_value(); }
  /// The phases of the detours that packets may decide on, and the first switch where they do.
  const std::set<PhaseId>& detours() const { return detours_; }

  /// The same packets, but those that may take a detour to `via_` all do so.
  void spread_detours(const std::vector<PhaseId>& phases) {
    takes_detours_ = true;
    spread(phases);
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};
  struct Place {
    PacketPosition position;
    Hop by;
    std::size_t before;  ///< none: at the host
    std::size_t hops;
  };

  void add(PacketPosition position, Hop by, std::size_t before, std::size_t hops) {
    settle(position);
    if (!known_.insert(std::tuple(position.at, position.in, position.lane, position.phase)).second)
      return;
    positions_.push_back({position, by, before, hops});
  }

  /// The column of the phase; what happens without a hop, does.
  void settle(PacketPosition& position) {
    const auto& detour = choices_.phases[position.phase].detour;
    const bool at_last_switch = position.at == fabric_[to_].on;
    if (detour && !at_last_switch) {
      detours_.insert(*detour);
      if (takes_detours_) position.phase = *detour;
    }
    const Phase& phase = choices_.phases[position.phase];
    if (phase.to_intermediate && via_.valid() &&
        choices_.next[via_][position.at.index()] == ChoiceTables::at_end)
      position.phase = phase.next;
    position.column = choices_.phases[position.phase].to_intermediate
                          ? via_
                          : column_of(tables_, choices_, position.phase, to_);
  }

  void step(std::size_t index) {
    const Place place = positions_[index];
    const PacketPosition& position = place.position;
    if (fronts_.size() <= place.hops) fronts_.resize(place.hops + 1);
    fronts_[place.hops].at.insert(position.at);
    const ChoiceTables::Entry entry = position.column.valid()
                                          ? choices_.next[position.column][position.at.index()]
                                          : ChoiceTables::no_route;
    if (entry == ChoiceTables::no_route) return fail(index, RouteEnd::no_entry, no_port);
    if (entry == ChoiceTables::at_end) return leave(index, Candidate{here});
    for (const Candidate& c : choices_.candidates(entry)) leave(index, c);
  }
  void leave(std::size_t index, const Candidate& candidate) {
    const Place place = positions_[index];
    RouteFront& front = fronts_[place.hops];
    const ChannelId by = candidate.port == here
                             ? ChannelId::none()
                             : fabric_.channel_at(place.position.at, candidate.port);
    if (!by.valid()) {
      const RouteEnd end = stepper_.end(to_, place.position.at, candidate.port);
      if (end != RouteEnd::reached) return fail(index, end, candidate.port);
      front.out.insert(fabric_[to_].port);
      return;
    }
    const auto lane = stepper_.lane(place.position, candidate);
    if (!lane) return fail(index, RouteEnd::no_lane, candidate.port);
    front.out.insert(candidate.port);
    front.lanes.insert(*lane);
    PacketPosition next = stepper_.over(place.position, by, *lane);
    next.phase = candidate.phase;
    add(next, {by, *lane}, index, place.hops + 1);
  }
  void fail(std::size_t index, RouteEnd end, PortNumber port) {
    if (failed_) return;
    failed_ = {index, end, port};
  }
  Walk walk_to_failure() const {
    Walk walk;
    walk.end = failed_->end;
    walk.port = failed_->port;
    walk.at = positions_[failed_->at].position.at;
    for (std::size_t i = failed_->at; positions_[i].before != none; i = positions_[i].before)
      walk.hops.push_back(positions_[i].by);
    std::reverse(walk.hops.begin(), walk.hops.end());
    return walk;
  }

  struct DeadRoute {
    std::size_t at;
    RouteEnd end;
    PortNumber port;
  };

  const Fabric& fabric_;
  const Tables& tables_;
  const ChoiceTables& choices_;
  Stepper stepper_;
  HostId from_, to_;
  ColumnId via_;
  bool takes_detours_ = false;
  std::vector<Place> positions_{};
  std::size_t todo_ = 0;
  std::set<std::tuple<SwitchId, PortNumber, unsigned, PhaseId>> known_{};
  std::vector<RouteFront> fronts_{};
  std::set<PhaseId> detours_{};
  std::optional<DeadRoute> failed_{};
};

/// The phases in which packets of a pair may start.
std::vector<PhaseId> first_phases(const Fabric& fabric, const Tables& tables, HostId from,
                                  HostId to) {
  const auto& choices = std::get<ChoiceTables>(tables.paths);
  if (choices.start_rule != StartRule::level) return choices.starts;
  const unsigned level = Stepper(fabric, tables).start(from, tables.to_host[to]).level;
  return {choices.starts[std::min<std::size_t>(level, choices.starts.size() - 1)]};
}

/// "s0, s1 and 3 more".
std::string names_of(const Fabric& fabric, const ChoiceTables& choices,
                     const std::vector<ColumnId>& drawn) {
  constexpr std::size_t most_names = 4;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(most_names, drawn.size()); ++i) {
    std::vector<std::string_view> ends;
    for (const SwitchId s : fabric.switches())
      if (choices.next[drawn[i]][s.index()] == ChoiceTables::at_end) ends.push_back(fabric[s].name);
    names.push_back(ends.size() > 2 ? fmt::format("{}…{}", ends.front(), ends.back())
                                    : fmt::format("{}", fmt::join(ends, "|")));
  }
  std::string out = fmt::format("{}", fmt::join(names, ", "));
  return drawn.size() > most_names ? out + fmt::format(" and {} more", drawn.size() - most_names)
                                   : out;
}

}  // namespace

std::vector<ColumnId> drawn_intermediates(const Fabric& fabric, const ChoiceTables& choices,
                                          SwitchId from, SwitchId to) {
  const IntermediateDraws draws(fabric, choices, from, to);
  std::vector<ColumnId> out;
  for (const std::size_t i : draws.drawn(draws.group(from), draws.group(to)))
    if (std::find(out.begin(), out.end(), draws.column(i)) == out.end())
      out.push_back(draws.column(i));
  return out;
}

std::string choice_route_text(const Fabric& fabric, const Tables& tables, HostId from, HostId to) {
  const auto& choices = std::get<ChoiceTables>(tables.paths);
  std::vector<PhaseId> direct, indirect;
  for (const PhaseId start : first_phases(fabric, tables, from, to))
    (choices.phases[start].to_intermediate ? indirect : direct).push_back(start);
  std::string out;
  bool detours = !indirect.empty();
  if (!direct.empty()) {
    ChoiceSpread spread(fabric, tables, from, to, ColumnId::none());
    spread.spread(direct);
    out = spread.text();
    if (spread.has_failed()) return out;
    detours = detours || !spread.detours().empty();
  }
  if (!detours) return out;
  const auto drawn = drawn_intermediates(fabric, choices, fabric[from].on, fabric[to].on);
  if (drawn.empty()) return out;
  // The first one that is at neither end.
  ColumnId example = drawn.front();
  for (const ColumnId column : drawn) {
    const auto ends = [&](SwitchId s) {
      return choices.next[column][s.index()] == ChoiceTables::at_end;
    };
    if (ends(fabric[from].on) || ends(fabric[to].on)) continue;
    example = column;
    break;
  }
  ChoiceSpread spread(fabric, tables, from, to, example);
  direct.insert(direct.end(), indirect.begin(), indirect.end());
  spread.spread_detours(indirect.empty() ? direct : indirect);
  out = out.empty() ? fabric[from].name + " " : out + "; or ";
  return out + fmt::format("by {} ({}), as {}: {}",
                           drawn.size() == 1
                               ? "one intermediate destination"
                               : fmt::format("any of {} intermediate destinations", drawn.size()),
                           names_of(fabric, choices, drawn), names_of(fabric, choices, {example}),
                           spread.text());
}

}  // namespace weft
