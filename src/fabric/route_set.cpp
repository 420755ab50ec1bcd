// SPDX-License-Identifier: Apache-2.0
// RouteSet, node by node: every hop takes one tag.
#include "fabric/route_set.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fabric/choice_text.hpp"
#include "fabric/route_front.hpp"

namespace weft {
namespace {

/// Tags are hashed so that the first one can be taken away again: odd numbers have an inverse.
constexpr std::uint64_t hash_step = 0x9E37'79B9'7F4A'7C15;
constexpr std::uint64_t inverse(std::uint64_t odd) {
  std::uint64_t out = odd;  // right in the last 3 bits; every round doubles them
  for (int round = 0; round < 5; ++round) out *= 2 - odd * out;
  return out;
}
constexpr std::uint64_t hash_step_back = inverse(hash_step);
static_assert(hash_step * hash_step_back == 1);

}  // namespace

RouteSet::RouteSet(const Fabric& fabric, const Tables& tables)
    : fabric_(fabric),
      tables_(tables),
      routes_(std::get<SourceRoutes>(tables.paths)),
      stepper_(fabric, tables),
      known_(64, no_node) {}

void RouteSet::aim(HostId to) {
  to_ = to;
  nodes_.clear();
  next_hops_.clear();
  order_.clear();
  for (auto& places : by_length_) places.clear();
  std::fill(known_.begin(), known_.end(), no_node);
}

RouteSet::Index RouteSet::start(HostId from) {
  const ColumnId column = tables_.to_host[to_];
  if (!column.valid()) return no_node;
  const auto route = routes_.route(column, fabric_[from].on);
  return route ? start(from, column, *route) : no_node;
}

RouteSet::Index RouteSet::start(HostId from, ColumnId column, std::span<const PortNumber> tags) {
  std::uint64_t hash = 0;
  for (std::size_t i = tags.size(); i-- > 0;) hash = hash * hash_step + tags[i] + 1;
  return node_of({stepper_.start(from, column), ChannelId::none(), tags, hash});
}

bool RouteSet::goes_on_alike(const RouteNode& a, const RouteNode& b) const {
  return a.by == b.by && a.position.at == b.position.at && a.position.in == b.position.in &&
         a.position.lane == b.position.lane && a.tags_hash == b.tags_hash &&
         a.position.level == b.position.level &&
         std::equal(a.tags.begin(), a.tags.end(), b.tags.begin(), b.tags.end());
}

/// Where the node, or the next free slot, is in the hash table.
std::size_t RouteSet::slot_of(const RouteNode& node) const {
  std::uint64_t hash = node.tags_hash ^ (node.by.index() * hash_step);
  hash = (hash ^ node.position.at.index() ^ (std::uint64_t{node.position.lane} << 40U)) * hash_step;
  std::size_t slot = (hash >> 20U) & (known_.size() - 1);
  while (known_[slot] != no_node && !goes_on_alike(nodes_[known_[slot]], node))
    slot = (slot + 1) & (known_.size() - 1);
  return slot;
}

RouteSet::Index RouteSet::node_of(const RouteNode& node) {
  std::size_t slot = slot_of(node);
  if (known_[slot] != no_node) return known_[slot];
  if (2 * (nodes_.size() + 1) > known_.size()) {
    grow();
    slot = slot_of(node);
  }
  const auto index = static_cast<Index>(nodes_.size());
  known_[slot] = index;
  if (by_length_.size() <= node.tags.size()) by_length_.resize(node.tags.size() + 1);
  by_length_[node.tags.size()].push_back(index);
  nodes_.push_back(node);
  return index;
}

void RouteSet::grow() {
  known_.assign(2 * known_.size(), no_node);
  for (Index i = 0; i < nodes_.size(); ++i) known_[slot_of(nodes_[i])] = i;
}

void RouteSet::explore() {
  for (std::size_t length = by_length_.size(); length-- > 0;) {
    for (const Index node : by_length_[length]) expand(node);
    order_.insert(order_.end(), by_length_[length].begin(), by_length_[length].end());
  }
  for (std::size_t i = order_.size(); i-- > 0;) judge(nodes_[order_[i]]);
}

void RouteSet::expand(Index index) {
  const RouteNode node = nodes_[index];
  const bool over = node.tags.empty();
  const auto ports = over ? std::span(&here, 1) : routes_.ports(node.tags.front());
  const auto first = static_cast<Index>(next_hops_.size());
  RouteEnd end = ports.empty() ? RouteEnd::no_entry : RouteEnd::reached;
  PortNumber bad = no_port;
  const std::uint64_t hash = over ? 0 : (node.tags_hash - node.tags.front() - 1) * hash_step_back;
  const auto fail = [&](RouteEnd how, PortNumber port) {
    const bool worse = end == RouteEnd::reached || how == RouteEnd::no_lane;
    if (how == RouteEnd::reached || !worse || end == RouteEnd::no_lane) return;
    end = how;
    bad = port;
  };
  for (const PortNumber port : ports) {
    const ChannelId by = port == here || port == no_port
                             ? ChannelId::none()
                             : fabric_.channel_at(node.position.at, port);
    const auto lane = by.valid() ? stepper_.lane(node.position, port) : std::nullopt;
    if (!by.valid()) {
      fail(stepper_.end(to_, node.position.at, port), port);
    } else if (!lane) {
      fail(RouteEnd::no_lane, port);
    } else {
      const Index to =
          node_of({stepper_.over(node.position, by, *lane), by, node.tags.subspan(1), hash});
      next_hops_.push_back({by, *lane, to});
    }
  }
  RouteNode& out = nodes_[index];
  out.end = end;
  out.port = end == RouteEnd::reached ? here : bad;
  out.choices = static_cast<Index>(ports.size());
  out.first = first;
  out.count = static_cast<Index>(next_hops_.size()) - first;
}

/// Packets arrive from here if they do so from all nodes that may come next.
void RouteSet::judge(RouteNode& node) const {
  for (const NextHop& hop : next_hops(node)) {
    const RouteNode& next = nodes_[hop.to];
    node.hops = std::max(node.hops, next.hops + 1);
    if (node.end == RouteEnd::reached && next.end != RouteEnd::reached) {
      node.end = next.end;
      node.port = fabric_.out_port(hop.by);
    }
  }
}

Walk RouteSet::worst(Index index) const {
  Walk walk;
  for (;;) {
    const RouteNode& node = nodes_[index];
    walk.at = node.position.at;
    walk.end = node.end;
    walk.port = node.port;
    const auto next = next_hops(node);
    const auto bad = std::find_if(next.begin(), next.end(), [&](const NextHop& hop) {
      return node.end == RouteEnd::reached || fabric_.out_port(hop.by) == node.port;
    });
    if (bad == next.end()) return walk;
    walk.hops.push_back({bad->by, bad->lane});
    index = bad->to;
  }
}

namespace {

/// Fronts by the number of switches before them.
std::vector<RouteFront> fronts_of(const Fabric& fabric, HostId to, const RouteSet& routes,
                                  RouteSet::Index start) {
  const std::size_t length = routes[start].tags.size();
  std::vector<RouteFront> fronts;
  for (const RouteSet::Index i : routes.order()) {
    const RouteSet::RouteNode& node = routes[i];
    const std::size_t step = length - node.tags.size();
    if (fronts.size() <= step) fronts.resize(step + 1);
    fronts[step].at.insert(node.position.at);
    for (const RouteSet::NextHop& hop : routes.next_hops(node)) {
      fronts[step].out.insert(fabric.out_port(hop.by));
      fronts[step].lanes.insert(hop.lane);
    }
    if (node.count == 0) fronts[step].out.insert(fabric[to].port);
  }
  return fronts;
}

}  // namespace

std::string route_text(const Fabric& fabric, const Tables& tables, HostId from, HostId to) {
  if (std::holds_alternative<ChoiceTables>(tables.paths))
    return choice_route_text(fabric, tables, from, to);
  Walker walk(fabric, tables);
  const Walk& first = walk(from, to);
  if (!std::holds_alternative<SourceRoutes>(tables.paths) || !leave_choices(tables))
    return to_text(fabric, from, to, first);
  RouteSet routes(fabric, tables);
  routes.aim(to);
  const RouteSet::Index start = routes.start(from);
  if (start == RouteSet::no_node) return to_text(fabric, from, to, first);
  routes.explore();
  if (routes[start].end != RouteEnd::reached) return to_text(fabric, from, to, routes.worst(start));
  std::string out = fabric[from].name;
  for (const RouteFront& front : fronts_of(fabric, to, routes, start))
    out += " -> " + front_text(fabric, front);
  return out + " -> " + fabric[to].name;
}

std::string route_text(const Fabric& fabric, Tables tables, HostId from, FurtherLid to) {
  for (const FurtherColumn& further : tables.further)
    if (further.host == to.host && further.lid == to.lid) tables.to_host[to.host] = further.column;
  return route_text(fabric, tables, from, to.host);
}

}  // namespace weft
