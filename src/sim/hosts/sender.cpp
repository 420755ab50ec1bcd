// SPDX-License-Identifier: Apache-2.0
// NICs with a schedule: send tokens wait in the queues of their flows, the dispatcher decides whose
// packet is next, and packets occupy the NIC's memory until they have left it.
#include "base/error.hpp"
#include "sim/hosts/staged_hosts.hpp"

namespace weft::sim {

StagedHosts::Tokens* StagedHosts::tokens_of(const Transfer& transfer) {
  if (tokens_.empty() || transfer.group != no_group) return nullptr;
  const bool back = transfer.move == Move::response;  // the reader's token
  const HostId host = back ? transfer.to : transfer.from;
  const std::uint32_t processor = back ? transfer.to_processor : transfer.from_processor;
  const std::size_t port = host.index() * processors_each_ + processor;
  return &tokens_[2 * port + (transfer.urgent ? 1 : 0)];
}

/// Begins a transfer as soon as its port has a send token.
void StagedHosts::post(std::uint32_t id) {
  if (Tokens* const tokens = tokens_of(active_[id].transfer)) {
    if (tokens->used == model_.send_tokens) {
      tokens->waiting.push_back(id);
      return;
    }
    ++tokens->used;
  }
  pass({id, 0, TransferPhase::post});
}

void StagedHosts::return_token(Tokens& tokens) {
  if (tokens.waiting.empty()) {
    --tokens.used;
    return;
  }
  const std::uint32_t id = tokens.waiting.front();
  tokens.waiting.pop_front();
  pass({id, 0, TransferPhase::post});
}

std::uint32_t StagedHosts::place_of(std::uint32_t flow) {
  Flows::FlowState& known = flows_[flow];
  const FlowKey key = known.key.unpacked();
  if (known.place == Flows::nothing)
    known.place = senders_[key.from.index()].dispatcher.add(
        flow, static_cast<Dispatcher::Connection>(key.to.index()), key.urgent);
  return known.place;
}

void StagedHosts::set_interval(const FlowKey& key, Duration interval) {
  invariant(model_.schedule == Schedule::by_rate, "a NIC without rate control is given a rate");
  senders_[key.from.index()].dispatcher.set_interval(place_of(flows_.of(key)), interval,
                                                     kernel_.now());
  feed(key.from);  // a packet may be due now
}

Duration StagedHosts::interval(const FlowKey& key) {
  const std::uint32_t place = place_of(flows_.of(key));
  return senders_[key.from.index()].dispatcher.interval(place);
}

void StagedHosts::enqueue(std::uint32_t id) {
  Active& active = active_[id];
  const std::uint32_t place = place_of(active.flow);
  Flows::FlowState& flow = flows_[active.flow];
  active.next = none;
  if (flow.first == none) {
    flow.first = id;
    senders_[active.transfer.from.index()].dispatcher.wake(place, kernel_.now());
  } else {
    active_[flow.last].next = id;
  }
  flow.last = id;
  feed(active.transfer.from);
}

/// Moves the next packet to the NIC's memory, if there is room and a packet is due.
void StagedHosts::feed(HostId host) {
  Sender& sender = senders_[host.index()];
  if (sender.busy || sender.buffers == model_.send_buffers) return;
  const Duration now = kernel_.now();
  const auto next = sender.dispatcher.next(now);
  if (!next) {
    const auto due = sender.dispatcher.due(now);
    if (!due || *due >= sender.alarm) return;
    sender.alarm = *due;
    const TransferStep step(static_cast<std::uint32_t>(host.index()), 0, TransferPhase::feed,
                            TransferStep::over);
    kernel_.at(*due, *this, step.number());
    return;
  }
  Flows::FlowState& flow = flows_[*next];
  const std::uint32_t id = flow.first;
  Active& active = active_[id];
  const std::uint32_t number = active.launched++;
  const bool ends_message = active.launched == active.packets;
  if (ends_message)
    flow.first = active.next;  // the last packet takes over the token's step
  else
    ++active.steps;
  sender.dispatcher.sent(flow.place, now, ends_message, flow.first == none);
  if (active.transfer.bytes > 0) ++flow.dispatched;
  sender.busy = true;
  ++sender.buffers;
  pass({id, number, TransferPhase::packet_out});
}

/// Called when a packet is in the NIC's memory.
void StagedHosts::staged(TransferStep step) {
  const HostId host = active_[step.id].transfer.from;
  senders_[host.index()].busy = false;
  pass(step.at(TransferPhase::packet_send));
  feed(host);
}

void StagedHosts::departed(Network& network, const Packet& packet) {
  if (packet.kind != first_time) return;
  enter(network);
  --senders_[packet.from.index()].buffers;
  feed(packet.from);
  leave();
}

}  // namespace weft::sim
