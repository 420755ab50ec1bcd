// SPDX-License-Identifier: Apache-2.0
// The manager that decides.
#include "comm/qos/master.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weft::comm::qos {

Master::Master(Start start)
    : start_(std::move(start)),
      books_(start_.limits, start_.hosts, start_.policy),
      rebuilding_(!start_.locals.empty()) {
  if (!start_.route) throw Error("qos: the master is not told how flows are routed");
  for (const Rank local : start_.locals) {
    locals_[local];
    send(local, {.kind = Kind::ask});
  }
}

/// Every message has a version of its own, but for the parts of a welcome.
std::uint64_t Master::send(Rank local, Message message) {
  message.local = local;
  if (message.life == 0) message.life = locals_[local].life;
  message.epoch = start_.epoch;
  if (message.version == 0) message.version = ++version_;
  outbox_.push_back(message);
  return message.version;
}

Holding Master::holding_of(const Flow& flow) const {
  return {flow, books_.grant(flow), interval_of(books_.limits(), books_.rate(flow))};
}

void Master::receive(const Message& message) {
  if (message.kind == Kind::hello) {
    greet(message);
    return advance();
  }
  if (message.epoch != start_.epoch) return;  // it will be said again
  switch (message.kind) {
    case Kind::report:
    case Kind::reported:
      take_report(message);
      break;
    case Kind::request:
      if (message.life >= locals_[message.local].life) queue_.push_back(message);
      break;
    case Kind::confirmed:
      awaited_.erase(message.version);
      break;
    default:
      break;
  }
  advance();
}

// --- managers that have lost their memory --------------------------------------------------------

/// What an earlier life asked for died with it, unless it is being granted. While the books are
/// rebuilt, a hello may be an old one of someone who knows a lot by now: only to one that has heard
/// the question it is an answer.
void Master::greet(const Message& message) {
  AtLocal& at = locals_[message.local];
  if (rebuilding_ && message.epoch != start_.epoch) {
    send(message.local, {.kind = Kind::ask});
    return;
  }
  if (message.life <= at.life) return;
  at.life = message.life;
  std::erase_if(queue_, [&](const Message& queued) { return queued.local == message.local; });
  if (!rebuilding_) return welcome(message.local);
  at.greeted = at.reported = true;
  rebuild_if_complete();
}

/// Tells a local manager all its flows, with what they had been told to have; it need not confirm
/// anything else then.
void Master::welcome(Rank local) {
  std::vector<Holding> holdings;
  books_.for_each([&](const Flow& flow) {
    if (const auto told = told_.find(flow); told != told_.end() && told->second.local == local)
      holdings.push_back(told->second.holding);
  });
  const std::uint64_t version =
      send(local, {.kind = Kind::welcome, .count = static_cast<std::uint64_t>(holdings.size())});
  for (const Holding& holding : holdings)
    send(local, {.kind = Kind::learn, .version = version, .holding = holding});
  std::erase_if(awaited_, [&](const auto& awaited) { return awaited.second == local; });
  awaited_.emplace(version, local);
}

void Master::take_report(const Message& message) {
  AtLocal& at = locals_[message.local];
  if (!rebuilding_) return;
  at.life = std::max(at.life, message.life);
  if (message.kind == Kind::report)
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
  std::vector<Told> lost;
  for (auto& [rank, at] : locals_) {
    for (const Holding& holding : std::exchange(at.holdings, {}))
      if (restore(holding))
        told_[holding.flow] = {rank, holding};
      else
        lost.push_back({rank, {holding.flow, {}, stopped}});
  }
  books_.changes();
  // Some messages of the earlier master were heeded, others not.
  books_.for_each([&](const Flow& flow) {
    const Holding holding = holding_of(flow);
    const Duration has = told_.at(flow).holding.interval;
    if (has < holding.interval) lower({told_.at(flow).local, holding});
    if (has > holding.interval) raises_.push_back(flow);
  });
  for (const Told& told : lost) lower(told);
  for (const auto& [rank, at] : locals_)
    if (at.greeted) welcome(rank);
}

/// The same paths admit the same flows; where they have changed, a flow may fit no more.
bool Master::restore(const Holding& holding) {
  const auto path = start_.route(holding.flow);
  if (std::holds_alternative<Refused>(path)) return false;
  const auto& way = std::get<Path>(path);
  const auto refused = holding.grant.kind == Grant::Kind::promise
                           ? books_.reserve(holding.flow, way, holding.grant.promise)
                           : books_.best_effort(holding.flow, way);
  return !refused.has_value();
}

// --- one change after another --------------------------------------------------------------------

void Master::advance() {
  while (!rebuilding_ && awaited_.empty()) {
    conclude();
    if (queue_.empty()) return;
    const Message request = queue_.front();
    queue_.pop_front();
    begin(request);
  }
}

/// Writes a change down and tells those who get less. A release is granted to whoever may ask for
/// it, also when an earlier master has granted it already.
void Master::begin(const Message& request) {
  if (const auto refused = decide(request)) {
    send(request.local, {.kind = Kind::refused,
                         .life = request.life,
                         .number = request.number,
                         .holding = {.flow = request.holding.flow},
                         .reason = Reason(refused->why)});
    return;
  }
  granting_ = request;
  if (request.wish == Wish::release) told_.erase(request.holding.flow);
  for (const Books::Change& change : books_.changes()) {
    const auto told = told_.find(change.flow);
    if (told == told_.end()) continue;  // it is new, and told when it is granted
    if (change.after < change.before)
      lower({told->second.local, holding_of(change.flow)});
    else if (change.flow != request.holding.flow)
      raises_.push_back(change.flow);
  }
}

std::optional<Refused> Master::decide(const Message& request) {
  const Flow& flow = request.holding.flow;
  if (request.wish == Wish::release) {
    books_.release(flow);
    return std::nullopt;
  }
  if (flow.source == flow.target)  // no route needs to know
    return Refused{fmt::format("flow {} goes to itself", to_text(flow))};
  auto path = start_.route(flow);
  if (auto* refused = std::get_if<Refused>(&path)) return std::move(*refused);
  if (request.wish == Wish::best_effort) return books_.best_effort(flow, std::get<Path>(path));
  return books_.reserve(flow, std::get<Path>(path), request.holding.grant.promise);
}

void Master::lower(const Told& told) {
  if (told.holding.grant.kind != Grant::Kind::none) told_[told.holding.flow] = told;
  awaited_.emplace(send(told.local, {.kind = Kind::lower, .holding = told.holding}), told.local);
}

/// All have confirmed that they have less: the others may have more.
void Master::conclude() {
  for (const Flow& flow : std::exchange(raises_, {})) {
    Told& told = told_.at(flow);
    told.holding = holding_of(flow);
    send(told.local, {.kind = Kind::raise, .holding = told.holding});
  }
  if (!granting_) return;
  const Message request = *std::exchange(granting_, std::nullopt);
  Holding holding{.flow = request.holding.flow};  // released: as it began, not held back
  if (request.wish != Wish::release) {
    holding = holding_of(request.holding.flow);
    told_[holding.flow] = {request.local, holding};
  }
  send(request.local,
       {.kind = Kind::granted, .life = request.life, .number = request.number, .holding = holding});
}

}  // namespace weft::comm::qos
