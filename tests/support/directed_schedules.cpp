// SPDX-License-Identifier: Apache-2.0
// From states that wait for each other to packets: the way of each from a host is searched.
#include "support/directed_schedules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <regex>

#include "fabric/builder.hpp"
#include "plan/check/choice/blocked_set.hpp"
#include "plan/check/choice/table_states.hpp"
#include "plan/check/choice/worms.hpp"

namespace weft::test {
namespace {

using StateId = WaitingStates::StateId;
constexpr sim::Cycle hop_cycles = 40;

/// A packet for a host goes over lanes, one after the other, and holds the last ones.
struct DirectedPacket {
  HostId to{};
  std::vector<Hop> lanes{};  ///< those at the end may be wanted only
  std::size_t crossed = 0;
};

class PacketPlanner {
 public:
  PacketPlanner(const Fabric& fabric, const Tables& tables)
      : all_(fabric, tables),
        states_(all_.states()),
        before_(states_.size(), WaitingStates::no_state) {
    std::deque<StateId> todo;
    for (StateId s = 0; s < states_.size(); ++s)
      if (!states_.lane(s).valid()) todo.push_back(s);
    for (; !todo.empty(); todo.pop_front())
      for (const StateId next : states_.candidates(todo.front()))
        if (before_[next] == WaitingStates::no_state) {
          before_[next] = todo.front();
          todo.push_back(next);
        }
  }

  /// Those that an elimination has left over, of which the packets of a plan hold some.
  LaneSet blocked_lanes() const {
    LaneSet out;
    for (const StateId s : eliminate(states_).blocked) out.emplace(hop(s).channel, hop(s).lane);
    return out;
  }

  std::vector<DirectedPacket> plan(const Fabric& fabric, const Tables& tables, WaitKind waiting) {
    if (waiting == WaitKind::commit) {
      const DeadlockVerdict verdict = deadlock(fabric, tables, waiting);
      const auto* cycle = std::get_if<DependencyCycle>(&verdict);
      if (cycle != nullptr) add_committed(*cycle);
    } else if (waiting == WaitKind::cut_through) {
      for (const StateId s : small_blocked_set(states_, eliminate(states_))) add({s});
    } else {
      const WormVerdict verdict = judge_worms(states_, static_cast<std::size_t>(tables.lane_count));
      if (const auto* blocked = std::get_if<BlockedWorms>(&verdict))
        for (const Worm& worm : blocked->worms) add(worm);
    }
    return packets_;
  }

 private:
  Hop hop(StateId s) const { return all_.hop(states_.lane(s)); }

  DirectedPacket& add(const Worm& worm) {
    DirectedPacket& packet = packets_.emplace_back();
    for (StateId s = before_[worm.front()]; states_.lane(s).valid(); s = before_[s])
      packet.lanes.insert(packet.lanes.begin(), hop(s));
    for (const StateId s : worm) packet.lanes.push_back(hop(s));
    packet.crossed = packet.lanes.size();
    packet.to = all_.packet(worm.back()).to;
    return packet;
  }
  /// Each commits itself to the lane of the next, as all other lanes that it could have are taken
  /// by others just then.
  void add_committed(const DependencyCycle& cycle) {
    LaneSet taken;
    std::vector<StateId> waits;
    for (std::size_t i = 0; i < cycle.waits.size(); ++i) {
      const ChannelWait& wait = cycle.waits[i];
      const ChannelWait& next = cycle.waits[(i + 1) % cycle.waits.size()];
      const StateId s = state_between({wait.channel, wait.lane}, {next.channel, next.lane});
      if (s == WaitingStates::no_state) continue;
      add({s}).lanes.push_back({next.channel, next.lane});
      taken.emplace(wait.channel, wait.lane);
      waits.push_back(s);
    }
    for (const StateId s : waits)
      for (const StateId other : states_.candidates(s))
        if (taken.emplace(hop(other).channel, hop(other).lane).second) add_filler(hop(other));
  }
  StateId state_between(Hop holds, Hop wants) const {
    for (StateId s = 0; s < states_.size(); ++s)
      if (states_.lane(s).valid() && before_[s] != WaitingStates::no_state && hop(s) == holds)
        for (const StateId next : states_.candidates(s))
          if (hop(next) == wants) return s;
    return WaitingStates::no_state;
  }
  void add_filler(Hop lane) {
    for (StateId s = 0; s < states_.size(); ++s)
      if (states_.lane(s).valid() && hop(s) == lane && before_[s] != WaitingStates::no_state &&
          !states_.lane(before_[s]).valid()) {
        add({s});
        return;
      }
  }

  TableStates all_;
  const WaitingStates& states_;
  std::vector<StateId> before_;  ///< by state: one that leads there from a host
  std::vector<DirectedPacket> packets_;
};

/// Adds the hosts of packets and their columns, in which the lanes of the packet come first.
class WorldBuilder {
 public:
  WorldBuilder(const Fabric& fabric, const Tables& tables)
      : fabric_(fabric),
        tables_(tables),
        choices_(std::get<ChoiceTables>(tables.paths)),
        builder_(fabric.name() + ", directed") {
    for (const SwitchId s : fabric.switches()) {
      Switch copy = fabric[s];
      copy.ports = 0;
      builder_.add_switch(copy);
    }
    for (const HostId h : fabric.hosts()) builder_.add_host(fabric[h]);
    for (const LinkId l : fabric.links()) builder_.add_link(fabric[l]);
  }

  /// Returns its source and its destination.
  std::pair<HostId, HostId> add(const DirectedPacket& packet) {
    const HostId from = add_host(fabric_.from(packet.lanes.front().channel));
    add_columns([](ColumnId) { return ColumnId::none(); }, packet.to);
    const HostId to = add_host(fabric_[packet.to].on);
    std::map<ColumnId, ColumnId> copies;
    add_columns(
        [&](ColumnId column) {
          const auto [found, is_new] = copies.try_emplace(column);
          if (is_new) found->second = copy(column, packet.lanes);
          return found->second;
        },
        packet.to);
    return {from, to};
  }
  DirectedWorld build() && {
    tables_.paths = choices_;
    return {std::move(builder_).build(), tables_, ""};
  }

 private:
  HostId add_host(SwitchId on) {
    return builder_.add_host(
        {fmt::format("directed{}", builder_.host_count()), on, 0, fabric_[HostId(0)].wire});
  }
  template <class Column>
  void add_columns(Column column, HostId like) {
    const auto add = [&](IdVector<HostId, ColumnId>& to_host) {
      to_host.push_back(to_host[like].valid() ? column(to_host[like]) : ColumnId::none());
    };
    add(tables_.to_host);
    for (Phase& phase : choices_.phases)
      if (!phase.to_host.empty()) add(phase.to_host);
  }
  ColumnId copy(ColumnId column, const std::vector<Hop>& lanes) {
    std::vector<ChoiceTables::Entry> row(choices_.next[column].begin(),
                                         choices_.next[column].end());
    for (std::size_t s = 0; s < row.size(); ++s) {
      if (row[s] >= choices_.set_count()) continue;
      const auto set = choices_.candidates(row[s]);
      std::vector<Candidate> preferred(set.begin(), set.end());
      for (Candidate& candidate : preferred) {
        const auto found = std::find_if(lanes.begin(), lanes.end(), [&](const Hop& lane) {
          return fabric_.from(lane.channel) == SwitchId(s) &&
                 fabric_.out_port(lane.channel) == candidate.port &&
                 (candidate.lane == lane.lane || candidate.lane == Candidate::by_lanes);
        });
        candidate.preference = static_cast<std::uint8_t>(found - lanes.begin());
      }
      row[s] = choices_.add(preferred);
    }
    return choices_.next.push_back(row);
  }

  const Fabric& fabric_;
  Tables tables_;
  ChoiceTables choices_;
  FabricBuilder builder_;
};

}  // namespace

std::string switches_that_wait(const Tables& tables, WaitKind waiting) {
  return fmt::format("iq:lanes={},latency={},choice={},{}", tables.lane_count, hop_cycles,
                     waiting == WaitKind::commit ? "commit" : "any",
                     waiting == WaitKind::wormhole ? "buffer=2" : "buffer=8,switching=cut_through");
}

std::optional<DirectedWorld> directed_deadlock(const Fabric& fabric, const Tables& tables,
                                               WaitKind waiting) {
  PacketPlanner planner(fabric, tables);
  const auto packets = planner.plan(fabric, tables, waiting);
  if (packets.empty()) return {};
  WorldBuilder builder(fabric, tables);
  std::size_t longest = 0;
  for (const DirectedPacket& packet : packets) longest = std::max(longest, packet.crossed);
  Script script;
  for (const DirectedPacket& packet : packets) {
    const auto [from, to] = builder.add(packet);
    script.push_back(
        {(longest - packet.crossed) * hop_cycles,
         {.from = from, .to = to, .flits = waiting == WaitKind::wormhole ? 200U : 8U}});
  }
  DirectedWorld out = std::move(builder).build();
  out.switches = switches_that_wait(tables, waiting);
  out.script = script;
  out.lanes = planner.blocked_lanes();
  return out;
}

LaneSet lanes_of(const Fabric& fabric, const std::string& explanation) {
  static const std::regex form(R"(in (\w+) \(in-port (\d+), lane (\d+)\))");
  LaneSet out;
  for (std::sregex_iterator at(explanation.begin(), explanation.end(), form), end; at != end;
       ++at) {
    const SwitchId on = *fabric.find_switch((*at)[1].str());
    const auto port = static_cast<PortNumber>(std::stoi((*at)[2].str()));
    for (const ChannelId c : fabric.channels())
      if (fabric.to(c) == on && fabric.in_port(c) == port)
        out.emplace(c, static_cast<Lane>(std::stoi((*at)[3].str())));
  }
  return out;
}

}  // namespace weft::test
