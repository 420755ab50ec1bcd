// SPDX-License-Identifier: Apache-2.0
// The order in which a NIC sends packets.
#include "sim/hosts/dispatcher.hpp"

#include "sim/hosts/host_model.hpp"  // what NicModel makes

namespace weft::sim {

std::uint32_t Dispatcher::add(FlowId flow, Connection connection, bool urgent) {
  const std::size_t level = urgent ? 0 : 1;
  const auto place = static_cast<std::uint32_t>(known_.size());
  known_.push_back({flow, connection, urgent, pacers_[level].add(), Duration{0}});
  paced_[level].push_back(place);
  return place;
}

void Dispatcher::set_interval(std::uint32_t place, Duration interval, Duration now) {
  Known& known = known_[place];
  known.interval = interval;
  const auto parts = static_cast<__int128>(interval.count()) * Pacer::Interval::tick /
                     static_cast<__int128>(tick_.count());
  pacers_[known.urgent ? 0 : 1].set_interval(known.paced, {static_cast<std::uint64_t>(parts)},
                                             ticks(now));
}

void Dispatcher::wake(std::uint32_t place, Duration now) {
  const Known& known = known_[place];
  const std::size_t level = known.urgent ? 0 : 1;
  if (schedule_ == Schedule::by_rate) {
    pacers_[level].wake(known.paced, ticks(now));
    return;
  }
  std::deque<std::uint32_t>& flows = rounds_[level].flows[known.connection];
  if (flows.empty()) rounds_[level].connections.push_back(known.connection);
  flows.push_back(place);
}

std::optional<Dispatcher::FlowId> Dispatcher::next(Duration now) {
  for (const std::size_t level : {0U, 1U}) {
    if (schedule_ == Schedule::by_rate) {
      if (const auto flow = pacers_[level].due(ticks(now)))
        return known_[paced_[level][*flow]].flow;
    } else if (Rounds& rounds = rounds_[level]; !rounds.connections.empty()) {
      return known_[rounds.flows[rounds.connections.front()].front()].flow;
    }
  }
  return std::nullopt;
}

void Dispatcher::sent(std::uint32_t place, Duration now, bool ends_message, bool ends_flow) {
  const Known& known = known_[place];
  const std::size_t level = known.urgent ? 0 : 1;
  if (schedule_ == Schedule::by_rate) {
    pacers_[level].dispatch(known.paced, ticks(now));
    if (ends_flow) pacers_[level].rest(known.paced);
    return;
  }
  if (schedule_ == Schedule::by_message && !ends_message) return;
  Rounds& rounds = rounds_[level];
  std::deque<std::uint32_t>& flows = rounds.flows[known.connection];
  flows.pop_front();
  if (!ends_flow) flows.push_back(place);
  rounds.connections.pop_front();
  if (!flows.empty()) rounds.connections.push_back(known.connection);
}

std::optional<Duration> Dispatcher::due(Duration now) {
  if (schedule_ != Schedule::by_rate) {
    const bool any = !rounds_[0].connections.empty() || !rounds_[1].connections.empty();
    return any ? std::optional(now) : std::nullopt;
  }
  std::optional<Duration> earliest;
  for (Pacer& pacer : pacers_)
    if (const auto wait = pacer.wait(ticks(now))) {
      const Duration at =
          *wait == 0 ? now : (now / tick_ + static_cast<std::int64_t>(*wait)) * tick_;
      if (!earliest || at < *earliest) earliest = at;
    }
  return earliest;
}

}  // namespace weft::sim
