// SPDX-License-Identifier: Apache-2.0
// Adds up the calls of a trace, rank by rank.
#include "trace/summary.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>
#include <unordered_set>

#include "trace/checks/amounts.hpp"
#include "trace/checks/messages.hpp"

namespace weft::trace {
namespace {

class SummaryWalk {
 public:
  explicit SummaryWalk(const Trace& trace) : trace_(trace) {
    out_.ranks = trace.ranks();
    out_.is_graph = trace.is_graph();
    for (const Communicator& one : trace.head().communicators) made_.insert(one.id);
  }

  TraceSummary run() {
    Duration rest{};
    for (Rank rank = 0; rank < trace_.ranks(); ++rank) {
      const Duration time = walk(rank);
      out_.mean_compute += time / out_.ranks;
      rest += time % out_.ranks;
      out_.least_compute = rank == 0 ? time : std::min(out_.least_compute, time);
      out_.most_compute = std::max(out_.most_compute, time);
    }
    out_.mean_compute += rest / out_.ranks;
    out_.channels = channels_.size();
    out_.pairs = pairs_.size();
    out_.communicators = made_.size();
    for (const auto& entry : uses_) {
      out_.collectives.push_back(entry.second);
      out_.collective_calls += entry.second.count;
      out_.collective_payload += entry.second.payload;
    }
    return out_;
  }

 private:
  /// Members that a rank knows of.
  struct MembersSeen {
    Rank first = 0;
    std::size_t count = 0;
  };

  /// Returns how long the rank computes.
  Duration walk(Rank rank) {
    communicators_ = {{world, {0, static_cast<std::size_t>(trace_.ranks())}}, {self, {rank, 1}}};
    for (const Communicator& one : trace_.head().communicators)
      communicators_[one.id] = {one.members.front(), one.members.size()};
    RankAmounts amounts(trace_, rank);
    Call call;
    for (CallCursor cursor = trace_.calls(rank); cursor.next(call);) {
      ++out_.calls;
      ++out_.calls_by_kind[static_cast<std::size_t>(call.kind)];
      amounts.add(call, std::max<std::size_t>(communicators_[call.communicator].count, 1));
      add_message(message_ends(rank, call));
      if (is_collective(call.kind)) add_collective(rank, call);
    }
    return amounts.computed();
  }

  void add_message(const MessageEnds& ends) {
    if (!ends.sends) return;
    const Rank source = ends.to.source, destination = ends.to.destination;
    ++out_.messages;
    out_.bytes += ends.bytes;
    if (source == destination) ++out_.self_messages;
    ++out_.sizes[ends.bytes == 0 ? 0 : std::bit_ceil(ends.bytes)];
    if (channels_.insert(ends.to).second) pairs_.emplace(source, destination);
  }

  void add_collective(Rank rank, const Call& call) {
    if (call.kind == CallKind::make_communicator && call.made >= 0) {
      made_.insert(call.made);
      communicators_[call.made] = {call.members.front(), call.members.size()};
    }
    const MembersSeen members = communicators_[call.communicator];
    const bool own_sizes = call.kind >= CallKind::gatherv && call.kind <= CallKind::reduce_scatter;
    const std::uint64_t bytes = own_sizes ? 0 : call.bytes;
    CollectiveUse& use = uses_[{call.kind, bytes}];
    use.kind = call.kind;
    use.bytes = bytes;
    if (rank == members.first) ++use.count;
    use.payload += payload(call, members.count);
  }

  /// What one member hands in, or gets where that is more.
  static std::uint64_t payload(const Call& call, std::size_t members) {
    switch (call.kind) {
      case CallKind::allgather:
      case CallKind::alltoall:
      case CallKind::reduce_scatter_block:
        return call.bytes * members;
      case CallKind::allgatherv:
      case CallKind::alltoallv:
      case CallKind::reduce_scatter:
        return std::accumulate(call.sizes.begin(), call.sizes.end(), std::uint64_t{0});
      default:  // of gatherv and scatterv, each member but the root says its own
        return call.bytes;
    }
  }

  const Trace& trace_;
  TraceSummary out_{};
  std::unordered_set<MessageChannel, MessageChannelHash> channels_;
  std::set<std::pair<Rank, Rank>> pairs_;
  std::set<std::int32_t> made_;
  std::map<std::int32_t, MembersSeen> communicators_;  ///< of the rank that is walked
  std::map<std::pair<CallKind, std::uint64_t>, CollectiveUse> uses_;
};

}  // namespace

TraceSummary summary_of(const Trace& trace) { return SummaryWalk(trace).run(); }

bool times_a_section(const Trace& trace) {
  for (Rank rank = 0; rank < trace.ranks(); ++rank) {
    CallCursor calls = trace.calls(rank);
    Call call;
    while (calls.next(call))
      if (call.kind == CallKind::begin_timed) return true;
  }
  return false;
}

double timed_compute(const Trace& trace) {
  Duration timed{}, all{};
  bool has_section = false;
  for (Rank rank = 0; rank < trace.ranks(); ++rank) {
    CallCursor calls = trace.calls(rank);
    Call call;
    bool counts = false;
    while (calls.next(call)) {
      if (call.kind == CallKind::begin_timed) counts = has_section = true;
      if (call.kind == CallKind::end_timed) counts = false;
      if (call.kind != CallKind::compute) continue;
      all += call.time;
      if (counts) timed += call.time;
    }
  }
  return static_cast<double>((has_section ? timed : all).count()) / 1e12 / trace.ranks();
}

}  // namespace weft::trace
