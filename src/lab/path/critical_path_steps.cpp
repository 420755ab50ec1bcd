// SPDX-License-Identifier: Apache-2.0
// The steps of a critical path: its nodes, whose own work is cut by what their rank did when.
#include <algorithm>

#include "lab/path/critical_path.hpp"

namespace weft {
namespace {

/// What goes on as it was is one step.
void append_work(std::vector<PathStep>& steps, const PathStep& step) {
  if (!steps.empty() && steps.back().part == step.part && steps.back().rank == step.rank)
    steps.back().end = step.end;
  else
    steps.push_back(step);
}

}  // namespace

void CriticalPath::passes(comm::Rank rank, const RankCounts& now) {
  if (history_) history_->add(rank, now);
}

PathPart CriticalPath::PathNode::part() const {
  if (has_data) return answers ? PathPart::read : PathPart::message;
  return answers ? PathPart::answer : PathPart::request;
}

/// In the order of time, as far as they are kept.
std::vector<CriticalPath::PathNode> CriticalPath::nodes_of_section(comm::Rank rank,
                                                                   comm::Time begin) const {
  const PathEnd& end = ranks_[static_cast<std::size_t>(rank)].section;
  std::vector<PathNode> out{own_work(end)};
  for (NodeId id = end.chain; id != none; id = nodes_[id].before) {
    out.push_back(nodes_[id]);
    if (const auto folded = beginnings_.find(id); folded != beginnings_.end())
      out.insert(out.end(), folded->second.nodes.rbegin(), folded->second.nodes.rend());
  }
  std::reverse(out.begin(), out.end());
  std::erase_if(
      out, [&](const PathNode& node) { return node.end <= begin || node.end > history_->until(); });
  for (PathNode& node : out) node = part_after(node, begin);
  return out;
}

std::vector<PathStep> CriticalPath::steps_of_section(comm::Rank rank, comm::Time begin) const {
  std::vector<PathStep> out;
  if (!history_) return out;
  const std::vector<PathNode> nodes = nodes_of_section(rank, begin);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const PathNode& node = nodes[i];
    const comm::Rank at = node.rank();
    comm::Time time = node.begin();
    for (const OwnWork& piece : history_->pieces(at, time, node.work))
      for (const OwnPart& own : own_parts) {
        const comm::Time until = time + piece.*own.of;
        if (until > time)
          append_work(out, {.part = own.part, .rank = at, .to = at, .begin = time, .end = until});
        time = until;
      }
    if (node.message == 0) continue;
    out.push_back({.part = node.part(),
                   .rank = at,
                   .to = i + 1 < nodes.size() ? nodes[i + 1].rank() : node.receiver,
                   .peer = node.answers ? node.sender : node.receiver,
                   .message = node.message,
                   .bytes = node.bytes,
                   .begin = time,
                   .end = node.end});
  }
  return out;
}

}  // namespace weft
