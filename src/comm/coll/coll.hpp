// SPDX-License-Identifier: Apache-2.0
// Collectives: what the members of a team do together, as coroutines over an Endpoint. One file per
// algorithm, one row per file; MPI's names. A collective is made once for a team (memory is
// registered, addresses are exchanged) and then used again and again:
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
#include "comm/coll/blocks.hpp"
#include "comm/coll/reduction.hpp"
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
  static constexpr std::string_view kind = "barrier";
  using Collective::Collective;
  /// Ends when every member has entered; otherwise the status of the first operation that failed.
  virtual TaskOf<Status> enter() = 0;
};

// What follows ends with the status of the first operation that failed, or ok when this member has
// its result and may reuse its buffers. It may still forward data: members synchronise before they
// leave for good. All members name the same root, sizes and reduction. Data may be unbacked: then
// nothing is copied or combined, and everything takes the same time.

class Broadcast : public Collective {
 public:
  static constexpr std::string_view kind = "broadcast";
  using Collective::Collective;
  /// Sends the root's data to all members.
  virtual TaskOf<Status> run(Rank root, std::span<std::byte> data) = 0;
};

class Reduce : public Collective {
 public:
  static constexpr std::string_view kind = "reduce";
  using Collective::Collective;
  /// Combines the data of all members. The result replaces the root's; others' stay.
  virtual TaskOf<Status> run(Rank root, std::span<std::byte> data, const Reduction& reduction) = 0;
};

class Allreduce : public Collective {
 public:
  static constexpr std::string_view kind = "allreduce";
  using Collective::Collective;
  /// Combines the data of all members. The result replaces everyone's.
  virtual TaskOf<Status> run(std::span<std::byte> data, const Reduction& reduction) = 0;
};

class Scan : public Collective {
 public:
  static constexpr std::string_view kind = "scan";
  using Collective::Collective;
  /// Combines the data of lower ranks and of this one, which the result replaces.
  virtual TaskOf<Status> run(std::span<std::byte> data, const Reduction& reduction) = 0;
};

class ReduceScatter : public Collective {
 public:
  static constexpr std::string_view kind = "reduce_scatter";
  using Collective::Collective;
  /// Combines the data of all members. Each finds the result of its block there; what the rest of
  /// its data is then, is undefined.
  virtual TaskOf<Status> run(std::span<std::byte> data, const Blocks& blocks,
                             const Reduction& reduction) = 0;
};

class Allgather : public Collective {
 public:
  static constexpr std::string_view kind = "allgather";
  using Collective::Collective;
  /// Sends every member's block, which is in its place before, to all members.
  virtual TaskOf<Status> run(std::span<std::byte> all, const Blocks& blocks) = 0;
};

class Gather : public Collective {
 public:
  static constexpr std::string_view kind = "gather";
  using Collective::Collective;
  /// Brings every member's own block to the root. Elsewhere `all` does not count, and nor do the
  /// blocks where the algorithm is "linear": others throw Error when they are unknown.
  virtual TaskOf<Status> run(Rank root, std::span<const std::byte> own, std::span<std::byte> all,
                             const Blocks& blocks) = 0;
};

class Scatter : public Collective {
 public:
  static constexpr std::string_view kind = "scatter";
  using Collective::Collective;
  /// Brings every member its block of the root's data. What is said of Gather holds here, too.
  virtual TaskOf<Status> run(Rank root, std::span<const std::byte> all, std::span<std::byte> own,
                             const Blocks& blocks) = 0;
};

class Alltoall : public Collective {
 public:
  static constexpr std::string_view kind = "alltoall";
  using Collective::Collective;
  /// Sends block i of `out` to member i, whose block comes into block i of `in`.
  virtual TaskOf<Status> run(std::span<const std::byte> out, const Blocks& out_blocks,
                             std::span<std::byte> in, const Blocks& in_blocks) = 0;
};

/// What a row makes a collective from: its parameters, and the caller's inputs.
struct FactoryInputs {
  const Params& params;
  std::span<const ScheduledSend> schedule;
  int group;
};
template <class AnyCollective>
using CollectiveRow = Row<TaskOf<std::unique_ptr<AnyCollective>>(Team, FactoryInputs)>;
/// The algorithms of a collective: `algorithms<Barrier>()`.
template <class AnyCollective>
std::span<const CollectiveRow<AnyCollective>> algorithms();
template <>
std::span<const CollectiveRow<Barrier>> algorithms();
template <>
std::span<const CollectiveRow<Broadcast>> algorithms();
template <>
std::span<const CollectiveRow<Reduce>> algorithms();
template <>
std::span<const CollectiveRow<Allreduce>> algorithms();
template <>
std::span<const CollectiveRow<Scan>> algorithms();
template <>
std::span<const CollectiveRow<ReduceScatter>> algorithms();
template <>
std::span<const CollectiveRow<Allgather>> algorithms();
template <>
std::span<const CollectiveRow<Gather>> algorithms();
template <>
std::span<const CollectiveRow<Scatter>> algorithms();
template <>
std::span<const CollectiveRow<Alltoall>> algorithms();

/// Calls `visit.operator()<Barrier>()`, and so on for each collective.
template <class Visit>
void for_each_collective(Visit visit) {
  visit.template operator()<Barrier>();
  visit.template operator()<Broadcast>();
  visit.template operator()<Reduce>();
  visit.template operator()<Allreduce>();
  visit.template operator()<Scan>();
  visit.template operator()<ReduceScatter>();
  visit.template operator()<Allgather>();
  visit.template operator()<Gather>();
  visit.template operator()<Scatter>();
  visit.template operator()<Alltoall>();
}

/// All members of the team call it, in the same order relative to Team::part. Throws Error for a
/// wrong spec or schedule, and where the network lacks what the algorithm needs.
template <class AnyCollective>
TaskOf<std::unique_ptr<AnyCollective>> make_collective(Team& team, const CollectiveSpec& wanted) {
  const Spec spec = Spec::parse(wanted.spec);
  const auto& row = find_row(algorithms<AnyCollective>(), AnyCollective::kind, spec.name);
  const Params params(spec, row.params);
  TaskOf<std::unique_ptr<AnyCollective>> made =
      row.make(team.again(), {params, wanted.schedule, wanted.group});
  co_return co_await made;
}
inline constexpr auto make_barrier = make_collective<Barrier>;
inline constexpr auto make_broadcast = make_collective<Broadcast>;
inline constexpr auto make_reduce = make_collective<Reduce>;
inline constexpr auto make_allreduce = make_collective<Allreduce>;
inline constexpr auto make_scan = make_collective<Scan>;
inline constexpr auto make_reduce_scatter = make_collective<ReduceScatter>;
inline constexpr auto make_allgather = make_collective<Allgather>;
inline constexpr auto make_gather = make_collective<Gather>;
inline constexpr auto make_scatter = make_collective<Scatter>;
inline constexpr auto make_alltoall = make_collective<Alltoall>;

/// Throws Error unless a team of `size` can be served in this order: one root, everyone else is
/// reached once, by a member that was reached in an earlier step. Returns the root.
Rank check_schedule(std::span<const ScheduledSend> schedule, int size);

}  // namespace weft::comm
