// SPDX-License-Identifier: Apache-2.0
// Which port a packet takes: the policies (src/sim/policies), and preferences. (Templates are as in
// PlainFeatures: plain networks need not ask for most of what may be.)
#include <algorithm>

#include "sim/flit/choices.hpp"

namespace weft::sim {

/// The hop by a candidate, if there is one.
RouteStep Choices::hop_by(const Chooser& who, const LaneChoice& choice) const {
  if (who.sound) return {static_cast<PortNumber>(choice.port + 1U), choice.lane};
  return step(units_.layout.port_of(who.id), choice, who.lane.head);
}

/// Whether a candidate may be taken now; only those that have an `idle` lane.
template <bool plain>
bool Choices::fits(const Chooser& who, const LaneChoice& choice, bool idle) {
  if (plain && who.sound)
    return !idle || (who.ports[choice.port].idle & lane_sets_[choice.lane]) != 0;
  const Index o = who.first + choice.port;
  const RouteStep hop = hop_by(who, choice);
  if (hop.port == no_port || (!plain && units_.is_dead(o))) return false;
  if (!idle) return true;
  who.lane.lane_class = hop.lane_class;
  return units_.template offer<plain>(who.lane, units_.ports[o], o) != 0;
}

/// Flits that have left for a port on some lanes, and whose credits have not come back.
template <bool plain>
std::uint64_t Choices::queue(const Chooser& who, Index port, std::uint64_t lanes) const {
  if (!plain) return units_.used(who.first + port, lanes);
  if (who.ports[port].to_host) return 0;
  const OutLane* const out = who.out + (std::size_t{port} << lane_bits_);
  std::int64_t all = 0;
  if (lanes == units_.layout.all_lanes) {
    for (Index v = 0; v < lanes_; ++v) all += out[v].credits;
    return static_cast<std::uint64_t>(buffer_ * lanes_ - all);
  }
  for (Index v = 0; v < lanes_; ++v)  // without a branch
    all += (0 - static_cast<std::int64_t>(lanes >> v & 1)) & (buffer_ - out[v].credits);
  return static_cast<std::uint64_t>(all);
}

/// Of a candidate that fits: the smaller, the better; 0 where there is nothing better.
template <bool plain>
std::uint64_t Choices::cost(const Chooser& who, const LaneChoice& choice) const {
  if (policy_.takes == Preferred::queue)
    return queue<plain>(who, choice.port, units_.layout.all_lanes);
  if (policy_.takes != Preferred::credits) return 0;
  Index set = choice.lane;
  if (!plain || !who.sound)
    set = units_.layout.lane_set(who.lane.head, hop_by(who, choice).lane_class,
                                 who.ports[choice.port].to_host);
  const std::uint64_t used = queue<plain>(who, choice.port, lane_sets_[set]);
  return most_room_ - (room_[set] - std::min<std::uint64_t>(room_[set], used));
}

/// Whether a port without an idle lane is worse than others, whatever else speaks for it: random
/// ports and queues are as in BookSim 2, which chooses before it looks for lanes.
bool Choices::looks_at_idle_lanes() const {
  return policy_.takes != Preferred::any && policy_.takes != Preferred::queue &&
         policy_.takes != Preferred::credits;
}

/// Whether what a packet sees is noted. (In plain networks nothing that it depends on changes until
/// all packets of the switch have chosen.)
template <bool plain>
bool Choices::sees_noted(const Chooser& who, const SomeChoices& among) const {
  return plain && notes_ && who.sound && among.begin == 0 && among.end == sets_[who.set].best &&
         among.end <= 64;
}

/// What is noted; it is looked at when the first packet asks. (Without branches.)
const Choices::NotedChoices& Choices::noted(const Chooser& who, const SomeChoices& among) {
  NotedChoices& out = at_[who.home].noted;
  if (out.at == units_.now && out.set == who.set && out.idle == among.idle) return out;
  std::uint64_t best = 0, least = ~std::uint64_t{0};
  for (Index i = 0; i < among.end; ++i) {
    const LaneChoice& choice = among.choices[i];
    const bool fit = fits<true>(who, choice, among.idle);
    const std::uint64_t own = cost<true>(who, choice) | (0 - std::uint64_t{!fit});
    const std::uint64_t before = own < least ? 0 : best;
    best = before | std::uint64_t{fit && own <= least} << i;
    least = std::min(least, own);
  }
  out = {units_.now, who.set, among.idle, best};
  return out;
}

/// The number of a candidate; nothing: none fits.
template <bool plain>
Index Choices::find(const Chooser& who, const SomeChoices& among) {
  if (policy_.takes == Preferred::any || policy_.draws != 0) {
    const Index drawn = find_drawn<plain>(who, among);
    if (drawn != nothing) return drawn;
  }
  if (policy_.takes == Preferred::flows && among.by_flow) {
    const Index same = find_of_flow<plain>(who, among);
    if (same != nothing) return same;
  }
  if (sees_noted<plain>(who, among)) {
    const std::uint64_t best = noted(who, among).best;
    return best == 0 ? nothing : first_from(best, among.start);
  }
  Index found = nothing;
  std::uint64_t least = ~std::uint64_t{0};
  Index i = among.start;
  for (Index left = among.end - among.begin; left != 0 && least != 0; --left) {
    if (fits<plain>(who, among.choices[i], among.idle)) {
      const std::uint64_t own = cost<plain>(who, among.choices[i]);
      if (own < least) found = i;
      least = std::min(least, own);
    }
    i = i + 1 == among.end ? among.begin : i + 1;
  }
  return found;
}

/// One at random among those that fit; or the best one of some that are drawn among all.
template <bool plain>
Index Choices::find_drawn(const Chooser& who, const SomeChoices& among) {
  Draws draws(units_.layout.options.seed, units_.now, who.id);
  Index found = nothing;
  std::uint64_t fitting = 0, least = ~std::uint64_t{0};
  if (policy_.takes == Preferred::any) {
    for (Index i = among.begin; i < among.end; ++i)
      if (fits<plain>(who, among.choices[i], among.idle) && draws.below(++fitting) == 0) found = i;
    return found;
  }
  for (Index n = policy_.draws; n != 0; --n) {
    const auto i = static_cast<Index>(among.begin + draws.below(among.end - among.begin));
    if (!fits<plain>(who, among.choices[i], among.idle)) continue;
    const std::uint64_t own = cost<plain>(who, among.choices[i]);
    if (own < least) found = i;
    least = std::min(least, own);
  }
  return found;
}

/// The first cycle from which on flows have not paused.
Cycle Choices::oldest_flow() const {
  const Cycle pause = units_.layout.timing.flow_pause();
  return units_.now > pause ? units_.now - pause : 0;
}

/// The candidate that leads to the flow's last port, unless that was long ago.
template <bool plain>
Index Choices::find_of_flow(const Chooser& who, const SomeChoices& among) {
  const Index last = flows_[who.home].port_of(flow_of(who.lane.head), oldest_flow());
  if (last == nothing) return nothing;
  for (Index i = among.begin; i < among.end; ++i)
    if (among.choices[i].port == last && fits<plain>(who, among.choices[i], among.idle)) return i;
  return nothing;
}

/// The front packet of an in-lane takes a candidate. Returns its port.
Index Choices::note(const Chooser& who, const LaneChoice& choice) {
  who.lane.lane_class = hop_by(who, choice).lane_class;
  who.lane.out_port = choice.port;
  who.lane.head.set_phase(choice.phase);
  at_[who.home].turn = sets_.turn_after(choice);
  if (policy_.takes == Preferred::flows)
    flows_[who.home].note(flow_of(who.lane.head), choice.port, units_.now, oldest_flow());
  return who.first + choice.port;
}

Choices::Chooser Choices::chooser(Index id, Index set) {
  const Index in = units_.layout.port_of(id);
  const SwitchPort& port = units_.ports[in];
  const Index first = in - port.number;
  return {id,
          first,
          port.home,
          set,
          sets_[set].sound,
          units_.in[id],
          &port - port.number,
          &units_.out[first << units_.layout.lane_bits]};
}

/// The candidates of the smallest preference.
Choices::SomeChoices Choices::best_ones(Index home, Index set_number, bool idle) const {
  const ChoiceSet& set = sets_[set_number];
  const Index start =
      policy_.takes == Preferred::first ? set.usual : sets_.first_from(set_number, at_[home].turn);
  return {sets_.choices(set), 0, set.best, start, idle};
}

/// Goes on to those of the next preference; false: there are none.
bool Choices::next_preference(SomeChoices& among, const ChoiceSet& set) const {
  if (among.end == set.count) return false;
  among.begin = among.start = among.end;
  const std::uint8_t preference = among.choices[among.begin].preference;
  while (among.end < set.count && among.choices[among.end].preference == preference) ++among.end;
  return true;
}

/// As find_policy() does, where what packets see is noted, of the candidates of the smallest
/// preference.
Index Choices::find_noted(Index id) {
  const Index in = units_.layout.port_of(id), set_number = set_[id];
  const SwitchPort& in_port = units_.ports[in];
  ChoosingSwitch& at = at_[in_port.home];
  if (at.noted.at != units_.now || at.noted.set != set_number || !at.noted.idle) {
    const Chooser who = chooser(id, set_number);
    const SomeChoices among = best_ones(who.home, set_number, true);
    if (!sees_noted<true>(who, among)) return nothing;
    noted(who, among);
  }
  if (at.noted.best == 0) return nothing;
  const LaneChoice& found = sets_.choices(
      sets_[set_number])[first_from(at.noted.best, sets_.first_from(set_number, at.turn))];
  InLane& lane = units_.in[id];
  lane.lane_class = found.lane;
  lane.out_port = found.port;
  lane.head.set_phase(found.phase);
  at.turn = sets_.turn_after(found);
  return in - in_port.number + found.port;
}

template <bool plain>
Index Choices::find_policy(Index id) {
  if (plain && notes_)
    if (const Index found = find_noted(id); found != nothing) return found;
  const Chooser who = chooser(id, set_[id]);
  SomeChoices among = best_ones(who.home, set_[id], true);
  do
    if (const Index found = find<plain>(who, among); found != nothing)
      return note(who, among.choices[found]);
  while (next_preference(among, sets_[set_[id]]));
  return nothing;
}

template <bool plain>
Index Choices::commit(Index id) {
  const Index set_number = set_[id];
  const ChoiceSet& set = sets_[set_number];
  const Chooser who = chooser(id, set_number);
  SomeChoices among = best_ones(who.home, set_number, false);
  if (policy_.takes == Preferred::flows) {
    among.end = set.count;
    if (const Index same = find_of_flow<plain>(who, among); same != nothing)
      return note(who, among.choices[same]);
    among.end = set.best;
    among.by_flow = false;
  }
  if (looks_at_idle_lanes() || set.best != set.count) {
    among.idle = true;
    do {
      const Index idle = find<plain>(who, among);
      if (idle == nothing) continue;
      among.idle = looks_at_idle_lanes();
      return note(who, among.choices[among.idle ? idle : find<plain>(who, among)]);
    } while (next_preference(among, set));
    among = best_ones(who.home, set_number, false);
    among.by_flow = false;
  }
  do
    if (const Index found = find<plain>(who, among); found != nothing)
      return note(who, among.choices[found]);
  while (next_preference(among, set));
  return nothing;
}

template Index Choices::find_policy<true>(Index id);
template Index Choices::find_policy<false>(Index id);
template Index Choices::commit<true>(Index id);
template Index Choices::commit<false>(Index id);

Choices::AwaitedPorts Choices::links_of(Index id) const {
  AwaitedPorts out;
  each_port(id, [&](Index o, const RouteStep&) {
    if (units_.is_dead(o)) out.dead_port = o;
  });
  return out;
}

}  // namespace weft::sim
