// SPDX-License-Identifier: Apache-2.0
// schedule: a multicast by unicast messages in a given visiting order. For another root than the
// schedule's, the two change places.
#include <algorithm>

#include "comm/coll/parts/exchanges.hpp"
#include "comm/coll/rows.hpp"

namespace weft::comm {
namespace {

/// What a rank does with the data: takes them from its parent and gives them to its children.
struct Relay {
  Rank parent = nobody;
  std::vector<Rank> children{};
};

class ScheduleBroadcast final : public Broadcast {
 public:
  ScheduleBroadcast(Team team, std::span<const Hop> schedule)
      : Broadcast(std::move(team)),
        schedule_(schedule.begin(), schedule.end()),
        root_(check_schedule(schedule, team_.size())),
        relay_(relay_for(root_)) {}

  TaskOf<Status> run(Rank root, std::span<std::byte> data) override {
    if (root != root_) {
      relay_ = relay_for(root);
      root_ = root;
    }
    if (relay_.parent != nobody) {
      const Result result = co_await team_.recv(relay_.parent, 1, data);
      if (!result.ok()) co_return result.status;
    }
    for (const Rank child : relay_.children) {
      const Result result = co_await team_.send(child, 1, data);
      if (!result.ok()) co_return result.status;
    }
    co_return Status::ok;
  }

 private:
  Relay relay_for(Rank root) const {
    const Rank usual = check_schedule(schedule_, team_.size());
    const auto changed = [&](Rank rank) {
      return rank == usual ? root : rank == root ? usual : rank;
    };
    Relay relay;
    for (const Exchange& e : schedule_exchanges(changed(team_.rank()), schedule_).release) {
      if (e.from != nobody) relay.parent = changed(e.from);
      if (e.to != nobody) relay.children.push_back(changed(e.to));
    }
    return relay;
  }

  std::vector<Hop> schedule_;
  Rank root_;
  Relay relay_;
};

}  // namespace

TaskOf<std::unique_ptr<Broadcast>> schedule_broadcast(Team team, Making making) {
  co_return std::make_unique<ScheduleBroadcast>(std::move(team), making.schedule);
}

}  // namespace weft::comm
