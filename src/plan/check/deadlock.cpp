// SPDX-License-Identifier: Apache-2.0
// Verdict on a dependency graph: number it (Kahn, 1962), or find a short cycle in what is left and
// a route behind each of its steps.
#include "plan/check/deadlock.hpp"

#include <algorithm>
#include <deque>

#include "plan/check/choice/choice_verdict.hpp"
#include "plan/check/graph/rooted.hpp"
#include "plan/check/graph/witness.hpp"

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

std::string packet_text(const Fabric& fabric, HostId from, HostId to, unsigned lid) {
  return fmt::format("from {} to {}{}", fabric[from].name, fabric[to].name,
                     by_lid(fabric, to, lid));
}

/// ", which the switch may choose out of 2", or ": all of its 2 choices stay in the circle".
std::string choice_text(const ChannelWait& wait, bool by_any_choice) {
  if (by_any_choice && wait.choices > 1)
    return fmt::format(": all of its {} choices stay in the circle", wait.choices);
  if (by_any_choice) return ": it has no other choice";
  if (wait.choices > 1) return fmt::format(", if it is chosen out of {}", wait.choices);
  return "";
}

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
      line += ", on the route " + packet_text(fabric, wait.from, wait.to, wait.lid);
    else
      line += fmt::format(", in group {}", wait.group);
    lines.push_back(line + choice_text(wait, by_any_choice));
  }
  return lines;
}

std::vector<std::string> BlockedPackets::describe(const Fabric& fabric) const {
  const auto places = [&](const std::vector<Hop>& hops, std::string_view between) {
    std::vector<std::string> out;
    for (const Hop& hop : hops) out.push_back(place_text(fabric, hop.channel, hop.lane));
    return fmt::format("{}", fmt::join(out, between));
  };
  std::vector<std::string> lines;
  for (const BlockedPacket& packet : packets) {
    lines.push_back(fmt::format("a packet {} holds {} and waits for {}",
                                packet.from.valid()
                                    ? packet_text(fabric, packet.from, packet.to, packet.lid)
                                    : "in group " + packet.group,
                                places(packet.holds, ", "), places(packet.wants, " or ")));
    if (packet.from.valid())
      lines.back() += packet.wants.size() > 1
                          ? fmt::format(": all of its {} choices are held by these packets",
                                        packet.wants.size())
                          : ": it has no other choice";
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

DeadlockVerdict deadlock(const Fabric& fabric, const Tables& tables, WaitKind waiting) {
  const auto built = dependencies(fabric, tables);
  if (const auto* refused = std::get_if<Refused>(&built)) return *refused;
  const auto& graph = std::get<DependencyGraph>(built);
  const LongestPathLevels found = levels(graph);
  if (found.left == 0) return certificate_of(graph, found, tables.lane_count);

  DependencyCycle cycle;
  CycleWitness witness(fabric, tables);
  const auto nodes = short_cycle(graph, found);
  const auto hop = [&](LaneChannel n) { return Hop{graph.channel(n), graph.lane(n)}; };
  for (std::size_t i = 0; i < nodes.size(); ++i)
    cycle.waits.push_back(witness.find(hop(nodes[i]), hop(nodes[(i + 1) % nodes.size()])));
  const bool all_count = waiting == WaitKind::commit || waiting == WaitKind::wormhole_queues;
  if (all_count || !leave_choices(tables)) return cycle;
  return judge_choices(fabric, tables, waiting, std::move(cycle));
}

std::string_view switches_text(WaitKind waiting) {
  switch (waiting) {
    case WaitKind::commit:
      return "that commit to a choice";
    case WaitKind::cut_through:
      return "that wait for any choice (cut-through)";
    case WaitKind::wormhole_queues:
      return "that give lanes away before they are empty (wormhole)";
    case WaitKind::wormhole:
      break;
  }
  return "that wait for any choice (wormhole)";
}

}  // namespace weft
