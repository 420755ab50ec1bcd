// SPDX-License-Identifier: Apache-2.0
// Destinations of two tables, and the steps of packets that meet entries and lanes of both.
#include "plan/difference/mixed_tables.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "plan/check/survey.hpp"

namespace weft {
namespace {

/// How many service levels packets of the tables may have.
std::size_t levels_of(const Tables& tables) {
  const auto* service = std::get_if<ServiceLanes>(&tables.lanes);
  if (service == nullptr) return 1;
  return static_cast<std::size_t>(service->map ? service->map->levels : tables.lane_count);
}

/// Whether switches give packets of the same level the same lanes.
bool have_same_rules(const Tables& a, const Tables& b) {
  if (std::holds_alternative<OneLane>(a.lanes) && std::holds_alternative<OneLane>(b.lanes))
    return true;
  if (a.lanes.index() != b.lanes.index() || a.lane_count != b.lane_count) return false;
  if (const auto* service = std::get_if<ServiceLanes>(&a.lanes))
    return service->map == std::get<ServiceLanes>(b.lanes).map;
  return a.lanes == b.lanes;
}

bool have_destination_tables(const Tables& tables) {
  return std::holds_alternative<DestinationTables>(tables.paths);
}

}  // namespace

MixedTables::MixedTables(const Fabric& fabric, const Tables& before, const Tables& after)
    : fabric_(fabric),
      tables_{&before, &after},
      mix_(have_destination_tables(before) && have_destination_tables(after)),
      same_rules_(have_same_rules(before, after)),
      lanes_(static_cast<std::size_t>(std::max(before.lane_count, after.lane_count))),
      levels_(std::max(levels_of(before), levels_of(after))),
      seen_(fabric.channel_count() * lanes_ * levels_ * 2, 0) {
  for (const Tables* tables : tables_)
    for (const auto& hosts : Traffic(fabric, *tables, Lids::first).sources)
      sources_.insert(sources_.end(), hosts.begin(), hosts.end());
  std::sort(sources_.begin(), sources_.end());
  sources_.erase(std::unique(sources_.begin(), sources_.end()), sources_.end());
}

std::vector<MixedDestination> MixedTables::destinations() {
  std::map<HostLid, std::array<ColumnId, 2>> by_lid;
  std::map<SwitchId, std::array<ColumnId, 2>> by_switch;
  for (const std::size_t t : {0U, 1U}) {
    for (HostId h : fabric_.hosts()) by_lid[{h, 0}][t] = tables_[t]->to_host[h];
    for (const auto& [host, lid, column] : tables_[t]->further) by_lid[{host, lid}][t] = column;
    for (SwitchId s : tables_[t]->to_switch.ids()) by_switch[s][t] = tables_[t]->to_switch[s];
  }
  std::vector<MixedDestination> out;
  std::map<std::tuple<std::array<ColumnId, 2>, SwitchId, HostId>, std::size_t> places;
  for (const auto& [lid, columns] : by_lid) {
    MixedDestination to{columns, fabric_[lid.host].on, {}, {}};
    aim(to);
    // A column that names a port at its last switch is, there, right for one host only.
    const bool is_shared = !mix_ || ((next_[0].empty() || port(0, to.last) == here) &&
                                     (next_[1].empty() || port(1, to.last) == here));
    const HostId alone = is_shared ? HostId::none() : lid.host;
    const auto [place, first] = places.insert({{columns, to.last, alone}, out.size()});
    if (first) out.push_back(std::move(to));
    out[place->second].lids.push_back(lid);
  }
  // Tables without columns to switches leave those of others as they are.
  for (const auto& [on, columns] : by_switch)
    if (columns[1].valid()) out.push_back({columns, on, {}, {}});
  for (MixedDestination& to : out) {
    aim(to);
    if (mix_) to.changed = differing();
  }
  return out;
}

void MixedTables::aim(const MixedDestination& to) {
  to_ = &to;
  marked_ = {false, false};
  for (const std::size_t t : {0U, 1U})
    next_[t] = mix_ && to.column[t].valid()
                   ? std::get<DestinationTables>(tables_[t]->paths)[to.column[t]]
                   : std::span<const PortNumber>{};
}

/// At the last switch a port to the host and `here` are the same.
std::vector<SwitchId> MixedTables::differing() const {
  if (std::equal(next_[0].begin(), next_[0].end(), next_[1].begin(), next_[1].end())) return {};
  std::vector<SwitchId> out;
  const auto resolved = [&](std::size_t t, SwitchId s) {
    const PortNumber entry = port(t, s);
    return entry == here && s == to_->last && !to_->lids.empty()
               ? fabric_[to_->lids.front().host].port
               : entry;
  };
  for (SwitchId s : fabric_.switches())
    if (port(0, s) != port(1, s) && resolved(0, s) != resolved(1, s)) out.push_back(s);
  return out;
}

/// Switches with hosts need no search.
bool MixedTables::on_route(std::size_t table, SwitchId at) {
  if (to_->lids.empty() || !fabric_.hosts_on(at).empty()) return true;
  std::vector<bool>& reached = on_route_[table];
  if (!marked_[table]) {
    reached.assign(fabric_.switch_count(), false);
    for (SwitchId from : fabric_.switches()) {
      if (fabric_.hosts_on(from).empty()) continue;
      for (SwitchId s = from; !reached[s.index()];) {
        reached[s.index()] = true;
        const ChannelId out = out_channel(table, s);
        if (!out.valid()) break;
        s = fabric_.to(out);
      }
    }
    marked_[table] = true;
  }
  return reached[at.index()];
}

bool MixedTables::lanes_differ() const {
  if (!same_rules_) return true;
  if (levels_ == 1) return false;
  return std::any_of(sources_.begin(), sources_.end(), [&](HostId from) {
    const auto [one, two] = levels_from(from);
    return one != two;
  });
}

bool MixedTables::changes() const {
  return !to_->changed.empty() || lanes_differ() || (!mix_ && source_routes_differ());
}

bool MixedTables::source_routes_differ() const {
  const auto route = [&](std::size_t t, SwitchId from) {
    return to_->column[t].valid()
               ? std::get<SourceRoutes>(tables_[t]->paths).route(to_->column[t], from)
               : std::nullopt;
  };
  for (SwitchId from : fabric_.switches()) {
    const auto one = route(0, from), two = route(1, from);
    if (one.has_value() != two.has_value()) return true;
    if (one && !std::equal(one->begin(), one->end(), two->begin(), two->end())) return true;
  }
  return false;
}

std::array<unsigned, 2> MixedTables::levels_from(HostId from) const {
  std::array<unsigned, 2> out{0, 0};
  for (std::size_t t = 0; t < 2; ++t)
    if (const auto* service = std::get_if<ServiceLanes>(&tables_[t]->lanes);
        service != nullptr && to_->column[t].valid())
      out[t] = service->of(fabric_, to_->column[t], from);
  return out;
}

/// Packets that hosts send: by old or by new levels, and where the order does not matter either on
/// old routes with old levels or on new routes.
void MixedTables::start(Mixing mixing) {
  ++search_;
  queue_.clear();
  const bool every_order = mixing == Mixing::every_order;
  for (HostId from : sources_) {
    const LinkEnd in{fabric_[from].on, fabric_[from].port};
    const auto levels = levels_from(from);
    const bool same = levels[0] == levels[1];
    const auto send = [&](std::size_t table, std::uint8_t phase) {
      queue_.push_back(
          {in, {}, levels[table], same ? std::nullopt : std::optional(table), phase, phase});
    };
    send(0, 0);
    if (!same && !every_order) send(1, 0);
    if (every_order) send(0, 1);
    if (!same && every_order) send(1, 1);
  }
}

bool MixedTables::may_take(const MixedPacket& packet, std::uint8_t table, Mixing mixing) {
  if (mixing == Mixing::any) return true;
  if (packet.phase == 1) return table == 1;
  return table == 0 || on_route(1, packet.in.on);
}

/// The lane that a switch with the lanes of one of the tables gives a packet.
std::size_t MixedTables::lane_after(std::size_t rule, const MixedPacket& packet,
                                    ChannelId out) const {
  const LinkEnd in = packet.in;
  const PortNumber port = fabric_.out_port(out);
  const Tables& tables = *tables_[rule];
  if (const auto* turns = std::get_if<TurnLanes>(&tables.lanes))
    return turns->at(in.on, in.port, port)(packet.by.lane);
  const auto* service = std::get_if<ServiceLanes>(&tables.lanes);
  if (service == nullptr) return 0;
  if (packet.level >= levels_of(tables)) return lanes_;  // it drops such packets
  return service->map ? (*service->map)(in.on, fabric_[in.on], in.port, port, packet.level)
                      : packet.level;
}

bool MixedTables::come_once(ChannelId channel) {
  std::uint32_t& seen = seen_[channel.index()];
  return std::exchange(seen, search_) != search_;
}

void MixedTables::come(const MixedPacket& packet) {
  const std::size_t node = packet.by.channel.index() * lanes_ + packet.by.lane;
  std::uint32_t& seen = seen_[(node * levels_ + packet.level) * 2 + packet.phase];
  if (seen == search_) return;
  seen = search_;
  queue_.push_back(packet);
}

}  // namespace weft
