// SPDX-License-Identifier: Apache-2.0
// Walks over the ranks, one after another: each by itself, and counts to compare them by.
#include "trace/check.hpp"

#include <algorithm>
#include <span>
#include <unordered_map>

#include "base/error.hpp"
#include "base/words.hpp"
#include "trace/checks/amounts.hpp"
#include "trace/checks/collectives.hpp"
#include "trace/checks/communicators.hpp"
#include "trace/checks/messages.hpp"
#include "trace/matched_calls.hpp"

namespace weft::trace {
namespace {

/// Of a nonblocking call that nobody has waited for yet.
struct OpenRequest {
  bool receives = false;
  Rank source = any_rank;
  std::uint64_t capacity = 0, line = 0;
};

/// The calls of one rank by themselves: requests, peers, and the end.
class RankCheck {
 public:
  RankCheck(const Trace& trace, Rank rank) : trace_(trace), rank_(rank) {}

  void add(const Call& call, const KnownCommunicator& communicator) {
    if (ended_ && !is_quiet(call.kind)) fail(call, "rank {} has called finalize before", rank_);
    ended_ = ended_ || call.kind == CallKind::finalize;
    require_peers(call, communicator);
    switch (call.kind) {
      case CallKind::isend:
      case CallKind::irecv:
        return start(call);
      case CallKind::wait:
        return complete(call, {&call.request, 1});
      case CallKind::waitall:
        return complete(call, call.requests);
      case CallKind::recv:
        return require_received(call, {true, call.peer, call.bytes, call.line});
      case CallKind::sendrecv:
        return require_received(call, {true, call.from, call.capacity, call.line});
      default:
        return;
    }
  }

  void end(const Call& last) const {
    if (trace_.is_graph() || ended_) return;
    if (trace_.call_count(rank_) == 0)
      throw Error("{}: rank {} makes no call: the trace is cut off", trace_.source(), rank_);
    fail(last, "cut off: this is the last call of rank {}, and not finalize", rank_);
  }

 private:
  static bool is_quiet(CallKind kind) {
    return kind == CallKind::compute || kind >= CallKind::begin_timed;
  }

  template <class... Values>
  [[noreturn]] void fail(const Call& call, fmt::format_string<Values...> form,
                         Values&&... values) const {
    throw Error("{}: {}", trace_.place_of(rank_, call),
                fmt::format(form, std::forward<Values>(values)...));
  }

  void require_peers(const Call& call, const KnownCommunicator& communicator) const {
    const MessageEnds ends = message_ends(rank_, call);
    const auto require = [&](Rank peer) {
      if (!communicator.position(peer))
        fail(call, "rank {} is not in {}, which has {}", peer,
             call.communicator == self ? "itself alone"
                                       : communicator_text(trace_, call.communicator),
             counted(communicator.members.size(), "member", "members"));
    };
    if (ends.sends) require(ends.to.destination);
    if (ends.sends && ends.to.tag < 0 && !trace_.is_graph())
      fail(call, "tag {} of a message: it has to be 0 or more", ends.to.tag);
    if (ends.receives && ends.from.source != any_rank) require(ends.from.source);
  }

  void start(const Call& call) {
    const bool receives = call.kind == CallKind::irecv;
    const auto added =
        pending_.emplace(call.request, OpenRequest{receives, call.peer, call.bytes, call.line});
    if (!added.second)
      fail(call, "request {} is in use since {} {}", call.request, trace_.head().place,
           added.first->second.line);
  }

  void complete(const Call& call, std::span<const std::uint64_t> requests) {
    std::vector<std::uint64_t> sorted;
    if (!call.received.empty()) sorted.assign(requests.begin(), requests.end());
    std::sort(sorted.begin(), sorted.end());
    for (const ReceivedMessage& got : call.received) {
      const auto found = pending_.find(got.request);
      const bool waited = std::binary_search(sorted.begin(), sorted.end(), got.request);
      if (!waited || found == pending_.end() || !found->second.receives)
        fail(call, "request {} is no receive that this call waits for", got.request);
      require_message(call, got, found->second);
    }
    for (const std::uint64_t request : requests)
      if (pending_.erase(request) == 0) fail_not_pending(call, request);
  }

  void require_received(const Call& call, const OpenRequest& posted) const {
    for (const ReceivedMessage& got : call.received) require_message(call, got, posted);
  }
  void require_message(const Call& call, const ReceivedMessage& got,
                       const OpenRequest& posted) const {
    if (got.bytes > posted.capacity)
      fail(call, "{} came, and the receive has room for {}", counted(got.bytes, "byte", "bytes"),
           posted.capacity);
    if (posted.source != any_rank && got.source != posted.source)
      fail(call, "a message came from rank {}, and the receive is for one from rank {}", got.source,
           posted.source);
  }

  /// Finds out whether the request was ever started.
  [[noreturn]] void fail_not_pending(const Call& call, std::uint64_t request) const {
    if (std::count(call.requests.begin(), call.requests.end(), request) > 1)
      fail(call, "request {} is there twice", request);
    CallCursor cursor = trace_.calls(rank_);
    Call earlier;
    while (cursor.next(earlier) && earlier.line != call.line) {
      const bool waited =
          (earlier.kind == CallKind::wait && earlier.request == request) ||
          std::count(earlier.requests.begin(), earlier.requests.end(), request) != 0;
      if (waited)
        fail(call, "request {} was waited for already in {} {}", request, trace_.head().place,
             earlier.line);
    }
    fail(call, "request {} was never started", request);
  }

  const Trace& trace_;
  Rank rank_;
  std::unordered_map<std::uint64_t, OpenRequest> pending_;
  bool ended_ = false;
};

}  // namespace

void check(const Trace& trace) {
  CommunicatorTable communicators(trace);
  CollectiveCounts collectives(trace);
  for (Rank rank = 0; rank < trace.ranks(); ++rank) {
    communicators.begin(rank);
    collectives.begin(rank);
    RankCheck own(trace, rank);
    RankAmounts amounts(trace, rank);
    Call call;
    for (MatchedCalls calls(trace, rank); calls.next(call);) {
      const KnownCommunicator& communicator = communicators.of(call);
      own.add(call, communicator);
      amounts.add(call, communicator.members.size());
      if (is_collective(call.kind)) collectives.add(rank, call, communicator);
      communicators.apply(call);
    }
    own.end(call);
    collectives.end(rank, communicators);
  }
  communicators.require_made();
  collectives.require_equal_sizes(communicators);
  require_messages(trace);
}

}  // namespace weft::trace
