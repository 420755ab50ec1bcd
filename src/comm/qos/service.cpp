// SPDX-License-Identifier: Apache-2.0
// The managers at work over an endpoint.
#include "comm/qos/service.hpp"

#include <fmt/format.h>

#include <array>

#include "base/error.hpp"

namespace weft::comm::qos {
namespace {

constexpr Rank master_rank = 0;
constexpr Tag parcels = 1;
constexpr Tag closed = 2;
constexpr Tag never = 3;    ///< sent
constexpr Tag replies = 4;  ///< and on: one for each ticket

/// Makes refusals of errors that the routing finds, as the rank that asked is elsewhere.
PathFinder answering(const PathFinder& route) {
  if (!route) return route;
  return [route](const Flow& flow) -> std::variant<Path, Refused> {
    try {
      return route(flow);
    } catch (const Error& error) {
      return Refused{error.what()};
    }
  };
}

}  // namespace

Service::Service(Team& everyone, const Settings& settings)
    : team_(everyone.again()),
      leader_(team_.rank()),
      bell_{team_.endpoint().ready()},
      lease_(settings.lease) {
  Endpoint& ep = team_.endpoint();
  if (team_.size() != ep.size() || team_.rank() != ep.rank())
    throw Error("qos: the managers serve all ranks: make them of the team of everyone");
  if (auto* const shared = ep.capability<SharedMemory>()) leader_ = shared->rank_here(0);
  if (ep.rank() == master_rank)
    master_ = std::make_unique<Master>(MasterStart{.limits = settings.limits,
                                                   .hosts = settings.hosts,
                                                   .policy = settings.policy,
                                                   .route = answering(settings.route),
                                                   .names = settings.names,
                                                   .lease = settings.lease},
                                       ep.now());
  if (ep.rank() != leader_) return;
  auto* const nic =
      settings.rate_control != nullptr ? settings.rate_control : ep.capability<RateControl>();
  local_ = std::make_unique<Local>(LocalStart{.at = ep.rank(), .nic = nic, .lease = settings.lease},
                                   ep.now());
  receiver_.emplace(receive());
  sender_.emplace(send());
  watcher_.emplace(watch());
  for (std::optional<Task>* task : {&receiver_, &sender_, &watcher_}) (*task)->start(ep.ready());
  deliver();
}

Service::~Service() = default;

// --- what programs ask ---------------------------------------------------------------------------

TaskOf<Answer> Service::reserve(Flow flow, Bandwidth bandwidth) {
  return ask({.kind = RequestKind::reserve, .flow = flow, .bandwidth = bandwidth});
}
TaskOf<Answer> Service::best_effort(Flow flow) {
  return ask({.kind = RequestKind::best_effort, .flow = flow});
}
TaskOf<Answer> Service::release(Flow flow) {
  return ask({.kind = RequestKind::release, .flow = flow});
}

TaskOf<Answer> Service::ask(BandwidthRequest request) {
  for (const Rank rank : {request.flow.source, request.flow.target})
    if (rank < 0 || rank >= team_.size())
      co_return Answer{.why = fmt::format("flow {}: there is no rank {}, only 0 to {}",
                                          to_text(request.flow), rank, team_.size() - 1)};
  request.asker = team_.rank();
  request.ticket = ++tickets_;
  const Parcel parcel = request;
  Reply reply;
  Op received =
      team_.recv(leader_, replies + static_cast<Tag>(request.ticket), writable_bytes_of(reply));
  Op sent = team_.send(leader_, parcels, bytes_of(parcel), Priority::high);
  co_await all(sent, received);
  for (const Op* op : {&sent, &received})
    if (!op->result().ok())
      co_return Answer{.why = fmt::format("the manager at rank {} does not answer: {}", leader_,
                                          comm::to_text(op->result().status))};
  co_return Answer{.granted = reply.granted,
                   .why = std::string(reply.reason.words()),
                   .interval = reply.holding.interval};
}

Task Service::close() {
  const auto closing = [&](ClosingScope scope) {
    return Parcel(Closing{scope, team_.rank(), leader_});
  };
  const Parcel parcel = closing(ClosingScope::rank);
  Parcel end;
  Op received = team_.recv(leader_, closed, writable_bytes_of(end));
  Op sent = team_.send(leader_, parcels, bytes_of(parcel), Priority::high);
  co_await all(sent, received);
  if (!received.result().ok()) {  // the local manager has died
    const Parcel instead = closing(ClosingScope::host);
    co_await team_.send(master_rank, parcels, bytes_of(instead), Priority::high);
  }
  if (!receiver_) co_return;
  co_await *receiver_;
  co_await *sender_;
  watching_.get()->cancel();
  co_await *watcher_;
}

// --- what managers do ----------------------------------------------------------------------------

/// Never waits for what is to be sent, so that two managers cannot wait for each other.
Task Service::receive() {
  // Several at once: a NIC that insists on posted receives finds one for each of a burst.
  std::array<Parcel, 8> arrived;
  std::array<LastOp, 8> posted;
  const auto post = [&](std::size_t place) {
    posted[place].make(
        [&] { return team_.recv(any_source, parcels, writable_bytes_of(arrived[place])); });
  };
  for (std::size_t place = 0; place < posted.size(); ++place) post(place);
  for (std::size_t place = 0; !closed_; place = (place + 1) % posted.size()) {
    const Result result = co_await *posted[place].get();
    invariant(result.ok(), "a receive of a manager from anyone fails");
    const Parcel parcel = arrived[place];
    post(place);
    std::visit([&](const auto& what) { take(what); }, parcel);
    deliver();
  }
}

Task Service::send() {
  for (;;) {
    while (outgoing_.empty()) {
      if (closed_) co_return;
      co_await bell_;
    }
    const Outgoing next = outgoing_.front();
    outgoing_.pop_front();
    const auto bytes = std::visit([](const auto& what) { return bytes_of(what); }, next.what);
    co_await team_.send(next.to, next.tag, bytes, Priority::high);
  }
}

/// Looks at the clock a few times in a lease.
Task Service::watch() {
  while (!closed_) {
    co_await watching_.make([&] { return team_.endpoint().sleep(lease_ / 6); });
    if (closed_) co_return;
    const Time now = team_.endpoint().now();
    local_->tick(now);
    if (master_) master_->tick(now);
    deliver();
    close_without_the_dead();
  }
}

void Service::post(const Outgoing& outgoing) {
  outgoing_.push_back(outgoing);
  bell_.ring();
}

void Service::take(const ManagerMessage& message) {
  if (message.to_master())
    master_->receive(message, team_.endpoint().now());
  else
    local_->receive(message, team_.endpoint().now());
}

void Service::take(const Closing& closing) {
  switch (closing.scope) {
    case ClosingScope::rank:
      if (!master_) await_death(master_rank);
      post({master_rank, parcels, Parcel(Closing{ClosingScope::host, closing.who, leader_})});
      return;
    case ClosingScope::host:
      if (!not_closing_) {
        not_closing_.emplace();
        for (Rank rank = 0; rank < team_.size(); ++rank) {
          not_closing_->insert(rank);
          if (rank != master_rank) await_death(rank);
        }
      }
      closing_leaders_.insert(closing.leader);
      not_closing_->erase(closing.who);
      return close_without_the_dead();
    case ClosingScope::everyone:
      closed_ = true;
      auto* const shared = team_.endpoint().capability<SharedMemory>();
      for (int i = 0; i < (shared != nullptr ? shared->ranks_here() : 1); ++i)
        post({shared != nullptr ? shared->rank_here(i) : leader_, closed, Parcel(closing)});
      return;
  }
}

void Service::await_death(Rank rank) {
  auto& death = deaths_[rank];
  if (death) return;
  death = std::make_unique<LastOp>();
  death->make([&] { return team_.recv(rank, never, {}); });
}

bool Service::gone(Rank rank) const {
  const auto death = deaths_.find(rank);
  return death != deaths_.end() && death->second->get()->done();
}

/// Everyone may close when all have asked for it, or have died. Without the master, a host closes
/// by itself.
void Service::close_without_the_dead() {
  const auto tell = [&](Rank leader) {
    post({leader, parcels, Parcel(Closing{.scope = ClosingScope::everyone})});
  };
  if (closed_) return;
  if (gone(master_rank)) return tell(team_.rank());
  if (!not_closing_) return;
  std::erase_if(*not_closing_, [&](Rank rank) { return gone(rank); });
  if (!not_closing_->empty()) return;
  for (const Rank leader : std::exchange(closing_leaders_, {})) tell(leader);
}

/// Delivers messages between the managers of this rank, and posts the others.
void Service::deliver() {
  for (bool more = true; more;) {
    more = false;
    for (const ManagerMessage& message : local_->take_outbox()) {
      more = true;
      if (master_)
        master_->receive(message, team_.endpoint().now());
      else
        post({master_rank, parcels, Parcel(message)});
    }
    if (!master_) break;
    for (const ManagerMessage& message : master_->take_outbox()) {
      more = true;
      if (message.local == team_.rank())
        local_->receive(message, team_.endpoint().now());
      else
        post({message.local, parcels, Parcel(message)});
    }
  }
  for (const Reply& reply : local_->take_replies())
    post({reply.asker, replies + static_cast<Tag>(reply.ticket), reply});
}

}  // namespace weft::comm::qos
