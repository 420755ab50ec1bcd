// SPDX-License-Identifier: Apache-2.0
// Building the dependency graph. In a destination column every source follows its route only as
// long as it finds new lanes, so pairs are not enumerated; routes that form no columns are walked,
// and where they leave choices the route set is explored.
#include "plan/check/graph/dependencies.hpp"

#include <algorithm>
#include <bit>

#include "fabric/choice_routes.hpp"
#include "fabric/route_set.hpp"
#include "fabric/turn_index.hpp"
#include "plan/check/graph/group_steps.hpp"
#include "plan/check/graph/rooted.hpp"
#include "plan/check/survey.hpp"

namespace weft {
namespace {

using LaneSet = std::uint64_t;
using Edges = std::vector<DependencyGraph::Edge>;

constexpr LaneSet only(unsigned lane) { return lane < 64 ? LaneSet{1} << lane : 0; }

class Collector {
 public:
  Collector(const Fabric& fabric, const Tables& tables)
      : fabric_(fabric),
        tables_(tables),
        turns_(fabric),
        lanes_of_turn_(turns_.size(), 0),
        traffic_(fabric, tables, Lids::all),
        rooted_(fabric, tables) {
    turn_lanes_ = std::get_if<TurnLanes>(&tables.lanes);
    service_ = std::get_if<ServiceLanes>(&tables.lanes);
    existing_ =
        tables.lane_count >= 64 ? ~LaneSet{0} : only(static_cast<unsigned>(tables.lane_count)) - 1;
    mask_.assign(fabric.switch_count(), 0);
    no_injection_.assign(fabric.channel_count(), 0);
    if (turn_lanes_ != nullptr) find_injection();
  }

  std::optional<Refused> columns(const DestinationTables& next);
  void mapped_columns(const DestinationTables& next);
  std::optional<Refused> routes();
  std::optional<Refused> choices();
  std::optional<Refused> candidates();
  void groups();
  Edges edges();
  RootedGroups& rooted() { return rooted_; }

 private:
  LaneOp op(ChannelId in, ChannelId out) const {
    if (turn_lanes_ == nullptr) return LaneOp::keep();
    return turn_lanes_->at(fabric_.to(in), fabric_.in_port(in), fabric_.out_port(out));
  }
  LaneSet after(ChannelId in, ChannelId out, LaneSet lanes);
  LaneSet injected(ColumnId column, SwitchId s, ChannelId out) const;
  void find_injection();
  void follow(std::span<const PortNumber> next, ChannelId in, LaneSet lanes);
  void arrive(Hop last, LinkEnd at, const std::vector<HostId>& hosts);
  void lost(SwitchId at, PortNumber in, PortNumber out);
  void add_edge(Hop first, Hop second) {
    const auto lanes = static_cast<std::size_t>(tables_.lane_count);
    extra_.push_back({LaneChannel(first.channel.index() * lanes + first.lane),
                      LaneChannel(second.channel.index() * lanes + second.lane)});
  }
  void tidy();

  const Fabric& fabric_;
  const Tables& tables_;
  const TurnLanes* turn_lanes_ = nullptr;
  const ServiceLanes* service_ = nullptr;
  LaneSet existing_ = 0;
  TurnIndex turns_;
  /// For every turn the in-lanes on which packets make it; the out-lane follows from the three.
  std::vector<LaneSet> lanes_of_turn_;
  /// For every turn and in-lane the out-lanes, where these follow from the service level as well.
  std::vector<LaneSet> lanes_after_turn_;
  Traffic traffic_;
  RootedGroups rooted_;
  const std::vector<HostId>* aim_ = nullptr;        ///< the hosts of the column that is followed
  IdVector<SwitchId, LaneSet> mask_;                ///< lanes on which packets leave a switch
  IdVector<ChannelId, LaneSet> injection_;          ///< lanes on which hosts of its switch enter it
  IdVector<ChannelId, std::uint8_t> no_injection_;  ///< some host has no lane to enter it on
  std::vector<DependencyGraph::Edge> extra_;        ///< of groups, walked routes and choices
  std::size_t tidy_at_ = 1 << 20;
  std::optional<Refused> problem_;
};

/// In-port 0 means a host's port.
void Collector::lost(SwitchId at, PortNumber in, PortNumber out) {
  if (problem_) return;
  problem_ = Refused{fmt::format(
      "switch \"{}\": a packet from {} to port {} needs a lane that is not among the {} of the "
      "tables",
      fabric_[at].name, in == 0 ? "a host" : fmt::format("port {}", in), out, tables_.lane_count)};
}

LaneSet Collector::after(ChannelId in, ChannelId out, LaneSet lanes) {
  const LaneOp turn = op(in, out);
  if (turn == LaneOp::keep()) return lanes;
  LaneSet next = 0;
  bool all_exist = true;
  for (LaneSet left = lanes; left != 0; left &= left - 1) {
    const LaneSet lane = only(turn(static_cast<unsigned>(std::countr_zero(left)))) & existing_;
    all_exist = all_exist && lane != 0;
    next |= lane;
  }
  if (!all_exist) lost(fabric_.to(in), fabric_.in_port(in), fabric_.out_port(out));
  return next;
}

void Collector::find_injection() {
  injection_.assign(fabric_.channel_count(), 0);
  for (SwitchId s : fabric_.switches())
    for (HostId h : traffic_.sources[s])
      for (ChannelId out : fabric_.out(s)) {
        const LaneOp start = turn_lanes_->at(s, fabric_[h].port, fabric_.out_port(out));
        const LaneSet lane = only(start(0)) & existing_;
        injection_[out] |= lane;
        if (lane == 0) no_injection_[out] = 1;
      }
}

LaneSet Collector::injected(ColumnId column, SwitchId s, ChannelId out) const {
  if (turn_lanes_ != nullptr) return injection_[out];
  if (service_ == nullptr) return 1;
  if (!service_->by_host) return only(service_->level[column][s.index()]) & existing_;
  LaneSet lanes = 0;
  for (HostId h : fabric_.hosts_on(s)) lanes |= only(service_->level[column][h.index()]);
  return lanes & existing_;
}

std::optional<Refused> Collector::columns(const DestinationTables& next) {
  struct Injection {
    SwitchId at;
    ChannelId out{};
    LaneSet lanes = 0;
  };
  std::vector<Injection> starts;
  for (SwitchId s : fabric_.switches())
    if (!fabric_.hosts_on(s).empty()) starts.push_back({s});
  for (ColumnId column : next.ids()) {
    if (traffic_.to[column.index()].empty()) continue;
    const auto ports = next[column];
    aim_ = &traffic_.to[column.index()];
    std::fill(mask_.begin(), mask_.end(), 0);
    for (Injection& start : starts) {
      start.out = fabric_.channel_at(start.at, ports[start.at.index()]);
      start.lanes = start.out.valid() ? injected(column, start.at, start.out) : 0;
      mask_[start.at] = start.lanes;
      if (start.out.valid() && (start.lanes == 0 || no_injection_[start.out] != 0))
        lost(start.at, 0, fabric_.out_port(start.out));
    }
    // A switch follows the lanes that it injects itself; packets that pass follow only other lanes.
    for (const Injection& start : starts) follow(ports, start.out, start.lanes);
  }
  return problem_;
}

void Collector::follow(std::span<const PortNumber> next, ChannelId in, LaneSet lanes) {
  while (lanes != 0) {
    const SwitchId at = fabric_.to(in);
    const ChannelId out = fabric_.channel_at(at, next[at.index()]);
    if (!out.valid()) {
      for (; lanes != 0 && rooted_.any(); lanes &= lanes - 1)
        arrive({in, static_cast<Lane>(std::countr_zero(lanes))}, {at, next[at.index()]}, *aim_);
      return;
    }
    lanes_of_turn_[turns_(in, out)] |= lanes;
    if (turn_lanes_ != nullptr) lanes = after(in, out, lanes);
    lanes &= ~mask_[at];
    mask_[at] |= lanes;
    in = out;
  }
}

/// Where lanes follow from in-port, out-port and level, packets at the same lane of a channel with
/// the same level continue alike.
void Collector::mapped_columns(const DestinationTables& next) {
  const auto lanes = static_cast<std::size_t>(tables_.lane_count);
  const auto levels = static_cast<std::size_t>(service_->map->levels);
  lanes_after_turn_.assign(turns_.size() * lanes, 0);
  std::vector<ColumnId> seen_by(fabric_.channel_count() * lanes * levels);
  for (ColumnId column : next.ids()) {
    if (traffic_.to[column.index()].empty()) continue;
    const auto ports = next[column];
    for (HostId from : fabric_.hosts()) {
      const unsigned level = service_->of(fabric_, column, from);
      SwitchId at = fabric_[from].on;
      PortNumber in = fabric_[from].port;
      for (Hop last{};;) {
        const PortNumber port = ports[at.index()];
        const ChannelId out = fabric_.channel_at(at, port);
        if (!out.valid()) {
          if (last.channel.valid()) arrive(last, {at, port}, traffic_.to[column.index()]);
          break;
        }
        const Lane lane = (*service_->map)(at, fabric_[at], in, port, level);
        if (last.channel.valid())
          lanes_after_turn_[turns_(last.channel, out) * lanes + last.lane] |= only(lane);
        ColumnId& seen = seen_by[(out.index() * lanes + lane) * levels + level];
        if (seen == column) break;
        seen = column;
        last = {out, lane};
        at = fabric_.to(out);
        in = fabric_.in_port(out);
      }
    }
  }
}

/// Circuits may hold the links to hosts, so packets wait for those, too: that of the port, whoever
/// is there, or that of the destination.
void Collector::arrive(Hop last, LinkEnd at, const std::vector<HostId>& hosts) {
  const HostId by_port = at.port == here ? HostId::none() : fabric_.at_port(at.on, at.port).host;
  if (by_port.valid() && rooted_.deliver_to(by_port)) add_edge(last, link_to(fabric_, by_port));
  if (at.port != here) return;
  for (HostId host : hosts)
    if (fabric_[host].on == at.on && rooted_.deliver_to(host))
      add_edge(last, link_to(fabric_, host));
}

std::optional<Refused> Collector::routes() {
  Walker walk(fabric_, tables_);
  for (std::size_t column = 0; column < traffic_.to.size(); ++column) {
    const auto& hosts = traffic_.to[column];
    if (hosts.empty()) continue;
    for (const auto& sources : traffic_.sources)
      for (HostId from : sources) {
        const Walk& w = walk(from, hosts.front(), ColumnId(column));
        if (w.end == RouteEnd::no_lane) lost(w.at, 0, w.port);
        for (std::size_t i = 1; i < w.hops.size(); ++i) add_edge(w.hops[i - 1], w.hops[i]);
        if (!w.hops.empty()) arrive(w.hops.back(), {w.at, w.port}, hosts);
      }
    tidy();
  }
  return problem_;
}

/// A packet holds the channel it came by and may request any of those it may take.
std::optional<Refused> Collector::choices() {
  RouteSet route_set(fabric_, tables_);
  const auto& routes = std::get<SourceRoutes>(tables_.paths);
  for (const auto& hosts : traffic_.to) {
    if (hosts.empty()) continue;
    route_set.aim(hosts.front());
    for (const auto& sources : traffic_.sources)
      for (HostId from : sources) route_set.start(from);
    route_set.explore();
    for (const RouteSet::Index i : route_set.order()) {
      const RouteSet::RouteNode& node = route_set[i];
      if (node.end == RouteEnd::no_lane) {
        const Walk w = route_set.worst(i);
        lost(w.at, 0, w.port);
      }
      if (!node.by.valid()) continue;
      const Hop first{node.by, static_cast<Lane>(node.position.lane)};
      for (const RouteSet::NextHop& hop : route_set.next_hops(node))
        add_edge(first, {hop.by, hop.lane});
      if (!rooted_.any()) continue;
      if (node.tags.empty())
        arrive(first, {node.position.at, here}, hosts);
      else
        for (const PortNumber port : routes.ports(node.tags.front()))
          arrive(first, {node.position.at, port}, hosts);
    }
    tidy();
  }
  return problem_;
}

/// The same of choice tables. A packet that changes its phase holds what it came by, so the steps
/// from an intermediate destination on are those of packets that join there.
std::optional<Refused> Collector::candidates() {
  ChoiceRoutes routes(fabric_, tables_, ChoiceRoutes::FollowedLids::all);
  const auto lanes = static_cast<std::size_t>(tables_.lane_count);
  lanes_after_turn_.assign(turns_.size() * lanes, 0);
  for (std::size_t aim = 0; aim < routes.aims().size(); ++aim) {
    routes.explore(aim);
    for (const ChoiceRoutes::Position& position : routes.positions()) {
      if (position.end == RouteEnd::no_lane)
        lost(position.at, position.by.valid() ? fabric_.in_port(position.by) : PortNumber{0},
             position.port);
      if (!position.by.valid()) continue;
      for (const ChoiceRoutes::ChoiceHop& hop : routes.next_hops(position))
        lanes_after_turn_[turns_(position.by, hop.by) * lanes + position.lane] |= only(hop.lane);
      if (position.delivers)
        arrive({position.by, position.lane}, {position.at, here}, routes.aims()[aim].hosts);
    }
  }
  return problem_;
}

void Collector::tidy() {
  if (extra_.size() < tidy_at_) return;
  std::sort(extra_.begin(), extra_.end());
  extra_.erase(std::unique(extra_.begin(), extra_.end()), extra_.end());
  tidy_at_ = std::max(tidy_at_, 2 * extra_.size());
}

void Collector::groups() {
  for (const Group& group : tables_.groups) {
    if (group.root) continue;
    for_each_step(fabric_, tables_, group, [&](Hop in, Hop out) {
      if (in.channel.valid()) add_edge(in, out);
    });
    for_each_arrival(fabric_, tables_, group, [&](Hop in, HostId host) {
      if (rooted_.deliver_to(host)) add_edge(in, link_to(fabric_, host));
    });
  }
}

Edges Collector::edges() {
  Edges all = std::move(extra_);
  const auto lanes = static_cast<std::size_t>(tables_.lane_count);
  for (ChannelId in : fabric_.channels())
    for (ChannelId out : fabric_.out(fabric_.to(in))) {
      for (std::size_t lane = 0; !lanes_after_turn_.empty() && lane < lanes; ++lane)
        for (LaneSet left = lanes_after_turn_[turns_(in, out) * lanes + lane]; left != 0;
             left &= left - 1)
          all.push_back(
              {LaneChannel(in.index() * lanes + lane),
               LaneChannel(out.index() * lanes + static_cast<unsigned>(std::countr_zero(left)))});
      for (LaneSet left = lanes_of_turn_[turns_(in, out)]; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        const unsigned next = op(in, out)(lane);
        if (next < lanes)
          all.push_back(
              {LaneChannel(in.index() * lanes + lane), LaneChannel(out.index() * lanes + next)});
      }
    }
  return all;
}

}  // namespace

DependencyGraph::DependencyGraph(std::size_t channels, int lanes, std::vector<Edge> edges)
    : lanes_(static_cast<std::size_t>(lanes)), begin_(channels * lanes_ + 1, 0) {
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  for (const Edge& edge : edges) {
    ++begin_[edge.from.index() + 1];
    to_.push_back(edge.to);
  }
  for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
}

std::variant<DependencyGraph, Refused> dependencies(const Fabric& fabric, const Tables& tables) {
  Collector collector(fabric, tables);
  const auto* next = std::get_if<DestinationTables>(&tables.paths);
  const auto* service = std::get_if<ServiceLanes>(&tables.lanes);
  std::optional<Refused> problem;
  if (next != nullptr && service != nullptr && service->map)
    collector.mapped_columns(*next);
  else if (next != nullptr)
    problem = collector.columns(*next);
  else if (std::holds_alternative<ChoiceTables>(tables.paths))
    problem = collector.candidates();
  else
    problem = leave_choices(tables) ? collector.choices() : collector.routes();
  if (problem) return *problem;
  RootedGroups& rooted = collector.rooted();
  if (rooted.problem()) return *rooted.problem();
  collector.groups();
  Edges edges = collector.edges();
  const auto lanes = static_cast<std::size_t>(tables.lane_count);
  const auto hop = [&](LaneChannel n) {
    return Hop{ChannelId(n.index() / lanes), static_cast<Lane>(n.index() % lanes)};
  };
  const auto node = [&](Hop h) { return LaneChannel(h.channel.index() * lanes + h.lane); };
  for (const auto& edge : edges) rooted.add_step(hop(edge.from), hop(edge.to));
  rooted.for_each_wait([&](const Group&, Hop first, Hop second) {
    edges.push_back({node(first), node(second)});
  });
  const std::size_t hosts = rooted.any() ? fabric.host_count() : 0;
  return DependencyGraph(fabric.channel_count() + hosts, tables.lane_count, std::move(edges));
}

}  // namespace weft
