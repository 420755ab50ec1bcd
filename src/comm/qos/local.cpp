// SPDX-License-Identifier: Apache-2.0
// Local: the manager of a host.
#include "comm/qos/local.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weft::comm::qos {

Local::Local(const LocalStart& start) : start_(start) { send({.kind = MessageKind::hello}); }

void Local::send(ManagerMessage message) {
  message.local = start_.at;
  message.life = start_.life;
  message.epoch = epoch_;
  outbox_.push_back(message);
}

// --- requests of ranks ---------------------------------------------------------------------------

void Local::ask(const BandwidthRequest& request) {
  const Flow& flow = request.flow;
  if (start_.nic == nullptr) return refuse(request, "the NIC has no rate control");
  if (request.asker != flow.source)
    return refuse(request, fmt::format("flow {} belongs to rank {}: rank {} cannot change it",
                                       to_text(flow), flow.source, request.asker));
  if (std::any_of(pending_.begin(), pending_.end(),
                  [&](const PendingRequest& other) { return other.request.flow == flow; }))
    return refuse(request,
                  fmt::format("flow {}: what was asked before has no answer yet", to_text(flow)));
  pending_.push_back({++requests_, request});
  if (known_) begin(PendingRequest(pending_.back()));
}

/// Admission control no longer counts what is released, so the flow stops before the master knows.
void Local::begin(const PendingRequest& pending) {
  if (pending.request.kind == RequestKind::release) {
    const Flow& flow = pending.request.flow;
    const auto found = records_.find(flow);
    if (found == records_.end() || found->second.holding.grant.kind == GrantKind::none) {
      std::erase_if(pending_, [&](const PendingRequest& p) { return p.number == pending.number; });
      return refuse(pending.request,
                    fmt::format("flow {} has nothing to release: neither a promise nor best effort",
                                to_text(flow)));
    }
    found->second.stopping = true;
    start_.nic->set_interval(flow, stopped);
  }
  send_request(pending);
}

void Local::send_request(const PendingRequest& pending) {
  const BandwidthRequest& request = pending.request;
  send({.kind = MessageKind::request,
        .number = pending.number,
        .request_kind = request.kind,
        .holding = {request.flow, {GrantKind::promise, request.bandwidth}, {}}});
}

void Local::refuse(const BandwidthRequest& request, const std::string& why) {
  replies_.push_back({.ticket = request.ticket, .asker = request.asker, .reason = Reason(why)});
}

void Local::answered(const ManagerMessage& message) {
  if (message.life != start_.life) return;
  const auto found =
      std::find_if(pending_.begin(), pending_.end(),
                   [&](const PendingRequest& pending) { return pending.number == message.number; });
  if (found == pending_.end()) return;
  Reply reply{.ticket = found->request.ticket,
              .asker = found->request.asker,
              .granted = message.kind == MessageKind::granted,
              .holding = message.holding,
              .reason = message.reason};
  // A later message may have overtaken this one.
  if (const auto record = records_.find(message.holding.flow);
      reply.granted && record != records_.end())
    reply.holding = record->second.holding;
  replies_.push_back(reply);
  pending_.erase(found);
}

// --- messages of the master ----------------------------------------------------------------------

void Local::receive(const ManagerMessage& message) {
  switch (message.kind) {
    case MessageKind::ask:
      if (message.epoch <= epoch_) return;
      follow(message.epoch);
      return known_ ? report() : send({.kind = MessageKind::hello});
    case MessageKind::welcome:
    case MessageKind::learn:
      return learn(message);
    default:
      break;
  }
  // A manager that knows nothing cannot recognise late messages: the welcome will contain them.
  if (!known_ || message.epoch != epoch_) return;
  if (message.kind != MessageKind::refused) apply(message);
  if (message.kind == MessageKind::lower)
    send({.kind = MessageKind::confirmed, .version = message.version});
  else if (message.kind != MessageKind::raise)
    answered(message);
}

/// Obeys another master from now on, whose versions begin anew.
void Local::follow(std::uint64_t epoch) {
  if (epoch == epoch_) return;
  epoch_ = epoch;
  learned_ = 0;
  for (auto& [flow, record] : records_) record.version = 0;
}

/// Reports all flows to a new master. One that stops here is released, whether the earlier master
/// knew it or not.
void Local::report() {
  std::uint64_t count = 0;
  for (const auto& [flow, record] : records_) {
    if (record.holding.grant.kind == GrantKind::none || record.stopping) continue;
    send({.kind = MessageKind::reported, .holding = record.holding});
    ++count;
  }
  send({.kind = MessageKind::report, .count = count});
  for (const PendingRequest& pending : pending_) send_request(pending);
}

void Local::learn(const ManagerMessage& message) {
  if (message.life != start_.life || message.epoch < epoch_ || message.epoch < welcome_.epoch)
    return;
  if (message.epoch > welcome_.epoch) welcome_ = {.epoch = message.epoch};
  welcome_.version = message.version;
  if (message.kind == MessageKind::welcome)
    welcome_.count = message.count;
  else
    welcome_.holdings.push_back(message.holding);
  if (welcome_.count == welcome_.holdings.size()) learned();
}

void Local::learned() {
  const Welcome welcome = std::exchange(welcome_, {});
  follow(welcome.epoch);
  known_ = true;
  learned_ = welcome.version;
  // The master misses flows only where it has lost its memory, too.
  for (auto& [flow, record] : records_) {
    if (record.holding.grant.kind != GrantKind::none) start_.nic->set_interval(flow, stopped);
    record = {.holding = {.flow = flow}};
  }
  for (const Holding& holding : welcome.holdings) {
    records_[holding.flow] = {holding, welcome.version};
    start_.nic->set_interval(holding.flow, holding.interval);
  }
  send({.kind = MessageKind::confirmed, .version = welcome.version});
  const std::vector<PendingRequest> waiting = pending_;
  for (const PendingRequest& pending : waiting) begin(pending);
}

/// Applies a flow's new holding, unless the message is late.
void Local::apply(const ManagerMessage& message) {
  const auto [at, is_new] = records_.try_emplace(message.holding.flow);
  LocalFlow& record = at->second;
  if (is_new) record.holding.flow = message.holding.flow;
  if (message.version <= std::max(record.version, learned_)) return;
  record.version = message.version;
  const bool released = message.holding.grant.kind == GrantKind::none;
  if (record.stopping && !released) return;
  record.stopping = false;
  record.holding = message.holding;
  start_.nic->set_interval(message.holding.flow, message.holding.interval);
}

}  // namespace weft::comm::qos
