// SPDX-License-Identifier: Apache-2.0
// All that packets can meet while old entries are replaced by new ones, one by one: the steps of
// every packet that may be looked up, at every switch, at any moment.
#pragma once
#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "plan/difference/update_order.hpp"

namespace weft::test::updates {

using Step = std::pair<std::size_t, std::size_t>;  // of channel * lanes + lane
using Steps = std::set<Step>;

/// What a switch has for a destination from some moment on.
struct Setting {
  SwitchId on;
  PortNumber port;
  bool drained = false;  ///< all packets to the destination have gone before
};

struct Change {
  const Fabric& fabric;
  const Tables& before;
  const Tables& after;

  const Tables& tables(std::size_t t) const { return t == 0 ? before : after; }
  std::size_t lanes() const {
    return static_cast<std::size_t>(std::max(before.lane_count, after.lane_count));
  }
  ColumnId column(std::size_t t, HostLid to) const {
    if (to.lid == 0) return tables(t).to_host[to.host];
    for (const FurtherColumn& further : tables(t).further)
      if (further.host == to.host && further.lid == to.lid) return further.column;
    return ColumnId::none();
  }
  /// The port of the host itself at its switch.
  PortNumber port(std::size_t t, HostLid to, SwitchId on) const {
    const ColumnId c = column(t, to);
    if (!c.valid()) return no_port;
    const PortNumber port = std::get<DestinationTables>(tables(t).paths)[c][on.index()];
    return port == here && on == fabric[to.host].on ? fabric[to.host].port : port;
  }
  std::vector<HostLid> destinations() const {
    std::set<HostLid> out;
    for (HostId h : fabric.hosts()) out.insert({h, 0});
    for (const Tables* t : {&before, &after})
      for (const FurtherColumn& further : t->further) out.insert({further.host, further.lid});
    return {out.begin(), out.end()};
  }
};

/// Follows packets to one destination through every moment of its updates: each may be looked up,
/// at every switch, at once or after any of the updates that are left.
class Histories {
 public:
  Histories(const Change& change, HostLid to, const std::vector<Setting>& settings)
      : change_(change),
        to_(to),
        steppers_{Stepper(change.fabric, change.before), Stepper(change.fabric, change.after)} {
    moments_.push_back({});
    for (SwitchId s : change.fabric.switches()) moments_[0].port.push_back(change.port(0, to, s));
    for (const Setting& setting : settings) {
      Moment next = moments_.back();
      next.port[setting.on.index()] = setting.port;
      next.after_drain |= setting.drained;
      next.segment += setting.drained ? 1 : 0;
      moments_.push_back(std::move(next));
    }
  }
  /// Where the destination drains, those of packets that begin after that, with new levels and
  /// lanes; until then all packets have old ones.
  Steps steps(bool drains) {
    for (std::size_t m = 0; m < moments_.size(); ++m)
      for (HostId from : change_.fabric.hosts())
        for (const std::size_t t : {0U, 1U})
          if (const ColumnId c = change_.column(t, to_);
              c.valid() && (!drains || (t == 1 && moments_[m].after_drain)))
            come(m, steppers_[t].start(from, c), {});
    while (!queue_.empty()) {
      const auto [m, position, by] = queue_.back();
      queue_.pop_back();
      if (m + 1 < moments_.size() && moments_[m + 1].segment == moments_[m].segment)
        come(m + 1, position, by);
      look_up(m, position, by, drains);
    }
    return steps_;
  }
  /// Whether packets that are sent at any one moment, and fast, arrive.
  bool all_arrive(std::size_t moment) const {
    for (HostId from : change_.fabric.hosts()) {
      SwitchId at = change_.fabric[from].on;
      std::size_t hops = 0;
      for (; hops <= change_.fabric.switch_count(); ++hops) {
        const ChannelId out = change_.fabric.channel_at(at, moments_[moment].port[at.index()]);
        if (!out.valid()) break;
        at = change_.fabric.to(out);
      }
      if (at != change_.fabric[to_.host].on ||
          moments_[moment].port[at.index()] != change_.fabric[to_.host].port)
        return false;
    }
    return true;
  }
  std::size_t moments() const { return moments_.size(); }
  const std::vector<PortNumber>& end() const { return moments_.back().port; }

 private:
  struct Moment {
    std::vector<PortNumber> port;
    bool after_drain = false;
    std::size_t segment = 0;  ///< packets do not live from one to the next
  };
  void come(std::size_t moment, const PacketPosition& position, Hop by) {
    if (seen_.insert({moment, position.at, position.in, position.lane, position.level}).second)
      queue_.emplace_back(moment, position, by);
  }
  void look_up(std::size_t moment, const PacketPosition& position, Hop by, bool drains) {
    const PortNumber port = moments_[moment].port[position.at.index()];
    const ChannelId out = change_.fabric.channel_at(position.at, port);
    if (!out.valid()) return;
    for (const std::size_t rule : {0U, 1U}) {
      if (drains && rule == 0) continue;
      const auto* service = std::get_if<ServiceLanes>(&change_.tables(rule).lanes);
      if (service != nullptr && service->map &&
          position.level >= static_cast<unsigned>(service->map->levels))
        continue;
      const auto lane = steppers_[rule].lane(position, port);
      if (!lane) continue;
      const auto node = [&](Hop hop) { return hop.channel.index() * change_.lanes() + hop.lane; };
      if (by.channel.valid()) steps_.insert({node(by), node({out, *lane})});
      come(moment, steppers_[rule].over(position, out, *lane), {out, *lane});
    }
  }

  const Change& change_;
  HostLid to_;
  std::array<Stepper, 2> steppers_;
  std::vector<Moment> moments_;
  Steps steps_;
  std::set<std::tuple<std::size_t, SwitchId, PortNumber, unsigned, unsigned>> seen_;
  std::vector<std::tuple<std::size_t, PacketPosition, Hop>> queue_;
};

/// The updates for a destination, shuffled within their rounds, or altogether.
inline std::vector<Setting> settings_of(const UpdateOrder& order, HostLid to, Rng& rng,
                                        bool in_rounds = true) {
  std::vector<EntryUpdate> updates;
  for (const EntryUpdate& update : order.updates)
    if (update.to == to) updates.push_back(update);
  for (std::size_t i = updates.size(); i > 1; --i)
    std::swap(updates[i - 1], updates[rng.below(static_cast<std::uint32_t>(i))]);
  if (in_rounds)
    std::stable_sort(updates.begin(), updates.end(),
                     [](const auto& a, const auto& b) { return a.round < b.round; });
  std::vector<Setting> out;
  unsigned round = 0;
  bool cleared = false;
  for (const EntryUpdate& update : updates) {
    const bool wait = in_rounds && update.round != round &&
                      ((round == 0 && cleared) || (order.waits && update.round == order.rounds));
    cleared |= update.round == 0;
    round = update.round;
    out.push_back({update.on, update.after, wait});
  }
  return out;
}

inline bool is_drained(const UpdateOrder& order, HostLid to) {
  return std::binary_search(order.drained.begin(), order.drained.end(), to);
}

}  // namespace weft::test::updates
