// SPDX-License-Identifier: Apache-2.0
// WorldPart: what travels between the ranks of a simulated world, and what they do later.
#include <algorithm>
#include <cstring>
#include <utility>

#include "run/simulated/world.hpp"

namespace weft::run {

using comm::Op;
using comm::ProtocolStep;
using comm::Rank;
using comm::Status;

// --- shipments ----------------------------------------------------------------------------------

SimulatedEndpoint& WorldPart::rank(Rank rank) { return world_.rank(rank); }

void WorldPart::ship(Shipment&& shipment, sim::Move move, std::uint64_t bytes) {
  const SimulatedEndpoint& from = rank(shipment.from);
  const SimulatedEndpoint& to = rank(shipment.to);
  if (from.left_) return;
  sim::Transfer transfer{.move = move,
                         .from = from.place().host,
                         .to = to.place().host,
                         .from_processor = from.place().processor,
                         .to_processor = to.place().processor,
                         .urgent = shipment.header.priority == comm::Priority::high,
                         .by_nic = sent_by_nic(shipment),
                         .from_buffer = from_buffer(shipment),
                         .bytes = bytes};
  if (&world_.part_of(to.place().host) != this) shipment.payload.leave_pool();
  transfer.cookie = shipments_.insert(std::move(shipment));
  hosts_.begin(transfer);
}

/// Whether the NIC sends a shipment: where it matches, what follows a match is not the processor's
/// work.
bool WorldPart::sent_by_nic(const Shipment& shipment) {
  const bool follows =
      shipment.kind == ShipmentKind::tagged &&
      (shipment.header.step == ProtocolStep::clear || shipment.header.step == ProtocolStep::data);
  return follows && world_.options_.library.match.count() > 0 &&
         rank(shipment.from).place().host != rank(shipment.to).place().host;
}

/// Whether the NIC fetches what is shipped from a buffer of the library, however short it is.
bool WorldPart::from_buffer(const Shipment& shipment) const {
  if (shipment.kind != ShipmentKind::tagged) return false;
  const ProtocolStep step = shipment.header.step;
  return step == ProtocolStep::fragment ||
         (step == ProtocolStep::request && world_.options_.library.copies_requests);
}

void WorldPart::carry(Shipment&& shipment) {
  const comm::Time at = rank(shipment.from).nic_free_;
  if (sent_by_nic(shipment) && at > now()) {
    const Rank from = shipment.from;
    const std::uint32_t id = shipments_.insert(std::move(shipment));
    later(at, {.kind = DeferredKind::ship, .rank = from, .shipment = id});
    return;
  }
  const std::uint64_t bytes = shipment.payload.size();
  const bool data = shipment.header.step == ProtocolStep::data;
  ship(std::move(shipment), data ? sim::Move::write : sim::Move::message, bytes);
}

void WorldPart::ship_to_group(Shipment&& shipment, std::uint32_t group) {
  const SimulatedEndpoint& from = rank(shipment.from);
  shipment.to = shipment.from;  // no single rank
  sim::Transfer transfer{.move = sim::Move::message,
                         .from = from.place().host,
                         .from_processor = from.place().processor,
                         .group = group,
                         .bytes = shipment.header.bytes};
  transfer.cookie = shipments_.insert(std::move(shipment));
  hosts_.begin(transfer);
}

void WorldPart::complete_op(Rank rank, comm::OpHandle handle, Status status) {
  SimulatedEndpoint& at = this->rank(rank);
  if (Op* const op = at.find(handle)) at.complete(*op, {.status = status});
}

/// The step of a tagged message that a shipment is; of several fragments the last is one.
std::optional<comm::MessageStep> WorldPart::step_of(const Shipment& shipment) {
  const comm::Header& header = shipment.header;
  const ProtocolStep step = header.step;
  const bool reads = shipment.kind == ShipmentKind::fetch;
  const bool is_tagged = reads || shipment.kind == ShipmentKind::tagged;
  const bool is_eager = step == ProtocolStep::eager || step == ProtocolStep::fragment;
  const bool is_last = !is_eager || header.offset + shipment.payload.size() == header.bytes;
  if (!is_tagged || !is_last || step == ProtocolStep::withdrawn) return std::nullopt;
  const bool answers = reads || step == ProtocolStep::clear || step == ProtocolStep::done;
  comm::MessageStep out{.step = step,
                        .answers = answers,
                        .by_nic = sent_by_nic(shipment),
                        .sender = answers ? shipment.to : shipment.from,
                        .receiver = answers ? shipment.from : shipment.to,
                        .bytes = header.bytes};
  out.message = comm::Tagged::message_of(out.sender, header);
  if (answers && step != ProtocolStep::done)
    if (const Op* const op = rank(out.receiver).find(header.receiver)) out.wanted = op->since();
  return out;
}

void WorldPart::arrived(std::uint64_t cookie) {
  if (!world_.logs_steps()) return;
  if (const auto step = step_of(shipments_[cookie]))
    world_.options_.log->step_arrived(*step, now());
}

void WorldPart::posted(std::uint64_t cookie) {
  const Shipment& shipment = shipments_[cookie];
  if (world_.logs_steps())
    if (const auto step = step_of(shipment)) world_.options_.log->step_left(*step, now());
  SimulatedEndpoint& from = rank(shipment.from);
  if (shipment.kind == ShipmentKind::tagged && from.in_window(shipment.to, shipment.header.step))
    from.fragment_posted();
  const bool eager =
      shipment.kind == ShipmentKind::tagged && (shipment.header.step == ProtocolStep::eager ||
                                                shipment.header.step == ProtocolStep::fragment);
  const bool kept =
      world_.buffers_ &&
      shipment.payload.size() <= static_cast<std::uint64_t>(world_.options_.library.buffered.count);
  const bool unacknowledged = shipment.kind == ShipmentKind::multicast && !world_.elans_;
  if ((eager && kept) || unacknowledged) complete_op(shipment.from, shipment.op, Status::ok);
}

void WorldPart::sent(std::uint64_t cookie) {
  const Shipment& shipment = shipments_[cookie];
  const bool awaits_answer =
      shipment.kind == ShipmentKind::get || world_.model_.acknowledge != sim::Acknowledge::never;
  if (!awaits_answer) complete_op(shipment.from, shipment.op, Status::ok);
}

/// An error breaks the connection, where there is one: at the target now, at the source when the
/// error arrives there.
sim::TransferStatus WorldPart::admit(std::uint64_t cookie) {
  Shipment& shipment = shipments_[cookie];
  const sim::TransferStatus outcome = judge(shipment);
  const bool error =
      outcome == sim::TransferStatus::refused || outcome == sim::TransferStatus::not_ready;
  if (error && world_.model_.connections) rank(shipment.to).lose(shipment.from, Status::broken);
  return outcome;
}

sim::TransferStatus WorldPart::judge(Shipment& shipment) {
  const SimulatedEndpoint& target = rank(shipment.to);
  shipment.broken = target.why_gone(shipment.from) == Status::broken;
  if (target.left_ || shipment.broken) return sim::TransferStatus::lost;
  const std::size_t size = shipment.payload.size();
  if (shipment.kind == ShipmentKind::put) {
    if (!target.regions_.find(shipment.at, size, comm::RegionRights::remote_write))
      return sim::TransferStatus::refused;
    if (shipment.notify && world_.model_.insists_on_descriptors && !target.has_descriptor())
      return sim::TransferStatus::not_ready;
  }
  const bool eager =
      shipment.kind == ShipmentKind::tagged && shipment.header.step == ProtocolStep::eager;
  if (eager && !world_.buffers_ && !target.tagged_.awaits(shipment.header.envelope))
    return sim::TransferStatus::not_ready;
  if (shipment.kind == ShipmentKind::get) {
    const auto memory = target.regions_.find(shipment.at, size, comm::RegionRights::remote_read);
    if (!memory) return sim::TransferStatus::refused;
    shipment.payload = to_read(shipment, *memory);
  }
  if (shipment.kind == ShipmentKind::fetch) serve_fetch(shipment);
  return sim::TransferStatus::ok;
}

/// Takes the data of a long message from its sender's memory, unless that has withdrawn it.
void WorldPart::serve_fetch(Shipment& shipment) {
  const Op* const op = rank(shipment.to).find(shipment.header.sender);
  if (op == nullptr) {
    shipment.header.step = ProtocolStep::withdrawn;
    return;
  }
  shipment.payload = to_read(shipment, op->request().data.first(shipment.payload.size()));
}

/// A copy of what a shipment reads.
comm::Buffer WorldPart::to_read(const Shipment& shipment, std::span<const std::byte> memory) {
  comm::Buffer out(pool_, memory);
  if (&world_.part_of(rank(shipment.from).place().host) != this) out.leave_pool();
  return out;
}

void WorldPart::landed(std::uint64_t cookie, HostId at) {
  arrived(cookie);
  Shipment& shipment = shipments_[cookie];
  SimulatedEndpoint& target = rank(shipment.to);
  switch (shipment.kind) {
    case ShipmentKind::tagged: {
      const Rank from = shipment.from;
      const comm::Header header = shipment.header;
      comm::Buffer payload = std::move(shipment.payload);
      target.tagged_.arrived(from, header, std::move(payload));
      return;
    }
    case ShipmentKind::fetch: {
      const Rank from = shipment.to;
      const comm::Header header = shipment.header;
      comm::Buffer payload = std::move(shipment.payload);
      rank(shipment.from).tagged_.arrived(from, header, std::move(payload));
      return;
    }
    case ShipmentKind::put:
      land_put(shipment);
      return;
    case ShipmentKind::get: {
      SimulatedEndpoint& asked = rank(shipment.from);
      Op* const op = asked.find(shipment.op);
      if (op == nullptr) return;
      shipment.payload.copy_to(op->request().into);
      asked.touched(op->request().into);
      asked.complete(*op, {.status = Status::ok, .bytes = shipment.payload.size()});
      return;
    }
    case ShipmentKind::event:
      target.set_event(shipment.event);
      return;
    case ShipmentKind::multicast: {
      const Rank from = shipment.from;
      const comm::Header header = shipment.header;
      for (SimulatedEndpoint* member : world_.ranks_on(at))
        if (member->rank() != from && !member->left_)
          member->tagged_.arrived(from, header, shipments_[cookie].payload.copied(pool_));
      return;
    }
  }
}

void WorldPart::land_put(Shipment& shipment) {
  SimulatedEndpoint& target = rank(shipment.to);
  const auto data = std::as_const(shipment.payload).bytes();
  const auto memory =
      target.regions_.find(shipment.at, data.size(), comm::RegionRights::remote_write);
  shipment.payload.copy_to(*memory);
  world_.touched(target.place().host, *memory);
  if (shipment.sets_event) target.set_event(shipment.event);
  if (shipment.notify) target.notice_arrived(shipment.from, data.size(), shipment.value);
}

void WorldPart::finished(std::uint64_t cookie, sim::TransferStatus outcome) {
  const auto id = static_cast<std::uint32_t>(cookie);
  if (world_.options_.library.window > 0) acknowledge(shipments_[id]);
  if (outcome != sim::TransferStatus::ok) {
    failed(shipments_.extract(id), outcome);
    return;
  }
  const Rank from = shipments_[id].from;
  const comm::OpHandle op = shipments_[id].op;
  shipments_[id].payload = {};
  shipments_.release(id);
  complete_op(from, op, Status::ok);
}

/// Notifies the sender of a fragment in the library's window.
void WorldPart::acknowledge(const Shipment& shipment) {
  SimulatedEndpoint& from = rank(shipment.from);
  if (shipment.kind == ShipmentKind::tagged && from.in_window(shipment.to, shipment.header.step))
    from.acknowledged();
}

void WorldPart::failed(const Shipment& shipment, sim::TransferStatus outcome) {
  const Status status = status_of(shipment, outcome);
  if (shipment.kind == ShipmentKind::tagged || shipment.kind == ShipmentKind::fetch)
    fail_tagged(shipment, status);
  else
    complete_op(shipment.from, shipment.op, status);
  const bool error = status == Status::refused || status == Status::not_ready;
  if (error && world_.model_.connections) rank(shipment.from).lose(shipment.to, Status::broken);
}

Status WorldPart::status_of(const Shipment& shipment, sim::TransferStatus outcome) {
  switch (outcome) {
    case sim::TransferStatus::ok:
      return Status::ok;
    case sim::TransferStatus::refused:
      return Status::refused;
    case sim::TransferStatus::not_ready:
      return Status::not_ready;
    case sim::TransferStatus::lost:
      break;
  }
  const bool broken =
      shipment.broken || rank(shipment.to).why_gone(shipment.from) == Status::broken;
  return broken ? Status::broken : Status::peer_gone;
}

/// Ends the operation that waits for the step after a part of a tagged message that did not arrive.
void WorldPart::fail_tagged(const Shipment& shipment, Status status) {
  SimulatedEndpoint& from = rank(shipment.from);
  comm::OpHandle handle = shipment.op;
  if (shipment.header.step == ProtocolStep::request) handle = shipment.header.sender;
  if (shipment.header.step == ProtocolStep::clear || shipment.kind == ShipmentKind::fetch)
    handle = shipment.header.receiver;
  if (Op* const op = from.find(handle)) from.abandon(*op, status);
}

// --- jobs ---------------------------------------------------------------------------------------

void WorldPart::later(comm::Time at, DeferredAction&& action) {
  hosts_.kernel().at(at, *this, actions_.insert(std::move(action)));
}

void WorldPart::notice(const SimulatedEndpoint& at, const Op& op, const comm::Result& result) {
  later(world_.processor(at).enter(now(), world_.model_.poll),
        {.rank = at.rank(), .op = op.handle(), .result = result});
}

void WorldPart::fire(std::uint64_t what) {
  const DeferredAction action = actions_.extract(static_cast<std::uint32_t>(what));
  SimulatedEndpoint& at = rank(action.rank);
  Op* const op = at.find(action.op);
  switch (action.kind) {
    case DeferredKind::complete:
      if (op != nullptr) at.complete(*op, action.result);
      return;
    case DeferredKind::unpack:
      if (op == nullptr) return;
      action.fragment.copy_to(op->request().into);
      if (action.result.status != Status::pending) at.complete(*op, action.result);
      return;
    case DeferredKind::hand_over:
      if (op == nullptr) return;
      if (world_.logs_steps())
        world_.options_.log->step_arrived({.by_nic = true,
                                           .receiver = at.rank(),
                                           .message = action.result.message,
                                           .wanted = op->since()},
                                          now());
      action.fragment.copy_to(op->request().into);
      at.work({world_.options_.library.recv, world_.options_.library.lower_recv});
      notice(at, *op, action.result);
      return;
    case DeferredKind::ship:
      carry(shipments_.extract(action.shipment));
      return;
    case DeferredKind::store:
      if (op != nullptr) store(*op);
      return;
    case DeferredKind::expire:
      if (at.alarm_ != now()) return;  // another was set since
      at.alarm_ = comm::Time::max();
      at.expire();
      return;
    case DeferredKind::end_lease:
      at.rates_here_.end_lease();
      return;
    case DeferredKind::leave:
      world_.leave(action.rank);
      return;
  }
}

void WorldPart::store(Op& op) {
  const comm::OpRequest& request = op.request();
  std::uint64_t before = 0;
  std::memcpy(&before, request.into.data(), sizeof before);
  const std::uint64_t after = request.notify ? before + 1 : request.value;
  std::memcpy(request.into.data(), &after, sizeof after);
  SimulatedEndpoint& at = rank(op.rank());
  const auto memory = request.into;
  at.complete(op, {.status = Status::ok, .bytes = sizeof after, .immediate = before});
  world_.touched(at.place().host, memory);
}

}  // namespace weft::run
