// SPDX-License-Identifier: Apache-2.0
// The eager and the rendezvous protocols.
#include "comm/tagged.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace weft::comm {

Tagged::Tagged(Carrier& carrier, Pool& pool, const Costs& costs)
    : carrier_(carrier),
      pool_(pool),
      library_(costs.library),
      reads_(library_.reads && costs.reads),
      eager_limit_(library_.eager.count > 0 ? static_cast<std::size_t>(library_.eager.count)
                                            : costs.eager_limit),
      fragment_(library_.fragment.count > 0 ? static_cast<std::size_t>(library_.fragment.count)
                                            : std::numeric_limits<std::size_t>::max()),
      poll_all_(library_.check * costs.connections) {}

void Tagged::send(Op& op) {
  const OpRequest& request = op.request();
  Header header{.priority = request.priority,
                .number = ++sent_,
                .envelope = request.envelope,
                .bytes = request.data.size()};
  op.carried.message = message_of(op.rank(), header);
  if (request.data.size() <= eager_limit_ && request.mode == Mode::asynchronous) {
    send_eagerly(op, header);
    return;
  }
  header.step = ProtocolStep::request;
  header.sender = op.handle();
  op.carried.stage = requested;
  carrier_.carry(request.peer, header, {}, {}, send_work(true));
}

/// Before a fragment leaves; its copy is accounted for separately.
LayerWork Tagged::send_work(bool first) const {
  return {first || !library_.once_per_message ? library_.send : Duration{0}, library_.lower_send};
}
/// For a fragment that a receive takes; the lower library has had its part when it came.
Duration Tagged::recv_work(bool first) const {
  return first || !library_.once_per_message ? library_.recv : Duration{0};
}

/// Sends a message in fragments: each is copied while those before it are on their way.
void Tagged::send_eagerly(const Op& op, Header header) {
  const OpRequest& request = op.request();
  std::span<const std::byte> rest = request.data;
  if (rest.size() > fragment_) header.sender = op.handle();
  header.step = ProtocolStep::eager;
  const auto carry = [&](std::size_t size, OpHandle done) {
    LayerWork work = send_work(header.step == ProtocolStep::eager);
    work.library += library_.copying_in(size);
    carrier_.carry(request.peer, header, Buffer(pool_, rest.first(size)), done, work);
  };
  while (rest.size() > fragment_) {
    carry(fragment_, {});
    rest = rest.subspan(fragment_);
    header.offset += fragment_;
    header.step = ProtocolStep::fragment;
  }
  carry(rest.size(), op.handle());
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
  const bool is_written = header.step == ProtocolStep::data;
  carrier_.work({poll_all_, is_written ? Duration{0} : library_.lower_recv});
  switch (header.step) {
    case ProtocolStep::eager:
    case ProtocolStep::request: {
      const std::uint64_t size = payload.size();
      match_or_store({from, header, std::move(payload), size});
      return;
    }
    case ProtocolStep::fragment:
      take_fragment(from, header, std::move(payload));
      return;
    case ProtocolStep::clear:
      if (Op* const op = carrier_.find_op(header.sender)) {
        op->carried.stage = matched;
        Header data = header;
        data.step = ProtocolStep::data;
        carrier_.carry(from, data, Buffer(pool_, op->request().data), op->handle(), {});
      }
      return;
    case ProtocolStep::data:
      take_data(from, header, std::move(payload));
      return;
    case ProtocolStep::done:
      if (Op* const op = carrier_.find_op(header.sender)) {
        op->carried.stage = matched;
        carrier_.completed(*op, {.status = Status::ok});
      }
      return;
    case ProtocolStep::withdrawn:
      forget_message(from, header);
      return;
  }
}

void Tagged::match_or_store(Stored&& message) {
  const std::uint32_t place = stored_.acquire();
  const bool by_nic = matched_by_nic(message.from);
  if (const auto op = matcher_.arrive(message.header.envelope, place)) {
    stored_.release(place);
    if (message.incomplete())
      incomplete_.push_back({message.from, message.header.sender,
                             message.header.bytes - message.arrived, taken, (*op)->handle()});
    deliver(**op, std::move(message), by_nic);
    return;
  }
  store(place, std::move(message));
}

/// Keeps an unexpected message, with room for the fragments that are to come.
void Tagged::store(std::uint32_t place, Stored&& message) {
  const Duration copy = library_.keeps_place ? Duration{0} : library_.copying_out(message.arrived);
  carrier_.work({library_.unexpected + copy});
  if (message.incomplete()) {
    Buffer whole = message.payload.has_contents() ? Buffer(pool_, message.header.bytes)
                                                  : Buffer::sized(message.header.bytes);
    message.payload.copy_to(whole.bytes());
    message.payload = std::move(whole);
    incomplete_.push_back(
        {message.from, message.header.sender, message.header.bytes - message.arrived, place, {}});
  }
  stored_[place] = std::move(message);
}

Result Tagged::result_of(const Op& op, Rank from, const Header& header) {
  const bool fits = header.bytes <= op.request().into.size();
  return {.status = fits ? Status::ok : Status::truncated,
          .sender = header.envelope.source,
          .tag = header.envelope.tag,
          .bytes = header.bytes,
          .message = message_of(from, header)};
}

void Tagged::deliver(Op& op, Stored&& message, bool by_nic) {
  op.carried.ticket = Matcher<Op*, std::uint32_t>::no_ticket;
  op.carried.stage = matched;
  if (message.header.step == ProtocolStep::request)
    answer(op, message, by_nic);
  else if (by_nic)
    carrier_.hand_over(op, std::move(message.payload), result_of(op, message.from, message.header));
  else
    deliver_data(op, std::move(message));
}

/// Delivers what has arrived of an eager message; the rest follows by take_fragment().
void Tagged::deliver_data(Op& op, Stored&& message) {
  const Duration copy = library_.copying_out(message.arrived);
  carrier_.work({recv_work(true) + copy + (copy.count() > 0 ? library_.touch : Duration{0})});
  if (!message.incomplete()) {
    carrier_.unpack(op, {std::move(message.payload)}, result_of(op, message.from, message.header));
    return;
  }
  const auto rest = find_incomplete(message.from, message.header.sender);
  rest->place = taken;
  rest->receiver = op.handle();
  carrier_.unpack(op, {std::move(message.payload)}, {});
}

/// Answers the request of a long message: has its data written, or reads them.
void Tagged::answer(const Op& op, const Stored& request, bool by_nic) {
  carrier_.work({(by_nic ? Duration{0} : recv_work(true)) + library_.rendezvous});
  clearing_.push_back({request.from, request.header.sender, op.handle(), by_nic});
  Header answer = request.header;
  answer.receiver = op.handle();
  if (reads_) {
    answer.step = ProtocolStep::data;
    carrier_.fetch(request.from, answer,
                   std::min<std::size_t>(answer.bytes, op.request().into.size()));
    return;
  }
  answer.step = ProtocolStep::clear;
  carrier_.carry(request.from, answer, {}, {}, {{}, library_.lower_send});
}

std::vector<Tagged::Incomplete>::iterator Tagged::find_incomplete(Rank from, OpHandle sender) {
  return std::find_if(incomplete_.begin(), incomplete_.end(), [&](const Incomplete& each) {
    return each.from == from && each.sender == sender;
  });
}

/// A later fragment of an eager message that waits here, or that a receive has taken.
void Tagged::take_fragment(Rank from, const Header& header, Buffer payload) {
  const auto found = find_incomplete(from, header.sender);
  if (found == incomplete_.end()) return;  // the first was lost, or its sender is gone
  const std::uint64_t size = payload.size();
  found->missing -= size;
  const Incomplete message = *found;
  if (message.missing == 0) incomplete_.erase(found);
  if (message.place != taken) {
    carrier_.work(
        {library_.unexpected + (library_.keeps_place ? Duration{0} : library_.copying_out(size))});
    stored_[message.place].arrived += size;
    Fragment{std::move(payload), header.offset}.copy_to(stored_[message.place].payload.bytes());
    return;
  }
  Op* const op = carrier_.find_op(message.receiver);
  if (op == nullptr) return;  // withdrawn meanwhile
  carrier_.work({recv_work(false) + library_.copying_out(size)});
  carrier_.unpack(*op, {std::move(payload), header.offset},
                  message.missing == 0 ? result_of(*op, from, header) : Result{});
}

/// The data of a long message. A sender whose data were read is notified, wanted or not.
void Tagged::take_data(Rank from, const Header& header, Buffer payload) {
  const bool by_nic = stop_clearing(header.receiver);
  if (Op* const op = carrier_.find_op(header.receiver)) {
    if (by_nic) carrier_.work({recv_work(true)});
    if (reads_) {  // the NIC has reported the end of the read
      carrier_.unpack(*op, {std::move(payload)}, result_of(*op, from, header));
    } else {
      payload.copy_to(op->request().into);
      carrier_.completed(*op, result_of(*op, from, header));
    }
  }
  if (!reads_) return;
  Header note = header;
  note.step = ProtocolStep::done;
  carrier_.carry(from, note, {}, {}, {{}, library_.lower_send});
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
  carrier_.carry(op.request().peer, header, {}, {}, {{}, library_.lower_send});
}

void Tagged::gone(Rank peer, Status why) {
  while (const auto place = matcher_.take_if([&](std::uint32_t at) {
    return stored_[at].from == peer && stored_[at].header.step == ProtocolStep::request;
  }))
    stored_.release(*place);
  drop_incomplete(peer, why);
  const std::vector<Clearing> waiting = clearing_;
  for (const Clearing& each : waiting) {
    if (each.from != peer) continue;
    stop_clearing(each.receiver);
    carrier_.completed(*carrier_.find_op(each.receiver), {.status = why});
  }
}

/// Drops the messages of a rank of which fragments are to come, and ends receives that wait for
/// them.
void Tagged::drop_incomplete(Rank from, Status why) {
  std::vector<Incomplete> dropped;
  std::erase_if(incomplete_, [&](const Incomplete& each) {
    if (each.from == from) dropped.push_back(each);
    return each.from == from;
  });
  for (const Incomplete& each : dropped) {
    if (each.place != taken)
      stored_.release(*matcher_.take_if([&](std::uint32_t at) { return at == each.place; }));
    else if (Op* const op = carrier_.find_op(each.receiver))
      carrier_.completed(*op, {.status = why});
  }
}

}  // namespace weft::comm
