// SPDX-License-Identifier: Apache-2.0
// Local: the manager of a host.
#include "comm/qos/local.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weft::comm::qos {

Local::Local(const LocalStart& start, Time now) : start_(start), now_(now) {
  ends_ = now + start_.lease;
  send({.kind = MessageKind::hello});
}

void Local::send(ManagerMessage message) {
  message.local = start_.at;
  message.life = start_.life;
  message.epoch = epoch_;
  message.sent = now_;
  outbox_.push_back(message);
}

// --- leases --------------------------------------------------------------------------------------

void Local::tick(Time now) {
  set_now(now);
  if (!synchronised() || !in_use() || now - renewed_ < start_.lease / 3) return;
  renewed_ = now;
  send({.kind = MessageKind::renew});
}

/// Whether there is anything to renew the lease for.
bool Local::in_use() const {
  return !pending_.empty() || std::any_of(records_.begin(), records_.end(), [](const auto& record) {
    return record.second.holding.grant.kind != GrantKind::none;
  });
}

/// Ends a lease that is over: the NIC has stopped the flows by itself, and the master may have
/// forgotten them.
void Local::set_now(Time now) {
  now_ = now;
  if (now < ends_ || knows_ == Knowledge::dormant) return;
  const bool goes_on = in_use();
  for (const PendingRequest& pending : std::exchange(pending_, {}))
    refuse(pending.request,
           fmt::format("the master has not been heard for {}", weft::to_text(start_.lease)));
  records_.clear();
  begin_life(goes_on ? Knowledge::awaited : Knowledge::dormant);
}

void Local::begin_life(Knowledge knows) {
  ++start_.life;
  welcome_ = {};
  knows_ = knows;
  if (knows == Knowledge::dormant) return;
  ends_ = now_ + start_.lease;
  send({.kind = MessageKind::hello});
}

void Local::extend(Time end) {
  if (end <= ends_) return;
  ends_ = end;
  if (synchronised() && start_.nic != nullptr) start_.nic->set_lease(ends_);
}

// --- requests of ranks ---------------------------------------------------------------------------

void Local::ask(const BandwidthRequest& request, Time now) {
  set_now(now);
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
  if (knows_ == Knowledge::known) begin(PendingRequest(pending_.back()));
  if (knows_ == Knowledge::dormant) begin_life(Knowledge::awaited);
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
    start_.nic->set_leased(flow, stopped);
  }
  send_request(pending);
}

void Local::send_request(const PendingRequest& pending) {
  const BandwidthRequest& request = pending.request;
  send({.kind = MessageKind::request,
        .number = pending.number,
        .request_kind = request.kind,
        .holding = {request.flow, {GrantKind::promise, request.bandwidth}, {}, {}}});
}

void Local::refuse(const BandwidthRequest& request, const std::string& why) {
  replies_.push_back({.ticket = request.ticket, .asker = request.asker, .reason = Reason(why)});
}

void Local::answered(const ManagerMessage& message) {
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

void Local::receive(const ManagerMessage& message, Time now) {
  set_now(now);
  if (message.kind == MessageKind::ask) {
    if (message.epoch <= epoch_) return;
    follow(message.epoch);
    if (synchronised()) return report();
    return begin_life(Knowledge::awaited);
  }
  if (message.life != start_.life) return;  // the welcome contains what went to an earlier life
  if (message.kind == MessageKind::welcome || message.kind == MessageKind::learn)
    return learn(message);
  // A manager that knows nothing cannot recognise late messages: the welcome will contain them.
  if (!synchronised() || message.epoch != epoch_) return;
  extend(message.sent + start_.lease);
  if (message.kind == MessageKind::changed || message.kind == MessageKind::granted) apply(message);
  if (message.confirm)
    send({.kind = MessageKind::confirmed,
          .version = message.version,
          .holding = {.flow = message.holding.flow}});
  if (message.kind == MessageKind::granted || message.kind == MessageKind::refused)
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
  if (synchronised() || message.epoch < epoch_ || message.epoch < welcome_.epoch) return;
  if (message.epoch > welcome_.epoch) welcome_ = {.epoch = message.epoch};
  welcome_.version = message.version;
  if (message.kind == MessageKind::welcome) {
    welcome_.count = message.count;
    extend(message.sent + start_.lease);
  } else {
    welcome_.holdings.push_back(message.holding);
  }
  if (welcome_.count == welcome_.holdings.size()) learned();
}

/// What the NIC has beyond the welcome, nobody knows: it stops.
void Local::learned() {
  const Welcome welcome = std::exchange(welcome_, {});
  follow(welcome.epoch);
  knows_ = Knowledge::known;
  renewed_ = now_;
  learned_ = welcome.version;
  records_.clear();
  std::vector<Flow> flows;
  for (const Holding& holding : welcome.holdings) flows.push_back(holding.flow);
  if (start_.nic != nullptr) {
    start_.nic->stop_others(flows);
    start_.nic->set_lease(ends_);
  }
  for (const Holding& holding : welcome.holdings) {
    records_[holding.flow] = {holding, welcome.version};
    start_.nic->set_leased(holding.flow, holding.interval);
  }
  send({.kind = MessageKind::confirmed, .version = welcome.version});
  const std::vector<PendingRequest> waiting = pending_;
  for (const PendingRequest& pending : waiting) begin(pending);
}

/// Applies a flow's new holding, unless the message is late.
void Local::apply(const ManagerMessage& message) {
  LocalFlow& record = records_[message.holding.flow];
  if (message.version <= std::max(record.version, learned_)) return;
  record.version = message.version;
  const bool released = message.holding.grant.kind == GrantKind::none;
  if (record.stopping && !released) return;
  record.stopping = false;
  record.holding = message.holding;
  start_.nic->set_leased(message.holding.flow, message.holding.interval);
}

}  // namespace weft::comm::qos
