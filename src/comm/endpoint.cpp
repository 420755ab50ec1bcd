// SPDX-License-Identifier: Apache-2.0
// Accounts for operations: which are pending, until when, and who waits.
#include "comm/endpoint.hpp"

#include <cstring>

namespace weft::comm {

Op Endpoint::send(Rank to, const Envelope& envelope, std::span<const std::byte> data,
                  SendOptions options) {
  return Op(*this, {.kind = OpKind::send,
                    .priority = options.priority,
                    .mode = options.mode,
                    .peer = to,
                    .envelope = envelope,
                    .data = data});
}
Op Endpoint::recv(Rank from, const Envelope& wanted, std::span<std::byte> into) {
  return Op(*this, {.kind = OpKind::recv, .peer = from, .envelope = wanted, .into = into});
}
Region Endpoint::expose(std::span<std::byte> memory, RegionRights rights) {
  exposing(memory);
  return {regions_, memory, rights};
}
Op Endpoint::put(Rank to, RemoteSlice at, std::span<const std::byte> data) {
  return Op(*this, {.kind = OpKind::put, .peer = to, .data = data, .at = at});
}
Op Endpoint::put(Rank to, RemoteSlice at, std::span<const std::byte> data, Immediate immediate) {
  return Op(*this, {.kind = OpKind::put,
                    .notify = true,
                    .peer = to,
                    .data = data,
                    .at = at,
                    .value = immediate.value});
}
Op Endpoint::notice(Rank from) {
  return Op(*this, {.kind = OpKind::notice, .peer = from, .envelope = {0, from, any_tag}});
}
Op Endpoint::get(Rank from, RemoteSlice at, std::span<std::byte> into) {
  return Op(*this, {.kind = OpKind::get, .peer = from, .into = into, .at = at});
}
Op Endpoint::sleep(Duration time) { return Op(*this, {.kind = OpKind::sleep, .time = time}); }
Op Endpoint::spend(Duration time) { return Op(*this, {.kind = OpKind::spend, .time = time}); }

bool holds(const OpRequest& request) {
  std::uint64_t word = 0;
  const std::size_t width = request.data.size();
  std::memcpy(&word, request.data.data(), width);
  // The shift to the top bits gives the difference the sign of a 64-bit number.
  const std::size_t unused = 64 - 8 * width;
  const std::uint64_t ahead = (word - request.value) << unused;
  switch (request.compare) {
    case Compare::at_least:
      return static_cast<std::int64_t>(ahead) >= 0;
    case Compare::equal:
      return ahead == 0;
    case Compare::differs:
      return ahead != 0;
  }
  return false;
}

std::vector<PendingOperation> Endpoint::pending() const {
  std::vector<PendingOperation> out;
  for (const Op* op = first_; op != nullptr; op = op->next_) out.push_back(op->pending());
  return out;
}

void Endpoint::enter(Op& op) {
  invariant(op.request_.peer >= any_source && op.request_.peer < size_, "there is no such rank");
  op.since_ = now();
  op.previous_ = last_;
  (last_ == nullptr ? first_ : last_->next_) = &op;
  last_ = &op;
  const std::uint32_t id = slots_.acquire();
  Slot& slot = slots_[id];
  op.handle_ = {id, slot.generation};
  slot.op = &op;
  if (const Status why = why_gone(op.request_.peer); why != Status::ok)
    complete(op, {.status = why});
  else
    post(op);
  if (timeline_ != nullptr) timeline_->begun(op, rank_, now());
}

void Endpoint::leave(Op& op) {
  (op.previous_ == nullptr ? first_ : op.previous_->next_) = op.next_;
  (op.next_ == nullptr ? last_ : op.next_->previous_) = op.previous_;
  ++slots_[op.handle_.slot].generation;
  slots_.release(op.handle_.slot);
  deadlines_.remove(op);
}

void Endpoint::complete(Op& op, const Result& result) {
  invariant(!op.done() && result.status != Status::pending, "an operation ends twice, or not");
  op.result_ = result;
  leave(op);
  if (timeline_ != nullptr) timeline_->completed(op, rank_, now());
  if (!op.waiting_) return;
  if (op.left_ != nullptr && --*op.left_ != 0) return;
  if (timeline_ != nullptr) timeline_->resumed(op, rank_, now());
  ready_.push(op.waiting_);
}

void Endpoint::abandon(Op& op, Status status) {
  withdraw(op);
  complete(op, {.status = status});
}

void Endpoint::limit(Op& op, Time deadline) {
  deadlines_.set(op, deadline);
  if (&deadlines_.first() == &op) alarm(deadline);
}

void Endpoint::expire() {
  while (!deadlines_.empty() && deadlines_.earliest() <= now())
    abandon(deadlines_.first(), Status::timed_out);
  if (!deadlines_.empty()) alarm(deadlines_.earliest());
}

void Endpoint::gone(Rank peer, Status why) {
  gone_.resize(static_cast<std::size_t>(size_), Status::ok);
  gone_[static_cast<std::size_t>(peer)] = why;
  for_each_pending([&](Op& op) {
    if (op.request_.peer == peer) abandon(op, why);
  });
}

}  // namespace weft::comm
