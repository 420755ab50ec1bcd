// SPDX-License-Identifier: Apache-2.0
// Jobs, and ranks that make the calls of their trace in program order.
#include "trace/replay/replay.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

#include "base/error.hpp"
#include "comm/unbacked.hpp"
#include "trace/matched_calls.hpp"
#include "trace/replay/communicators.hpp"
#include "trace/replay/graph.hpp"
#include "trace/replay/messages.hpp"

namespace weft::trace {
namespace {

/// The operations of nonblocking calls until they are waited for.
class OpenRequests {
 public:
  /// A request without an operation: its peer is MPI_PROC_NULL.
  void add(std::uint64_t request) { open_.insert_or_assign(request, nullptr); }
  template <class Make>
  void add(std::uint64_t request, Make make) {
    if (free_.empty()) free_.push_back(&ops_.emplace_back());
    comm::LastOp* const place = free_.back();
    free_.pop_back();
    place->make(make);
    open_.insert_or_assign(request, place);
  }
  /// Null where there is no operation, or no such request.
  comm::Op* find(std::uint64_t request) {
    const auto found = open_.find(request);
    return found == open_.end() || found->second == nullptr ? nullptr : found->second->get();
  }
  /// All that nobody has waited for, in their order.
  std::vector<std::uint64_t> numbers() const {
    std::vector<std::uint64_t> out;
    for (const auto& entry : open_) out.push_back(entry.first);
    std::sort(out.begin(), out.end());
    return out;
  }
  void close(std::uint64_t request) {
    const auto found = open_.find(request);
    if (found == open_.end()) return;
    if (found->second != nullptr) free_.push_back(found->second);
    open_.erase(found);
  }

 private:
  std::deque<comm::LastOp> ops_;
  std::vector<comm::LastOp*> free_;
  std::unordered_map<std::uint64_t, comm::LastOp*> open_;
};

/// Makes the calls of one rank, one after another.
class ProgramRank {
 public:
  ProgramRank(comm::Endpoint& endpoint, ReplayJob& job, Rank rank)
      : endpoint_(endpoint),
        job_(job),
        rank_(rank),
        communicators_(endpoint, job, rank),
        messages_{endpoint, job} {}

  comm::Pool& frames() { return endpoint_.frames(); }

  comm::Task run() {
    RankProgress& progress = job_.progress(rank_);
    MatchedCalls calls(job_.trace(), rank_);
    while (calls.next(call_)) {
      progress.kind = call_.kind;
      progress.line = call_.line;
      progress.calls.fetch_add(1, std::memory_order_relaxed);
      try {
        if (call_.kind == CallKind::compute) {
          const Duration time = job_.add_compute(rank_, call_.time);
          if (time.count() > 0) co_await endpoint_.spend(time);
        } else if (is_collective(call_.kind)) {
          const comm::Time begun = endpoint_.now();
          co_await communicators_.run(call_);
          job_.ended_collective(rank_, call_.kind, begun);
        } else if (post()) {
          co_await comm::Several<std::span<comm::Op* const>>(awaited_, true);
          finish();
        }
      } catch (const Error& error) {
        throw Error("{}: {}", job_.trace().place_of(rank_, call_), error.what());
      }
    }
    progress.has_ended = true;
  }

 private:
  /// Begins a call between two ranks; returns whether there is something to wait for.
  bool post() {
    awaited_.clear();
    closed_.clear();
    const bool nobody = call_.peer == no_rank;
    switch (call_.kind) {
      case CallKind::send:
      case CallKind::ssend:
        if (!nobody) await(first_.make([&] { return messages_.send(call_, context()); }));
        break;
      case CallKind::recv:
        if (!nobody) await(first_.make([&] { return messages_.recv(call_, context()); }));
        break;
      case CallKind::sendrecv:
        if (call_.from != no_rank)
          await(second_.make([&] { return messages_.second_recv(call_, context()); }));
        if (!nobody) await(first_.make([&] { return messages_.send(call_, context()); }));
        break;
      case CallKind::isend:
        nobody ? requests_.add(call_.request)
               : requests_.add(call_.request, [&] { return messages_.send(call_, context()); });
        break;
      case CallKind::irecv:
        nobody ? requests_.add(call_.request)
               : requests_.add(call_.request, [&] { return messages_.recv(call_, context()); });
        break;
      case CallKind::wait:
        await_request(call_.request);
        break;
      case CallKind::waitall:
        for (const std::uint64_t request : call_.requests) await_request(request);
        break;
      case CallKind::finalize:  // ends what nobody has waited for
        for (const std::uint64_t request : requests_.numbers()) await_request(request);
        break;
      case CallKind::begin_timed:
      case CallKind::end_timed:
        if (job_.setup().section) job_.setup().section(rank_, call_.kind == CallKind::begin_timed);
        break;
      default:
        break;
    }
    return !awaited_.empty();
  }
  void await(comm::Op& op) { awaited_.push_back(&op); }
  void await_request(std::uint64_t request) {
    if (comm::Op* const op = requests_.find(request)) {
      await(*op);
      closed_.push_back(request);
    } else {
      requests_.close(request);
    }
  }
  void finish() {
    for (const comm::Op* op : awaited_) messages_.require_ok(*op);
    for (const std::uint64_t request : closed_) requests_.close(request);
  }
  std::uint64_t context() const { return communicators_.context(call_); }

  comm::Endpoint& endpoint_;
  ReplayJob& job_;
  Rank rank_;
  ReplayedCommunicators communicators_;
  ReplayedMessages messages_;
  Call call_;
  OpenRequests requests_;
  comm::LastOp first_, second_;  ///< of blocking calls
  std::vector<comm::Op*> awaited_;
  std::vector<std::uint64_t> closed_;
};

comm::Task run_program(comm::Endpoint& endpoint, ReplayJob& job, Rank rank) {
  ProgramRank program(endpoint, job, rank);
  co_await program.run();
}

}  // namespace

// --- messages -----------------------------------------------------------------------------------

comm::Op ReplayedMessages::send(const Call& call, std::uint64_t context) const {
  return endpoint.send(
      in_world(call.peer), {context, endpoint.rank(), call.tag}, comm::unbacked(call.bytes),
      call.kind == CallKind::ssend ? comm::Mode::synchronous : comm::Mode::asynchronous);
}
comm::Op ReplayedMessages::recv(const Call& call, std::uint64_t context) const {
  const comm::Rank from = in_world(call.peer);
  return endpoint.recv(from, {context, from, call.tag}, comm::unbacked(call.bytes));
}
comm::Op ReplayedMessages::second_recv(const Call& call, std::uint64_t context) const {
  const comm::Rank from = in_world(call.from);
  return endpoint.recv(from, {context, from, call.receive_tag}, comm::unbacked(call.capacity));
}
comm::Rank ReplayedMessages::in_world(Rank rank_in_trace) const {
  return rank_in_trace == any_rank ? comm::any_source : job.setup().first_rank + rank_in_trace;
}
void ReplayedMessages::require_ok(const comm::Op& op) const {
  const comm::Result& result = op.result();
  if (result.ok()) return;
  if (result.status == comm::Status::truncated)
    throw Error("a message of {} bytes from rank {} for a buffer of {}", result.bytes,
                result.sender - job.setup().first_rank, op.request().into.size());
  throw Error("{}", to_text(result.status));
}

// --- jobs ---------------------------------------------------------------------------------------

std::vector<Call> RankProgress::open_calls() const {
  if (open.empty()) return {{.kind = kind, .line = line}};
  std::vector<Call> out;
  for (const auto& entry : open)
    out.push_back({.kind = entry.second.first, .line = entry.second.second});
  return out;
}

ReplayJob::ReplayJob(const Trace& trace, const CollectiveAlgorithms& algorithms, Setup setup)
    : trace_(trace),
      algorithms_(algorithms),
      setup_(std::move(setup)),
      progress_(static_cast<std::size_t>(trace.ranks())) {}

comm::Task ReplayJob::run(comm::Endpoint& endpoint) {
  const Rank rank = endpoint.rank() - setup_.first_rank;
  return trace_.is_graph() ? run_graph(endpoint, *this, rank) : run_program(endpoint, *this, rank);
}

Duration ReplayJob::scaled(Duration time) const {
  if (setup_.compute_scale == 1) return time;
  const double scaled = static_cast<double>(time.count()) * setup_.compute_scale;
  if (scaled >= static_cast<double>(Duration::max().count()))
    throw Error("{} times {} are longer than 106 days, which is the most", weft::to_text(time),
                setup_.compute_scale);
  return Duration(std::llround(scaled));
}

Duration ReplayJob::add_compute(Rank rank, Duration time) {
  const Duration out = scaled(time);
  Duration& computed = progress(rank).computed;
  if (out > Duration::max() - computed)
    throw Error("rank {} computes for more than 106 days, which is the most", rank);
  computed += out;
  return out;
}

ReplayJob::ReplayedGroup ReplayJob::group_of(std::int32_t communicator,
                                             const std::vector<Rank>& in_trace) {
  const std::lock_guard lock(making_groups_);
  ReplayedGroup& known = groups_[communicator];
  if (known.members == nullptr) {
    std::vector<comm::Rank> in_world;
    for (const Rank rank : in_trace) in_world.push_back(setup_.first_rank + rank);
    known = {groups_.size(), std::make_shared<const std::vector<comm::Rank>>(std::move(in_world))};
  }
  return known;
}

}  // namespace weft::trace
