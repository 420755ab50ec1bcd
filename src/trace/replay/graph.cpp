// SPDX-License-Identifier: Apache-2.0
// Ranks of a graph.
#include "trace/replay/graph.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/error.hpp"
#include "trace/collective_order.hpp"
#include "trace/replay/communicators.hpp"
#include "trace/replay/messages.hpp"

namespace weft::trace {
namespace {

/// Reads calls ahead of those that have begun, as many as may wait; begins those that depend on
/// nothing that is still to come.
class ReplayedGraph {
 public:
  ReplayedGraph(comm::Endpoint& endpoint, ReplayJob& job, Rank rank)
      : endpoint_(endpoint),
        job_(job),
        rank_(rank),
        communicators_(endpoint, job, rank),
        messages_{endpoint, job},
        calls_(job.trace().calls(rank)),
        collective_numbers_(collective_numbers(job.trace(), rank)) {}

  comm::Pool& frames() { return endpoint_.frames(); }

  comm::Task run() {
    for (;;) {
      read_ahead();
      if (live_.empty()) break;
      if (live_.size() == waiting_) {  // nothing is under way: what is ahead must be let in
        most_waiting_ *= 2;
        continue;
      }
      co_await SomethingEnded{*this};
      retire();
    }
    job_.progress(rank_).has_ended = true;
  }

 private:
  struct GraphNode {
    Call call{};
    std::uint64_t collective = 0;  ///< its number, where it is one
    std::size_t pending = 0;  ///< calls that it depends on and that are still to begin or to end
    bool has_begun = false;
    std::vector<std::uint64_t> after_begin{}, after_end{};  ///< calls that depend on it
    std::optional<comm::Task> task{};
  };
  struct SomethingEnded {
    ReplayedGraph& rank;
    bool await_ready() const { return !rank.ended_.empty(); }
    void await_suspend(std::coroutine_handle<> handle) { rank.suspended_ = handle; }
    void await_resume() {}
  };

  void read_ahead() {
    while (!at_end_ && waiting_ < most_waiting_) {
      GraphNode node;
      at_end_ = !calls_.next(node.call);
      if (at_end_) return;
      const std::uint64_t index = next_index_++;
      if (is_collective(node.call.kind)) node.collective = collective_numbers_[next_collective_++];
      for (const Dependency& dependency : node.call.after) {
        const auto on = live_.find(dependency.on);
        if (on == live_.end() || (dependency.only_begun && on->second.has_begun)) continue;
        (dependency.only_begun ? on->second.after_begin : on->second.after_end).push_back(index);
        ++node.pending;
      }
      const bool is_ready = node.pending == 0;
      ++waiting_;
      live_.emplace(index, std::move(node));
      if (is_ready) begin(index);
    }
  }

  void begin(std::uint64_t index) {
    GraphNode& node = live_.at(index);
    node.has_begun = true;
    --waiting_;
    RankProgress& progress = job_.progress(rank_);
    progress.kind = node.call.kind;
    progress.line = node.call.line;
    progress.calls.fetch_add(1, std::memory_order_relaxed);
    progress.open.emplace(index, std::pair(node.call.kind, node.call.line));
    node.task.emplace(perform(index, node));
    node.task->start(endpoint_.ready());
    release(node.after_begin);
  }

  void release(const std::vector<std::uint64_t>& successors) {
    for (const std::uint64_t index : successors)
      if (--live_.at(index).pending == 0) begin(index);
  }

  /// Forgets calls that have ended.
  void retire() {
    while (!ended_.empty()) {
      const std::uint64_t index = ended_.back();
      ended_.pop_back();
      auto node = live_.extract(index);
      node.mapped().task->result();  // throws what it threw
      release(node.mapped().after_end);
    }
  }

  /// Nodes of the map stay where they are: the call lives as long as its task.
  comm::Task perform(std::uint64_t index, const GraphNode& node) {
    const Call& call = node.call;
    try {
      if (call.kind == CallKind::compute) {
        co_await compute(call);
      } else if (is_collective(call.kind)) {
        const comm::Time begun = endpoint_.now();
        co_await communicators_.run_apart(call, node.collective);
        job_.ended_collective(rank_, call.kind, begun);
      } else if (call.peer != no_rank) {
        comm::Op op = call.kind == CallKind::recv || call.kind == CallKind::irecv
                          ? messages_.recv(call, communicators_.context(call))
                          : messages_.send(call, communicators_.context(call));
        co_await op;
        messages_.require_ok(op);
      }
    } catch (const Error& error) {
      end(index);
      throw Error("{}: {}", job_.trace().place_of(rank_, call), error.what());
    } catch (...) {
      end(index);
      throw;
    }
    end(index);
  }
  void end(std::uint64_t index) {
    job_.progress(rank_).open.erase(index);
    ended_.push_back(index);
    if (suspended_) endpoint_.ready().push(std::exchange(suspended_, nullptr));
  }

  /// The first stream is the rank's processor, which messages need, too; the others compute beside
  /// it.
  comm::Op compute(const Call& call) {
    if (call.stream == 0) return endpoint_.spend(job_.add_compute(rank_, call.time));
    const Duration time = job_.scaled(call.time);
    RankProgress& progress = job_.progress(rank_);
    comm::Time& free = streams_free_[call.stream];
    const comm::Time begin = std::max(free, endpoint_.now());
    free = begin + time;
    const comm::Time uncovered = std::max(begin, covered_until_);
    if (free > uncovered) progress.computed_beside += free - uncovered;
    covered_until_ = std::max(covered_until_, free);
    return endpoint_.sleep(free - endpoint_.now());
  }

  comm::Endpoint& endpoint_;
  ReplayJob& job_;
  Rank rank_;
  ReplayedCommunicators communicators_;
  ReplayedMessages messages_;
  CallCursor calls_;
  std::vector<std::uint64_t> collective_numbers_;      ///< of its collectives, in their order
  std::size_t next_collective_ = 0;                    ///< to be read
  std::unordered_map<std::uint64_t, GraphNode> live_;  ///< calls that were read and have not ended
  std::uint64_t next_index_ = 0;
  std::size_t waiting_ = 0;  ///< calls that were read and have not begun
  std::size_t most_waiting_ = std::size_t{1} << 16U;
  bool at_end_ = false;
  std::vector<std::uint64_t> ended_;
  std::coroutine_handle<> suspended_{};
  std::unordered_map<std::uint32_t, comm::Time> streams_free_;
  comm::Time covered_until_{};  ///< a stream beside the processor computes until then
};

}  // namespace

comm::Task run_graph(comm::Endpoint& endpoint, ReplayJob& job, Rank rank) {
  ReplayedGraph graph(endpoint, job, rank);
  co_await graph.run();
}

}  // namespace weft::trace
