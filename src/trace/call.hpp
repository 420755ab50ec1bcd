// SPDX-License-Identifier: Apache-2.0
// A call: what one rank of a recorded MPI program, or of a schedule, does next.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/units.hpp"

namespace weft::trace {

using Rank = std::int32_t;
inline constexpr Rank any_rank = -1;  ///< MPI_ANY_SOURCE
inline constexpr Rank no_rank = -2;   ///< MPI_PROC_NULL
inline constexpr std::int64_t any_message_tag = -1;

/// Communicators that are always there.
inline constexpr std::int32_t world = 0, self = -1;

enum class CallKind : std::uint8_t {
  init,
  finalize,
  compute,
  send,
  ssend,
  recv,
  isend,
  irecv,
  wait,
  waitall,
  sendrecv,
  barrier,
  bcast,
  reduce,
  allreduce,
  scan,
  gather,
  scatter,
  allgather,
  alltoall,
  reduce_scatter_block,
  gatherv,
  scatterv,
  allgatherv,
  alltoallv,
  reduce_scatter,
  make_communicator,
  free_communicator,
  begin_timed,  ///< MPI_Wtime where the section begins that the program reports
  end_timed,
  read_clock,  ///< any other MPI_Wtime: nothing happens
};
inline constexpr int call_kinds = static_cast<int>(CallKind::read_clock) + 1;

/// The word of weft's own format: "reducescatter".
std::string_view to_text(CallKind);

/// Whether all members of the communicator make this call together.
constexpr bool is_collective(CallKind kind) {
  return kind >= CallKind::barrier && kind <= CallKind::free_communicator;
}
/// Whether a collective has a root, which `Call::peer` is.
bool has_root(CallKind);

/// Of a graph: the call may begin when an earlier one of the same rank has ended, or has begun.
struct Dependency {
  std::uint64_t on = 0;  ///< index of that call in its rank
  bool only_begun = false;
  friend bool operator==(const Dependency&, const Dependency&) = default;
};

/// The message that a receive got in the recorded run.
struct ReceivedMessage {
  std::uint64_t request = 0;  ///< of the receive, where a wait says it
  Rank source = 0;
  std::int64_t tag = any_message_tag;  ///< said where the receive was for any
  std::uint64_t bytes = 0;
  friend bool operator==(const ReceivedMessage&, const ReceivedMessage&) = default;
};

enum class CommunicatorOrigin : std::uint8_t { split, dup, create };
inline constexpr std::array<std::string_view, 3> origin_words{"split", "dup", "create"};

/// Each kind uses some of the members; the others have their defaults. Ranks are those of the
/// world.
struct Call {
  CallKind kind{};
  std::int32_t communicator = world;
  std::uint32_t stream = 0;  ///< processor of the rank. GOAL: cpu; Chakra: 0 CPU, 1 accelerator
  std::uint32_t nic = 0;     ///< of the rank, that the message uses. GOAL
  Rank peer = 0;             ///< of a message; root of a collective
  std::int64_t tag = 0;
  /// Of the message or the whole buffer; capacity of a receive; for each member in gather, scatter,
  /// allgather, alltoall and reduce_scatter_block; own share in gatherv and scatterv.
  std::uint64_t bytes = 0;
  std::uint64_t request = 0;  ///< isend, irecv, wait
  Rank from = 0;              ///< the receiving half of sendrecv
  std::int64_t receive_tag = 0;
  std::uint64_t capacity = 0;
  Duration time{};  ///< compute
  /// Clock of the recorded run in begin_timed, end_timed and read_clock: whole seconds, to which
  /// `time` is added. Programs count from anywhere, also from 1970.
  std::int64_t seconds = 0;
  /// For each member, in their order: gatherv and scatterv at the root, allgatherv, reduce_scatter;
  /// of alltoallv what is sent.
  std::vector<std::uint64_t> sizes{};
  std::vector<std::uint64_t> receive_sizes{};  ///< alltoallv
  std::vector<std::uint64_t> requests{};       ///< waitall
  /// One for recv, sendrecv and the wait of a receive, one a receive for waitall; empty where the
  /// trace does not say.
  std::vector<ReceivedMessage> received{};
  CommunicatorOrigin origin{};  ///< make_communicator, of which `communicator` is the parent
  std::int32_t made = 0;        ///< make_communicator: the new one; -1 where this rank gets none
  std::vector<Rank> members{};  ///< make_communicator, in order; empty where this rank gets none
  std::vector<Dependency> after{};  ///< in graphs only
  std::uint64_t line = 0;           ///< in the file that it came from; id of the node in Chakra

  friend bool operator==(const Call&, const Call&) = default;
};

}  // namespace weft::trace
