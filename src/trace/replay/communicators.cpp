// SPDX-License-Identifier: Apache-2.0
// Teams for communicators, and what each collective call becomes.
#include "trace/replay/communicators.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "comm/unbacked.hpp"

namespace weft::trace {
namespace {

constexpr unsigned id_bits = 24, job_bits = 12, number_bits = 24;

/// Numbers of the communicators that every job has.
constexpr std::uint64_t number_of_self = 0, number_of_world = 1;

/// Codes of one length, so that none is the beginning of another, which teams made from a team rely
/// on.
std::uint64_t context_of(int job, std::uint64_t communicator) {
  const auto of_job = static_cast<std::uint64_t>(job);
  if (communicator >> id_bits != 0 || of_job >> job_bits != 0)
    throw Error("more than {} communicators or {} jobs", 1U << id_bits, 1U << job_bits);
  return std::uint64_t{1} << (id_bits + job_bits) | of_job << id_bits | communicator;
}

void require_ok(comm::Status status) {
  if (status != comm::Status::ok) throw Error("{}", to_text(status));
}

comm::Blocks blocks_of(const std::vector<std::uint64_t>& sizes) {
  return comm::Blocks(std::vector<std::size_t>(sizes.begin(), sizes.end()));
}

using comm::unbacked;

}  // namespace

std::uint64_t world_context(int job) { return context_of(job, number_of_world); }

ReplayedCommunicators::ReplayedCommunicators(comm::Endpoint& endpoint, ReplayJob& job, Rank rank)
    : endpoint_(endpoint), job_(job) {
  const TraceHead& head = job.trace().head();
  std::vector<Rank> all;
  for (Rank each = 0; each < head.ranks; ++each) all.push_back(each);
  add(world, job.group_of(world, all));
  add(self, {number_of_self, std::make_shared<const std::vector<comm::Rank>>(1, endpoint.rank())});
  for (const Communicator& each : head.communicators)
    if (std::find(each.members.begin(), each.members.end(), rank) != each.members.end())
      add(each.id, job.group_of(each.id, each.members));
}

void ReplayedCommunicators::add(std::int32_t id, const ReplayJob::ReplayedGroup& group) {
  known_.insert_or_assign(
      id, ReplayedTeam{
              comm::Team(endpoint_, group.members, context_of(job_.setup().number, group.number))});
}

ReplayedCommunicators::ReplayedTeam& ReplayedCommunicators::find(const Call& call) {
  const auto found = known_.find(call.communicator);
  if (found == known_.end())
    throw Error("it is not a member of communicator {}", call.communicator);
  return found->second;
}
const ReplayedCommunicators::ReplayedTeam& ReplayedCommunicators::find(const Call& call) const {
  return const_cast<ReplayedCommunicators*>(this)->find(call);
}

comm::Rank ReplayedCommunicators::root_of(const ReplayedTeam& on, const Call& call) const {
  const comm::Rank wanted = job_.setup().first_rank + call.peer;
  for (comm::Rank member = 0; member < on.team.size(); ++member)
    if (on.team.in_world(member) == wanted) return member;
  throw Error("its root {} is not a member of communicator {}", call.peer, call.communicator);
}

/// Finds the collective that suits a call, or makes it.
template <class AnyCollective>
comm::TaskOf<AnyCollective*> ReplayedCommunicators::collective(ReplayedTeam& on, const Call& call,
                                                               std::size_t bytes) {
  const comm::CollectiveSpec& spec = job_.algorithms().of(call.kind, bytes, on.team.size());
  for (const auto& each : on.made)
    if (each.first == &spec) co_return static_cast<AnyCollective*>(each.second.get());
  auto made = co_await comm::make_collective<AnyCollective>(on.team, spec);
  AnyCollective* const out = made.get();
  on.made.emplace_back(&spec, std::move(made));
  co_return out;
}

comm::Task ReplayedCommunicators::run(const Call& call) { return run_on(find(call), call); }

comm::Task ReplayedCommunicators::run_apart(const Call& call, std::uint64_t number) {
  const ReplayedTeam& usual = find(call);
  if (number >> number_bits != 0)
    throw Error("more than {} collectives on a communicator", 1U << number_bits);
  ReplayedTeam apart{usual.team.with_context(usual.team.context() << number_bits | number)};
  co_await run_on(apart, call);
}

comm::Task ReplayedCommunicators::make_communicator(ReplayedTeam& parent, const Call& call) {
  Call agreement;
  agreement.kind =
      call.origin == CommunicatorOrigin::split ? CallKind::allgather : CallKind::allreduce;
  agreement.bytes = call.origin == CommunicatorOrigin::split ? 8 : 4;
  co_await run_on(parent, agreement);
  if (!call.members.empty()) add(call.made, job_.group_of(call.made, call.members));
}

comm::Task ReplayedCommunicators::run_on(ReplayedTeam& on, const Call& call) {
  switch (call.kind) {
    case CallKind::make_communicator:
      return make_communicator(on, call);
    case CallKind::free_communicator:
      return free_communicator(call);
    case CallKind::gather:
    case CallKind::gatherv:
    case CallKind::scatter:
    case CallKind::scatterv:
      return run_rooted(on, call);
    case CallKind::allgather:
    case CallKind::allgatherv:
    case CallKind::alltoall:
    case CallKind::alltoallv:
      return run_blocks(on, call);
    default:
      return run_vector(on, call);
  }
}

comm::Task ReplayedCommunicators::free_communicator(const Call& call) {
  known_.erase(call.communicator);
  co_return;
}

/// Collectives on one vector of every member.
comm::Task ReplayedCommunicators::run_vector(ReplayedTeam& on, const Call& call) {
  const bool blocks_are_equal = call.kind == CallKind::reduce_scatter_block;
  const bool is_scatter = call.kind == CallKind::reduce_scatter || blocks_are_equal;
  const comm::Blocks blocks = !is_scatter        ? comm::Blocks()
                              : blocks_are_equal ? comm::Blocks::equal(on.team.size(), call.bytes)
                                                 : blocks_of(call.sizes);
  const std::size_t bytes = is_scatter ? blocks.total() : call.bytes;
  const comm::Reduction reduction = comm::unspecified(1);
  comm::Status status{};
  if (call.kind == CallKind::barrier) {
    comm::Barrier* const it = co_await collective<comm::Barrier>(on, call, 0);
    status = co_await it->enter();
  } else if (call.kind == CallKind::bcast) {
    comm::Broadcast* const it = co_await collective<comm::Broadcast>(on, call, bytes);
    status = co_await it->run(root_of(on, call), unbacked(bytes));
  } else if (call.kind == CallKind::reduce) {
    comm::Reduce* const it = co_await collective<comm::Reduce>(on, call, bytes);
    status = co_await it->run(root_of(on, call), unbacked(bytes), reduction);
  } else if (call.kind == CallKind::allreduce) {
    comm::Allreduce* const it = co_await collective<comm::Allreduce>(on, call, bytes);
    status = co_await it->run(unbacked(bytes), reduction);
  } else if (call.kind == CallKind::scan) {
    comm::Scan* const it = co_await collective<comm::Scan>(on, call, bytes);
    status = co_await it->run(unbacked(bytes), reduction);
  } else {
    comm::ReduceScatter* const it = co_await collective<comm::ReduceScatter>(on, call, bytes);
    status = co_await it->run(unbacked(bytes), blocks, reduction);
  }
  require_ok(status);
}

/// Gather and scatter. Of different sizes, only the root knows those of others.
comm::Task ReplayedCommunicators::run_rooted(ReplayedTeam& on, const Call& call) {
  const bool gathers = call.kind == CallKind::gather || call.kind == CallKind::gatherv;
  const bool equal = call.kind == CallKind::gather || call.kind == CallKind::scatter;
  const comm::Rank root = root_of(on, call);
  const bool is_root = root == on.team.rank();
  const comm::Blocks blocks = equal     ? comm::Blocks::equal(on.team.size(), call.bytes)
                              : is_root ? blocks_of(call.sizes)
                                        : comm::Blocks();
  const auto own = unbacked(equal || !is_root ? call.bytes : blocks.size(root));
  const auto all = unbacked(is_root ? blocks.total() : 0);
  comm::Status status{};
  if (gathers) {
    comm::Gather* const it = co_await collective<comm::Gather>(on, call, call.bytes);
    status = co_await it->run(root, own, all, blocks);
  } else {
    comm::Scatter* const it = co_await collective<comm::Scatter>(on, call, call.bytes);
    status = co_await it->run(root, all, own, blocks);
  }
  require_ok(status);
}

/// Collectives whose blocks go from everyone to everyone.
comm::Task ReplayedCommunicators::run_blocks(ReplayedTeam& on, const Call& call) {
  const bool equal = call.kind == CallKind::allgather || call.kind == CallKind::alltoall;
  const comm::Blocks blocks =
      equal ? comm::Blocks::equal(on.team.size(), call.bytes) : blocks_of(call.sizes);
  comm::Status status{};
  if (call.kind == CallKind::allgather || call.kind == CallKind::allgatherv) {
    comm::Allgather* const it = co_await collective<comm::Allgather>(on, call, blocks.total());
    status = co_await it->run(unbacked(blocks.total()), blocks);
  } else {
    const comm::Blocks in = equal ? blocks : blocks_of(call.receive_sizes);
    comm::Alltoall* const it = co_await collective<comm::Alltoall>(on, call, call.bytes);
    status = co_await it->run(unbacked(blocks.total()), blocks, unbacked(in.total()), in);
  }
  require_ok(status);
}

}  // namespace weft::trace
