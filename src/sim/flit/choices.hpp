// SPDX-License-Identifier: Apache-2.0
// Choices: packets whose tables leave several ports take one of them, as the policy of the switch
// says; candidates of a smaller preference come first, others where none of those has an idle lane.
// A switch either commits a packet to a port when it is routed; or (choice=any) the packet requests
// a lane of one that has an idle lane, in every cycle, and where none has one it waits for all of
// them, and looks again when one has become idle.
#pragma once
#include <span>
#include <vector>

#include "sim/flit/candidate_sets.hpp"
#include "sim/flit/draws.hpp"
#include "sim/flit/flow_table.hpp"
#include "sim/flit/units.hpp"

namespace weft::sim {

class Choices {
 public:
  Choices(Units& units, const Routing& routing)
      : units_(units),
        routing_(routing),
        policy_(units.layout.model.policy),
        sets_(units, routing) {}

  /// Of a part (parts/): its packets choose as those of the whole.
  Choices(Choices& whole, Units& units);
  Choices(const Choices&) = delete;

  /// From now on packets may choose among ports.
  void allow();
  /// All groups of links that there are now have their sets. (Parts add them for themselves, and
  /// number them alike.)
  void add_groups() {
    if (const std::size_t groups = routing_.group_count(); groups > 0)
      sets_.of_tag(static_cast<PortNumber>(first_link_group + groups - 1));
  }
  bool allowed() const { return !set_.empty(); }
  bool commits() const { return units_.layout.model.choice == PortChoice::commit; }
  /// Whether packets take the first candidate that has an idle lane.
  bool take_first() const { return takes_first_; }
  Index set_of(PortNumber tag) { return sets_.of_tag(tag); }
  const CandidateSets& sets() const { return sets_; }
  /// The hop of a packet from an in-port by a candidate of its switch, if it may go there.
  WEFT_HOT RouteStep step(Index in, const LaneChoice& choice, const Head& head) const {
    const SwitchPort& in_port = units_.ports[in];
    if (choice.port >= at_[in_port.home].ports) return {};
    const SwitchPort& port = units_.ports[in - in_port.number + choice.port];
    if (port.peer == nothing || (port.to_host && port.peer != units_.layout.switch_ports + head.to))
      return {};
    const auto number = static_cast<PortNumber>(choice.port + 1U);
    if (choice.lane != Candidate::by_lanes) return {number, choice.lane};
    const RouteStep hop = routing_.by(number, in_port.home, in, head);
    return hop.lane_class < units_.layout.class_lanes.size() ? hop : RouteStep{};
  }
  /// Of policies that take the first one: the first candidate of a set that fits, by preference,
  /// from where it is a switch's turn; null: none does.
  template <class Fits>
  WEFT_HOT const LaneChoice* first_that(Index set, Index home, Fits fits);
  /// The set that the front packet of an in-lane has.
  Index set_at(Index id) const { return set_[id]; }
  void note_set(Index id, Index set) { set_[id] = set; }
  /// The front packet of an in-lane takes any port of a set.
  WEFT_HOT void start(Index id, Index set) {
    InLane& lane = units_.in[id];
    note_set(id, set);
    lane.flags |= InLane::chooses;
    lane.stage = Stage::waiting;
    again(id);
  }
  /// The front packet of an in-lane is committed to a port of a set when all of its block have
  /// come.
  WEFT_HOT void start_commitment(Index id, Index set) {
    note_set(id, set);
    again(id);
  }
  /// Flows that keep their ports are looked up in two steps, ahead of time: the packet, and what is
  /// known of its flow.
  bool by_flow() const { return policy_.takes == Preferred::flows; }
  WEFT_HOT void prefetch_packet(Index packet) const { __builtin_prefetch(&units_.packets[packet]); }
  WEFT_HOT void prefetch_flow(Index id) const {
    flows_[units_.ports[units_.layout.port_of(id)].home].prefetch(flow_of(units_.in[id].head));
  }
  /// Nobody chooses any more: the bit-sliced path takes over.
  void leave_all() {
    for (WorkSet& block : choosing_)
      block.filter_words([](Index, std::uint64_t) { return std::uint64_t{0}; });
  }
  /// Moves the in-lanes of a block that choose in this cycle to a list, in ascending order.
  WEFT_HOT void take(Index block, RequestList<Index>& out) {
    const Index begin = first_lane_[block];
    choosing_[block].filter_words([&](Index first, std::uint64_t lanes) {
      for (; lanes != 0; lanes &= lanes - 1) out.add(begin + first + lowest(lanes));
      return std::uint64_t{0};
    });
  }
  bool empty(Index block) const { return choosing_[block].empty(); }
  bool chooses(Index id) const {
    const Index block = block_of(id);
    return choosing_[block].contains(id - first_lane_[block]);
  }
  /// The port that an in-lane's packet takes, which is noted there, with its lane class and phase;
  /// nothing: none has an idle lane.
  template <bool plain = false>
  WEFT_HOT Index find_port(Index id);
  /// The port of a set to which it is committed; nothing: there is none whose link works.
  template <bool plain = false>
  Index commit(Index id);
  /// What a packet waits for that has found no port.
  struct AwaitedPorts {
    bool alive = false;         ///< one of the links works
    Index dead_port = nothing;  ///< one that does not
  };
  AwaitedPorts wait(Index id);
  /// Of a packet that can be committed to no port of a set: why.
  AwaitedPorts links_of(Index id) const;
  /// It chooses again.
  void again(Index id) {
    const Index block = block_of(id);
    choosing_[block].insert(id - first_lane_[block]);
  }
  /// A lane of a port has become idle, or its link works again.
  WEFT_HOT void wake(Index o) {
    if ((units_.ports[o].awaited & SwitchPort::a_lane) != 0) wake_all(o);
  }
  /// Packets that wait for this port, or for another one.
  std::vector<Index> waiting_at(Index o) const;
  bool waits(Index id) const {
    const InLane& lane = units_.in[id];
    return lane.stage == Stage::waiting && lane.has(InLane::chooses);
  }
  /// Every port that the front packet of an in-lane may take now, with its lane class.
  template <class Visit>
  void each_port(Index id, Visit visit) const {
    const Index in = units_.layout.port_of(id);
    for (const LaneChoice& choice : sets_.all(set_[id])) {
      const RouteStep hop = step(in, choice, units_.in[id].head);
      if (hop.port != no_port) visit(in - units_.ports[in].number + choice.port, hop);
    }
  }

 private:
  /// What the packets of a switch that choose in a cycle see alike: which of those of a set's
  /// candidates of the smallest preference that fit cost least.
  struct NotedChoices {
    Cycle at = never;
    Index set = 0;
    bool idle = false;
    std::uint64_t best = 0;
  };
  struct ChoosingSwitch {
    Index ports = 0;       ///< their number
    Index turn = 0;        ///< of the candidate to try first
    Index mask_words = 0;  ///< of a set of its in-lanes
    Index masks = 0;       ///< where those of its out-ports begin
    NotedChoices noted{};
  };
  /// A front packet that chooses: its in-lane and switch.
  struct Chooser {
    Index id;
    Index first;  ///< port of the switch
    Index home;
    Index set;   ///< that it chooses from,
    bool sound;  ///< and what that is
    InLane& lane;
    const SwitchPort* ports;  ///< from the first one on,
    const OutLane* out;       ///< and its lanes
  };
  /// Some candidates of a set, and how they are looked at.
  struct SomeChoices {
    const LaneChoice* choices;
    Index begin, end, start;
    bool idle;            ///< only those that have an idle lane
    bool by_flow = true;  ///< first of all that of the packet's flow
  };

  Index block_of(Index id) const { return units_.ports[units_.layout.port_of(id)].block; }
  template <bool plain, bool sound>
  WEFT_HOT Index find_first(Index id);
  Chooser chooser(Index id, Index set);
  SomeChoices best_ones(Index home, Index set, bool idle) const;
  bool next_preference(SomeChoices& among, const ChoiceSet& set) const;
  template <bool plain>
  Index find_policy(Index id);
  template <bool plain>
  Index find(const Chooser& who, const SomeChoices& among);
  template <bool plain>
  bool sees_noted(const Chooser& who, const SomeChoices& among) const;
  const NotedChoices& noted(const Chooser& who, const SomeChoices& among);
  Index find_noted(Index id);
  template <bool plain>
  Index find_drawn(const Chooser& who, const SomeChoices& among);
  template <bool plain>
  Index find_of_flow(const Chooser& who, const SomeChoices& among);
  Index note(const Chooser& who, const LaneChoice& choice);
  /// The packets of a source to a destination.
  std::uint64_t flow_of(const Head& head) const {
    return units_.packets[head.packet].packet.from.index() << 32U | head.to;
  }
  Cycle oldest_flow() const;
  WEFT_HOT RouteStep hop_by(const Chooser& who, const LaneChoice& choice) const;
  template <bool plain>
  WEFT_HOT bool fits(const Chooser& who, const LaneChoice& choice, bool idle);
  template <bool plain>
  WEFT_HOT std::uint64_t queue(const Chooser& who, Index port, std::uint64_t lanes) const;
  template <bool plain>
  WEFT_HOT std::uint64_t cost(const Chooser& who, const LaneChoice& choice) const;
  bool looks_at_idle_lanes() const;
  void wake_all(Index o);
  template <class Visit>
  void each_waiting(Index o, Visit visit) const;

  Units& units_;
  const Routing& routing_;
  const PortPolicy policy_;
  const bool notes_ = (policy_.takes == Preferred::queue || policy_.takes == Preferred::credits) &&
                      policy_.draws == 0;
  const bool takes_first_ = policy_.takes == Preferred::next || policy_.takes == Preferred::first;
  CandidateSets sets_;
  SharedArray<Index> set_;              ///< by in-lane
  SharedArray<ChoosingSwitch> at_;      ///< by switch
  SharedArray<std::uint64_t> waiting_;  ///< by out-port: masks of in-lanes
  SharedArray<WorkSet> choosing_;       ///< by block: in-lanes, from its first one on
  std::vector<Index> first_lane_;       ///< by block
  SharedArray<FlowTable> flows_;        ///< by switch (policy sticky)
  const std::uint64_t* const lane_sets_ = units_.layout.lane_sets.data();
  const Index lane_bits_ = units_.layout.lane_bits, lanes_ = units_.layout.lanes;
  const std::int64_t buffer_ = units_.layout.buffer;
  std::vector<std::uint64_t> room_;  ///< by set of lanes: of empty buffers, in flits
  std::uint64_t most_room_ = 0;      ///< that any set has
};

/// (With policies that take the first candidate that has an idle lane here; the others are in
/// choose_port.cpp.)
template <bool plain>
Index Choices::find_port(Index id) {
  if (!takes_first_) return find_policy<plain>(id);
  return sets_[set_[id]].sound ? find_first<plain, true>(id) : find_first<plain, false>(id);
}

template <bool plain, bool sound>
Index Choices::find_first(Index id) {
  const Index in = units_.layout.port_of(id);
  InLane& lane = units_.in[id];
  const SwitchPort& in_port = units_.ports[in];
  const SwitchPort* const ports = &in_port - in_port.number;
  const Index first = in - in_port.number;
  const LaneChoice* const found = first_that(
      set_[id], in_port.home, [&](const LaneChoice& choice) __attribute__((always_inline)) {
        const RouteStep hop = sound ? RouteStep{1, choice.lane} : step(in, choice, lane.head);
        if (!sound && hop.port == no_port) return false;
        const Index o = first + choice.port;
        if (!plain && units_.is_dead(o)) return false;
        lane.lane_class = hop.lane_class;
        return units_.template offer<plain>(lane, ports[choice.port], o) != 0;
      });
  if (found == nullptr) return nothing;
  lane.out_port = found->port;
  lane.head.set_phase(found->phase);
  return first + found->port;
}

template <class Fits>
const LaneChoice* Choices::first_that(Index set_number, Index home, Fits fits) {
  const ChoiceSet& set = sets_[set_number];
  const LaneChoice* const choices = sets_.choices(set);
  Index& turn = at_[home].turn;
  Index begin = 0, end = set.best;
  Index i = policy_.takes == Preferred::first ? set.usual : sets_.first_from(set_number, turn);
  for (;;) {
    for (Index left = end - begin; left != 0; --left, i = i + 1 == end ? begin : i + 1) {
      if (!fits(choices[i])) continue;
      turn = sets_.turn_after(choices[i]);
      return &choices[i];
    }
    if (end == set.count) return nullptr;
    begin = i = end;
    while (++end < set.count && choices[end].preference == choices[begin].preference) {
    }
  }
}

}  // namespace weft::sim
