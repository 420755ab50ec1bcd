// SPDX-License-Identifier: Apache-2.0
// schedule: a multicast by unicast messages, or puts, in a given visiting order. Another root
// changes places with the schedule's.
#include <map>

#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/relay.hpp"

namespace weft::comm {
namespace {

/// The member's part when another root than the schedule's changes places with it.
Relay relay_for(const Team& team, std::span<const ScheduledSend> schedule, Rank root) {
  const Rank usual = check_schedule(schedule, team.size());
  const auto changed = [&](Rank rank) {
    return rank == usual ? root : rank == root ? usual : rank;
  };
  Relay relay;
  for (const Exchange& e : schedule_exchanges(changed(team.rank()), schedule).release) {
    if (e.from != nobody) relay.parent = changed(e.from);
    if (e.to != nobody) relay.children.push_back(changed(e.to));
  }
  return relay;
}

/// Relays are made at the first broadcast of a root, and kept.
template <class AnyRelay>
using ByRoot = std::map<Rank, AnyRelay>;

class MessageBroadcast final : public Broadcast {
 public:
  MessageBroadcast(Team team, std::span<const ScheduledSend> schedule)
      : Broadcast(std::move(team)), schedule_(schedule.begin(), schedule.end()) {}

  TaskOf<Status> run(Rank root, std::span<std::byte> data) override {
    auto found = relays_.find(root);
    if (found == relays_.end())
      found = relays_.emplace(root, relay_for(team_, schedule_, root)).first;
    const Relay& relay = found->second;
    if (relay.parent != nobody) {
      const Result result = co_await team_.recv(relay.parent, 1, data);
      if (!result.ok()) co_return result.status;
    }
    for (const Rank child : relay.children) {
      const Result result = co_await team_.send(child, 1, data);
      if (!result.ok()) co_return result.status;
    }
    co_return Status::ok;
  }

 private:
  std::vector<ScheduledSend> schedule_;
  ByRoot<Relay> relays_;
};

class PutBroadcast final : public Broadcast {
 public:
  PutBroadcast(Team team, std::span<const ScheduledSend> schedule, std::size_t buffer)
      : Broadcast(std::move(team)), schedule_(schedule.begin(), schedule.end()), buffer_(buffer) {}

  TaskOf<Status> run(Rank root, std::span<std::byte> data) override {
    const auto found = relays_.find(root);
    return found == relays_.end() ? connect_and_run(root, data) : found->second->run(data);
  }

 private:
  TaskOf<Status> connect_and_run(Rank root, std::span<std::byte> data) {
    const auto made = relays_.emplace(
        root, std::make_unique<PutRelay>(team_, relay_for(team_, schedule_, root), buffer_));
    PutRelay& relay = *made.first->second;
    co_await relay.connect();
    co_return co_await relay.run(data);
  }

  std::vector<ScheduledSend> schedule_;
  std::size_t buffer_;
  ByRoot<std::unique_ptr<PutRelay>> relays_;
};

}  // namespace

TaskOf<std::unique_ptr<Broadcast>> schedule_broadcast(Team team, FactoryInputs inputs) {
  check_schedule(inputs.schedule, team.size());
  const Bytes buffer = inputs.params.bytes("buffer");
  if (!by_puts(inputs.params))
    co_return std::make_unique<MessageBroadcast>(std::move(team), inputs.schedule);
  co_return std::make_unique<PutBroadcast>(std::move(team), inputs.schedule,
                                           static_cast<std::size_t>(buffer.count));
}

}  // namespace weft::comm
