// SPDX-License-Identifier: Apache-2.0
// Paths as chains of nodes, and their collection.
#include "lab/replay/critical_path.hpp"

#include <algorithm>

namespace weft {

void PairOnPath::add(const PairOnPath& other) {
  messages += other.messages;
  bytes += other.bytes;
  time += other.time;
}

void PathTotals::add(const PathTotals& other) {
  compute += other.compute;
  library += other.library;
  lower += other.lower;
  waiting += other.waiting;
  for (std::size_t rank = 0; rank < other.at_rank.size(); ++rank)
    at_rank[rank] += other.at_rank[rank];
  for (const auto& [pair, messages] : other.pairs) pairs[pair].add(messages);
}

PairOnPath PathTotals::messages() const {
  PairOnPath out;
  for (const auto& each : pairs) out.add(each.second);
  return out;
}

CriticalPath::CriticalPath(int ranks) : ranks_(static_cast<std::size_t>(ranks)) {}

CriticalPath::PathEnd CriticalPath::here(comm::Rank rank, const RankCounts& now) {
  const RankPath& path = of(rank);
  return {rank, path.chain, path.since, now};
}

void CriticalPath::posted_send(Message message, comm::Rank from, std::uint64_t bytes,
                               const RankCounts& now, bool has_ended) {
  MessageInFlight& flight = flights_[message];
  flight.has_ended = has_ended;
  flight.sent = here(from, now);
  flight.bytes = bytes;
}

/// The cause of a long send's end is its receiver.
void CriticalPath::ended_send(Message message, comm::Rank from) {
  const auto found = flights_.find(message);
  if (found == flights_.end()) return;
  RankPath& path = of(from);
  path.has_cause = found->second.was_received;
  if (!path.has_cause) {
    found->second.has_ended = true;
    return;
  }
  path.cause = found->second.received;
  path.cause_bytes = 0;
  flights_.erase(found);
}

void CriticalPath::ended_recv(Message message, comm::Rank to, const RankCounts& now) {
  RankPath& path = of(to);
  const auto found = flights_.find(message);
  path.has_cause = found != flights_.end();
  if (!path.has_cause) return;
  MessageInFlight& flight = found->second;
  path.cause = flight.sent;
  path.cause_bytes = flight.bytes;
  flight.was_received = true;
  flight.received = here(to, now);
  if (flight.has_ended) flights_.erase(found);
}

CriticalPath::PathNode CriticalPath::own_work(const PathEnd& end) {
  const RankItems items = items_between(end.since, end.now);
  return {.before = end.chain,
          .rank = end.rank,
          .compute = items.compute,
          .library = items.library,
          .lower = items.lower,
          .waiting = items.total - items.compute - items.library - items.lower};
}

void CriticalPath::waited(comm::Rank rank, const RankCounts& now) {
  RankPath& path = of(rank);
  if (!path.has_cause) return;
  PathNode node = own_work(path.cause);
  node.to = rank;
  node.message = {1, path.cause_bytes, now.at - path.cause.now.at};
  if (nodes_.size() >= collect_at_) {
    // What the new node refers to must survive: it is an end, too.
    collect();
    node.before = path.cause.chain;
  }
  path.chain = static_cast<NodeId>(nodes_.size());
  path.since = now;
  nodes_.push_back(node);
}

void CriticalPath::restart(comm::Rank rank, const RankCounts& now) {
  of(rank).chain = none;
  of(rank).since = now;
}

void CriticalPath::add_to(PathTotals& totals, const PathNode& node, bool with_message) const {
  totals.compute += node.compute;
  totals.library += node.library;
  totals.lower += node.lower;
  totals.waiting += node.waiting;
  totals.at_rank[static_cast<std::size_t>(node.rank)] +=
      node.compute + node.library + node.lower + node.waiting;
  if (with_message) totals.pairs[{node.rank, node.to}].add(node.message);
}

PathTotals CriticalPath::path_to(comm::Rank rank, const RankCounts& now) const {
  PathTotals out{.at_rank = std::vector<Duration>(ranks_.size())};
  const RankPath& path = ranks_[static_cast<std::size_t>(rank)];
  add_to(out, own_work({rank, path.chain, path.since, now}), false);
  for (NodeId id = path.chain; id != none; id = nodes_[id].before) {
    add_to(out, nodes_[id], true);
    if (const auto beginning = beginnings_.find(id); beginning != beginnings_.end())
      out.add(beginning->second);
  }
  return out;
}

// --- collection ---------------------------------------------------------------------------------

/// All chains that something still refers to.
std::vector<CriticalPath::NodeId*> CriticalPath::ends() {
  std::vector<NodeId*> out;
  for (RankPath& path : ranks_) {
    out.push_back(&path.chain);
    out.push_back(&path.cause.chain);
  }
  for (auto& [message, flight] : flights_) {
    out.push_back(&flight.sent.chain);
    out.push_back(&flight.received.chain);
  }
  return out;
}

/// Drops nodes that no path has, and moves the others together.
void CriticalPath::collect() {
  std::vector<NodeId> places(nodes_.size(), none);
  const std::vector<NodeId*> roots = ends();
  for (const NodeId* end : roots)
    for (NodeId id = *end; id != none && places[id] == none; id = nodes_[id].before) places[id] = 0;
  NodeId kept = 0;
  std::unordered_map<NodeId, PathTotals> beginnings;
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    if (places[id] == none) continue;
    places[id] = kept;
    PathNode node = nodes_[id];
    if (node.before != none) node.before = places[node.before];
    if (const auto found = beginnings_.find(id); found != beginnings_.end())
      beginnings.emplace(kept, std::move(found->second));
    nodes_[kept++] = node;
  }
  nodes_.resize(kept);
  beginnings_ = std::move(beginnings);
  for (NodeId* end : roots)
    if (*end != none) *end = places[*end];
  fold_common_beginnings();
  collect_at_ = std::max(std::size_t{1} << 16U, 2 * nodes_.size());
}

/// Sums up nodes that only one other node refers to, from the beginnings on. They remain until the
/// next collection.
void CriticalPath::fold_common_beginnings() {
  std::vector<std::uint32_t> references(nodes_.size());
  std::vector<NodeId> after(nodes_.size(), none);
  for (const NodeId* end : ends())
    if (*end != none) references[*end] += 2;  // an end must stay
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    if (nodes_[id].before == none) continue;
    ++references[nodes_[id].before];
    after[nodes_[id].before] = id;
  }
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    if (nodes_[id].before != none || references[id] != 1) continue;
    PathTotals totals{.at_rank = std::vector<Duration>(ranks_.size())};
    if (auto found = beginnings_.extract(id)) totals = std::move(found.mapped());
    NodeId at = id;
    for (; references[at] == 1; at = after[at]) add_to(totals, nodes_[at], true);
    nodes_[at].before = none;
    beginnings_.emplace(at, std::move(totals));
  }
}

}  // namespace weft
