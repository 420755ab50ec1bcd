// SPDX-License-Identifier: Apache-2.0
// A packet to a destination is a state: its switch, phase and column. States are expanded by what
// ChoiceTables says, one destination after the other.
#include "support/choice_routes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "fabric/distances.hpp"
#include "fabric/walk.hpp"

namespace weft::test {
namespace {

struct ChoiceState {
  SwitchId at{};
  PhaseId phase = 0;
  ColumnId column{};
  friend auto operator<=>(const ChoiceState&, const ChoiceState&) = default;
};

struct ChoiceStep {
  ChannelId channel{};
  Lane lane = 0;
  ChoiceState state{};
};

/// The packets to one host.
class PacketsTo {
 public:
  PacketsTo(const Fabric& fabric, const Tables& tables, HostId to)
      : fabric_(fabric), tables_(tables), choices_(std::get<ChoiceTables>(tables.paths)), to_(to) {}

  ChoiceState in_phase(SwitchId at, PhaseId phase) const {
    return arrived({at, phase, column_of(tables_, choices_, phase, to_)});
  }
  ChoiceState by(SwitchId at, PhaseId phase, ColumnId column) const {
    return arrived({at, phase, column});
  }
  /// In the next phase where an intermediate destination is reached.
  ChoiceState arrived(ChoiceState state) const {
    const Phase& phase = choices_.phases[state.phase];
    if (!phase.to_intermediate || entry(state) != ChoiceTables::at_end) return state;
    return {state.at, phase.next, column_of(tables_, choices_, phase.next, to_)};
  }
  /// A state and, where it may take a detour, those on all of them.
  std::vector<ChoiceState> with_detours(const ChoiceState& state) const {
    std::vector<ChoiceState> out{state};
    const auto detour = choices_.phases[state.phase].detour;
    if (!detour || entry(state) == ChoiceTables::at_end) return out;
    for (const ColumnId column : choices_.intermediates.columns)
      out.push_back(by(state.at, *detour, column));
    return out;
  }
  std::vector<ChoiceState> starts(SwitchId from) const {
    std::vector<ChoiceState> out;
    for (const PhaseId start : choices_.starts) {
      if (!choices_.phases[start].to_intermediate) {
        out.push_back(in_phase(from, start));
        continue;
      }
      for (const ColumnId column : choices_.intermediates.columns)
        out.push_back(by(from, start, column));
    }
    return out;
  }
  ChoiceTables::Entry entry(const ChoiceState& state) const {
    return state.column.valid() ? choices_.next[state.column][state.at.index()]
                                : ChoiceTables::no_route;
  }
  bool ended(const ChoiceState& state) const { return entry(state) == ChoiceTables::at_end; }
  std::vector<ChoiceStep> next(const ChoiceState& state) const {
    std::vector<ChoiceStep> out;
    if (entry(state) == ChoiceTables::no_route) return out;
    for (const Candidate& c : choices_.candidates(entry(state))) {
      const ChannelId channel = fabric_.channel_at(state.at, c.port);
      if (!channel.valid()) return {};
      ChoiceState after{fabric_.to(channel), c.phase, state.column};
      if (!choices_.phases[c.phase].to_intermediate)
        after.column = column_of(tables_, choices_, c.phase, to_);
      out.push_back({channel, c.lane, arrived(after)});
    }
    return out;
  }
  bool at_destination(const ChoiceState& state) const { return state.at == fabric_[to_].on; }
  std::string describe(const ChoiceState& state) const {
    return fmt::format("to {}: at {} in phase {}, column {}", fabric_[to_].name,
                       fabric_[state.at].name, state.phase, state.column.index());
  }

 private:
  const Fabric& fabric_;
  const Tables& tables_;
  const ChoiceTables& choices_;
  HostId to_;
};

using HeldLane = std::pair<ChannelId, Lane>;

/// Routes to one host, depth first: what they are, and what blocks what.
class RoutesTo {
 public:
  RoutesTo(const PacketsTo& packets, AllowedRoutes& out,
           std::map<HeldLane, std::set<HeldLane>>& blocks)
      : packets_(packets), out_(out), blocks_(blocks) {}

  void follow_from(const ChoiceState& start) {
    for (const ChoiceState& state : packets_.with_detours(start))
      out_.longest = std::max(out_.longest, follow(state));
  }

 private:
  static constexpr std::size_t open = ~std::size_t{0};

  /// The longest way to go; what leaves a state is blocked by what the next one may take.
  std::size_t follow(const ChoiceState& state) {
    if (packets_.ended(state)) {
      if (!packets_.at_destination(state)) complain(state, "ends elsewhere");
      return 0;
    }
    const auto [known, is_new] = length_.try_emplace(state, open);
    if (!is_new) {
      if (known->second == open) complain(state, "loop");
      return known->second == open ? 0 : known->second;
    }
    const auto all = packets_.next(state);
    if (all.empty()) complain(state, "no route");
    std::size_t length = 0;
    for (const ChoiceStep& next : all) {
      auto& waits_for = blocks_[{next.channel, next.lane}];
      for (const ChoiceState& then : packets_.with_detours(next.state)) {
        length = std::max(length, follow(then) + 1);
        if (packets_.ended(then)) continue;
        for (const ChoiceStep& later : packets_.next(then))
          waits_for.insert({later.channel, later.lane});
      }
    }
    return length_[state] = length;
  }
  void complain(const ChoiceState& state, std::string_view what) {
    if (out_.wrong.empty()) out_.wrong = fmt::format("{}: {}", what, packets_.describe(state));
  }

  const PacketsTo& packets_;
  AllowedRoutes& out_;
  std::map<HeldLane, std::set<HeldLane>>& blocks_;
  std::map<ChoiceState, std::size_t> length_;
};

/// How many are left when those that nobody waits for are removed again and again, and likewise
/// those that wait for nobody.
std::size_t left_in_circles(std::map<HeldLane, std::set<HeldLane>> blocks) {
  for (bool changed = true; changed;) {
    changed = false;
    std::set<HeldLane> named;
    for (const auto& [from, to] : blocks) named.insert(to.begin(), to.end());
    for (auto it = blocks.begin(); it != blocks.end();) {
      std::erase_if(it->second, [&](const HeldLane& c) { return blocks.count(c) == 0; });
      const bool free = it->second.empty() || named.count(it->first) == 0;
      it = free ? blocks.erase(it) : std::next(it);
      changed = changed || free;
    }
  }
  return blocks.size();
}

/// Whether the rule lets packets draw an intermediate destination.
class DrawRule {
 public:
  DrawRule(const Fabric& fabric, const ChoiceTables& choices)
      : fabric_(fabric), all_(choices.intermediates), choices_(choices) {
    if (all_.rule == IntermediateRule::between)
      for (const SwitchId s : fabric.switches()) distance_.push_back(distances(fabric, s));
  }
  bool allows(ColumnId column, SwitchId from, SwitchId to) const {
    for (const SwitchId s : fabric_.switches())
      if (choices_.next[column][s.index()] == ChoiceTables::at_end) return allows(s, from, to);
    return false;
  }

 private:
  std::uint32_t region(SwitchId s) const {
    return all_.region.empty() ? static_cast<std::uint32_t>(s.index()) : all_.region[s];
  }
  bool allows(SwitchId by, SwitchId from, SwitchId to) const {
    switch (all_.rule) {
      case IntermediateRule::any:
      case IntermediateRule::up_to_last:
        return true;
      case IntermediateRule::elsewhere:
        return region(by) != region(from) && region(by) != region(to);
      case IntermediateRule::between:
        return distance_[from.index()][by] + distance_[by.index()][to] ==
               distance_[from.index()][to];
      case IntermediateRule::aligned:
        for (std::size_t d = 0; d < fabric_[by].at.size(); ++d)
          if (fabric_[from].at[d] == fabric_[to].at[d] && fabric_[by].at[d] != fabric_[to].at[d])
            return false;
        return true;
    }
    return false;
  }

  const Fabric& fabric_;
  const Intermediates& all_;
  const ChoiceTables& choices_;
  std::vector<IdVector<SwitchId, std::uint32_t>> distance_;
};

/// States after those that lead to them.
void in_order(const PacketsTo& packets, const ChoiceState& state, std::set<ChoiceState>& seen,
              std::vector<ChoiceState>& out) {
  if (!seen.insert(state).second) return;
  if (!packets.ended(state))
    for (const ChoiceStep& next : packets.next(state)) in_order(packets, next.state, seen, out);
  out.push_back(state);
}

}  // namespace

AllowedRoutes allowed_routes(const Fabric& fabric, const Tables& tables) {
  AllowedRoutes out;
  std::map<HeldLane, std::set<HeldLane>> blocks;
  for (const SwitchId on : fabric.switches()) {
    if (fabric.hosts_on(on).empty()) continue;
    const PacketsTo packets(fabric, tables, fabric.hosts_on(on).front());
    RoutesTo routes(packets, out, blocks);
    for (const SwitchId from : fabric.switches())
      if (!fabric.hosts_on(from).empty())
        for (const ChoiceState& start : packets.starts(from)) routes.follow_from(start);
  }
  out.lane_channels = blocks.size();
  out.in_circles = left_in_circles(std::move(blocks));
  return out;
}

IdVector<ChannelId, double> packets_on_channels(
    const Fabric& fabric, const Tables& tables,
    const std::function<double(SwitchId from, SwitchId to)>& packets_between) {
  const auto& choices = std::get<ChoiceTables>(tables.paths);
  const DrawRule rule(fabric, choices);
  IdVector<ChannelId, double> out(fabric.channel_count(), 0);
  for (const SwitchId to : fabric.switches()) {
    if (fabric.hosts_on(to).empty()) continue;
    const PacketsTo packets(fabric, tables, fabric.hosts_on(to).front());
    std::map<ChoiceState, double> number;
    for (const SwitchId from : fabric.switches()) {
      const double sent = fabric.hosts_on(from).empty() ? 0 : packets_between(from, to);
      if (sent == 0) continue;
      for (const PhaseId start : choices.starts) {
        const double share = sent / static_cast<double>(choices.starts.size());
        if (!choices.phases[start].to_intermediate) {
          number[packets.in_phase(from, start)] += share;
          continue;
        }
        std::vector<ColumnId> drawn;
        for (const ColumnId column : choices.intermediates.columns)
          if (rule.allows(column, from, to)) drawn.push_back(column);
        for (const ColumnId column : drawn)
          number[packets.by(from, start, column)] += share / static_cast<double>(drawn.size());
      }
    }
    std::set<ChoiceState> seen;
    std::vector<ChoiceState> order;
    for (const auto& [state, count] : number) in_order(packets, state, seen, order);
    for (auto state = order.rbegin(); state != order.rend(); ++state) {
      if (packets.ended(*state)) continue;
      const auto all = packets.next(*state);
      const double each = number[*state] / static_cast<double>(all.size());
      for (const ChoiceStep& next : all) {
        out[next.channel] += each;
        number[next.state] += each;
      }
    }
  }
  return out;
}

}  // namespace weft::test
