// SPDX-License-Identifier: Apache-2.0
// Packets are looked for among all states that any can be in.
#include "support/blocked_packets.hpp"

#include <algorithm>
#include <set>

#include "plan/check/choice/table_states.hpp"

namespace weft::test {
namespace {

using StateId = WaitingStates::StateId;
using Lanes = std::set<std::pair<std::size_t, int>>;

Lanes as_set(const std::vector<Hop>& hops) {
  Lanes out;
  for (const Hop& hop : hops) out.emplace(hop.channel.index(), hop.lane);
  return out;
}

class PossiblePackets {
 public:
  PossiblePackets(const Fabric& fabric, const Tables& tables) : all_(fabric, tables) {}

  /// Whether some packet comes over these lanes, one after the other, and then has these choices.
  bool have(const BlockedPacket& packet) const {
    std::vector<StateId> heads;
    for (StateId s = 0; s < states().size(); ++s)
      if (stands_in(s, packet.holds.front())) heads.push_back(s);
    for (std::size_t i = 1; i < packet.holds.size(); ++i) {
      std::vector<StateId> further;
      for (const StateId s : heads)
        for (const StateId next : states().candidates(s))
          if (stands_in(next, packet.holds[i])) further.push_back(next);
      heads = further;
    }
    return std::any_of(heads.begin(), heads.end(),
                       [&](StateId s) { return wanted(s) == as_set(packet.wants); });
  }
  /// Whether packets of one lane each, in some of these, can block each other.
  bool may_block(Lanes lanes) const {
    for (std::size_t before = lanes.size() + 1; before != lanes.size();) {
      before = lanes.size();
      std::erase_if(lanes, [&](const auto& lane) {
        for (StateId s = 0; s < states().size(); ++s) {
          if (!stands_in(s, {ChannelId(lane.first), static_cast<Lane>(lane.second)})) continue;
          const Lanes wants = wanted(s);
          if (!wants.empty() &&
              std::includes(lanes.begin(), lanes.end(), wants.begin(), wants.end()))
            return false;
        }
        return true;
      });
    }
    return !lanes.empty();
  }

 private:
  const WaitingStates& states() const { return all_.states(); }
  bool stands_in(StateId s, const Hop& lane) const {
    return states().lane(s).valid() && all_.hop(states().lane(s)) == lane;
  }
  Lanes wanted(StateId s) const {
    Lanes out;
    for (const StateId next : states().candidates(s)) {
      const Hop hop = all_.hop(states().lane(next));
      out.emplace(hop.channel.index(), hop.lane);
    }
    return out;
  }

  TableStates all_;
};

/// Whether some of the packets are blocked without the others.
bool block_alone(std::vector<BlockedPacket> packets) {
  for (std::size_t before = packets.size() + 1; before != packets.size();) {
    before = packets.size();
    Lanes held;
    for (const BlockedPacket& packet : packets) held.merge(as_set(packet.holds));
    std::erase_if(packets, [&](const BlockedPacket& packet) {
      const Lanes wants = as_set(packet.wants);
      return !std::includes(held.begin(), held.end(), wants.begin(), wants.end());
    });
  }
  return !packets.empty();
}

}  // namespace

BlockedPackets blocked_packets(const DeadlockVerdict& verdict) {
  if (const auto* blocked = std::get_if<BlockedPackets>(&verdict)) return *blocked;
  BlockedPackets out;
  const auto* cycle = std::get_if<DependencyCycle>(&verdict);
  if (cycle == nullptr || !cycle->by_any_choice) return out;
  for (std::size_t i = 0; i < cycle->waits.size(); ++i) {
    const ChannelWait& wait = cycle->waits[i];
    const ChannelWait& next = cycle->waits[(i + 1) % cycle->waits.size()];
    out.packets.push_back({{{wait.channel, wait.lane}},
                           {{next.channel, next.lane}},
                           wait.from,
                           wait.to,
                           wait.lid,
                           wait.group});
  }
  return out;
}

std::optional<std::string> not_blocked(const Fabric& fabric, const Tables& tables,
                                       const BlockedPackets& blocked) {
  if (blocked.packets.empty()) return "there are no packets";
  const PossiblePackets possible(fabric, tables);
  const std::vector<std::string> lines = blocked.describe(fabric);
  Lanes held;
  std::size_t lanes = 0;
  for (std::size_t i = 0; i < blocked.packets.size(); ++i) {
    const BlockedPacket& packet = blocked.packets[i];
    held.merge(as_set(packet.holds));
    lanes += packet.holds.size();
    if (packet.wants.empty()) return "it wants nothing: " + lines[i];
    if (packet.from.valid() == !packet.group.empty()) return "whose is it? " + lines[i];
    if (!possible.have(packet)) return "no packet is like this: " + lines[i];
  }
  if (held.size() != lanes) return "packets share a lane";
  if (!block_alone(blocked.packets)) return "some packet can go on";
  for (std::size_t i = 0; i < blocked.packets.size(); ++i) {
    std::vector<BlockedPacket> others = blocked.packets;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    if (block_alone(others)) return "it is not needed: " + lines[i];
  }
  if (lanes > blocked.packets.size()) return {};
  for (const auto& lane : held) {
    Lanes others = held;
    others.erase(lane);
    if (possible.may_block(others)) return "fewer lanes would do";
  }
  return {};
}

}  // namespace weft::test
