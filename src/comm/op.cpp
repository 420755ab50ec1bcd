// SPDX-License-Identifier: Apache-2.0
// Operations: what they do at their endpoint, and how they are described.
#include "comm/op.hpp"

#include <fmt/format.h>

#include "comm/endpoint.hpp"

namespace weft::comm {

std::string to_text(const Flow& flow) {
  return fmt::format("{}->{}{}", flow.source, flow.target,
                     flow.priority == Priority::high ? " (high)" : "");
}

std::string_view to_text(Status status) {
  switch (status) {
    case Status::pending:
      return "pending";
    case Status::ok:
      return "ok";
    case Status::truncated:
      return "truncated";
    case Status::refused:
      return "refused";
    case Status::not_ready:
      return "not ready";
    case Status::broken:
      return "connection broken";
    case Status::peer_gone:
      return "peer gone";
    case Status::timed_out:
      return "timed out";
    case Status::cancelled:
      return "cancelled";
  }
  return "";
}

std::string_view to_text(OpKind kind) {
  switch (kind) {
    case OpKind::send:
      return "send";
    case OpKind::recv:
      return "recv";
    case OpKind::put:
      return "put";
    case OpKind::notice:
      return "notice";
    case OpKind::get:
      return "get";
    case OpKind::until:
      return "until";
    case OpKind::sleep:
      return "sleep";
    case OpKind::spend:
      return "compute";
    case OpKind::set_event:
      return "set event";
    case OpKind::wait_event:
      return "wait event";
    case OpKind::multicast:
      return "multicast";
    case OpKind::store:
      return "store";
    case OpKind::dma:
      return "dma";
    case OpKind::wait_nic_event:
      return "wait event";
  }
  return "";
}

std::string to_text(const PendingOperation& pending) {
  std::string out = fmt::format("rank {} waits since {} in {}", pending.rank,
                                weft::to_text(pending.since), to_text(pending.kind));
  const bool receives = pending.kind == OpKind::recv || pending.kind == OpKind::notice;
  if (pending.peer != any_source)
    out += fmt::format(" {} {}", receives || pending.kind == OpKind::get ? "from" : "to",
                       pending.peer);
  else if (receives)
    out += " from anyone";
  if (pending.kind != OpKind::send && pending.kind != OpKind::recv) return out;
  return out +
         (pending.tag == any_tag ? std::string(", any tag") : fmt::format(", tag {}", pending.tag));
}

std::string to_text(std::span<const PendingOperation> pending, std::string_view indent) {
  std::string out;
  std::size_t ranks = 0, of_rank = 0, shown = 0;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    if (i == 0 || pending[i].rank != pending[i - 1].rank) {
      ++ranks;
      of_rank = 0;
    }
    if (ranks > most_ranks_shown || ++of_rank > most_of_a_rank_shown) continue;
    out += fmt::format("{}{}\n", indent, to_text(pending[i]));
    ++shown;
  }
  if (shown < pending.size())
    out += fmt::format("{}… and {} more\n", indent, pending.size() - shown);
  return out;
}

Op::Op(Endpoint& endpoint, const OpRequest& request) : endpoint_(endpoint), request_(request) {
  endpoint_.enter(*this);
}

Rank Op::rank() const { return endpoint_.rank(); }

bool Op::poll() {
  if (!done()) endpoint_.poll(*this);
  return done();
}

void Op::destroy() {
  endpoint_.withdraw(*this);
  endpoint_.leave(*this);
}

void Op::cancel() {
  if (!done()) endpoint_.abandon(*this, Status::cancelled);
}

Op& Op::within(Duration limit) {
  if (!done()) endpoint_.limit(*this, endpoint_.now() + limit);
  return *this;
}

PendingOperation Op::pending() const {
  return {rank(), request_.kind, request_.peer, request_.envelope.tag, since_};
}

Ops::Ops(Endpoint& endpoint, std::size_t most)
    : pool_(endpoint.pool_), first_(static_cast<Op*>(pool_.take(most * sizeof(Op)))), most_(most) {}

Ops::~Ops() {
  while (count_ > 0) first_[--count_].~Op();
  pool_.give(first_, most_ * sizeof(Op));
}

}  // namespace weft::comm
