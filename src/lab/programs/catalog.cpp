// SPDX-License-Identifier: Apache-2.0
// The table of host programs.
#include "lab/programs/programs.hpp"

namespace weft {
std::span<const ProgramRow> programs() {
  static const std::vector<ProgramRow> rows{
      {"barrier", barrier_program, "everyone meets, again and again", barrier_params()},
      {"broadcast", broadcast_program,
       "one rank's data come to everyone; a time is from the root's start", broadcast_params()},
      {"reduce", reduce_program, "sums of all ranks' numbers come to one rank", reduce_params()},
      {"allreduce", allreduce_program, "sums of all ranks' numbers come to everyone",
       allreduce_params()},
      {"scan", scan_program, "sums of the numbers of lower ranks and its own come to every rank",
       scan_params()},
      {"reduce_scatter", reduce_scatter_program,
       "every rank gets its share of the sums of all ranks' numbers", reduce_scatter_params()},
      {"allgather", allgather_program, "every rank's share of a vector comes to everyone",
       allgather_params()},
      {"gather", gather_program, "every rank's data come to one rank", gather_params()},
      {"scatter", scatter_program, "one rank's data come to everyone, a block each",
       scatter_params()},
      {"alltoall", alltoall_program, "every rank has data for every rank", alltoall_params()},
      {"pingpong", pingpong_program, "a message there and back, or both ways at once",
       pingpong_params()},
      {"flood", flood_program, "all others send messages to rank 0, which takes them as they come",
       flood_params()},
      {"put", put_program, "one-sided writes from one rank to another", put_params()},
      {"notify", notify_program,
       "one-sided writes there and back, and how their target learns of them", notify_params()},
      {"overlap", overlap_program,
       "barriers in a row by writes of their number; a rank is slow between writing and polling",
       overlap_params()},
      {"elan_ping", elan_ping_program, "DMAs of Elan3lib between two ranks; the NIC is an Elan",
       elan_ping_params()},
      {"hot_spot", hot_spot_program,
       "all others write to, or read from, the same memory of rank 0 by DMAs of Elan3lib",
       hot_spot_params()},
      {"orphan", orphan_program,
       "waits for a message that nobody sends, to see how that is reported", orphan_params()},
  };
  return rows;
}

}  // namespace weft
