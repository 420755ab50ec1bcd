// SPDX-License-Identifier: Apache-2.0
// Verdict on a dependency graph: number it (Kahn, 1962), or find a short cycle in what is left and
// a route behind each of its steps.
#include "plan/check/deadlock.hpp"

#include <algorithm>
#include <deque>

#include "fabric/route_set.hpp"
#include "plan/check/checks.hpp"
#include "plan/check/graph/group_steps.hpp"
#include "plan/check/graph/rooted.hpp"
#include "plan/check/survey.hpp"

namespace weft {
namespace {

/// Longest-path levels of the nodes that Kahn's algorithm removes; the others lie on or behind a
/// cycle.
struct LongestPathLevels {
  std::vector<std::uint32_t> level;
  std::vector<bool> removed;
  std::size_t left = 0;
};

LongestPathLevels levels(const DependencyGraph& graph) {
  LongestPathLevels out{std::vector<std::uint32_t>(graph.node_count(), 0),
                        std::vector<bool>(graph.node_count(), false), graph.node_count()};
  std::vector<std::uint32_t> waiting(graph.node_count(), 0);
  for (LaneChannel n : graph.nodes())
    for (LaneChannel m : graph.after(n)) ++waiting[m.index()];
  std::vector<LaneChannel> ready;
  for (LaneChannel n : graph.nodes())
    if (waiting[n.index()] == 0) ready.push_back(n);
  while (!ready.empty()) {
    const LaneChannel n = ready.back();
    ready.pop_back();
    out.removed[n.index()] = true;
    --out.left;
    for (LaneChannel m : graph.after(n)) {
      out.level[m.index()] = std::max(out.level[m.index()], out.level[n.index()] + 1);
      if (--waiting[m.index()] == 0) ready.push_back(m);
    }
  }
  return out;
}

Certificate certificate_of(const DependencyGraph& graph, const LongestPathLevels& found,
                           int lanes) {
  Certificate out{lanes, std::vector<std::uint32_t>(graph.node_count(), Certificate::unused)};
  for (LaneChannel n : graph.nodes())
    for (LaneChannel m : graph.after(n)) {
      out.number[n.index()] = found.level[n.index()];
      out.number[m.index()] = found.level[m.index()];
    }
  return out;
}

/// Strongly connected components of the nodes that are left (Tarjan, 1972, without recursion).
class StronglyConnectedComponents {
 public:
  StronglyConnectedComponents(const DependencyGraph& graph, const std::vector<bool>& removed)
      : graph_(graph),
        index_(graph.node_count(), 0),
        low_(graph.node_count(), 0),
        on_stack_(graph.node_count(), false) {
    for (LaneChannel n : graph.nodes())
      if (!removed[n.index()] && index_[n.index()] == 0) explore(n);
  }
  /// The smallest component with a cycle.
  const std::vector<LaneChannel>& smallest() const { return smallest_; }

 private:
  struct NodeVisit {
    LaneChannel node;
    std::size_t edge = 0;
  };
  void enter(LaneChannel n) {
    index_[n.index()] = low_[n.index()] = ++count_;
    stack_.push_back(n);
    on_stack_[n.index()] = true;
    frames_.push_back({n});
  }
  void explore(LaneChannel first) {
    enter(first);
    while (!frames_.empty()) {
      NodeVisit& frame = frames_.back();
      const LaneChannel n = frame.node;
      const auto next = graph_.after(n);
      if (frame.edge < next.size()) {
        const LaneChannel m = next[frame.edge++];
        if (index_[m.index()] == 0)
          enter(m);
        else if (on_stack_[m.index()])
          low_[n.index()] = std::min(low_[n.index()], index_[m.index()]);
        continue;
      }
      frames_.pop_back();
      if (!frames_.empty()) {
        std::uint32_t& above = low_[frames_.back().node.index()];
        above = std::min(above, low_[n.index()]);
      }
      if (low_[n.index()] == index_[n.index()]) close(n);
    }
  }
  void close(LaneChannel root) {
    std::vector<LaneChannel> members;
    for (LaneChannel n = LaneChannel::none(); n != root;) {
      n = stack_.back();
      stack_.pop_back();
      on_stack_[n.index()] = false;
      members.push_back(n);
    }
    if (members.size() > 1 && (smallest_.empty() || members.size() < smallest_.size()))
      smallest_ = std::move(members);
  }

  const DependencyGraph& graph_;
  std::vector<std::uint32_t> index_, low_;
  std::vector<bool> on_stack_;
  std::vector<LaneChannel> stack_;
  std::vector<NodeVisit> frames_;
  std::vector<LaneChannel> smallest_;
  std::uint32_t count_ = 0;
};

/// The shortest cycle through `start` that stays within `inside`.
std::vector<LaneChannel> cycle_through(const DependencyGraph& graph, LaneChannel start,
                                       const std::vector<bool>& inside) {
  std::vector<LaneChannel> before(graph.node_count());
  std::deque<LaneChannel> queue{start};
  while (!queue.empty()) {
    const LaneChannel n = queue.front();
    queue.pop_front();
    for (LaneChannel m : graph.after(n)) {
      if (m == start) {
        std::vector<LaneChannel> cycle;
        for (LaneChannel at = n; at.valid(); at = before[at.index()]) cycle.push_back(at);
        std::reverse(cycle.begin(), cycle.end());
        return cycle;
      }
      if (!inside[m.index()] || before[m.index()].valid()) continue;
      before[m.index()] = n;
      queue.push_back(m);
    }
  }
  return {};
}

std::vector<LaneChannel> short_cycle(const DependencyGraph& graph, const LongestPathLevels& found) {
  constexpr std::size_t starts_tried = 64;
  std::vector<LaneChannel> component = StronglyConnectedComponents(graph, found.removed).smallest();
  std::sort(component.begin(), component.end());
  std::vector<bool> inside(graph.node_count(), false);
  for (LaneChannel n : component) inside[n.index()] = true;
  std::vector<LaneChannel> best;
  for (std::size_t i = 0; i < std::min(component.size(), starts_tried); ++i) {
    auto cycle = cycle_through(graph, component[i], inside);
    if (best.empty() || cycle.size() < best.size()) best = std::move(cycle);
  }
  invariant(!best.empty(), "nodes are left over but no cycle is among them");
  return best;
}

/// Finds for each step of a cycle one route, or one group, that makes it.
class Witness {
 public:
  Witness(const Fabric& fabric, const Tables& tables)
      : fabric_(fabric),
        tables_(tables),
        traffic_(fabric, tables, Lids::all),
        rooted_(fabric, tables),
        walk_(fabric, tables) {
    if (leave_choices(tables)) route_set_.emplace(fabric, tables);
  }

  ChannelWait find(Hop first, Hop second) {
    ChannelWait wait{first.channel, first.lane, {}, {}, 0, {}};
    for (std::size_t column = 0; column < traffic_.to.size(); ++column) {
      const auto& hosts = traffic_.to[column];
      if (is_host_link(first.channel)) break;
      if (hosts.empty()) continue;
      column_ = ColumnId(column);
      // The hosts of a column share their routes but for the last link.
      const HostId to = is_host_link(second.channel) ? host_of(second.channel) : hosts.front();
      if (std::find(hosts.begin(), hosts.end(), to) != hosts.end() && may_step(first, second) &&
          route(to, first, second, wait))
        return wait;
    }
    for (const Group& group : tables_.groups)
      if (group.root ? rooted_.has(group, first, second) : in_group(group, first, second))
        wait.group = group.name;
    return wait;
  }

 private:
  bool in_group(const Group& group, Hop first, Hop second) const {
    bool found = false;
    const auto compare = [&](Hop in, Hop out) { found |= in == first && out == second; };
    for_each_step(fabric_, tables_, group, compare);
    for_each_arrival(fabric_, tables_, group,
                     [&](Hop in, HostId host) { compare(in, link_to(fabric_, host)); });
    return found;
  }
  /// Cheap: does this destination's column take the second channel after the first at all?
  bool may_step(Hop first, Hop second) const {
    const auto* next = std::get_if<DestinationTables>(&tables_.paths);
    if (next == nullptr) return true;
    const auto column = (*next)[column_];
    if (is_host_link(second.channel))
      return column[fabric_.from(first.channel).index()] == fabric_.out_port(first.channel);
    return column[fabric_.from(first.channel).index()] == fabric_.out_port(first.channel) &&
           column[fabric_.from(second.channel).index()] == fabric_.out_port(second.channel);
  }
  bool route(HostId to, Hop first, Hop second, ChannelWait& wait) {
    for (const auto& sources : traffic_.sources)
      for (HostId from : sources) {
        if (!(route_set_ ? may_choose(from, to, first, second) : takes(from, to, first, second)))
          continue;
        wait.from = from;
        wait.to = to;
        wait.lid = lid_of(to);
        return true;
      }
    return false;
  }
  bool takes(HostId from, HostId to, Hop first, Hop second) {
    const auto& hops = walk_(from, to, column_).hops;
    for (std::size_t i = 1; i < hops.size(); ++i)
      if (hops[i - 1] == first && hops[i] == second) return true;
    return is_host_link(second.channel) && !hops.empty() && hops.back() == first;
  }
  bool may_choose(HostId from, HostId to, Hop first, Hop second) {
    route_set_->aim(to);
    if (route_set_->start(from) == RouteSet::no_node) return false;
    route_set_->explore();
    for (const RouteSet::Index i : route_set_->order()) {
      const RouteSet::RouteNode& node = (*route_set_)[i];
      if (node.by != first.channel || node.position.lane != first.lane) continue;
      for (const RouteSet::NextHop& hop : route_set_->next_hops(node))
        if (Hop{hop.by, hop.lane} == second) return true;
      if (node.count == 0 && is_host_link(second.channel)) return true;
    }
    return false;
  }

  /// Above the first LID of the host, that of the column.
  unsigned lid_of(HostId to) const {
    if (tables_.to_host[to] == column_) return 0;
    for (const FurtherColumn& further : tables_.further)
      if (further.host == to && further.column == column_) return further.lid;
    return 0;
  }
  bool is_host_link(ChannelId c) const { return c.index() >= fabric_.channel_count(); }
  HostId host_of(ChannelId c) const { return HostId(c.index() - fabric_.channel_count()); }

  const Fabric& fabric_;
  const Tables& tables_;
  Traffic traffic_;
  RootedGroups rooted_;
  Walker walk_;
  ColumnId column_{};                  ///< that is looked at
  std::optional<RouteSet> route_set_;  ///< where there are choices
};

}  // namespace

std::vector<std::string> DependencyCycle::describe(const Fabric& fabric) const {
  const auto place = [&](const ChannelWait& wait) {
    return place_text(fabric, wait.channel, wait.lane);
  };
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < waits.size(); ++i) {
    const ChannelWait& wait = waits[i];
    std::string line =
        fmt::format("{} waits for {}", place(wait), place(waits[(i + 1) % waits.size()]));
    if (wait.from.valid())
      line += fmt::format(", on the route from {} to {}{}", fabric[wait.from].name,
                          fabric[wait.to].name, by_lid(fabric, wait.to, wait.lid));
    else
      line += fmt::format(", in group {}", wait.group);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<LaneChannel> find_cycle(const DependencyGraph& graph) {
  const LongestPathLevels found = levels(graph);
  return found.left == 0 ? std::vector<LaneChannel>{} : short_cycle(graph, found);
}

Certificate numbered(const DependencyGraph& graph, int lanes) {
  return certificate_of(graph, levels(graph), lanes);
}

DeadlockVerdict deadlock(const Fabric& fabric, const Tables& tables) {
  const auto built = dependencies(fabric, tables);
  if (const auto* refused = std::get_if<Refused>(&built)) return *refused;
  const auto& graph = std::get<DependencyGraph>(built);
  const LongestPathLevels found = levels(graph);
  if (found.left == 0) return certificate_of(graph, found, tables.lane_count);

  DependencyCycle cycle;
  Witness witness(fabric, tables);
  const auto nodes = short_cycle(graph, found);
  const auto hop = [&](LaneChannel n) { return Hop{graph.channel(n), graph.lane(n)}; };
  for (std::size_t i = 0; i < nodes.size(); ++i)
    cycle.waits.push_back(witness.find(hop(nodes[i]), hop(nodes[(i + 1) % nodes.size()])));
  return cycle;
}

namespace {

bool is_free_without_groups(const Subject& subject) {
  if (subject.tables.groups.empty()) return false;
  Tables unicast = subject.tables;
  unicast.groups.clear();
  return std::holds_alternative<Certificate>(deadlock(subject.fabric, unicast));
}

Finding cycle_found(const Subject& subject, const DependencyCycle& cycle) {
  const bool unknown = are_levels_unknown(subject.tables);
  const bool by_groups = is_free_without_groups(subject);
  const char* judged = unknown && by_groups
                           ? "unicast alone cannot deadlock; with multicast it cannot be judged "
                             "without the service levels: if all packets travel on one lane, it can"
                       : unknown   ? "cannot be judged without the service levels; if all packets "
                                     "travel on one lane, it can deadlock"
                       : by_groups ? "can deadlock with multicast, though unicast alone cannot"
                                   : "can deadlock";
  return {
      "deadlock",
      unknown ? Verdict::unknown : Verdict::bad,
      fmt::format("{}: {} channels wait for each other in a circle", judged, cycle.waits.size()),
      cycle.describe(subject.fabric),
      {{"free", 0},
       {"unicast_free", by_groups ? 1 : 0},
       {"cycle", static_cast<double>(cycle.waits.size())}}};
}

}  // namespace

Finding check_deadlock(const Subject& subject) {
  const DeadlockVerdict& verdict = subject.deadlock;
  if (const auto* refused = std::get_if<Refused>(&verdict))
    return {"deadlock", Verdict::bad, refused->why, {}, {{"free", 0}}};
  if (const auto* cycle = std::get_if<DependencyCycle>(&verdict))
    return cycle_found(subject, *cycle);
  const auto& certificate = std::get<Certificate>(verdict);
  std::size_t numbered = 0;
  for (std::uint32_t number : certificate.number) numbered += number != Certificate::unused ? 1 : 0;
  return {"deadlock",
          Verdict::fine,
          fmt::format(
              "free of deadlock: the numbers of {} channels strictly increase along every route",
              numbered),
          {},
          {{"free", 1}, {"unicast_free", 1}, {"numbered", static_cast<double>(numbered)}}};
}

}  // namespace weft
