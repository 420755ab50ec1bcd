// SPDX-License-Identifier: Apache-2.0
// Ranks run their calls at an endpoint that carries nothing, but writes down what they post and
// what they wait for.
#include "trace/replay/expansion.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "trace/collective_order.hpp"
#include "trace/replay/communicators.hpp"
#include "trace/replay/replay.hpp"

namespace weft::trace {
namespace {

/// Tags for messages that differ by their communicator, too; the same for all ranks.
class PlainTags {
 public:
  PlainTags(std::uint64_t world_context, bool only_world)
      : world_(world_context), only_world_(only_world) {}
  std::int64_t of(const Envelope& envelope) {
    if (envelope.tag == any_tag && !only_world_)
      throw Error(
          "a receive with any tag would also take messages of collectives and of other "
          "communicators, and the trace does not say which tag it got");
    if (envelope.context == world_) return envelope.tag;
    const auto next = first + static_cast<std::int64_t>(tags_.size());
    return tags_.try_emplace({envelope.context, envelope.tag}, next).first->second;
  }

 private:
  static constexpr std::int64_t first = std::int64_t{1} << 31U;  ///< above the program's own
  std::uint64_t world_;
  bool only_world_;  ///< there are no others, and no collectives
  std::map<std::pair<std::uint64_t, std::int64_t>, std::int64_t> tags_;
};

/// An operation ends when its program waits for it.
class RecordingEndpoint final : public comm::Endpoint {
 public:
  RecordingEndpoint(Rank rank, ReplayJob& job, comm::Ready& ready, PlainTags& tags,
                    TraceBuilder& out)
      : Endpoint(rank, job.trace().ranks(), ready),
        progress_(job.progress(rank)),
        tags_(tags),
        out_(out) {}

  comm::Time now() const override { return comm::Time{0}; }

  /// What the next operation waits for: the end of what was waited for, and the beginning of what
  /// was posted last.
  std::vector<Dependency> before{};
  /// Appends an operation after those before it.
  std::uint64_t add(Call call) {
    call.after = before;
    call.line = progress_.line;
    out_.append(rank(), call);
    before = {{next_, true}};
    return next_++;
  }
  void add_blocking(const Call& call) { before = {{add(call), false}}; }

 private:
  void post(comm::Op& op) override {
    const comm::OpRequest& request = op.request();
    Call call;
    if (request.kind == comm::OpKind::spend) {
      call.kind = CallKind::compute;
      call.time = request.time;
      if (request.time.count() > 0) add_blocking(call);
      complete(op, {.status = comm::Status::ok});
      return;
    }
    const bool sends = request.kind == comm::OpKind::send;
    if (!sends && request.kind != comm::OpKind::recv)
      throw Error(
          "an algorithm that does more than send messages ({}) cannot be written as "
          "messages",
          to_text(request.kind));
    call.kind = sends ? CallKind::send : CallKind::recv;
    call.peer = request.peer == comm::any_source ? any_rank : request.peer;
    call.bytes = sends ? request.data.size() : request.into.size();
    call.tag = tags_.of(request.envelope);
    op.carried.message = add(call);
  }
  void poll(comm::Op& op) override {
    const comm::OpRequest& request = op.request();
    const std::uint64_t number = op.carried.message;
    std::erase_if(before, [&](const Dependency& each) { return each.on == number; });
    before.push_back({number, false});
    complete(op, {.status = comm::Status::ok, .bytes = request.into.size()});
  }
  void withdraw(comm::Op&) override {}
  void exposing(std::span<std::byte>) override {}
  void alarm(comm::Time) override {}

  const RankProgress& progress_;
  PlainTags& tags_;
  TraceBuilder& out_;
  std::uint64_t next_ = 0;
};

/// Runs a task that never waits for others.
void finish(comm::Ready& ready, comm::Task task) {
  task.start(ready);
  ready.run();
  invariant(task.done(), "a recorded program waits for something");
  task.result();
}

/// Calls of a graph, one after another: each begins when those that it depends on allow it.
class GraphExpansion {
 public:
  GraphExpansion(RecordingEndpoint& endpoint, ReplayJob& job, Rank rank)
      : endpoint_(endpoint), job_(job), communicators_(endpoint, job, rank), rank_(rank) {}

  void run(comm::Ready& ready) {
    const std::vector<std::uint64_t> numbers = collective_numbers(job_.trace(), rank_);
    std::size_t next_collective = 0;
    Call call;
    for (CallCursor calls = job_.trace().calls(rank_); calls.next(call);) {
      endpoint_.before = dependencies_of(call);
      job_.progress(rank_).line = call.line;
      if (is_collective(call.kind))
        expand(ready, call, numbers[next_collective++]);
      else
        endpoint_.add_blocking(call);
      ends_.push_back(endpoint_.before);
    }
  }

 private:
  void expand(comm::Ready& ready, const Call& call, std::uint64_t number) {
    try {
      finish(ready, communicators_.run_apart(call, number));
    } catch (const Error& error) {
      throw Error("{}: {}", job_.trace().place_of(rank_, call), error.what());
    }
  }

  /// What only has to begin must end here where it is a collective: it has no single beginning.
  std::vector<Dependency> dependencies_of(const Call& call) const {
    std::vector<Dependency> out;
    for (const Dependency& each : call.after) {
      const std::vector<Dependency>& ends = ends_[each.on];
      for (Dependency end : ends) {
        end.only_begun = end.only_begun || (each.only_begun && ends.size() == 1);
        if (std::find(out.begin(), out.end(), end) == out.end()) out.push_back(end);
      }
    }
    return out;
  }

  RecordingEndpoint& endpoint_;
  ReplayJob& job_;
  ReplayedCommunicators communicators_;
  Rank rank_;
  std::vector<std::vector<Dependency>> ends_;  ///< by call: what has to end, or begin, for its end
};

bool has_only_world_messages(const Trace& trace) {
  Call call;
  for (Rank rank = 0; rank < trace.ranks(); ++rank)
    for (CallCursor calls = trace.calls(rank); calls.next(call);)
      if (is_collective(call.kind) || call.communicator != world) return false;
  return true;
}

}  // namespace

bool needs_expansion(const Trace& trace) {
  return !trace.is_graph() || !has_only_world_messages(trace);
}

Trace expanded(const Trace& trace, const CollectiveAlgorithms& algorithms) {
  TraceHead head = trace.head();
  head.is_graph = true;
  head.communicators.clear();
  TraceBuilder out(std::move(head));
  ReplayJob job(trace, algorithms, {});
  comm::Ready ready;
  PlainTags tags(world_context(job.setup().number), has_only_world_messages(trace));
  for (Rank rank = 0; rank < trace.ranks(); ++rank) {
    RecordingEndpoint endpoint(rank, job, ready, tags, out);
    if (trace.is_graph())
      GraphExpansion(endpoint, job, rank).run(ready);
    else
      finish(ready, job.run(endpoint));
  }
  return out.finish();
}

}  // namespace weft::trace
