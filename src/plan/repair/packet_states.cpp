// SPDX-License-Identifier: Apache-2.0
// States by lane, or by lane and service level as far as a map has them together.
#include "plan/repair/packet_states.hpp"

namespace weft {

PacketStates::PacketStates(const Fabric& fabric, const Tables& tables)
    : fabric_(fabric), of_lane_(static_cast<std::size_t>(tables.lane_count), 0) {
  turns_ = std::get_if<TurnLanes>(&tables.lanes);
  service_ = std::get_if<ServiceLanes>(&tables.lanes);
  if (service_ != nullptr && service_->map)
    number_mapped();
  else
    for (std::size_t lane = 0; lane < of_lane_.size(); ++lane)
      lane_.push_back(static_cast<Lane>(lane));
  for (std::size_t state = 0; state < lane_.size() && state < 64; ++state)
    of_lane_[lane_[state]] |= StateSet{1} << state;
}

/// Only what occurs gets a number: a level is usually mapped to few lanes.
void PacketStates::number_mapped() {
  map_ = &*service_->map;
  const auto levels = static_cast<std::size_t>(map_->levels);
  by_level_.assign(of_lane_.size() * levels, no_state);
  for (const std::vector<Lane>& lanes : map_->lane)
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      const std::size_t level = i % levels;
      if (lanes[i] >= of_lane_.size()) continue;
      std::uint8_t& state = by_level_[lanes[i] * levels + level];
      if (state != no_state || lane_.size() > 64) continue;
      state = static_cast<std::uint8_t>(lane_.size());
      lane_.push_back(lanes[i]);
      level_.push_back(static_cast<std::uint8_t>(level));
    }
}

unsigned PacketStates::turned(ChannelId in, ChannelId out, unsigned state) const {
  const SwitchId at = fabric_.to(in);
  if (turns_ != nullptr) {
    const unsigned lane = turns_->at(at, fabric_.in_port(in), fabric_.out_port(out))(state);
    return lane < lane_.size() ? lane : no_state;
  }
  const unsigned level = level_[state];
  const Lane lane = (*map_)(at, fabric_[at], fabric_.in_port(in), fabric_.out_port(out), level);
  if (lane >= of_lane_.size()) return no_state;
  return by_level_[lane * static_cast<std::size_t>(map_->levels) + level];
}

StateSet PacketStates::after_all(ChannelId in, ChannelId out, StateSet states) const {
  if (keep_lanes()) return states;
  StateSet next = 0;
  for_each_state(states, [&](unsigned state) {
    const unsigned then = turned(in, out, state);
    if (then != no_state) next |= StateSet{1} << then;
  });
  return next;
}

unsigned PacketStates::from_host(ColumnId column, HostId host, ChannelId out) const {
  const SwitchId s = fabric_[host].on;
  if (turns_ != nullptr) {
    const unsigned lane = turns_->at(s, fabric_[host].port, fabric_.out_port(out))(0);
    return lane < lane_.size() ? lane : no_state;
  }
  if (service_ == nullptr) return 0;
  const unsigned level = service_->of(fabric_, column, host);
  if (map_ == nullptr) return level < lane_.size() ? level : no_state;
  if (level >= static_cast<unsigned>(map_->levels)) return no_state;
  const Lane lane = (*map_)(s, fabric_[s], fabric_[host].port, fabric_.out_port(out), level);
  if (lane >= of_lane_.size()) return no_state;
  return by_level_[lane * static_cast<std::size_t>(map_->levels) + level];
}

std::optional<StateSet> PacketStates::injected(ColumnId column, SwitchId s, ChannelId out) const {
  const auto hosts = fabric_.hosts_on(s);
  const bool alike = keep_lanes() && (service_ == nullptr || !service_->by_host);
  StateSet states = 0;
  for (HostId host : alike && !hosts.empty() ? hosts.first(1) : hosts) {
    const unsigned state = from_host(column, host, out);
    if (state == no_state) return std::nullopt;
    states |= StateSet{1} << state;
  }
  return states;
}

}  // namespace weft
