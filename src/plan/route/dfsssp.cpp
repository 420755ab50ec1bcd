// SPDX-License-Identifier: Apache-2.0
// DFSSSP (Domke, Hoefler and Nagel, 2011): the routes of SSSP; while a lane has a cycle of
// dependencies, all routes behind its least used dependency move to the next lane.
#include <algorithm>

#include "base/words.hpp"
#include "fabric/column_tree.hpp"
#include "plan/route/algorithms/acyclic_order.hpp"
#include "plan/route/algorithms/columns.hpp"
#include "plan/route/routing_engines.hpp"

namespace weft {
namespace {

class Layering {
 public:
  Layering(const Fabric& fabric, const DestinationTables& next)
      : fabric_(fabric),
        next_(next),
        turns_(fabric),
        level_(next.size(), fabric.switch_count(), 0),
        sources_(fabric.switch_count(), 0) {
    counts_.emplace_back(turns_.size(), 0);
    ColumnTree tree(fabric);
    for (ColumnId column : next.ids()) {
      tree.load(next[column]);
      count_routes(tree);
    }
  }

  /// False when the lanes do not suffice.
  bool run(std::size_t limit) {
    for (std::size_t lane = 0; lane < counts_.size(); ++lane)
      if (!break_cycles(lane, limit)) return false;
    return true;
  }
  std::size_t lane_count() const { return counts_.size(); }
  Grid<std::uint8_t> levels() { return std::move(level_); }

 private:
  enum class Colour : std::uint8_t { white, grey, black };
  struct ChannelVisit {
    ChannelId channel;
    std::size_t next = 0;
  };

  ChannelId out(ColumnId column, SwitchId s) const {
    const PortNumber port = next_[column][s.index()];
    return port == here || port == no_port ? ChannelId::none() : fabric_.channel_at(s, port);
  }
  void count_routes(const ColumnTree& tree);
  bool break_cycles(std::size_t lane, std::size_t limit);
  std::size_t weakest(std::size_t lane, std::size_t first) const;
  void move_routes(std::size_t lane, ChannelId in, ChannelId out);
  void move_route(std::size_t lane, ColumnId column, SwitchId from);

  const Fabric& fabric_;
  const DestinationTables& next_;
  TurnIndex turns_;
  Grid<std::uint8_t> level_;
  std::vector<std::vector<std::uint32_t>> counts_;  ///< by lane and turn: routes that make it
  std::vector<ChannelVisit> stack_;
  std::vector<SwitchId> upstream_;
  IdVector<SwitchId, std::uint32_t> sources_;
};

/// All routes start in lane 0. Those of one destination are a tree: far switches first.
void Layering::count_routes(const ColumnTree& tree) {
  for (SwitchId s : fabric_.switches()) sources_[s] = fabric_.hosts_on(s).empty() ? 0 : 1;
  for (SwitchId s : tree.order()) {
    const SwitchId at = tree.next(s);
    if (tree.out(at).valid()) counts_[0][turns_(tree.out(s), tree.out(at))] += sources_[s];
    sources_[at] += sources_[s];
  }
}

/// Depth-first search over the lane's dependencies. Removing some never makes a cycle, so what is
/// finished stays finished.
bool Layering::break_cycles(std::size_t lane, std::size_t limit) {
  IdVector<ChannelId, Colour> colour(fabric_.channel_count(), Colour::white);
  const auto push = [&](ChannelId c) {
    colour[c] = Colour::grey;
    stack_.push_back({c});
  };
  for (ChannelId first : fabric_.channels()) {
    if (colour[first] != Colour::white) continue;
    push(first);
    while (!stack_.empty()) {
      ChannelVisit& frame = stack_.back();
      const auto nexts = fabric_.out(fabric_.to(frame.channel));
      if (frame.next == nexts.size()) {
        colour[frame.channel] = Colour::black;
        stack_.pop_back();
        continue;
      }
      const ChannelId next = nexts[frame.next++];
      if (counts_[lane][turns_(frame.channel, next)] == 0 || colour[next] == Colour::black)
        continue;
      if (colour[next] == Colour::white) {
        push(next);
        continue;
      }
      std::size_t start = stack_.size() - 1;
      while (stack_[start].channel != next) --start;
      const std::size_t cut = weakest(lane, start);
      const ChannelId after = cut + 1 < stack_.size() ? stack_[cut + 1].channel : next;
      if (counts_[lane][turns_(stack_[cut].channel, after)] != 0) {
        if (lane + 1 == limit) return false;
        if (lane + 1 == counts_.size()) counts_.emplace_back(turns_.size(), 0);
        move_routes(lane, stack_[cut].channel, after);
      }
      while (stack_.size() > cut + 1) {
        colour[stack_.back().channel] = Colour::white;
        stack_.pop_back();
      }
      stack_.back().next = 0;
    }
  }
  return true;
}

/// The place on the stack, from `first` up, whose step to the next has the fewest routes; the top
/// steps to `first`.
std::size_t Layering::weakest(std::size_t lane, std::size_t first) const {
  std::size_t best = first;
  std::uint32_t fewest = ~std::uint32_t{0};
  for (std::size_t i = first; i < stack_.size(); ++i) {
    const ChannelId after = stack_[i + 1 < stack_.size() ? i + 1 : first].channel;
    const std::uint32_t count = counts_[lane][turns_(stack_[i].channel, after)];
    if (count >= fewest) continue;
    fewest = count;
    best = i;
  }
  return best;
}

void Layering::move_routes(std::size_t lane, ChannelId in, ChannelId out_channel) {
  const SwitchId start = fabric_.from(in);
  for (ColumnId column : next_.ids()) {
    if (out(column, start) != in || out(column, fabric_.to(in)) != out_channel) continue;
    upstream_.assign(1, start);
    for (std::size_t i = 0; i < upstream_.size(); ++i) {
      const SwitchId at = upstream_[i];
      for (ChannelId leaving : fabric_.out(at)) {
        const ChannelId entering = reverse(leaving);
        if (out(column, fabric_.from(entering)) == entering)
          upstream_.push_back(fabric_.from(entering));
      }
      if (level_[column][at.index()] == lane && !fabric_.hosts_on(at).empty())
        move_route(lane, column, at);
    }
  }
}

void Layering::move_route(std::size_t lane, ColumnId column, SwitchId from) {
  level_[column][from.index()] = static_cast<std::uint8_t>(lane + 1);
  ChannelId in = out(column, from);
  while (in.valid()) {
    const ChannelId next = out(column, fabric_.to(in));
    if (next.valid()) {
      --counts_[lane][turns_(in, next)];
      ++counts_[lane + 1][turns_(in, next)];
    }
    in = next;
  }
}

}  // namespace

Routed dfsssp(const Fabric& fabric, const Params& params) {
  const auto limit = params.whole<std::size_t>("lanes");
  ColumnEngine engine(fabric, nullptr, 1);
  Tables tables =
      column_tables(fabric, engine, {.balanced = true, .per_host = true, .whole_route = true});
  Layering layers(fabric, std::get<DestinationTables>(tables.paths));
  if (!layers.run(limit))
    return Refused{
        fmt::format("cannot break every cycle with {}", counted(limit, "lane", "lanes"))};
  tables.lane_count = static_cast<int>(layers.lane_count());
  if (tables.lane_count > 1) tables.lanes = ServiceLanes{layers.levels()};
  return tables;
}

}  // namespace weft
