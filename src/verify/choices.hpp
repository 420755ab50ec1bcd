// SPDX-License-Identifier: Apache-2.0
// Follows the packets of choice tables. What a packet may hold is passed on from an intermediate
// destination to all hosts that it may go to from there, until nothing more can be held.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "verify/rules.hpp"

namespace weft::verifier {

class ChoiceVerification : PacketRules {
 public:
  /// Compares two nodes where every choice counts; false if that fails.
  using Compare = std::function<bool(Node, Node)>;
  ChoiceVerification(const VerifierInput& in, Compare compare)
      : PacketRules(in), compare_(std::move(compare)) {}

  std::optional<std::string> run() {
    find_targets();
    const std::size_t states = in_.number.size() * in_.phases.size() * levels();
    held_.assign(states, 0);
    arrivals_.held.assign(states, 0);
    detours_.held.assign(states, 0);
    for (const Target& target : to_hosts_) {
      begin(target, true, [this](State s) { detours_.add(s, 0); });
      if (!in_.by_level) break;  // packets to all hosts depart alike
    }
    // Packets to hosts are followed again when more arrive, and others when more depart.
    arrivals_.grew = detours_.grew = true;
    while ((arrivals_.grew || detours_.grew) && !wrong_) {
      if (std::exchange(arrivals_.grew, false)) follow_all(to_hosts_, arrivals_);
      if (std::exchange(detours_.grew, false)) follow_all(to_intermediates_, detours_);
    }
    return wrong_;
  }

 private:
  /// Hosts with the same columns, or an intermediate destination, without hosts.
  struct Target {
    IndexList columns;  ///< by phase
    Index level_column;
    IndexList hosts;
  };
  /// A packet stands in a lane, in a phase and with a level: one number for all three.
  using State = std::size_t;
  /// States in which packets go over from one kind of target to the other, and what they hold.
  struct Joints {
    std::vector<std::uint64_t> held{};  ///< by state, as in held_
    std::vector<State> states{};
    bool grew = false;

    void add(State s, std::uint64_t holds) {
      if (held[s] == 0) states.push_back(s);
      if (held[s] > holds) return;
      held[s] = holds + 1;
      grew = true;
    }
  };

  std::size_t levels() const { return in_.by_level ? in_.usual.size() : 1; }
  State state(Node holds, Index phase, Index level) const {
    return (holds * in_.phases.size() + phase) * levels() + level;
  }
  Node holds(State s) const { return s / levels() / in_.phases.size(); }
  Index phase(State s) const { return static_cast<Index>(s / levels() % in_.phases.size()); }
  Index level(State s) const { return static_cast<Index>(s % levels()); }
  Index at(State s) const { return in_.links[link_of(holds(s))].to; }

  void find_targets() {
    std::map<IndexList, std::size_t> known;
    for (Index c = 0; c < in_.columns.size(); ++c)
      for (const Index host : in_.columns[c].hosts) {
        Target target{{}, c, {}};
        for (const TablePhase& phase : in_.phases) {
          const auto own = phase.own_columns.find(host);
          target.columns.push_back(phase.to_intermediates           ? none
                                   : own != phase.own_columns.end() ? own->second
                                   : phase.own_columns.empty()      ? c
                                                                    : none);
        }
        IndexList key = target.columns;
        key.push_back(c);
        const auto [found, fresh] = known.emplace(key, to_hosts_.size());
        if (fresh) to_hosts_.push_back(target);
        to_hosts_[found->second].hosts.push_back(host);
      }
    for (const Index column : in_.intermediates)
      to_intermediates_.push_back({IndexList(in_.phases.size(), column), none, {}});
  }

  /// The states in which hosts send packets to a target: to intermediate destinations first, or
  /// directly. Those that would go there first may have none to draw.
  template <class Add>
  void begin(const Target& target, bool by_intermediates, Add add) const {
    const TableColumn& column = in_.columns[target.level_column];
    for (Index from = 0; from < in_.hosts.size(); ++from) {
      if (starts_alike(from, column)) continue;
      const Index with_level = level_of(from, column);
      for (std::size_t i = 0; i < in_.starts.size(); ++i) {
        const bool is_of_level = i == std::min<std::size_t>(with_level, in_.starts.size() - 1);
        if (in_.start_by_level && !is_of_level) continue;
        const TablePhase& start = in_.phases[in_.starts[i]];
        if (by_intermediates && !start.to_intermediates) continue;
        const bool goes_on = start.to_intermediates && !by_intermediates;
        add(state(node(from, 0), goes_on ? start.next : in_.starts[i], with_level));
      }
    }
  }

  void follow_all(const std::vector<Target>& targets, const Joints& joints) {
    for (const Target& target : targets) {
      for (const State s : seen_) held_[s] = 0;
      seen_.clear();
      if (!target.hosts.empty()) begin(target, false, [&](State s) { raise(target, s, 0); });
      for (const State s : joints.states) raise(target, s, joints.held[s] - 1);
      while (!todo_.empty() && !wrong_) {
        const State s = todo_.back();
        todo_.pop_back();
        go_on(target, s);
      }
      if (wrong_) return;
    }
  }
  /// A packet may be in a state, and hold so much. 0 marks states that were not seen: the least is
  /// 1, for nothing.
  void raise(const Target& target, State s, std::uint64_t held) {
    if (target.hosts.empty()) {
      const TablePhase& now = in_.phases[phase(s)];
      if (now.to_intermediates && in_.columns[target.columns[phase(s)]].next[at(s)] == 0)
        s = state(holds(s), now.next, level(s));
      if (!in_.phases[phase(s)].to_intermediates) return arrivals_.add(s, held);
    }
    const bool fresh = held_[s] == 0;
    if (fresh) seen_.push_back(s);
    if (!fresh && held_[s] >= held + 1) return;
    held_[s] = held + 1;
    todo_.push_back(s);
  }
  void go_on(const Target& target, State s) {
    const std::uint64_t held = held_[s] - 1;
    const Node now = holds(s);
    const Index with_level = level(s), in_phase = phase(s), at = in_.links[link_of(now)].to;
    const Index column = target.columns[in_phase];
    const Index entry = column == none ? none : in_.columns[column].next[at];
    wanted_.clear();
    bool arrives = entry == 0;
    if (entry == 0)
      for (const Index host : target.hosts)
        if (in_.links[host].to == at) wanted_.push_back(node(host, 0));
    if (entry != none && entry != 0)
      for (const TableChoice& choice : in_.sets[entry - 1]) {
        const Index link = link_at(at, choice.port);
        if (link == none) continue;
        if (!is_channel(node(link, 0))) {
          wanted_.push_back(node(link, 0));
          arrives |= target.hosts.size() == 1 && target.hosts[0] == link;
          continue;
        }
        const Index lane =
            choice.lane != none ? choice.lane : lane_after(now, with_level, choice.port);
        if (lane >= in_.lanes) {
          wrong_ = about(target) + words(at, choice.port) + ": the lane does not exist";
          return;
        }
        const Node next = node(link, lane);
        wanted_.push_back(next);
        const std::uint64_t after = number_after(next);
        raise(target, state(next, choice.phase, with_level),
              in_.proof == ProofKind::some_choice_worms ? std::max(held, after) : after);
      }
    if (!target.hosts.empty() && in_.phases[in_phase].detour != none && !arrives)
      detours_.add(state(now, in_.phases[in_phase].detour, with_level), held);
    compare(target, now, held);
  }
  std::uint64_t number_after(Node n) const {
    return in_.number[n] == none ? 0 : std::uint64_t{in_.number[n]} + 1;
  }

  /// What a packet holds, with all that it wants.
  void compare(const Target& target, Node first, std::uint64_t held) {
    if (!is_channel(first) || wrong_) return;
    if (in_.proof == ProofKind::every_choice) {
      for (const Node second : wanted_)
        if (!compare_(first, second)) {
          wrong_ = about(target) + numbered(first) + " waits for " + numbered(second);
          return;
        }
      return;
    }
    bool goes_on = false, waits = false;
    for (const Node second : wanted_) {
      waits |= is_channel(second);
      goes_on |= is_channel(second) && number_after(second) > held;
    }
    if (!waits || (goes_on && in_.number[first] != none)) return;
    wrong_ = about(target) + numbered(first) + " waits for any of:";
    for (const Node second : wanted_) *wrong_ += " " + numbered(second) + ",";
    wrong_->back() = ';';
    *wrong_ += " none has a larger number than " +
               (held == 0 ? "nothing" : std::to_string(held - 1)) + ", which it may hold";
  }
  std::string about(const Target& target) const {
    return target.hosts.empty() ? "to an intermediate destination: "
                                : "to " + std::string(in_.hosts[target.hosts.front()]) + ": ";
  }

  Compare compare_;
  std::vector<Target> to_hosts_{}, to_intermediates_{};
  Joints arrivals_{};  ///< of packets at intermediate destinations: they go on to any host
  Joints detours_{};   ///< of packets on their way to any intermediate destination
  std::vector<std::uint64_t> held_{};  ///< by state of this target: one more than the greatest
                                       ///< number that is held; 1: nothing, 0: it was not seen
  std::vector<State> seen_{}, todo_{};
  std::vector<Node> wanted_{};  ///< by the packet that is looked at
  std::optional<std::string> wrong_{};
};

}  // namespace weft::verifier
