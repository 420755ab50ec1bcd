// SPDX-License-Identifier: Apache-2.0
// The critical path of a run: the chain of work and messages that its time hangs on, without gaps.
// It is found while the run goes on: every rank knows the path to its present state, which goes on
// with its own work. When a rank was idle until a step of a message came (its data; or a request,
// an answer or the end of a long one), the path changes to that of the step: to its sender's, up to
// where the sender's processor had done its work on it, then the network, then what the rank does
// since it came. What all paths have in common is summed up, so that memory does not grow with the
// run; unless its steps are wanted.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "comm/tagged.hpp"
#include "lab/path/path_step.hpp"
#include "lab/path/rank_log.hpp"
#include "lab/path/work_history.hpp"

namespace weft {

/// Messages of a pair of ranks on the path.
struct PairOnPath {
  std::uint64_t messages = 0, bytes = 0;
  Duration
      time{};  ///< in NICs and links, with what is sent to ask for them and to acknowledge them
  void add(const PairOnPath& other);
};

struct PathTotals : OwnWork {
  std::map<comm::Rank, Duration> at_rank{};  ///< all of its own work
  std::map<std::pair<comm::Rank, comm::Rank>, PairOnPath> pairs{};
  void add(const PathTotals& other);
  PairOnPath messages() const;  ///< of all pairs
  Duration length() const;
  /// The same with ranks numbered from the first of a job.
  PathTotals numbered_from(comm::Rank first) const;
};

class CriticalPath {
 public:
  using Message = std::uint64_t;  ///< Op::Carried::message

  /// With `moments`, steps are kept as well, as long as they are known from so many moments of
  /// ranks.
  explicit CriticalPath(int ranks, std::size_t moments = 0);

  // Calls come in the order of time, with the counts of the rank that they are about.
  void left(const comm::MessageStep& step, const RankCounts& now);
  void arrived(const comm::MessageStep& step, const RankCounts& now, bool finds_idle);
  void ended_send(Message message, comm::Rank from, const RankCounts& now);
  void ended_recv(Message message, comm::Rank to);
  /// The end of the send or receive that was reported last for this rank has ended a wait in which
  /// its processor was idle; it waited since then.
  void waited(comm::Rank rank, comm::Time since);
  /// A rank begins work beside its processor, whatever else it does meanwhile; and goes on after
  /// its end: on the path to where it began.
  void begun_beside(const comm::Op& work, comm::Rank rank, const RankCounts& now);
  void ended_beside(const comm::Op& work);
  /// The section of a rank that is measured begins, or ends; the last end counts.
  void section_begins(comm::Rank rank, const RankCounts& now);
  void section_ends(comm::Rank rank, const RankCounts& now);
  /// A moment of a rank that nothing of the above is about: for its steps.
  void passes(comm::Rank rank, const RankCounts& now);

  /// The path of a rank's section: of the path to where the section ends, what is after the time at
  /// which the section of this rank begins, at whatever ranks. It is as long as the section.
  PathTotals path_of_section(comm::Rank rank, comm::Time begin) const;
  /// What that path runs through, in the order of time and without gaps: all of it, or its
  /// beginning.
  std::vector<PathStep> steps_of_section(comm::Rank rank, comm::Time begin) const;
  std::size_t kept() const { return nodes_.size(); }

 private:
  using NodeId = std::uint32_t;
  static constexpr NodeId none = ~NodeId{0};
  /// Work of a rank, and the message that it sent then, if any.
  struct PathNode {
    NodeId before = none;
    comm::Rank sender = 0, receiver = 0;  ///< of the message; without one, whose work it is
    bool answers = false, has_data = false;
    OwnWork work{};
    Message message = 0;
    std::uint64_t bytes = 0;
    Duration network{};  ///< time of the message
    comm::Time end{};
    comm::Rank rank() const { return answers ? receiver : sender; }
    comm::Time begin() const { return end - network - work.sum(); }
    PathPart part() const;
  };
  /// The path to a moment of a rank: a chain of nodes, and its own work since the last.
  struct PathEnd {
    comm::Rank rank = 0;
    NodeId chain = none;
    RankCounts since{}, now{};
  };
  /// A step of a message, the path to where it left, and the rank that it came to.
  struct StepOnPath {
    comm::MessageStep step{};
    PathEnd left{};
    RankCounts arrived{};
    bool has_arrived = false, found_idle = false;
  };
  /// The last step to either end of a message.
  struct MessageInFlight {
    StepOnPath to_receiver{}, to_sender{};
    bool one_has_ended = false;  ///< its send or its receive
  };
  struct RankPath {
    NodeId chain = none;
    RankCounts since{};
    StepOnPath cause{};  ///< of the end of the operation that ended last
    bool has_cause = false;
    PathEnd section{};  ///< where it ended
  };
  /// Nodes that were summed up, until the section that is `until`-th of all begins.
  struct FoldedNodes {
    std::size_t until = 0;
    PathTotals totals{};
  };
  /// What was before a node without one: its sums, and the nodes themselves where steps are kept.
  struct FoldedBeginning {
    std::vector<FoldedNodes> sums{};
    std::vector<PathNode> nodes{};
  };

  RankPath& of(comm::Rank rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  PathEnd here(comm::Rank rank, const RankCounts& now);
  void set_cause(comm::Rank rank, const StepOnPath& step);
  void one_ends(Message message);
  NodeId path_to_arrival(const StepOnPath& step);
  static PathNode own_work(const PathEnd& end);
  static PathNode part_after(const PathNode& node, comm::Time from);
  static void add_to(PathTotals& totals, const PathNode& node);
  std::vector<PathNode> nodes_of_section(comm::Rank rank, comm::Time begin) const;
  void collect();
  std::vector<NodeId*> ends();
  void fold(FoldedBeginning& folded, PathNode node) const;
  void fold_common_beginnings();

  std::vector<RankPath> ranks_;
  std::unordered_map<Message, MessageInFlight> flights_;
  std::unordered_map<const comm::Op*, PathEnd> beside_;  ///< where such work began
  std::vector<PathNode> nodes_;                          ///< a node comes after the one before it
  std::unordered_map<NodeId, FoldedBeginning> beginnings_;
  std::vector<comm::Time> section_begins_;  ///< of all ranks, in order
  std::optional<WorkHistory> history_;
  std::size_t collect_at_ = std::size_t{1} << 16U;
};

}  // namespace weft
