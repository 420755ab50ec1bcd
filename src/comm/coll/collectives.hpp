// SPDX-License-Identifier: Apache-2.0
// The collectives, one function per file of the folders beside it; catalog.cpp lists them.
#pragma once
#include "comm/coll/coll.hpp"

namespace weft::comm {

TaskOf<std::unique_ptr<Barrier>> pairwise(Team, FactoryInputs);
TaskOf<std::unique_ptr<Barrier>> pairwise_rdma(Team, FactoryInputs);
TaskOf<std::unique_ptr<Barrier>> dissemination(Team, FactoryInputs);
TaskOf<std::unique_ptr<Barrier>> tree_barrier(Team, FactoryInputs);
TaskOf<std::unique_ptr<Barrier>> schedule_barrier(Team, FactoryInputs);
TaskOf<std::unique_ptr<Barrier>> hardware_barrier(Team, FactoryInputs);
TaskOf<std::unique_ptr<Barrier>> counter_barrier(Team, FactoryInputs);
TaskOf<std::unique_ptr<Barrier>> flags_barrier(Team, FactoryInputs);
TaskOf<std::unique_ptr<Barrier>> smp_barrier(Team, FactoryInputs);

TaskOf<std::unique_ptr<Broadcast>> schedule_broadcast(Team, FactoryInputs);
TaskOf<std::unique_ptr<Broadcast>> hardware_broadcast(Team, FactoryInputs);
TaskOf<std::unique_ptr<Broadcast>> chain_broadcast(Team, FactoryInputs);
TaskOf<std::unique_ptr<Broadcast>> scatter_allgather(Team, FactoryInputs);
TaskOf<std::unique_ptr<Reduce>> chain_reduce(Team, FactoryInputs);

// The rest keep nothing from one run to the next, and some are parts of others.
TaskOf<Status> binomial_broadcast(const Team&, Rank root, std::span<std::byte> data);
TaskOf<Status> linear_broadcast(const Team&, Rank root, std::span<std::byte> data);

TaskOf<Status> binomial_reduce(const Team&, Rank root, std::span<std::byte> data, const Reduction&);
TaskOf<Status> linear_reduce(const Team&, Rank root, std::span<std::byte> data, const Reduction&);
TaskOf<Status> rabenseifner_reduce(const Team&, Rank root, std::span<std::byte> data,
                                   const Reduction&);

TaskOf<Status> doubling_allreduce(const Team&, std::span<std::byte> data, const Reduction&);
TaskOf<Status> ring_allreduce(const Team&, std::span<std::byte> data, const Reduction&);
TaskOf<Status> rabenseifner_allreduce(const Team&, std::span<std::byte> data, const Reduction&);
TaskOf<Status> tree_allreduce(const Team&, std::span<std::byte> data, const Reduction&);
TaskOf<Status> linear_allreduce(const Team&, std::span<std::byte> data, const Reduction&);

TaskOf<Status> doubling_scan(const Team&, std::span<std::byte> data, const Reduction&);
TaskOf<Status> linear_scan(const Team&, std::span<std::byte> data, const Reduction&);

TaskOf<Status> halving_reduce_scatter(const Team&, std::span<std::byte> data, const Blocks&,
                                      const Reduction&);
TaskOf<Status> pairwise_reduce_scatter(const Team&, std::span<std::byte> data, const Blocks&,
                                       const Reduction&);
TaskOf<Status> ring_reduce_scatter(const Team&, std::span<std::byte> data, const Blocks&,
                                   const Reduction&);
TaskOf<Status> tree_reduce_scatter(const Team&, std::span<std::byte> data, const Blocks&,
                                   const Reduction&);

TaskOf<Status> ring_allgather(const Team&, std::span<std::byte> all, const Blocks&);
TaskOf<Status> doubling_allgather(const Team&, std::span<std::byte> all, const Blocks&);
TaskOf<Status> bruck_allgather(const Team&, std::span<std::byte> all, const Blocks&);
TaskOf<Status> neighbour_allgather(const Team&, std::span<std::byte> all, const Blocks&);
TaskOf<Status> linear_allgather(const Team&, std::span<std::byte> all, const Blocks&);

TaskOf<Status> binomial_gather(const Team&, Rank root, std::span<const std::byte> own,
                               std::span<std::byte> all, const Blocks&);
TaskOf<Status> linear_gather(const Team&, Rank root, std::span<const std::byte> own,
                             std::span<std::byte> all, const Blocks&);

TaskOf<Status> binomial_scatter(const Team&, Rank root, std::span<const std::byte> all,
                                std::span<std::byte> own, const Blocks&);
TaskOf<Status> linear_scatter(const Team&, Rank root, std::span<const std::byte> all,
                              std::span<std::byte> own, const Blocks&);

TaskOf<Status> pairwise_alltoall(const Team&, std::span<const std::byte> out,
                                 const Blocks& out_blocks, std::span<std::byte> in,
                                 const Blocks& in_blocks);
TaskOf<Status> bruck_alltoall(const Team&, std::span<const std::byte> out, const Blocks& out_blocks,
                              std::span<std::byte> in, const Blocks& in_blocks);
TaskOf<Status> linear_alltoall(const Team&, std::span<const std::byte> out,
                               const Blocks& out_blocks, std::span<std::byte> in,
                               const Blocks& in_blocks);

}  // namespace weft::comm
