// SPDX-License-Identifier: Apache-2.0
// Building the dependency graph. A destination column is a tree, so the sets of lanes are pushed
// from its leaves to its root once, without enumerating pairs; routes that are no trees are walked.
#include "plan/check/dependencies.hpp"

#include <algorithm>
#include <bit>

#include "fabric/walk.hpp"
#include "plan/check/group_steps.hpp"
#include "plan/check/survey.hpp"

namespace weft {
namespace {

using LaneSet = std::uint64_t;
using Edges = std::vector<DependencyGraph::Edge>;

constexpr LaneSet only(unsigned lane) { return lane < 64 ? LaneSet{1} << lane : 0; }

/// For every (in-channel, out-channel) of a switch the in-lanes on which packets make that turn.
/// The out-lane is a function of these three.
class Turns {
 public:
  explicit Turns(const Fabric& fabric) : position_(fabric.channel_count()) {
    for (SwitchId s : fabric.switches()) {
      std::uint32_t place = 0;
      for (ChannelId c : fabric.out(s)) position_[c] = place++;
    }
    for (ChannelId c : fabric.channels()) {
      begin_.push_back(count_);
      count_ += fabric.out(fabric.to(c)).size();
    }
    lanes_.assign(count_, 0);
  }
  LaneSet& operator()(ChannelId in, ChannelId out) {
    return lanes_[begin_[in.index()] + position_[out]];
  }

 private:
  std::size_t count_ = 0;
  IdVector<ChannelId, std::uint32_t> position_;
  std::vector<std::size_t> begin_;
  std::vector<LaneSet> lanes_;
};

class Collector {
 public:
  Collector(const Fabric& fabric, const Tables& tables)
      : fabric_(fabric), tables_(tables), turns_(fabric), traffic_(fabric, tables) {
    turn_lanes_ = std::get_if<TurnLanes>(&tables.lanes);
    service_ = std::get_if<ServiceLanes>(&tables.lanes);
    existing_ =
        tables.lane_count >= 64 ? ~LaneSet{0} : only(static_cast<unsigned>(tables.lane_count)) - 1;
    mask_.assign(fabric.switch_count(), 0);
    if (turn_lanes_ != nullptr) find_injection();
  }

  std::optional<Refused> columns(const DestinationTables& next);
  std::optional<Refused> routes();
  void groups();
  Edges edges();

 private:
  LaneOp op(ChannelId in, ChannelId out) const {
    if (turn_lanes_ == nullptr) return LaneOp::keep();
    return turn_lanes_->at(fabric_.to(in), fabric_.in_port(in), fabric_.out_port(out));
  }
  LaneSet after(ChannelId in, ChannelId out, LaneSet lanes);
  LaneSet injected(ColumnId column, SwitchId s, ChannelId out) const;
  void find_injection();
  void settle_loops(const ColumnTree& tree);
  void lost(SwitchId at, PortNumber in, PortNumber out);

  const Fabric& fabric_;
  const Tables& tables_;
  const TurnLanes* turn_lanes_ = nullptr;
  const ServiceLanes* service_ = nullptr;
  LaneSet existing_ = 0;
  Turns turns_;
  Traffic traffic_;
  IdVector<SwitchId, LaneSet> mask_;          ///< lanes arriving at, or leaving, a switch
  IdVector<ChannelId, LaneSet> injection_;    ///< lanes on which hosts of its switch enter it
  std::vector<DependencyGraph::Edge> extra_;  ///< of groups and walked routes
  std::optional<Refused> problem_;
};

void Collector::lost(SwitchId at, PortNumber in, PortNumber out) {
  if (problem_) return;
  problem_ = Refused{fmt::format(
      "switch \"{}\": a packet that turns from port {} to port {} needs a lane that is not among "
      "the {} of the tables",
      fabric_[at].name, in, out, tables_.lane_count)};
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
        injection_[out] |= only(start(0)) & existing_;
      }
}

LaneSet Collector::injected(ColumnId column, SwitchId s, ChannelId out) const {
  if (fabric_.hosts_on(s).empty()) return 0;
  if (turn_lanes_ != nullptr) return injection_[out];
  if (service_ == nullptr) return 1;
  return only(service_->level[column][s.index()]) & existing_;
}

std::optional<Refused> Collector::columns(const DestinationTables& next) {
  ColumnTree tree(fabric_);
  for (ColumnId column : next.ids()) {
    if (traffic_.to[column.index()].empty()) continue;
    tree.load(next[column]);
    std::fill(mask_.begin(), mask_.end(), 0);
    for (SwitchId s : fabric_.switches())
      if (const ChannelId out = tree.out(s); out.valid()) mask_[s] = injected(column, s, out);
    for (SwitchId s : tree.order()) {
      const LaneSet lanes = mask_[s];
      if (lanes == 0) continue;
      const ChannelId in = tree.out(s);
      const SwitchId at = fabric_.to(in);
      const ChannelId out = tree.out(at);
      if (!out.valid()) continue;
      turns_(in, out) |= lanes;
      mask_[at] |= after(in, out, lanes);
    }
    if (tree.has_loop()) settle_loops(tree);
  }
  return problem_;
}

/// Round a routing loop the lane sets grow until they no longer change.
void Collector::settle_loops(const ColumnTree& tree) {
  for (bool changed = true; changed;) {
    changed = false;
    for (SwitchId s : fabric_.switches()) {
      const ChannelId in = tree.out(s);
      if (!in.valid() || mask_[s] == 0) continue;
      const SwitchId at = fabric_.to(in);
      const ChannelId out = tree.out(at);
      if (!out.valid()) continue;
      turns_(in, out) |= mask_[s];
      const LaneSet more = mask_[at] | after(in, out, mask_[s]);
      changed = changed || more != mask_[at];
      mask_[at] = more;
    }
  }
}

std::optional<Refused> Collector::routes() {
  Walker walk(fabric_, tables_);
  const auto lanes = static_cast<std::size_t>(tables_.lane_count);
  std::size_t tidy_at = 1 << 20;
  for (const auto& hosts : traffic_.to) {
    if (hosts.empty()) continue;
    for (const auto& sources : traffic_.sources)
      for (HostId from : sources) {
        const Walk& w = walk(from, hosts.front());
        if (w.end == Arrival::no_lane) lost(w.at, 0, w.port);
        for (std::size_t i = 1; i < w.hops.size(); ++i)
          extra_.push_back({LaneChannel(w.hops[i - 1].channel.index() * lanes + w.hops[i - 1].lane),
                            LaneChannel(w.hops[i].channel.index() * lanes + w.hops[i].lane)});
      }
    if (extra_.size() < tidy_at) continue;
    std::sort(extra_.begin(), extra_.end());
    extra_.erase(std::unique(extra_.begin(), extra_.end()), extra_.end());
    tidy_at = std::max(tidy_at, 2 * extra_.size());
  }
  return problem_;
}

void Collector::groups() {
  const auto lanes = static_cast<std::size_t>(tables_.lane_count);
  for (const Group& group : tables_.groups)
    for_each_step(fabric_, group, [&](ChannelId in, ChannelId out) {
      if (in.valid())
        extra_.push_back({LaneChannel(in.index() * lanes + group.lane),
                          LaneChannel(out.index() * lanes + group.lane)});
    });
}

Edges Collector::edges() {
  Edges all = std::move(extra_);
  const auto lanes = static_cast<std::size_t>(tables_.lane_count);
  for (ChannelId in : fabric_.channels())
    for (ChannelId out : fabric_.out(fabric_.to(in)))
      for (LaneSet left = turns_(in, out); left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        const unsigned next = op(in, out)(lane);
        if (next < lanes)
          all.push_back(
              {LaneChannel(in.index() * lanes + lane), LaneChannel(out.index() * lanes + next)});
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
  const bool lanes_follow_turns = service == nullptr || !service->map;
  const auto problem =
      next != nullptr && lanes_follow_turns ? collector.columns(*next) : collector.routes();
  if (problem) return *problem;
  collector.groups();
  return DependencyGraph(fabric.channel_count(), tables.lane_count, collector.edges());
}

}  // namespace weft
