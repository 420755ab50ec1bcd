// SPDX-License-Identifier: Apache-2.0
// Paths as chains of nodes, and their collection.
#include "lab/path/critical_path.hpp"

#include <algorithm>

namespace weft {

void PairOnPath::add(const PairOnPath& other) {
  messages += other.messages;
  bytes += other.bytes;
  time += other.time;
}

void PathTotals::add(const PathTotals& other) {
  *this += other;
  for (const auto& [rank, time] : other.at_rank) at_rank[rank] += time;
  for (const auto& [pair, messages] : other.pairs) pairs[pair].add(messages);
}

PairOnPath PathTotals::messages() const {
  PairOnPath out;
  for (const auto& each : pairs) out.add(each.second);
  return out;
}

Duration PathTotals::length() const { return sum() + messages().time; }

PathTotals PathTotals::numbered_from(comm::Rank first) const {
  PathTotals out = *this;
  out.at_rank.clear();
  out.pairs.clear();
  for (const auto& [rank, time] : at_rank) out.at_rank[rank - first] = time;
  for (const auto& [pair, messages] : pairs)
    out.pairs[{pair.first - first, pair.second - first}] = messages;
  return out;
}

CriticalPath::CriticalPath(int ranks, std::size_t moments)
    : ranks_(static_cast<std::size_t>(ranks)) {
  if (moments > 0) history_.emplace(ranks, moments);
}

CriticalPath::PathEnd CriticalPath::here(comm::Rank rank, const RankCounts& now) {
  const RankPath& path = of(rank);
  return {rank, path.chain, path.since, now};
}

// --- messages -----------------------------------------------------------------------------------

/// A step that follows another hangs on that one's arrival, unless the rank had something else to
/// do then, or had not yet posted its receive: then it hangs on what the rank did. The time of a
/// NIC that sends it by itself is the network's.
void CriticalPath::left(const comm::MessageStep& step, const RankCounts& now) {
  passes(step.from(), now);
  const bool follows = step.answers || step.step == comm::ProtocolStep::data;
  if (!follows) flights_.try_emplace(step.message);
  const auto found = flights_.find(step.message);
  if (found == flights_.end()) return;
  MessageInFlight& flight = found->second;
  StepOnPath& cause = step.answers ? flight.to_receiver : flight.to_sender;
  const bool hangs_on_it = follows && cause.has_arrived && (step.by_nic || cause.found_idle) &&
                           step.wanted <= cause.arrived.at;
  if (hangs_on_it && step.by_nic) cause.arrived = now;
  const PathEnd left = hangs_on_it
                           ? PathEnd{step.from(), path_to_arrival(cause), cause.arrived, now}
                           : here(step.from(), now);
  (step.to_sender() ? flight.to_sender : flight.to_receiver) = {.step = step, .left = left};
}

/// A NIC that matches messages hands them over after they have arrived: they are on the network
/// until then, unless their receive was posted meanwhile.
void CriticalPath::arrived(const comm::MessageStep& step, const RankCounts& now, bool finds_idle) {
  passes(step.to(), now);
  const auto found = flights_.find(step.message);
  if (found == flights_.end()) return;
  StepOnPath& at = step.to_sender() ? found->second.to_sender : found->second.to_receiver;
  const bool handed_over = step.by_nic && step.wanted <= at.arrived.at;
  if (at.has_arrived && !handed_over) return;
  at.arrived = now;
  at.has_arrived = true;
  at.found_idle = finds_idle;
}

/// A send ends when its receiver has said that it has read the data; when it is acknowledged, until
/// when the message is on its path; or when its data are copied, which is its rank's own work.
void CriticalPath::ended_send(Message message, comm::Rank from, const RankCounts& now) {
  passes(from, now);
  RankPath& path = of(from);
  path.has_cause = false;
  const auto found = flights_.find(message);
  if (found == flights_.end()) return;
  const MessageInFlight& flight = found->second;
  const bool was_read = flight.to_sender.step.step == comm::ProtocolStep::done;
  if (was_read) {
    set_cause(from, flight.to_sender);
  } else {
    StepOnPath acknowledged = flight.to_receiver;
    acknowledged.arrived = now;
    acknowledged.has_arrived = true;
    acknowledged.found_idle = now.at > acknowledged.left.now.at;
    set_cause(from, acknowledged);
  }
  one_ends(message);
}

void CriticalPath::ended_recv(Message message, comm::Rank to) {
  of(to).has_cause = false;
  const auto found = flights_.find(message);
  if (found == flights_.end()) return;
  set_cause(to, found->second.to_receiver);
  one_ends(message);
}

void CriticalPath::set_cause(comm::Rank rank, const StepOnPath& step) {
  RankPath& path = of(rank);
  path.cause = step;
  path.has_cause = step.has_arrived && step.found_idle;
}

void CriticalPath::one_ends(Message message) {
  const auto found = flights_.find(message);
  if (found->second.one_has_ended)
    flights_.erase(found);
  else
    found->second.one_has_ended = true;
}

void CriticalPath::waited(comm::Rank rank, comm::Time since) {
  RankPath& path = of(rank);
  if (!path.has_cause || path.cause.arrived.at <= since) return;
  path.chain = path_to_arrival(path.cause);
  path.since = path.cause.arrived;
}

void CriticalPath::begun_beside(const comm::Op& work, comm::Rank rank, const RankCounts& now) {
  beside_[&work] = here(rank, now);
}

void CriticalPath::ended_beside(const comm::Op& work) {
  const auto begin = beside_.extract(&work);
  if (begin.empty()) return;
  RankPath& path = of(begin.mapped().rank);
  path.chain = begin.mapped().chain;
  path.since = begin.mapped().since;
}

// --- chains -------------------------------------------------------------------------------------

CriticalPath::PathNode CriticalPath::own_work(const PathEnd& end) {
  return {.before = end.chain,
          .sender = end.rank,
          .receiver = end.rank,
          .work = work_between(end.since, end.now),
          .end = end.now.at};
}

/// Appends the path to where a step has come. It must be one that ends() knows, since what it
/// refers to must survive a collection.
CriticalPath::NodeId CriticalPath::path_to_arrival(const StepOnPath& step) {
  if (nodes_.size() >= collect_at_) collect();
  PathNode node = own_work(step.left);
  node.sender = step.step.sender;
  node.receiver = step.step.receiver;
  node.answers = step.step.answers;
  node.has_data = step.step.has_data();
  node.message = step.step.message;
  node.bytes = step.step.bytes;
  node.end = step.arrived.at;
  node.network = node.end - step.left.now.at;
  nodes_.push_back(node);
  return static_cast<NodeId>(nodes_.size() - 1);
}

/// The rank's own work before the section becomes a node of its own, so that a path that begins
/// there need not guess what the work was.
void CriticalPath::section_begins(comm::Rank rank, const RankCounts& now) {
  passes(rank, now);
  if (section_begins_.empty() || section_begins_.back() != now.at)
    section_begins_.push_back(now.at);
  if (nodes_.size() >= collect_at_) collect();
  nodes_.push_back(own_work(here(rank, now)));
  of(rank).chain = static_cast<NodeId>(nodes_.size() - 1);
  of(rank).since = now;
}

void CriticalPath::section_ends(comm::Rank rank, const RankCounts& now) {
  passes(rank, now);
  of(rank).section = here(rank, now);
}

/// The part of a node after a time. Of work that is cut, all kinds are taken to be spread evenly.
CriticalPath::PathNode CriticalPath::part_after(const PathNode& node, comm::Time from) {
  if (from <= node.begin()) return node;
  PathNode out = node;
  const Duration rest = std::max(Duration{0}, node.end - from);
  out.network = std::min(node.network, rest);
  const Duration own = rest - out.network;
  const auto share = [&](Duration part) {
    if (own.count() == 0) return Duration{0};
    return Duration(static_cast<std::int64_t>(static_cast<__int128>(part.count()) * own.count() /
                                              node.work.sum().count()));
  };
  out.work = {share(node.work.compute), share(node.work.library), share(node.work.lower)};
  out.work.waiting = own - out.work.sum();
  return out;
}

void CriticalPath::add_to(PathTotals& totals, const PathNode& node) {
  totals += node.work;
  const Duration own = node.work.sum();
  if (own.count() > 0) totals.at_rank[node.rank()] += own;
  if (node.has_data || node.network.count() > 0)
    totals.pairs[{node.sender, node.receiver}].add(
        {node.has_data ? 1U : 0U, node.has_data ? node.bytes : 0, node.network});
}

PathTotals CriticalPath::path_of_section(comm::Rank rank, comm::Time begin) const {
  PathTotals out;
  const PathEnd& end = ranks_[static_cast<std::size_t>(rank)].section;
  add_to(out, part_after(own_work(end), begin));
  for (NodeId id = end.chain; id != none && nodes_[id].end > begin; id = nodes_[id].before) {
    add_to(out, part_after(nodes_[id], begin));
    const auto folded = beginnings_.find(id);
    if (folded == beginnings_.end()) continue;
    for (const FoldedNodes& each : folded->second.sums) {
      const comm::Time from = each.until == 0 ? comm::Time{} : section_begins_[each.until - 1];
      if (from >= begin) out.add(each.totals);
    }
  }
  return out;
}

// --- collection ---------------------------------------------------------------------------------

/// All chains that something still refers to.
std::vector<CriticalPath::NodeId*> CriticalPath::ends() {
  std::vector<NodeId*> out;
  for (RankPath& path : ranks_) {
    out.push_back(&path.chain);
    out.push_back(&path.cause.left.chain);
    out.push_back(&path.section.chain);
  }
  for (auto& [message, flight] : flights_) {
    out.push_back(&flight.to_receiver.left.chain);
    out.push_back(&flight.to_sender.left.chain);
  }
  for (auto& [work, begin] : beside_) out.push_back(&begin.chain);
  return out;
}

/// Drops nodes that no path has, and moves the others together.
void CriticalPath::collect() {
  std::vector<NodeId> places(nodes_.size(), none);
  const std::vector<NodeId*> roots = ends();
  for (const NodeId* end : roots)
    for (NodeId id = *end; id != none && places[id] == none; id = nodes_[id].before) places[id] = 0;
  NodeId kept = 0;
  std::unordered_map<NodeId, FoldedBeginning> beginnings;
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

/// Adds a node to those that are summed up, apart before and after every beginning of a section: a
/// path may begin there.
void CriticalPath::fold(FoldedBeginning& folded, PathNode node) const {
  if (history_ && node.end <= history_->until()) folded.nodes.push_back(node);
  auto next = std::upper_bound(section_begins_.begin(), section_begins_.end(), node.begin());
  const auto add = [&](const PathNode& part) {
    const auto until = static_cast<std::size_t>(next - section_begins_.begin());
    if (folded.sums.empty() || folded.sums.back().until != until)
      folded.sums.push_back({until, {}});
    add_to(folded.sums.back().totals, part);
  };
  for (; next != section_begins_.end() && *next < node.end; ++next) {
    const PathNode rest = part_after(node, *next);
    node.work -= rest.work;
    node.network -= rest.network;
    node.has_data = false;
    add(node);
    node = rest;
  }
  add(node);
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
    FoldedBeginning folded;
    if (auto found = beginnings_.extract(id)) folded = std::move(found.mapped());
    NodeId at = id;
    for (; references[at] == 1; at = after[at]) fold(folded, nodes_[at]);
    nodes_[at].before = none;
    beginnings_.emplace(at, std::move(folded));
  }
}

}  // namespace weft
