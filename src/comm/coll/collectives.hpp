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
TaskOf<std::unique_ptr<Broadcast>> binomial_broadcast(Team, FactoryInputs);
TaskOf<std::unique_ptr<Broadcast>> hardware_broadcast(Team, FactoryInputs);

}  // namespace weft::comm
