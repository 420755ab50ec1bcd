// SPDX-License-Identifier: Apache-2.0
// The eager and the rendezvous protocol.
#include "comm/tagged.hpp"

#include <algorithm>
#include <utility>

namespace weft::comm {

Tagged::Tagged(Carrier& carrier, Pool& pool, const Costs& costs)
    : carrier_(carrier),
      pool_(pool),
      library_(costs.library),
      eager_limit_(library_.eager.count > 0 ? static_cast<std::size_t>(library_.eager.count)
                                            : costs.eager_limit),
      poll_all_(library_.check * costs.connections) {}

void Tagged::send(Op& op) {
  const OpRequest& request = op.request();
  Header header{
      .priority = request.priority, .envelope = request.envelope, .bytes = request.data.size()};
  if (request.data.size() <= eager_limit_ && request.mode == Mode::asynchronous) {
    header.step = ProtocolStep::eager;
    carrier_.work(library_.send + library_.copying(request.data.size()));
    carrier_.carry(request.peer, header, Buffer(pool_, request.data), op.handle());
    return;
  }
  header.step = ProtocolStep::request;
  header.sender = op.handle();
  op.carried.stage = requested;
  carrier_.work(library_.send);
  carrier_.carry(request.peer, header, {}, {});
}

void Tagged::recv(Op& op) {
  const auto found = matcher_.post(op.request().envelope, &op);
  if (!found.message) {
    op.carried.ticket = found.ticket;
    op.carried.stage = posted;
    return;
  }
  Stored message = stored_.extract(*found.message);
  const bool by_nic = matched_by_nic(message.from);
  deliver(op, std::move(message), by_nic);
}

/// A library with buffers matches envelopes itself, unless it declares the NIC's time to match.
bool Tagged::matched_by_nic(Rank from) {
  const bool by_library = library_.buffers && library_.match.count() == 0;
  return !by_library && carrier_.match(from, library_.match);
}

void Tagged::arrived(Rank from, const Header& header, Buffer payload) {
  carrier_.work(poll_all_);
  switch (header.step) {
    case ProtocolStep::eager:
    case ProtocolStep::request: {
      const std::uint32_t place = stored_.acquire();
      const bool by_nic = matched_by_nic(from);
      if (const auto op = matcher_.arrive(header.envelope, place)) {
        stored_.release(place);
        deliver(**op, {from, header, std::move(payload)}, by_nic);
        return;
      }
      carrier_.work(library_.unexpected + library_.copying(payload.bytes().size()));
      stored_[place] = {from, header, std::move(payload)};
      return;
    }
    case ProtocolStep::clear:
      if (Op* const op = carrier_.find_op(header.sender)) {
        op->carried.stage = matched;
        Header data = header;
        data.step = ProtocolStep::data;
        carrier_.carry(from, data, Buffer(pool_, op->request().data), op->handle());
      }
      return;
    case ProtocolStep::data:
      take_data(header, payload);
      return;
    case ProtocolStep::withdrawn:
      forget_message(from, header);
      return;
  }
}

Result Tagged::result_of(const Op& op, const Header& header) {
  const bool fits = header.bytes <= op.request().into.size();
  return {.status = fits ? Status::ok : Status::truncated,
          .sender = header.envelope.source,
          .tag = header.envelope.tag,
          .bytes = header.bytes};
}

void Tagged::deliver(Op& op, Stored message, bool by_nic) {
  op.carried.ticket = Matcher<Op*, std::uint32_t>::no_ticket;
  op.carried.stage = matched;
  const Result result = result_of(op, message.header);
  const bool eager = message.header.step == ProtocolStep::eager;
  if (eager && by_nic) {
    carrier_.hand_over(op, std::move(message.payload), result);
    return;
  }
  if (!by_nic) carrier_.work(library_.recv + library_.copying(message.payload.bytes().size()));
  if (eager) {
    carrier_.unpack(op, std::move(message.payload), result);
    return;
  }
  clearing_.push_back({message.from, message.header.sender, op.handle(), by_nic});
  Header answer = message.header;
  answer.step = ProtocolStep::clear;
  answer.receiver = op.handle();
  carrier_.carry(message.from, answer, {}, {});
}

void Tagged::take_data(const Header& header, const Buffer& payload) {
  Op* const op = carrier_.find_op(header.receiver);
  if (op == nullptr) return;  // withdrawn meanwhile
  if (stop_clearing(header.receiver)) carrier_.work(library_.recv);
  payload.copy_to(op->request().into);
  carrier_.completed(*op, result_of(*op, header));
}

/// The sender of a long message has withdrawn it: it waits here, or a receive waits for its data.
void Tagged::forget_message(Rank from, const Header& header) {
  const auto place = matcher_.take_if([&](std::uint32_t at) {
    return stored_[at].from == from && stored_[at].header.step == ProtocolStep::request &&
           stored_[at].header.sender == header.sender;
  });
  if (place) {
    stored_.release(*place);
    return;
  }
  for (const Clearing waiting : clearing_) {
    if (waiting.from != from || waiting.sender != header.sender) continue;
    stop_clearing(waiting.receiver);
    carrier_.completed(*carrier_.find_op(waiting.receiver), {.status = Status::cancelled});
    return;
  }
}

/// Returns whether the NIC matched it, so that the processor's work is still to be done.
bool Tagged::stop_clearing(OpHandle receiver) {
  bool by_nic = false;
  std::erase_if(clearing_, [&](const Clearing& c) {
    if (c.receiver != receiver) return false;
    by_nic = c.by_nic;
    return true;
  });
  return by_nic;
}

void Tagged::withdraw(Op& op) {
  if (op.request().kind == OpKind::recv) {
    if (op.carried.stage == posted)
      matcher_.withdraw(op.carried.ticket);
    else
      stop_clearing(op.handle());
    return;
  }
  if (op.carried.stage != requested) return;  // the message is in transit
  const Header header{.step = ProtocolStep::withdrawn,
                      .priority = op.request().priority,
                      .envelope = op.request().envelope,
                      .sender = op.handle()};
  carrier_.carry(op.request().peer, header, {}, {});
}

void Tagged::gone(Rank peer, Status why) {
  while (const auto place = matcher_.take_if([&](std::uint32_t at) {
    return stored_[at].from == peer && stored_[at].header.step == ProtocolStep::request;
  }))
    stored_.release(*place);
  const std::vector<Clearing> waiting = clearing_;
  for (const Clearing& each : waiting) {
    if (each.from != peer) continue;
    stop_clearing(each.receiver);
    carrier_.completed(*carrier_.find_op(each.receiver), {.status = why});
  }
}

}  // namespace weft::comm
