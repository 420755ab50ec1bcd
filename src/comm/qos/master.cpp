// SPDX-License-Identifier: Apache-2.0
// Master: the manager that decides.
#include "comm/qos/master.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weft::comm::qos {

Master::Master(MasterStart start)
    : start_(std::move(start)),
      admission_(start_.limits, start_.hosts, start_.policy),
      rebuilding_(!start_.locals.empty()) {
  if (!start_.route) throw Error("qos: the master does not know how flows are routed");
  for (const Rank local : start_.locals) {
    locals_[local];
    send(local, {.kind = MessageKind::ask});
  }
}

/// Every message has a version of its own, but for the parts of a welcome.
std::uint64_t Master::send(Rank local, ManagerMessage message) {
  message.local = local;
  if (message.life == 0) message.life = locals_[local].life;
  message.epoch = start_.epoch;
  if (message.version == 0) message.version = ++version_;
  outbox_.push_back(message);
  return message.version;
}

Holding Master::holding_of(const Flow& flow) const {
  return {flow, admission_.grant(flow), interval_of(admission_.limits(), admission_.rate(flow))};
}

void Master::receive(const ManagerMessage& message) {
  if (message.kind == MessageKind::hello) {
    greet(message);
    return advance();
  }
  if (message.epoch != start_.epoch) return;  // it will be sent again
  switch (message.kind) {
    case MessageKind::report:
    case MessageKind::reported:
      take_report(message);
      break;
    case MessageKind::request:
      if (message.life >= locals_[message.local].life) queue_.push_back(message);
      break;
    case MessageKind::confirmed:
      awaited_.erase(message.version);
      break;
    default:
      break;
  }
  advance();
}

// --- managers that have lost their memory --------------------------------------------------------

/// Answers a local manager that knows nothing. Requests of its earlier life died with it, unless
/// one is being granted. While admission control is rebuilt, a hello may be an old one of a manager
/// that knows its flows by now: it counts only from one that has received this master's question.
void Master::greet(const ManagerMessage& message) {
  AtLocal& at = locals_[message.local];
  if (rebuilding_ && message.epoch != start_.epoch) {
    send(message.local, {.kind = MessageKind::ask});
    return;
  }
  if (message.life <= at.life) return;
  at.life = message.life;
  std::erase_if(queue_,
                [&](const ManagerMessage& queued) { return queued.local == message.local; });
  if (!rebuilding_) return welcome(message.local);
  at.greeted = at.reported = true;
  rebuild_if_complete();
}

/// Sends a local manager all its flows with what was last announced of them; this replaces all else
/// that it had to confirm.
void Master::welcome(Rank local) {
  std::vector<Holding> holdings;
  admission_.for_each([&](const Flow& flow) {
    if (const auto announced = announced_.find(flow);
        announced != announced_.end() && announced->second.local == local)
      holdings.push_back(announced->second.holding);
  });
  const std::uint64_t version = send(
      local, {.kind = MessageKind::welcome, .count = static_cast<std::uint64_t>(holdings.size())});
  for (const Holding& holding : holdings)
    send(local, {.kind = MessageKind::learn, .version = version, .holding = holding});
  std::erase_if(awaited_, [&](const auto& awaited) { return awaited.second == local; });
  awaited_.emplace(version, local);
}

void Master::take_report(const ManagerMessage& message) {
  AtLocal& at = locals_[message.local];
  if (!rebuilding_) return;
  at.life = std::max(at.life, message.life);
  if (message.kind == MessageKind::report)
    at.count = message.count;
  else
    at.holdings.push_back(message.holding);
  at.reported = at.count == at.holdings.size();
  rebuild_if_complete();
}

void Master::rebuild_if_complete() {
  if (!std::all_of(locals_.begin(), locals_.end(),
                   [](const auto& local) { return local.second.reported; }))
    return;
  rebuilding_ = false;
  std::vector<AnnouncedHolding> lost;
  for (auto& [rank, at] : locals_) {
    for (const Holding& holding : std::exchange(at.holdings, {}))
      if (restore(holding))
        announced_[holding.flow] = {rank, holding};
      else
        lost.push_back({rank, {holding.flow, {}, stopped}});
  }
  admission_.changes();
  // Some messages of the earlier master were applied, others not.
  admission_.for_each([&](const Flow& flow) {
    const Holding holding = holding_of(flow);
    const Duration has = announced_.at(flow).holding.interval;
    if (has < holding.interval) lower({announced_.at(flow).local, holding});
    if (has > holding.interval) raises_.push_back(flow);
  });
  for (const AnnouncedHolding& announced : lost) lower(announced);
  for (const auto& [rank, at] : locals_)
    if (at.greeted) welcome(rank);
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

// --- one change after another --------------------------------------------------------------------

void Master::advance() {
  while (!rebuilding_ && awaited_.empty()) {
    conclude();
    if (queue_.empty()) return;
    const ManagerMessage request = queue_.front();
    queue_.pop_front();
    begin(request);
  }
}

/// Records a change and lowers the flows that get less. A release is always granted, also when an
/// earlier master has granted it already.
void Master::begin(const ManagerMessage& request) {
  if (const auto refused = decide(request)) {
    send(request.local, {.kind = MessageKind::refused,
                         .life = request.life,
                         .number = request.number,
                         .holding = {.flow = request.holding.flow},
                         .reason = Reason(refused->why)});
    return;
  }
  granting_ = request;
  if (request.request_kind == RequestKind::release) announced_.erase(request.holding.flow);
  for (const AdmissionControl::Change& change : admission_.changes()) {
    const auto announced = announced_.find(change.flow);
    if (announced == announced_.end()) continue;  // it is new: the grant announces it
    if (change.after < change.before)
      lower({announced->second.local, holding_of(change.flow)});
    else if (change.flow != request.holding.flow)
      raises_.push_back(change.flow);
  }
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

void Master::lower(const AnnouncedHolding& announced) {
  if (announced.holding.grant.kind != GrantKind::none)
    announced_[announced.holding.flow] = announced;
  awaited_.emplace(
      send(announced.local, {.kind = MessageKind::lower, .holding = announced.holding}),
      announced.local);
}

/// Raises the others and grants the request, after all that get less have confirmed it.
void Master::conclude() {
  for (const Flow& flow : std::exchange(raises_, {})) {
    AnnouncedHolding& announced = announced_.at(flow);
    announced.holding = holding_of(flow);
    send(announced.local, {.kind = MessageKind::raise, .holding = announced.holding});
  }
  if (!granting_) return;
  const ManagerMessage request = *std::exchange(granting_, std::nullopt);
  Holding holding{.flow = request.holding.flow};  // released: as it began, not held back
  if (request.request_kind != RequestKind::release) {
    holding = holding_of(request.holding.flow);
    announced_[holding.flow] = {request.local, holding};
  }
  send(request.local, {.kind = MessageKind::granted,
                       .life = request.life,
                       .number = request.number,
                       .holding = holding});
}

}  // namespace weft::comm::qos
