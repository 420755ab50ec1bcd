// SPDX-License-Identifier: Apache-2.0
// The collectives, one function per file of this folder; catalog.cpp lists them.
#pragma once
#include "comm/coll/coll.hpp"

namespace weft::comm {

TaskOf<std::unique_ptr<Barrier>> pairwise(Team, Making);
TaskOf<std::unique_ptr<Barrier>> pairwise_rdma(Team, Making);
TaskOf<std::unique_ptr<Barrier>> dissemination(Team, Making);
TaskOf<std::unique_ptr<Barrier>> tree_barrier(Team, Making);
TaskOf<std::unique_ptr<Barrier>> schedule_barrier(Team, Making);
TaskOf<std::unique_ptr<Barrier>> hardware_barrier(Team, Making);
TaskOf<std::unique_ptr<Barrier>> counter_barrier(Team, Making);
TaskOf<std::unique_ptr<Barrier>> flags_barrier(Team, Making);
TaskOf<std::unique_ptr<Barrier>> smp_barrier(Team, Making);

TaskOf<std::unique_ptr<Broadcast>> schedule_broadcast(Team, Making);
TaskOf<std::unique_ptr<Broadcast>> binomial_broadcast(Team, Making);
TaskOf<std::unique_ptr<Broadcast>> hardware_broadcast(Team, Making);

}  // namespace weft::comm
