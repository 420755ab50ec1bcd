// SPDX-License-Identifier: Apache-2.0
// What becomes of a transfer between its phases: at its source, on the link, at its target.
#include <algorithm>
#include <utility>

#include "sim/hosts/staged_hosts.hpp"

namespace weft::sim {

// --- the source ---------------------------------------------------------------------------------

void StagedHosts::submitted(std::uint32_t id) {
  Active& active = active_[id];
  const Transfer& transfer = active.transfer;
  if (transfer.group == no_group && transfer.from == transfer.to) {
    active.packets = 1;
    user_->sent(transfer.cookie);
    deliver(id);
    return;
  }
  cut(active);
  if (scheduled(transfer)) {
    if (!steps_by_packet(transfer)) ++active.steps;
    enqueue(id);
    return;
  }
  if (steps_by_packet(transfer)) --active.steps;  // it goes on as packets
  while (active_[id].launched < std::min(active_[id].packets, model_.prefetch)) launch(id);
}

/// Cuts a transfer into packets.
void StagedHosts::cut(Active& active) const {
  const auto mtu = static_cast<std::uint64_t>(model_.mtu.count);
  const auto header = static_cast<std::uint64_t>(model_.header.count);
  const std::uint64_t data = active.transfer.move == Move::read ? 0 : active.transfer.bytes;
  active.packets = data <= mtu ? 1 : static_cast<std::uint32_t>((data + mtu - 1) / mtu);
  active.chunk = model_.equal_chunks ? (data + active.packets - 1) / active.packets : mtu;
  const std::uint64_t before_last = (active.packets - 1) * active.chunk;
  active.last_flits = flits(data - before_last + header);
  active.flits = before_last == 0 ? active.last_flits : flits(active.chunk + header);
}

void StagedHosts::launch(std::uint32_t id) {
  ++active_[id].steps;
  pass({id, active_[id].launched++, TransferPhase::packet_out});
}

/// Sends a packet once the window has room. Multicasts are not acknowledged and bypass the window.
void StagedHosts::enter_window(TransferStep step) {
  const Transfer& transfer = active_[step.id].transfer;
  if (model_.window > 0 && transfer.group == no_group) {
    AcknowledgmentWindow& window = windows_[transfer.from.index()];
    if (window.used >= model_.window) {
      window.waiting.push(step);
      return;
    }
    ++window.used;
  }
  enter_link(step);
}

/// Frees a place in the window after an acknowledgment or a loss, and sends the next packet.
void StagedHosts::open_window(HostId host) {
  if (model_.window == 0) return;
  AcknowledgmentWindow& window = windows_[host.index()];
  --window.used;
  if (window.waiting.empty()) return;
  ++window.used;
  enter_link(window.waiting.pop());
}

/// Packets enter the network when the link has room for them; the NIC holds back the rest.
void StagedHosts::enter_link(TransferStep step) {
  const Active& active = active_[step.id];
  const std::size_t host = active.transfer.from.index();
  const Duration time = flit_time_[host] * packet_flits(active, step);
  const Duration start = links_[host].enter(kernel_.now(), time) - time;
  step = step.at(TransferPhase::enter);
  if (start == kernel_.now())
    put_on_link(step);
  else
    kernel_.at(start, *this, step.number());
}

std::uint32_t StagedHosts::members(const Transfer& transfer) const {
  if (transfer.group == no_group) return 1;
  const auto& members = tables_.groups[transfer.group].members;
  const auto self = std::count(members.begin(), members.end(), transfer.from);
  return static_cast<std::uint32_t>(members.size() - static_cast<std::size_t>(self));
}

void StagedHosts::put_on_link(TransferStep step) {
  Active& active = active_[step.id];
  const Transfer& transfer = active.transfer;
  const std::uint32_t reports = members(transfer);
  const bool by_schedule = scheduled(transfer);
  if (steps_by_packet(transfer)) active.steps += reports;
  send({.from = transfer.from,
        .to = transfer.to,
        .group = transfer.group,
        .flits = packet_flits(active, step),
        .urgent = transfer.urgent,
        .kind = by_schedule && step.stage != again ? first_time : other,
        .tag = std::uint64_t{step.id} << 32U | step.packet},
       reports);
  if (step.stage != again) {
    if (++active.sent == active.packets) user_->sent(transfer.cookie);
    // (The user may have begun transfers, and active ones have moved.)
    if (!by_schedule && active_[step.id].launched < active_[step.id].packets) launch(step.id);
  }
  drop(step.id);
}

// --- the target ---------------------------------------------------------------------------------

void StagedHosts::packet_arrived(TransferStep step) {
  Active& active = active_[step.id];
  if (active.transfer.group != no_group) {
    release_buffer(HostId(step.packet));
    pass(step.at(TransferPhase::deliver));
    return;
  }
  release_buffer(active.transfer.to);
  const bool last = ++active.arrived == active.packets;
  const bool by_packet = model_.acknowledge == Acknowledge::packet;
  if (last && (by_packet || active.outcome == TransferStatus::ok))
    in_turn(step.id);
  else if (last)
    drop(step.id);
  else if (by_packet)
    pass(step.at(TransferPhase::ack_out));
}

/// Lands a transfer in its turn: lanes let packets overtake each other, but transfers of a flow
/// land in the order they were begun.
void StagedHosts::in_turn(std::uint32_t id) {
  Active& active = active_[id];
  if (!active.ordered) {
    deliver(id);
    return;
  }
  if (is_part_) active.flow = flow_of(active.transfer);  // its source has its own number
  Flows::FlowState& flow = flows_[active.flow];
  if (active.number == flow.taken) {
    take_turn(id);
    return;
  }
  active.next = flow.held;
  flow.held = id;
}

void StagedHosts::take_turn(std::uint32_t id) {
  const std::uint32_t of = active_[id].flow;
  while (id != none) {
    Active& active = active_[id];
    active.ordered = false;
    Flows::FlowState& flow = flows_[of];
    ++flow.taken;
    const std::uint32_t next = flow.held == none ? none : take_held(flow);
    if (active.outcome == TransferStatus::lost)
      drop(id);
    else
      deliver(id);
    id = next;
  }
}

/// Takes the transfer whose turn it is, if it has arrived already.
std::uint32_t StagedHosts::take_held(Flows::FlowState& flow) {
  for (std::uint32_t* link = &flow.held; *link != none; link = &active_[*link].next)
    if (active_[*link].number == flow.taken) return std::exchange(*link, active_[*link].next);
  return none;
}

/// Notifies the target of a transfer that is there. The data of a read come with its response.
void StagedHosts::deliver(std::uint32_t id) {
  const Active& active = active_[id];
  const Transfer& transfer = active.transfer;
  const bool has_data = transfer.move != Move::read || transfer.from == transfer.to;
  if (has_data) user_->arrived(transfer.cookie);
  pass({id, active.packets - 1, TransferPhase::deliver});
}

void StagedHosts::land(TransferStep step) {
  const Transfer& transfer = active_[step.id].transfer;
  // (Copies: active transfers move when the user begins one.)
  const std::uint64_t cookie = transfer.cookie;
  const HostId from = transfer.from, to = transfer.to;
  const Move move = transfer.move;
  if (transfer.group != no_group) {
    user_->landed(cookie, HostId(step.packet));
    drop(step.id);
    return;
  }
  const bool local = from == to;
  if (model_.patient && waits_behind(step)) return;
  const TransferStatus outcome = move == Move::response ? TransferStatus::ok : user_->admit(cookie);
  if (model_.patient) {
    if (outcome == TransferStatus::not_ready && active_[step.id].retries++ < model_.retries) {
      retry_later(step);
      return;
    }
    retry_next(active_[step.id].flow);
  }
  active_[step.id].outcome = outcome;
  if (move == Move::read && outcome == TransferStatus::ok && !local) {
    respond(step.id);
    return;
  }
  if (outcome == TransferStatus::ok) user_->landed(cookie, to);
  const bool acknowledges =
      model_.acknowledge != Acknowledge::never || outcome != TransferStatus::ok;
  if (!local && move != Move::response && acknowledges) {
    pass(step.at(TransferPhase::ack_out));
    return;
  }
  drop(step.id);
  if (!local) open_window(from);
}

/// Whether an earlier transfer of the flow waits for a receive token; then this one queues behind
/// it.
bool StagedHosts::waits_behind(TransferStep step) {
  Flows::FlowState& flow = flows_[active_[step.id].flow];
  if (flow.refused_first == none || flow.refused_first == step.id) return false;
  active_[flow.refused_last].next = step.id;
  active_[step.id].next = none;
  flow.refused_last = step.id;
  return true;
}

/// Sends a transfer again after a while, as its target has no receive token.
void StagedHosts::retry_later(TransferStep step) {
  Flows::FlowState& flow = flows_[active_[step.id].flow];
  if (flow.refused_first == none) {
    flow.refused_first = flow.refused_last = step.id;
    active_[step.id].next = none;
  }
  kernel_.at(kernel_.now() + model_.retry_after, *this,
             step.at(TransferPhase::retry, TransferStep::over).number());
}

/// After a transfer of a flow has landed, retries the next one that waits for a receive token.
void StagedHosts::retry_next(std::uint32_t of) {
  Flows::FlowState& flow = flows_[of];
  if (flow.refused_first == none) return;
  flow.refused_first = active_[flow.refused_first].next;
  if (flow.refused_first == none) return;
  const std::uint32_t id = flow.refused_first;
  kernel_.at(
      kernel_.now(), *this,
      TransferStep(id, active_[id].packets - 1, TransferPhase::retry, TransferStep::over).number());
}

/// Sends back the data of an admitted read.
void StagedHosts::respond(std::uint32_t id) {
  open_window(active_[id].transfer.from);  // the response acknowledges the request
  Active& active = active_[id];
  Transfer& transfer = active.transfer;
  std::swap(transfer.from, transfer.to);
  std::swap(transfer.from_processor, transfer.to_processor);
  transfer.move = Move::response;
  active.flow = flow_of(transfer);
  active.track = &track_for(transfer);
  active.packets = active.launched = active.sent = active.arrived = 0;
  pass({id, 0, TransferPhase::submit});
}

/// Ends a step of a transfer; the last one ends the transfer.
void StagedHosts::drop(std::uint32_t id) {
  Active& active = active_[id];
  if (--active.steps > 0) return;
  if (active.ordered) {  // lost: later transfers wait for its turn
    active.steps = 1;
    active.arrived = active.packets;
    in_turn(id);
    return;
  }
  const std::uint64_t cookie = active.transfer.cookie;
  const TransferStatus outcome = active.outcome;
  Tokens* const tokens = tokens_of(active.transfer);
  active_.release(id);
  if (tokens != nullptr) return_token(*tokens);
  user_->finished(cookie, outcome);
}

}  // namespace weft::sim
