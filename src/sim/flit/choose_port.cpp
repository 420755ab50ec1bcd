// SPDX-License-Identifier: Apache-2.0
// Which port a packet takes: the policies (src/sim/policies), and preferences.
#include <algorithm>

#include "sim/flit/choices.hpp"

namespace weft::sim {

/// Whether a candidate may be taken now.
bool Choices::fits(Index id, const SomeChoices& among, Index i) {
  const Index in = units_.layout.port_of(id);
  const LaneChoice& choice = among.choices[i];
  const Index o = in - units_.ports[in].number + choice.port;
  InLane& lane = units_.in[id];
  const RouteStep hop = step(in, choice, lane.head);
  if (hop.port == no_port || units_.is_dead(o)) return false;
  if (!among.idle) return true;
  lane.lane_class = hop.lane_class;
  return units_.offer(lane, units_.ports[o], o) != 0;
}

/// Of a candidate that fits: the smaller, the better.
std::uint64_t Choices::cost(Index id, const LaneChoice& choice) const {
  const Index in = units_.layout.port_of(id);
  const Index o = in - units_.ports[in].number + choice.port;
  if (policy_.takes == Preferred::queue) return units_.used(o, units_.layout.all_lanes);
  if (policy_.takes != Preferred::credits) return 0;
  const Head& head = units_.in[id].head;
  const std::uint64_t lanes =
      units_.allowed(head, step(in, choice, head).lane_class, units_.ports[o]);
  const std::uint64_t most = std::uint64_t{most_lanes} * units_.layout.buffer;
  const std::uint64_t all = static_cast<std::uint64_t>(std::popcount(lanes)) * units_.layout.buffer;
  return most - (all - std::min<std::uint64_t>(all, units_.used(o, lanes)));
}

/// Whether a port without an idle lane is worse than others, whatever else speaks for it: random
/// ports and queues are as in BookSim 2, which chooses before it looks for lanes.
bool Choices::looks_at_idle_lanes() const {
  return policy_.takes != Preferred::any && policy_.takes != Preferred::queue &&
         policy_.takes != Preferred::credits;
}

/// The number of a candidate; nothing: none fits.
Index Choices::find(Index id, const SomeChoices& among) {
  if (policy_.takes == Preferred::any || policy_.draws != 0) {
    const Index drawn = find_drawn(id, among);
    if (drawn != nothing) return drawn;
  }
  if (policy_.takes == Preferred::flows) {
    const Index same = find_of_flow(id, among);
    if (same != nothing) return same;
  }
  Index found = nothing;
  std::uint64_t least = ~std::uint64_t{0};
  Index i = among.start;
  for (Index left = among.end - among.begin; left != 0 && least != 0; --left) {
    if (fits(id, among, i)) {
      const std::uint64_t own = cost(id, among.choices[i]);
      if (own < least) found = i;
      least = std::min(least, own);
    }
    i = i + 1 == among.end ? among.begin : i + 1;
  }
  return found;
}

/// One at random among those that fit; or the best one of some that are drawn among all.
Index Choices::find_drawn(Index id, const SomeChoices& among) {
  Draws draws(units_.layout.options.seed, units_.now, id);
  Index found = nothing;
  std::uint64_t fitting = 0, least = ~std::uint64_t{0};
  if (policy_.takes == Preferred::any) {
    for (Index i = among.begin; i < among.end; ++i)
      if (fits(id, among, i) && draws.below(++fitting) == 0) found = i;
    return found;
  }
  for (Index n = policy_.draws; n != 0; --n) {
    const auto i = static_cast<Index>(among.begin + draws.below(among.end - among.begin));
    if (!fits(id, among, i)) continue;
    const std::uint64_t own = cost(id, among.choices[i]);
    if (own < least) found = i;
    least = std::min(least, own);
  }
  return found;
}

Choices::FlowPort& Choices::flow_of(Index id) {
  const Head& head = units_.in[id].head;
  const std::uint64_t from = units_.packets[head.packet].packet.from.index();
  return flows_[units_.ports[units_.layout.port_of(id)].home][from << 32U | head.to];
}

/// The candidate that leads to the flow's last port, unless that was long ago.
Index Choices::find_of_flow(Index id, const SomeChoices& among) {
  const FlowPort& last = flow_of(id);
  if (last.port == nothing || last.at + units_.layout.timing.flow_pause() < units_.now)
    return nothing;
  for (Index i = among.begin; i < among.end; ++i)
    if (among.choices[i].port == last.port && fits(id, among, i)) return i;
  return nothing;
}

/// The candidates of the smallest preference.
Choices::SomeChoices Choices::best_ones(Index id, Index set_number, bool idle) const {
  const ChoiceSet& set = sets_[set_number];
  const Index home = units_.ports[units_.layout.port_of(id)].home;
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

Index Choices::find_policy(Index id) {
  SomeChoices among = best_ones(id, set_[id], true);
  do
    if (const Index found = find(id, among); found != nothing) return note(id, among, found);
  while (next_preference(among, sets_[set_[id]]));
  return nothing;
}

Index Choices::commit(Index id, Index set_number) {
  const ChoiceSet& set = sets_[set_number];
  SomeChoices among = best_ones(id, set_number, false);
  if (policy_.takes == Preferred::flows) {
    among.end = set.count;
    if (const Index same = find_of_flow(id, among); same != nothing) return note(id, among, same);
    among.end = set.best;
  }
  if (looks_at_idle_lanes() || set.best != set.count) {
    among.idle = true;
    do {
      const Index idle = find(id, among);
      if (idle == nothing) continue;
      among.idle = looks_at_idle_lanes();
      return note(id, among, among.idle ? idle : find(id, among));
    } while (next_preference(among, set));
    among = best_ones(id, set_number, false);
  }
  do
    if (const Index found = find(id, among); found != nothing) return note(id, among, found);
  while (next_preference(among, set));
  return nothing;
}

Choices::AwaitedPorts Choices::links_of(Index id, Index set_number) const {
  AwaitedPorts out;
  each_port(id, set_number, [&](Index o, const RouteStep&) {
    if (units_.is_dead(o)) out.dead_port = o;
  });
  return out;
}

}  // namespace weft::sim
