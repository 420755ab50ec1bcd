// SPDX-License-Identifier: Apache-2.0
// Follows the packets of choice tables. What a packet may hold is passed on from an intermediate
// destination to all hosts that it may go to from there, until nothing more can be held.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>

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
    held_.assign(in_.number.size() * in_.phases.size() * levels(), 0);
    for (bool more = true; more && !wrong_;) {
      more = false;
      for (const Target& target : targets_) more |= follow(target);
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
  /// By state one more than the greatest number that is held; 0: nothing is.
  using Joints = std::unordered_map<State, std::uint64_t>;

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
        const auto [found, fresh] = known.emplace(key, targets_.size());
        if (fresh) targets_.push_back(target);
        targets_[found->second].hosts.push_back(host);
      }
    for (const Index column : in_.intermediates)
      targets_.push_back({IndexList(in_.phases.size(), column), none, {}});
  }

  /// The states of packets to a target that begin at hosts, or join from other targets.
  void begin(const Target& target) {
    const std::size_t hosts_first = targets_.size() - in_.intermediates.size();
    for (from_ = 0; from_ < in_.hosts.size(); ++from_)
      for (std::size_t to = 0; to < hosts_first; ++to) {
        if (!target.hosts.empty() && &targets_[to] != &target) continue;
        const TableColumn& column = in_.columns[targets_[to].level_column];
        if (starts_alike(from_, column)) continue;
        const Index with_level = level_of(from_, column);
        for (std::size_t i = 0; i < in_.starts.size(); ++i) {
          const bool is_of_level = i == std::min<std::size_t>(with_level, in_.starts.size() - 1);
          if (in_.start_by_level && !is_of_level) continue;
          const TablePhase& start = in_.phases[in_.starts[i]];
          if (start.to_intermediates == target.hosts.empty())
            raise(target, state(node(from_, 0), in_.starts[i], with_level), 0);
          else if (start.to_intermediates)  // perhaps none can be drawn
            raise(target, state(node(from_, 0), start.next, with_level), 0);
        }
        if (!in_.by_level && target.hosts.empty()) break;  // all destinations begin alike
      }
    from_ = none;
    for (const auto& [joint, held] : target.hosts.empty() ? detours_ : arrivals_)
      raise(target, joint, held);
  }

  /// Returns whether more is known of what packets hold when they join other targets.
  bool follow(const Target& target) {
    for (const State s : seen_) held_[s] = 0;
    seen_.clear();
    more_ = false;
    begin(target);
    while (!todo_.empty() && !wrong_) {
      const State s = todo_.back();
      todo_.pop_back();
      go_on(target, s);
    }
    todo_.clear();
    return more_;
  }
  /// A packet may be in a state, and hold so much. 0 marks states that were not seen: the least is
  /// 1, for nothing.
  void raise(const Target& target, State s, std::uint64_t held) {
    if (target.hosts.empty()) {
      const TablePhase& now = in_.phases[phase(s)];
      if (now.to_intermediates && in_.columns[target.columns[phase(s)]].next[at(s)] == 0)
        s = state(holds(s), now.next, level(s));
      if (!in_.phases[phase(s)].to_intermediates) return join(arrivals_, s, held);
    }
    const bool fresh = held_[s] == 0;
    if (fresh) seen_.push_back(s);
    if (!fresh && held_[s] >= held + 1) return;
    held_[s] = held + 1;
    todo_.push_back(s);
  }
  void join(Joints& joints, State s, std::uint64_t held) {
    const auto [known, fresh] = joints.emplace(s, held);
    if (!fresh && known->second >= held) return;
    known->second = held;
    more_ = true;
  }

  void go_on(const Target& target, State s) {
    const std::uint64_t held = held_[s] - 1;
    const Index column = target.columns[phase(s)];
    const Index entry = column == none ? none : in_.columns[column].next[at(s)];
    std::vector<Node> wanted;
    bool arrives = entry == 0;
    if (entry == 0)
      for (const Index host : target.hosts)
        if (in_.links[host].to == at(s)) wanted.push_back(node(host, 0));
    if (entry != none && entry != 0)
      for (const TableChoice& choice : in_.sets[entry - 1]) {
        const Index link = link_at(at(s), choice.port);
        if (link == none) continue;
        if (!is_channel(node(link, 0))) {
          wanted.push_back(node(link, 0));
          arrives |= target.hosts == IndexList{link};
          continue;
        }
        const Index lane =
            choice.lane != none ? choice.lane : lane_after(holds(s), level(s), choice.port);
        if (lane >= in_.lanes) {
          wrong_ = about(target) + words(at(s), choice.port) + ": the lane does not exist";
          return;
        }
        wanted.push_back(node(link, lane));
        const std::uint64_t then = in_.proof == 2 ? std::max(held, number_after(wanted.back()))
                                                  : number_after(wanted.back());
        raise(target, state(wanted.back(), choice.phase, level(s)), then);
      }
    if (!target.hosts.empty() && in_.phases[phase(s)].detour != none && !arrives)
      join(detours_, state(holds(s), in_.phases[phase(s)].detour, level(s)), held);
    compare(target, s, wanted, held);
  }
  std::uint64_t number_after(Node n) const {
    return in_.number[n] == none ? 0 : std::uint64_t{in_.number[n]} + 1;
  }

  void compare(const Target& target, State s, const std::vector<Node>& wanted, std::uint64_t held) {
    const Node first = holds(s);
    if (!is_channel(first) || wrong_) return;
    if (in_.proof == 0) {
      for (const Node second : wanted)
        if (!compare_(first, second)) {
          wrong_ = about(target) + numbered(first) + " waits for " + numbered(second);
          return;
        }
      return;
    }
    bool goes_on = false, waits = false;
    for (const Node second : wanted) {
      waits |= is_channel(second);
      goes_on |= is_channel(second) && number_after(second) > held;
    }
    if (!waits || (goes_on && in_.number[first] != none)) return;
    wrong_ = about(target) + numbered(first) + " waits for any of:";
    for (const Node second : wanted) *wrong_ += " " + numbered(second) + ",";
    wrong_->back() = ';';
    *wrong_ += " none has a larger number than " +
               (held == 0 ? "nothing" : std::to_string(held - 1)) + ", which it may hold";
  }
  std::string about(const Target& target) const {
    return target.hosts.empty() ? "to an intermediate destination: "
                                : "to " + std::string(in_.hosts[target.hosts.front()]) + ": ";
  }

  Compare compare_;
  std::vector<Target> targets_{};
  Joints arrivals_{}, detours_{};      ///< at intermediate destinations; where they decide
  std::vector<std::uint64_t> held_{};  ///< by state of this target
  std::vector<State> seen_{}, todo_{};
  Index from_ = 0;
  bool more_ = false;
  std::optional<std::string> wrong_{};
};

}  // namespace weft::verifier
