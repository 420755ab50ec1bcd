// SPDX-License-Identifier: Apache-2.0
// Ranks run their calls at an endpoint that carries nothing, but writes down what they post and
// what they wait for.
#include "trace/replay/expansion.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "trace/replay/communicators.hpp"
#include "trace/replay/replay.hpp"

namespace weft::trace {
namespace {

/// Tags for messages that differ by their communicator, too; the same for all ranks.
class PlainTags {
 public:
  explicit PlainTags(std::uint64_t world_context) : world_(world_context) {}
  std::int64_t of(const Envelope& envelope) {
    if (envelope.context == world_) return envelope.tag;
    if (envelope.tag == any_tag)
      throw Error("a receive with any tag on a communicator of its own has no plain tag");
    const auto next = first + static_cast<std::int64_t>(tags_.size());
    return tags_.try_emplace({envelope.context, envelope.tag}, next).first->second;
  }

 private:
  static constexpr std::int64_t first = std::int64_t{1} << 31U;  ///< above the program's own
  std::uint64_t world_;
  std::map<std::pair<std::uint64_t, std::int64_t>, std::int64_t> tags_;
};

/// An operation ends when its program waits for it.
class RecordingEndpoint final : public comm::Endpoint {
 public:
  RecordingEndpoint(Rank rank, int size, comm::Ready& ready, PlainTags& tags, TraceBuilder& out)
      : Endpoint(rank, size, ready), tags_(tags), out_(out) {}

  comm::Time now() const override { return comm::Time{0}; }

  /// What the next operation waits for: the end of what was waited for, and the beginning of what
  /// was posted last.
  std::vector<Dependency> before{};
  std::uint64_t line = 0;  ///< of the call that is made
  /// Appends an operation after those before it.
  std::uint64_t add(Call call) {
    call.after = before;
    call.line = line;
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
    std::map<std::int32_t, std::vector<std::uint64_t>> lines;  // of collectives, by communicator
    Call call;
    for (CallCursor calls = job_.trace().calls(rank_); calls.next(call);)
      if (is_collective(call.kind)) lines[call.communicator].push_back(call.line);
    for (auto& [communicator, all] : lines) std::sort(all.begin(), all.end());
    for (CallCursor calls = job_.trace().calls(rank_); calls.next(call);) {
      endpoint_.before = dependencies_of(call);
      endpoint_.line = call.line;
      if (is_collective(call.kind)) {
        const auto& all = lines[call.communicator];
        const auto number = std::lower_bound(all.begin(), all.end(), call.line) - all.begin();
        finish(ready, communicators_.run_apart(call, static_cast<std::uint64_t>(number)));
      } else {
        Call plain = call;
        plain.after.clear();
        endpoint_.add_blocking(plain);
      }
      ends_.push_back(endpoint_.before);
    }
  }

 private:
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

}  // namespace

bool needs_expansion(const Trace& trace) {
  Call call;
  for (Rank rank = 0; rank < trace.ranks(); ++rank)
    for (CallCursor calls = trace.calls(rank); calls.next(call);)
      if (is_collective(call.kind) || call.communicator != world) return true;
  return false;
}

Trace expanded(const Trace& trace, const CollectiveAlgorithms& algorithms) {
  TraceHead head = trace.head();
  head.is_graph = true;
  head.communicators.clear();
  TraceBuilder out(std::move(head));
  ReplayJob job(trace, algorithms, {});
  comm::Ready ready;
  PlainTags tags(world_context(job.setup().number));
  for (Rank rank = 0; rank < trace.ranks(); ++rank) {
    RecordingEndpoint endpoint(rank, trace.ranks(), ready, tags, out);
    if (trace.is_graph())
      GraphExpansion(endpoint, job, rank).run(ready);
    else
      finish(ready, job.run(endpoint));
  }
  return out.finish();
}

}  // namespace weft::trace
