// SPDX-License-Identifier: Apache-2.0
// Finds the messages of receives with wildcards.
#include "trace/matched_calls.hpp"

namespace weft::trace {
namespace {

/// Nothing is known of the message.
constexpr ReceivedMessage any_message{.source = any_rank};

bool is_wild(const Call& call) { return call.peer == any_rank || call.tag == any_message_tag; }

void resolve(Rank& source, std::int64_t& tag, const ReceivedMessage& got) {
  if (source == any_rank) source = got.source;
  if (tag == any_message_tag) tag = got.tag;
}

}  // namespace

bool MatchedCalls::next(Call& into) {
  if (!calls_.next(into)) return false;
  if (into.kind == CallKind::irecv && is_wild(into))
    resolve(into.peer, into.tag, message_of(calls_.index()));
  if (into.received.empty()) return true;
  if (into.kind == CallKind::recv) resolve(into.peer, into.tag, into.received.front());
  if (into.kind == CallKind::sendrecv) resolve(into.from, into.receive_tag, into.received.front());
  return true;
}

ReceivedMessage MatchedCalls::message_of(std::uint64_t receive) {
  while (!closed_.contains(receive)) {
    if (!ahead_.next(ahead_call_)) return any_message;
    look_at(ahead_call_);
  }
  return closed_.extract(receive).mapped();
}

void MatchedCalls::look_at(const Call& call) {
  if (call.kind == CallKind::irecv && is_wild(call)) open_[call.request] = ahead_.index();
  if (call.kind != CallKind::wait && call.kind != CallKind::waitall) return;
  for (const ReceivedMessage& got : call.received) close(got.request, got);
  if (call.kind == CallKind::wait) close(call.request, any_message);
  for (const std::uint64_t request : call.requests) close(request, any_message);
}

void MatchedCalls::close(std::uint64_t request, const ReceivedMessage& got) {
  const auto found = open_.find(request);
  if (found == open_.end()) return;
  closed_.emplace(found->second, got);
  open_.erase(found);
}

}  // namespace weft::trace
