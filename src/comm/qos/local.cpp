// SPDX-License-Identifier: Apache-2.0
// The manager of a host.
#include "comm/qos/local.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weft::comm::qos {

Local::Local(const Start& start) : start_(start) { send({.kind = Kind::hello}); }

void Local::send(Message message) {
  message.local = start_.at;
  message.life = start_.life;
  message.epoch = epoch_;
  outbox_.push_back(message);
}

// --- requests of ranks ---------------------------------------------------------------------------

void Local::ask(const Request& request) {
  const Flow& flow = request.flow;
  if (start_.nic == nullptr) return refuse(request, "the NIC has no rate control");
  if (request.asker != flow.source)
    return refuse(request, fmt::format("flow {} belongs to rank {}: rank {} cannot change it",
                                       to_text(flow), flow.source, request.asker));
  if (std::any_of(pending_.begin(), pending_.end(),
                  [&](const Pending& other) { return other.request.flow == flow; }))
    return refuse(request,
                  fmt::format("flow {}: what was asked before has no answer yet", to_text(flow)));
  pending_.push_back({++requests_, request});
  if (known_) begin(Pending(pending_.back()));
}

/// The books no longer count what is released, so it stops before they hear of it.
void Local::begin(const Pending& pending) {
  if (pending.request.wish == Wish::release) {
    const Flow& flow = pending.request.flow;
    const auto found = records_.find(flow);
    if (found == records_.end() || found->second.holding.grant.kind == Grant::Kind::none) {
      std::erase_if(pending_, [&](const Pending& p) { return p.number == pending.number; });
      return refuse(pending.request,
                    fmt::format("flow {} has nothing to release: neither a promise nor best effort",
                                to_text(flow)));
    }
    found->second.stopping = true;
    start_.nic->set_interval(flow, stopped);
  }
  send_request(pending);
}

void Local::send_request(const Pending& pending) {
  const Request& request = pending.request;
  send({.kind = Kind::request,
        .number = pending.number,
        .wish = request.wish,
        .holding = {request.flow, {Grant::Kind::promise, request.bandwidth}, {}}});
}

void Local::refuse(const Request& request, const std::string& why) {
  replies_.push_back({.ticket = request.ticket, .asker = request.asker, .reason = Reason(why)});
}

void Local::answered(const Message& message) {
  if (message.life != start_.life) return;
  const auto found = std::find_if(pending_.begin(), pending_.end(), [&](const Pending& pending) {
    return pending.number == message.number;
  });
  if (found == pending_.end()) return;
  Reply reply{.ticket = found->request.ticket,
              .asker = found->request.asker,
              .granted = message.kind == Kind::granted,
              .holding = message.holding,
              .reason = message.reason};
  // What came after it may have overtaken it.
  if (const auto record = records_.find(message.holding.flow);
      reply.granted && record != records_.end())
    reply.holding = record->second.holding;
  replies_.push_back(reply);
  pending_.erase(found);
}

// --- messages of the master ----------------------------------------------------------------------

void Local::receive(const Message& message) {
  switch (message.kind) {
    case Kind::ask:
      if (message.epoch <= epoch_) return;
      follow(message.epoch);
      return known_ ? report() : send({.kind = Kind::hello});
    case Kind::welcome:
    case Kind::learn:
      return learn(message);
    default:
      break;
  }
  // Whoever knows nothing does not know either what is late: the welcome will contain it.
  if (!known_ || message.epoch != epoch_) return;
  if (message.kind != Kind::refused) heed(message);
  if (message.kind == Kind::lower)
    send({.kind = Kind::confirmed, .version = message.version});
  else if (message.kind != Kind::raise)
    answered(message);
}

/// From now on another master counts; its versions begin anew.
void Local::follow(std::uint64_t epoch) {
  if (epoch == epoch_) return;
  epoch_ = epoch;
  learned_ = 0;
  for (auto& [flow, record] : records_) record.version = 0;
}

/// A flow that stops here is released, whether the earlier master knew it or not.
void Local::report() {
  std::uint64_t count = 0;
  for (const auto& [flow, record] : records_) {
    if (record.holding.grant.kind == Grant::Kind::none || record.stopping) continue;
    send({.kind = Kind::reported, .holding = record.holding});
    ++count;
  }
  send({.kind = Kind::report, .count = count});
  for (const Pending& pending : pending_) send_request(pending);
}

void Local::learn(const Message& message) {
  if (message.life != start_.life || message.epoch < epoch_ || message.epoch < welcome_.epoch)
    return;
  if (message.epoch > welcome_.epoch) welcome_ = {.epoch = message.epoch};
  welcome_.version = message.version;
  if (message.kind == Kind::welcome)
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
  // Only where the master has lost its memory, too, are there flows that it does not know.
  for (auto& [flow, record] : records_) {
    if (record.holding.grant.kind != Grant::Kind::none) start_.nic->set_interval(flow, stopped);
    record = {.holding = {.flow = flow}};
  }
  for (const Holding& holding : welcome.holdings) {
    records_[holding.flow] = {holding, welcome.version};
    start_.nic->set_interval(holding.flow, holding.interval);
  }
  send({.kind = Kind::confirmed, .version = welcome.version});
  const std::vector<Pending> waiting = pending_;
  for (const Pending& pending : waiting) begin(pending);
}

/// A flow has something else than before, unless the message is late.
void Local::heed(const Message& message) {
  const auto [at, is_new] = records_.try_emplace(message.holding.flow);
  Record& record = at->second;
  if (is_new) record.holding.flow = message.holding.flow;
  if (message.version <= std::max(record.version, learned_)) return;
  record.version = message.version;
  const bool released = message.holding.grant.kind == Grant::Kind::none;
  if (record.stopping && !released) return;
  record.stopping = false;
  record.holding = message.holding;
  start_.nic->set_interval(message.holding.flow, message.holding.interval);
}

}  // namespace weft::comm::qos
