// SPDX-License-Identifier: Apache-2.0
// Recursive vector halving with distance doubling.
#include "comm/coll/patterns/halving.hpp"

namespace weft::comm {

void HalvedVector::halve(int distance) {
  count_ /= 2;
  if ((fold_.place & distance) != 0) first_ += count_;
}

void HalvedVector::double_up(int distance) {
  first_ = std::min(first_, beside(distance));
  count_ *= 2;
}

TaskOf<Status> HalvedVector::reduce_scatter(const Reduction& reduction) {
  const bool takes = fold_.partner != nobody;
  const Scratch came(team_, takes ? data_.size() : part(0, count_ / 2).size(), data_);
  if (takes) {
    const Result result = co_await team_.recv(member(fold_.partner), step_tag, came.bytes());
    if (!result.ok()) co_return result.status;
    co_await combine_into(team_, reduction, data_, came.bytes(), false);
  }
  for (int distance = 1; distance < fold_.members; distance *= 2) {
    halve(distance);
    const auto half = came.first(kept().size());
    const Status status =
        co_await SendRecv(team_, partner(distance), given(distance), partner(distance), half);
    if (status != Status::ok) co_return status;
    co_await combine_into(team_, reduction, kept(), half, (fold_.place & distance) != 0);
  }
  co_return Status::ok;
}

TaskOf<Status> HalvedVector::allgather() {
  for (int distance = fold_.members / 2; distance > 0; distance /= 2) {
    const Status status =
        co_await SendRecv(team_, partner(distance), kept(), partner(distance), given(distance));
    if (status != Status::ok) co_return status;
    double_up(distance);
  }
  co_return Status::ok;
}

TaskOf<Status> HalvedVector::gather() {
  for (int distance = fold_.members / 2; distance > 0; distance /= 2) {
    if ((fold_.place & distance) != 0)
      co_return (co_await team_.send(partner(distance), step_tag, kept())).status;
    const Result result = co_await team_.recv(partner(distance), step_tag, given(distance));
    if (!result.ok()) co_return result.status;
    double_up(distance);
  }
  co_return Status::ok;
}

}  // namespace weft::comm
