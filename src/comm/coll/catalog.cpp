// SPDX-License-Identifier: Apache-2.0
// The tables of collectives.
#include "base/error.hpp"
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/stateless.hpp"

namespace weft::comm {
namespace {

const Param by{"by", OneOf{"messages", "puts"}, "messages",
               "messages, or puts into registered flags that are polled"};
const Param segment{"segment", BytesText{.least = Bytes{1}}, "64KiB", "of data in a message"};
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
      {"binomial",
       stateless<Broadcast, binomial_broadcast>,
       "unicast messages down a binomial tree",
       {}},
      {"linear", stateless<Broadcast, linear_broadcast>, "the root sends to all at once", {}},
      {"chain", chain_broadcast, "from rank to rank, segment by segment", {segment}},
      {"scatter_allgather",
       scatter_allgather,
       "blocks of the data down a binomial tree, then an allgather",
       {{"allgather", OneOf{"ring", "recursive_doubling"}, "ring", "of the blocks"}}},
      {"hardware", hardware_broadcast, "the switches' multicast", {}},
  };
  return rows;
}

template <>
std::span<const CollectiveRow<Reduce>> algorithms() {
  static const std::vector<CollectiveRow<Reduce>> rows{
      {"binomial", stateless<Reduce, binomial_reduce>, "up a binomial tree", {}},
      {"linear", stateless<Reduce, linear_reduce>, "the root receives from one after another", {}},
      {"chain", chain_reduce, "from rank to rank, segment by segment", {segment}},
      {"rabenseifner",
       stateless<Reduce, rabenseifner_reduce>,
       "reduce-scatter by recursive halving, then a gather",
       {}},
  };
  return rows;
}

template <>
std::span<const CollectiveRow<Allreduce>> algorithms() {
  static const std::vector<CollectiveRow<Allreduce>> rows{
      {"recursive_doubling",
       stateless<Allreduce, doubling_allreduce>,
       "exchange of partial results with partners 1, 2, 4, ... places away",
       {}},
      {"ring",
       stateless<Allreduce, ring_allreduce>,
       "reduce-scatter and allgather around a ring; reductions that commute",
       {}},
      {"rabenseifner",
       stateless<Allreduce, rabenseifner_allreduce>,
       "reduce-scatter by recursive halving, then an allgather by doubling",
       {}},
      {"tree", stateless<Allreduce, tree_allreduce>, "up a binomial tree, and down it", {}},
      {"linear",
       stateless<Allreduce, linear_allreduce>,
       "rank 0 receives from one after another, and sends to all",
       {}},
  };
  return rows;
}

template <>
std::span<const CollectiveRow<Scan>> algorithms() {
  static const std::vector<CollectiveRow<Scan>> rows{
      {"recursive_doubling",
       stateless<Scan, doubling_scan>,
       "exchange of partial results with partners 1, 2, 4, ... ranks away",
       {}},
      {"linear", stateless<Scan, linear_scan>, "from rank to rank", {}},
  };
  return rows;
}

template <>
std::span<const CollectiveRow<ReduceScatter>> algorithms() {
  static const std::vector<CollectiveRow<ReduceScatter>> rows{
      {"halving",
       stateless<ReduceScatter, halving_reduce_scatter>,
       "recursive halving; reductions that commute",
       {}},
      {"pairwise",
       stateless<ReduceScatter, pairwise_reduce_scatter>,
       "in step k with the ranks k ahead and k behind; reductions that commute",
       {}},
      {"ring",
       stateless<ReduceScatter, ring_reduce_scatter>,
       "partial results go around a ring; reductions that commute",
       {}},
      {"tree",
       stateless<ReduceScatter, tree_reduce_scatter>,
       "up a binomial tree, and the blocks of the result down it",
       {}},
  };
  return rows;
}

template <>
std::span<const CollectiveRow<Allgather>> algorithms() {
  static const std::vector<CollectiveRow<Allgather>> rows{
      {"ring", stateless<Allgather, ring_allgather>, "blocks go around a ring", {}},
      {"recursive_doubling",
       stateless<Allgather, doubling_allgather>,
       "exchange of all there is with partners 1, 2, 4, ... places away",
       {}},
      {"bruck",
       stateless<Allgather, bruck_allgather>,
       "in step k as many blocks again, from the rank 2^k ahead",
       {}},
      {"neighbour",
       stateless<Allgather, neighbour_allgather>,
       "pairs of blocks with both neighbours in turn; the ring for an odd number of ranks",
       {}},
      {"linear", stateless<Allgather, linear_allgather>, "everyone sends to everyone at once", {}},
  };
  return rows;
}

template <>
std::span<const CollectiveRow<Gather>> algorithms() {
  static const std::vector<CollectiveRow<Gather>> rows{
      {"binomial", stateless<Gather, binomial_gather>, "up a binomial tree", {}},
      {"linear", stateless<Gather, linear_gather>, "the root receives from all at once", {}},
  };
  return rows;
}

template <>
std::span<const CollectiveRow<Scatter>> algorithms() {
  static const std::vector<CollectiveRow<Scatter>> rows{
      {"binomial", stateless<Scatter, binomial_scatter>, "down a binomial tree", {}},
      {"linear", stateless<Scatter, linear_scatter>, "the root sends to all at once", {}},
  };
  return rows;
}

template <>
std::span<const CollectiveRow<Alltoall>> algorithms() {
  static const std::vector<CollectiveRow<Alltoall>> rows{
      {"pairwise",
       stateless<Alltoall, pairwise_alltoall>,
       "one partner in each of N - 1 steps",
       {}},
      {"bruck",
       stateless<Alltoall, bruck_alltoall>,
       "in step k half of the blocks, to the rank 2^k ahead; blocks of one size",
       {}},
      {"linear", stateless<Alltoall, linear_alltoall>, "everyone sends to everyone at once", {}},
  };
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
