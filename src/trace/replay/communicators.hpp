// SPDX-License-Identifier: Apache-2.0
// The communicators of a replayed rank, and its collectives on them.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "comm/coll/coll.hpp"
#include "comm/team.hpp"
#include "trace/replay/replay.hpp"

namespace weft::trace {

/// The context of messages on the communicator of all ranks of a job.
std::uint64_t world_context(int job);

class ReplayedCommunicators {
 public:
  ReplayedCommunicators(comm::Endpoint& endpoint, ReplayJob& job, Rank rank);

  /// The context of messages on a communicator: the same for its members, and unique. Throws Error
  /// when this rank is not a member.
  std::uint64_t context(const Call& call) const { return find(call).team.context(); }
  /// Carries out a collective; several of a communicator one after another.
  comm::Task run(const Call& call);
  /// The same beside others: `number` counts the collectives of the communicator, and all members
  /// agree about it.
  comm::Task run_apart(const Call& call, std::uint64_t number);

  comm::Pool& frames() { return endpoint_.frames(); }

 private:
  struct ReplayedTeam {
    comm::Team team;
    /// By the spec that it was made from.
    std::vector<std::pair<const comm::CollectiveSpec*, std::unique_ptr<comm::Collective>>> made{};
  };
  const ReplayedTeam& find(const Call& call) const;
  ReplayedTeam& find(const Call& call);
  void add(std::int32_t id, const ReplayJob::ReplayedGroup& group);
  comm::Task run_on(ReplayedTeam& on, const Call& call);
  comm::Task make_communicator(ReplayedTeam& parent, const Call& call);
  template <class AnyCollective>
  comm::TaskOf<AnyCollective*> collective(ReplayedTeam& on, const Call& call, std::size_t bytes);
  comm::Task free_communicator(const Call& call);
  comm::Task run_vector(ReplayedTeam& on, const Call& call);
  comm::Task run_rooted(ReplayedTeam& on, const Call& call);
  comm::Task run_blocks(ReplayedTeam& on, const Call& call);
  comm::Rank root_of(const ReplayedTeam& on, const Call& call) const;

  comm::Endpoint& endpoint_;
  ReplayJob& job_;
  std::map<std::int32_t, ReplayedTeam> known_;
};

}  // namespace weft::trace
