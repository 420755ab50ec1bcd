// SPDX-License-Identifier: Apache-2.0
// The tables of collectives.
#include "base/error.hpp"
#include "comm/coll/collectives.hpp"

namespace weft::comm {
namespace {

const Param by{"by", OneOf{"messages", "puts"}, "messages",
               "messages, or puts into registered flags that are polled"};
const Param degree{"degree", Whole{1, 1'000'000}, "2", "children of a rank"};

}  // namespace

template <>
std::span<const CollectiveRow<Barrier>> algorithms() {
  static const std::vector<CollectiveRow<Barrier>> rows{
      {"pairwise", pairwise, "pairwise exchange with recursive doubling", {by}},
      {"pairwise_rdma", pairwise_rdma, "the same by puts into flags that are registered once", {}},
      {"dissemination", dissemination, "in step k every rank notifies the rank 2^k ahead", {by}},
      {"tree", tree_barrier, "gathers up a tree and releases down it", {degree, by}},
      {"schedule", schedule_barrier, "gathers and releases along a given visiting order", {by}},
      {"hardware",
       hardware_barrier,
       "gathers up a tree; the switches' multicast releases",
       {degree, by}},
      {"counter", counter_barrier, "a counter in the memory of one host", {}},
      {"flags", flags_barrier, "a flag for each rank in the memory of one host", {}},
      {"smp",
       smp_barrier,
       "flags in each host's memory, and its first rank meets those of other hosts",
       {{"between", FreeText{}, "pairwise_rdma", "the barrier between hosts"}}},
  };
  return rows;
}

template <>
std::span<const CollectiveRow<Broadcast>> algorithms() {
  static const std::vector<CollectiveRow<Broadcast>> rows{
      {"schedule",
       schedule_broadcast,
       "unicast messages in a given visiting order",
       {by, {"buffer", BytesText{}, "64KiB", "by puts: the data that fit the registered buffers"}}},
      {"binomial", binomial_broadcast, "unicast messages down a binomial tree", {}},
      {"hardware", hardware_broadcast, "the switches' multicast", {}},
  };
  return rows;
}

template <>
std::span<const CollectiveRow<Reduce>> algorithms() {
  static const std::vector<CollectiveRow<Reduce>> rows{};
  return rows;
}

template <>
std::span<const CollectiveRow<Allreduce>> algorithms() {
  static const std::vector<CollectiveRow<Allreduce>> rows{};
  return rows;
}

template <>
std::span<const CollectiveRow<Scan>> algorithms() {
  static const std::vector<CollectiveRow<Scan>> rows{};
  return rows;
}

template <>
std::span<const CollectiveRow<ReduceScatter>> algorithms() {
  static const std::vector<CollectiveRow<ReduceScatter>> rows{};
  return rows;
}

template <>
std::span<const CollectiveRow<Allgather>> algorithms() {
  static const std::vector<CollectiveRow<Allgather>> rows{};
  return rows;
}

template <>
std::span<const CollectiveRow<Gather>> algorithms() {
  static const std::vector<CollectiveRow<Gather>> rows{};
  return rows;
}

template <>
std::span<const CollectiveRow<Scatter>> algorithms() {
  static const std::vector<CollectiveRow<Scatter>> rows{};
  return rows;
}

template <>
std::span<const CollectiveRow<Alltoall>> algorithms() {
  static const std::vector<CollectiveRow<Alltoall>> rows{};
  return rows;
}

Rank check_schedule(std::span<const ScheduledSend> schedule, int size) {
  std::vector<int> reached(static_cast<std::size_t>(size), 0);  // in which step; 0: not
  const auto at = [&](Rank rank) -> int& {
    if (rank < 0 || rank >= size)
      throw Error("schedule: {} is not a rank of a team of {}", rank, size);
    return reached[static_cast<std::size_t>(rank)];
  };
  for (const ScheduledSend& send : schedule) {
    if (send.step < 1) throw Error("schedule: step {}: steps count from 1", send.step);
    if (at(send.to) != 0) throw Error("schedule: rank {} is reached twice", send.to);
    at(send.to) = send.step;
  }
  Rank root = any_source;
  for (Rank rank = 0; rank < size; ++rank) {
    if (at(rank) != 0) continue;
    if (root != any_source)
      throw Error("schedule: nobody reaches rank {}, nor rank {}: there is one root", root, rank);
    root = rank;
  }
  if (root == any_source) throw Error("schedule: every rank is reached: nobody is the root");
  for (const ScheduledSend& send : schedule)
    if (at(send.from) >= send.step)
      throw Error("schedule: rank {} sends in step {} what reaches it in step {}", send.from,
                  send.step, at(send.from));
  return root;
}

}  // namespace weft::comm
