// SPDX-License-Identifier: Apache-2.0
// The lines of GOAL, and how programs become its graphs.
#include "trace/formats/goal_writer.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/error.hpp"
#include "trace/formats/formats.hpp"

namespace weft::trace {
namespace {

constexpr std::int64_t largest_tag = 0xFFFFFFFE;
constexpr std::uint32_t largest_place = 255;

/// Makes a graph of the calls of a rank: each begins when the one before has ended, or has begun
/// where it does not block, and behind a wait also when what it waits for has ended.
class ProgramGraph {
 public:
  explicit ProgramGraph(GoalWriter& out) : out_(out) {}

  /// Throws Error for calls that GOAL does not have.
  void add(const Call& call) {
    switch (call.kind) {
      case CallKind::compute:
        return add_blocking(call);
      case CallKind::send:
      case CallKind::ssend:
      case CallKind::recv:
        if (call.peer != no_rank) add_blocking(call);
        return;
      case CallKind::isend:
      case CallKind::irecv:
        if (call.peer != no_rank) add_nonblocking(call);
        return;
      case CallKind::sendrecv:
        return add_both(call);
      case CallKind::wait:
        return wait_for(call.request);
      case CallKind::waitall:
        for (const std::uint64_t request : call.requests) wait_for(request);
        return;
      default:
        if (is_collective(call.kind)) throw Error("GOAL has no collectives, only messages");
    }
  }

 private:
  std::uint64_t put(const Call& call, CallKind kind) {
    if (call.communicator != world)
      throw Error("GOAL has no communicators, and this is a message in {}", call.communicator);
    operation_ = call;
    operation_.kind = kind;
    operation_.after = before_;
    return out_.add(operation_);
  }
  void add_blocking(const Call& call) {
    const CallKind kind = call.kind == CallKind::ssend ? CallKind::send : call.kind;
    before_ = {{put(call, kind), false}};
  }
  void add_nonblocking(const Call& call) {
    const bool sends = call.kind == CallKind::isend;
    const std::uint64_t number = put(call, sends ? CallKind::send : CallKind::recv);
    started_[call.request] = number;
    before_ = {{number, true}};
  }
  void add_both(const Call& call) {
    std::vector<Dependency> next;
    if (call.peer != no_rank) next.push_back({put(call, CallKind::send), false});
    if (call.from != no_rank) {
      Call half = call;
      half.peer = call.from;
      half.tag = call.receive_tag;
      half.bytes = call.capacity;
      next.push_back({put(half, CallKind::recv), false});
    }
    if (!next.empty()) before_ = std::move(next);
  }
  void wait_for(std::uint64_t request) {
    const auto found = started_.find(request);
    if (found == started_.end()) return;  // for nobody
    const std::uint64_t number = found->second;
    std::erase_if(before_, [&](const Dependency& one) { return one.on == number; });
    before_.push_back({number, false});
    started_.erase(found);
  }

  GoalWriter& out_;
  std::vector<Dependency> before_;                            ///< what the next operation waits for
  std::unordered_map<std::uint64_t, std::uint64_t> started_;  ///< operations by request
  Call operation_;
};

/// What a graph has besides GOAL's operations cannot be written.
void require_operation(const Call& call) {
  if (call.kind != CallKind::send && call.kind != CallKind::recv && call.kind != CallKind::compute)
    throw Error("GOAL has no collectives, only messages");
}

}  // namespace

GoalWriter::GoalWriter(std::ostream& stream, int ranks) : out_(stream) {
  out_.print("num_ranks {}\n", ranks);
}

void GoalWriter::begin_rank() {
  out_.print("rank {} {{\n", rank_++);
  next_ = 0;
}

void GoalWriter::end_rank() { out_.put("}\n"); }

std::uint64_t GoalWriter::add(const Call& call) {
  if (call.tag > largest_tag)
    throw Error("tag {} is larger than GOAL can hold, which is {}", call.tag, largest_tag);
  if (call.stream > largest_place || call.nic > largest_place)
    throw Error("GOAL has processors and NICs 0 to {}, not {}", largest_place,
                std::max(call.stream, call.nic));
  if (call.kind == CallKind::compute) {
    out_.print("l{}: calc {}", next_, (call.time.count() + 500) / 1000);
  } else {
    const bool sends = call.kind == CallKind::send;
    out_.print("l{}: {} {}b {} {} tag {}", next_, sends ? "send" : "recv",
               std::max<std::uint64_t>(call.bytes, 1), sends ? "to" : "from", call.peer, call.tag);
  }
  if (call.stream != 0) out_.print(" cpu {}", call.stream);
  if (call.nic != 0 && call.kind != CallKind::compute) out_.print(" nic {}", call.nic);
  out_.put("\n");
  for (const Dependency& one : call.after) add_dependency(next_, one);
  return next_++;
}

void GoalWriter::add_dependency(std::uint64_t number, const Dependency& dependency) {
  out_.print("l{} {} l{}\n", number, dependency.only_begun ? "irequires" : "requires",
             dependency.on);
}

namespace goal {

void write(std::ostream& stream, const Trace& trace) {
  GoalWriter out(stream, trace.ranks());
  Call call;
  for (Rank rank = 0; rank < trace.ranks(); ++rank) {
    out.begin_rank();
    ProgramGraph program(out);
    for (CallCursor cursor = trace.calls(rank); cursor.next(call);) {
      try {
        if (!trace.is_graph()) {
          program.add(call);
        } else {
          require_operation(call);
          out.add(call);
        }
      } catch (const Error& error) {
        throw Error("{}: {}", trace.place_of(rank, call), error.what());
      }
    }
    out.end_rank();
  }
}

}  // namespace goal
}  // namespace weft::trace
