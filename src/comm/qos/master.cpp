// SPDX-License-Identifier: Apache-2.0
// Master: the manager that decides.
#include "comm/qos/master.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weft::comm::qos {
namespace {

/// Clocks of two hosts differ by less.
Duration with_margin(Duration lease) { return lease + lease / 8; }

}  // namespace

Master::Master(MasterStart start, Time now)
    : start_(std::move(start)),
      admission_(start_.limits, start_.hosts, start_.policy, start_.names),
      rebuilding_(!start_.locals.empty()) {
  if (!start_.route) throw Error("qos: the master does not know how flows are routed");
  if (start_.lease.count() < 1) throw Error("qos: a lease takes some time");
  for (const Rank local : start_.locals) {
    locals_[local].ends = now + with_margin(start_.lease);
    send(local, {.kind = MessageKind::ask});
  }
}

/// Every message has a version of its own, but for the parts of a welcome.
std::uint64_t Master::send(Rank local, ManagerMessage message) {
  const AtLocal& at = locals_[local];
  message.local = local;
  message.life = at.life;
  message.sent = at.sent;
  message.epoch = start_.epoch;
  if (message.version == 0) message.version = ++version_;
  outbox_.push_back(message);
  return message.version;
}

Holding Master::holding_of(const Flow& flow) const {
  const Bandwidth rate = admission_.rate(flow);
  return {flow, admission_.grant(flow), rate, interval_of(admission_.limits(), rate)};
}

void Master::receive(const ManagerMessage& message, Time now) {
  if (message.kind == MessageKind::hello) return greet(message, now);
  AtLocal& at = locals_[message.local];
  if (message.epoch != start_.epoch) return;  // it will be sent again
  // A local manager that answers a new master's question.
  if (rebuilding_ && message.life > at.life)
    at = {.life = message.life, .alive = true, .ends = at.ends};
  if (message.life != at.life || !at.alive) return;
  hear(at, message, now);
  switch (message.kind) {
    case MessageKind::report:
    case MessageKind::reported:
      return take_report(at, message);
    case MessageKind::request:
      return rebuilding_ ? queue_.push_back(message) : begin(message);
    case MessageKind::confirmed:
      return confirm(at, message);
    case MessageKind::renew:
      send(message.local, {.kind = MessageKind::renewed});
      return;
    default:
      return;
  }
}

// --- leases --------------------------------------------------------------------------------------

void Master::hear(AtLocal& at, const ManagerMessage& message, Time now) {
  at.sent = std::max(at.sent, message.sent);
  at.ends = std::max(at.ends, now + with_margin(start_.lease));
}

void Master::tick(Time now) {
  for (auto& [local, at] : locals_)
    if (now >= at.ends && (at.alive || !at.settled)) forget(local, at);
  advance();
}

void Master::advance() {
  if (rebuilding_)
    rebuild_if_settled();
  else
    announce_due();
}

/// The NIC of the host has stopped all its flows, and its local manager begins a new life.
void Master::forget(Rank local, AtLocal& at) {
  at = {.life = at.life, .ends = at.ends, .settled = true};
  std::erase_if(queue_, [&](const ManagerMessage& request) { return request.local == local; });
  std::erase_if(flows_, [&](const auto& entry) {
    if (entry.second.local != local) return false;
    admission_.release(entry.first);
    due_.erase(entry.first);
    return true;
  });
}

// --- managers that have lost their memory --------------------------------------------------------

/// Answers a local manager that knows nothing. Requests of its earlier life died with it. While
/// admission control is rebuilt, a hello may be an old one of a manager that knows its flows by
/// now: it counts only from one that has received this master's question.
void Master::greet(const ManagerMessage& message, Time now) {
  if (rebuilding_ && message.epoch != start_.epoch) {
    send(message.local, {.kind = MessageKind::ask});
    return;
  }
  AtLocal& at = locals_[message.local];
  if (message.life <= at.life) return;
  at = {.life = message.life, .alive = true, .ends = at.ends};
  hear(at, message, now);
  std::erase_if(queue_,
                [&](const ManagerMessage& queued) { return queued.local == message.local; });
  welcome(message.local);
}

/// Sends a local manager all its flows with what was last announced of them.
void Master::welcome(Rank local) {
  const std::uint64_t version = locals_[local].welcomed = ++version_;
  std::uint64_t count = 0;
  for (auto& [name, flow] : flows_) {
    if (flow.local != local) continue;
    if (flow.granting) flow.granting = 0;
    if (flow.in_force.empty()) continue;  // it will be announced
    flow.note({version, flow.announced.rate});
    send(local, {.kind = MessageKind::learn, .version = version, .holding = flow.announced});
    ++count;
  }
  send(local, {.kind = MessageKind::welcome, .version = version, .count = count});
}

void Master::confirm(AtLocal& at, const ManagerMessage& message) {
  at.stops.erase(message.version);
  if (message.version == at.welcomed) {
    at.welcomed = 0;
    at.settled = true;
    for (auto& [name, flow] : flows_)
      if (flow.local == message.local) confirm(flow, name, message.version);
  } else if (const auto found = flows_.find(message.holding.flow); found != flows_.end()) {
    confirm(found->second, found->first, message.version);
  }
  advance();
}

/// Whatever was announced before this version is no longer in force.
void Master::confirm(FlowAtMaster& flow, const Flow& name, std::uint64_t version) {
  std::erase_if(flow.in_force, [&](const Announcement& old) { return old.version < version; });
  admission_.set_allowed(name, flow.allowed());
}

void Master::take_report(AtLocal& at, const ManagerMessage& message) {
  if (!rebuilding_ || at.settled) return;
  if (message.kind == MessageKind::report)
    at.count = message.count;
  else
    at.holdings.push_back(message.holding);
  at.settled = at.count == at.holdings.size();
  rebuild_if_settled();
}

/// Takes over what the flows have. Those that no longer fit stop first.
void Master::rebuild_if_settled() {
  if (!std::all_of(locals_.begin(), locals_.end(), [](const auto& local) {
        return local.second.settled && local.second.stops.empty();
      }))
    return;
  bool stops = false;
  for (auto& [rank, at] : locals_)
    for (const Holding& holding : std::exchange(at.holdings, {})) {
      if (restore(holding)) {
        flows_[holding.flow] = {
            .local = rank, .announced = holding, .in_force = {{0, holding.rate}}};
        admission_.set_allowed(holding.flow, holding.rate);
        due_.insert(holding.flow);
        continue;
      }
      at.stops.insert(send(rank, {.kind = MessageKind::changed,
                                  .confirm = true,
                                  .holding = {holding.flow, {}, {}, stopped}}));
      stops = true;
    }
  if (stops) return;
  rebuilding_ = false;
  announce_due();
  for (const ManagerMessage& request : std::exchange(queue_, {})) begin(request);
}

/// Admits a reported flow again; returns whether it still fits. It does, unless paths have changed.
bool Master::restore(const Holding& holding) {
  const auto path = start_.route(holding.flow);
  if (std::holds_alternative<Refused>(path)) return false;
  const auto& route = std::get<Path>(path);
  const auto refused = holding.grant.kind == GrantKind::promise
                           ? admission_.reserve(holding.flow, route, holding.grant.promise)
                           : admission_.best_effort(holding.flow, route);
  return !refused.has_value();
}

// --- requests ------------------------------------------------------------------------------------

/// A release is always granted, also when an earlier master has granted it already.
void Master::begin(const ManagerMessage& request) {
  const Flow& name = request.holding.flow;
  ManagerMessage answer{.number = request.number, .holding = {.flow = name}};
  if (const auto refused = decide(request)) {
    answer.kind = MessageKind::refused;
    answer.reason = Reason(refused->why);
    send(request.local, answer);
    return;
  }
  if (request.request_kind == RequestKind::release) {  // as it began, not held back
    flows_.erase(name);
    due_.erase(name);
    answer.kind = MessageKind::granted;
    send(request.local, answer);
  } else {
    flows_[name].local = request.local;
    flows_[name].granting = request.number;
    due_.insert(name);
  }
  announce_due();
}

std::optional<Refused> Master::decide(const ManagerMessage& request) {
  const Flow& flow = request.holding.flow;
  if (request.request_kind == RequestKind::release) {
    admission_.release(flow);
    return std::nullopt;
  }
  if (flow.source == flow.target)  // needs no route
    return Refused{fmt::format("flow {} goes to itself", to_text(flow))};
  auto path = start_.route(flow);
  if (auto* refused = std::get_if<Refused>(&path)) return std::move(*refused);
  if (request.request_kind == RequestKind::best_effort)
    return admission_.best_effort(flow, std::get<Path>(path));
  return admission_.reserve(flow, std::get<Path>(path), request.holding.grant.promise);
}

// --- announcements -------------------------------------------------------------------------------

/// Announces the new rates: less at once, more where there is room by now. Nothing that is
/// announced makes room before it is confirmed. A local manager hears nothing before its welcome.
void Master::announce_due() {
  for (const AdmissionControl::Change& change : admission_.changes()) due_.insert(change.flow);
  std::erase_if(due_, [&](const Flow& name) {
    FlowAtMaster& flow = flows_.at(name);
    if (locals_[flow.local].welcomed > 0) return false;
    const Holding holding = holding_of(name);
    if (holding.rate > flow.allowed() && !admission_.room_for(name, holding.rate)) return false;
    if (flow.granting || holding != flow.announced) announce(name, flow, holding);
    return true;
  });
}

void Master::announce(const Flow& name, FlowAtMaster& flow, const Holding& holding) {
  const std::uint64_t number = std::exchange(flow.granting, std::nullopt).value_or(0);
  const std::uint64_t version =
      send(flow.local, {.kind = number > 0 ? MessageKind::granted : MessageKind::changed,
                        .confirm = holding.rate < flow.allowed(),
                        .number = number,
                        .holding = holding});
  flow.announced = holding;
  flow.note({version, holding.rate});
  admission_.set_allowed(name, flow.allowed());
}

}  // namespace weft::comm::qos
