// SPDX-License-Identifier: Apache-2.0
// Collectives: what the members of a team do together, as coroutines over an Endpoint. One file per
// algorithm, one row per file. A collective is made once for a team (memory is registered,
// addresses are exchanged) and then used again and again:
//
//   const CollectiveSpec spec{"pairwise_rdma"};
//   const auto barrier = co_await make_barrier(team, spec);
//   for (…) co_await barrier->enter();
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/catalog.hpp"
#include "comm/task.hpp"
#include "comm/team.hpp"

namespace weft::comm {

/// One message of a multicast by unicast messages: in this step, from one member to another.
struct ScheduledSend {
  int step = 0;
  Rank from = 0, to = 0;
  friend bool operator==(const ScheduledSend&, const ScheduledSend&) = default;
};

/// How a collective is made; it must outlive the FactoryInputs, which refer to it.
struct CollectiveSpec {
  std::string spec;  ///< such as "pairwise" or "schedule:by=puts"
  std::vector<ScheduledSend>
      schedule{};  ///< for "schedule": every member but the root is reached once
  int group = 0;   ///< for "hardware": a group with the hosts of all members
};

/// What the collectives of a team have in common.
class Collective {
 public:
  explicit Collective(Team team) : team_(std::move(team)) {}
  Collective(const Collective&) = delete;
  Collective& operator=(const Collective&) = delete;
  virtual ~Collective() = default;

  Pool& frames() const { return team_.frames(); }

 protected:
  Team team_;
};

class Barrier : public Collective {
 public:
  using Collective::Collective;
  /// Ends when every member has entered; otherwise the status of the first operation that failed.
  virtual TaskOf<Status> enter() = 0;
};

class Broadcast : public Collective {
 public:
  using Collective::Collective;
  /// Sends the root's data to all members, which name the same root and size. Ends when this member
  /// has the data, or may reuse its buffer. It may still forward them: members synchronise before
  /// they leave for good.
  virtual TaskOf<Status> run(Rank root, std::span<std::byte> data) = 0;
};

/// What a row makes a collective from: its parameters, and the caller's inputs.
struct FactoryInputs {
  const Params& params;
  std::span<const ScheduledSend> schedule;
  int group;
};
using BarrierRow = Row<TaskOf<std::unique_ptr<Barrier>>(Team, FactoryInputs)>;
using BroadcastRow = Row<TaskOf<std::unique_ptr<Broadcast>>(Team, FactoryInputs)>;
std::span<const BarrierRow> barriers();
std::span<const BroadcastRow> broadcasts();

/// All members of the team call it, in the same order relative to Team::part. Throws Error for a
/// wrong spec or schedule, and where the network lacks what the algorithm needs.
TaskOf<std::unique_ptr<Barrier>> make_barrier(Team& team, const CollectiveSpec& spec);
TaskOf<std::unique_ptr<Broadcast>> make_broadcast(Team& team, const CollectiveSpec& spec);

/// Throws Error unless a team of `size` can be served in this order: one root, everyone else is
/// reached once, by a member that was reached in an earlier step. Returns the root.
Rank check_schedule(std::span<const ScheduledSend> schedule, int size);

}  // namespace weft::comm
