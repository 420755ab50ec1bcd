// SPDX-License-Identifier: Apache-2.0
// A collective that keeps nothing from one run to the next is a coroutine of its team and of what
// run() takes: `stateless<Allgather, ring_allgather>` is the function of its row.
#pragma once
#include <memory>
#include <utility>

#include "comm/coll/coll.hpp"

namespace weft::comm {

template <class AnyCollective, auto algorithm, class Run = decltype(&AnyCollective::run)>
class StatelessCollective;
template <class AnyCollective, auto algorithm, class... Arguments>
class StatelessCollective<AnyCollective, algorithm, TaskOf<Status> (AnyCollective::*)(Arguments...)>
    final : public AnyCollective {
 public:
  using AnyCollective::AnyCollective;
  TaskOf<Status> run(Arguments... arguments) override {
    return algorithm(this->team_, arguments...);
  }
};

template <class AnyCollective, auto algorithm>
TaskOf<std::unique_ptr<AnyCollective>> stateless(Team team, FactoryInputs) {
  co_return std::make_unique<StatelessCollective<AnyCollective, algorithm>>(std::move(team));
}

}  // namespace weft::comm
