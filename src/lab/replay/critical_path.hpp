// SPDX-License-Identifier: Apache-2.0
// The critical path of a run: the chain of work and messages that its time hangs on. It is found
// while the run goes on: every rank knows the path to its present state, which goes on with its own
// work, and changes to the path of a message's sender when the rank had to wait for that message.
// What all paths have in common is summed up, so that memory does not grow with the run.
#pragma once
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lab/replay/rank_log.hpp"

namespace weft {

/// Messages of a pair of ranks on the path.
struct PairOnPath {
  std::uint64_t messages = 0, bytes = 0;
  Duration time{};  ///< from sending to receiving
  void add(const PairOnPath& other);
};

struct PathTotals {
  Duration compute{}, library{}, lower{};
  Duration waiting{};               ///< of ranks on the path, for their own sends
  std::vector<Duration> at_rank{};  ///< all of these, by rank
  std::map<std::pair<comm::Rank, comm::Rank>, PairOnPath> pairs{};
  void add(const PathTotals& other);
  PairOnPath messages() const;  ///< of all pairs
};

class CriticalPath {
 public:
  using Message = std::uint64_t;  ///< Op::Carried::message

  explicit CriticalPath(int ranks);

  // Calls come in the order of time, with the counts of the rank that they are about.
  void posted_send(Message message, comm::Rank from, std::uint64_t bytes, const RankCounts& now,
                   bool has_ended);
  void ended_send(Message message, comm::Rank from);
  void ended_recv(Message message, comm::Rank to, const RankCounts& now);
  /// The end of the send or receive that was reported last for this rank has ended a wait in which
  /// its processor was idle.
  void waited(comm::Rank rank, const RankCounts& now);
  /// The rank begins what is measured: what was before does not count.
  void restart(comm::Rank rank, const RankCounts& now);

  /// The path to the state of a rank.
  PathTotals path_to(comm::Rank rank, const RankCounts& now) const;
  std::size_t kept() const { return nodes_.size(); }

 private:
  using NodeId = std::uint32_t;
  static constexpr NodeId none = ~NodeId{0};
  /// Work of a rank, and the message that it sent then.
  struct PathNode {
    NodeId before = none;
    comm::Rank rank = 0, to = 0;
    Duration compute{}, library{}, lower{}, waiting{};
    PairOnPath message{};
  };
  /// The path to a moment of a rank: a chain of nodes, and its own work since the last.
  struct PathEnd {
    comm::Rank rank = 0;
    NodeId chain = none;
    RankCounts since{}, now{};
  };
  struct MessageInFlight {
    PathEnd sent{};
    std::uint64_t bytes = 0;
    PathEnd received{};
    bool has_ended = false, was_received = false;  ///< for its sender, by its receiver
  };
  struct RankPath {
    NodeId chain = none;
    RankCounts since{};
    PathEnd cause{};  ///< of the operation that ended last
    std::uint64_t cause_bytes = 0;
    bool has_cause = false;
  };

  RankPath& of(comm::Rank rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  PathEnd here(comm::Rank rank, const RankCounts& now);
  static PathNode own_work(const PathEnd& end);
  void add_to(PathTotals& totals, const PathNode& node, bool with_message) const;
  void collect();
  std::vector<NodeId*> ends();
  void fold_common_beginnings();

  std::vector<RankPath> ranks_;
  std::unordered_map<Message, MessageInFlight> flights_;
  std::vector<PathNode> nodes_;                        ///< a node comes after the one before it
  std::unordered_map<NodeId, PathTotals> beginnings_;  ///< what was before a node without one
  std::size_t collect_at_ = std::size_t{1} << 16U;
};

}  // namespace weft
