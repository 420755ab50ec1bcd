// SPDX-License-Identifier: Apache-2.0
// The lines of GOAL.
#include "trace/formats/goal_writer.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "trace/formats/formats.hpp"

namespace weft::trace {
namespace {

constexpr std::int64_t largest_tag = 0xFFFFFFFE;
constexpr std::uint32_t largest_place = 255;

/// What a graph has besides GOAL's operations cannot be written.
void require_operation(const Call& call) {
  if (call.kind != CallKind::send && call.kind != CallKind::recv && call.kind != CallKind::compute)
    throw Error("GOAL has no collectives, only messages");
  if (call.communicator != world)
    throw Error("GOAL has no communicators, and this is a message in {}", call.communicator);
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
  if (!trace.is_graph())
    throw Error("{}: a program, which GOAL can hold as a graph of its messages only",
                trace.source());
  GoalWriter out(stream, trace.ranks());
  Call call;
  for (Rank rank = 0; rank < trace.ranks(); ++rank) {
    out.begin_rank();
    for (CallCursor cursor = trace.calls(rank); cursor.next(call);) {
      try {
        require_operation(call);
        out.add(call);
      } catch (const Error& error) {
        throw Error("{}: {}", trace.place_of(rank, call), error.what());
      }
    }
    out.end_rank();
  }
}

}  // namespace goal
}  // namespace weft::trace
