// SPDX-License-Identifier: Apache-2.0
// The plain words of host programs: ranks, tags, times, what an operation is and how it ended.
#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/matcher.hpp"
#include "base/units.hpp"

namespace weft::comm {

/// A plain number: collectives calculate with ranks.
using Rank = std::int32_t;
using Tag = std::int64_t;
using Time = Duration;  ///< since the run began
using weft::any_source;
using weft::any_tag;

/// Priority of messages, where the NIC has two.
enum class Priority : std::uint8_t { low, high };

/// Mode of a send. A synchronous message of any size leaves its sender only when the receiver has
/// asked for it, so that the end of the send proves that there was a receive.
enum class Mode : std::uint8_t { asynchronous, synchronous };

/// How a message is sent: `ep.send(to, tag, data, Mode::synchronous)`.
struct SendOptions {
  Priority priority = Priority::low;
  Mode mode = Mode::asynchronous;
  SendOptions() = default;
  SendOptions(Priority wanted) : priority(wanted) {}
  SendOptions(Mode wanted) : mode(wanted) {}
  SendOptions(Priority wanted, Mode how) : priority(wanted), mode(how) {}
};

/// The messages of one rank to another, of one priority: they keep their order.
struct Flow {
  Rank source = 0, target = 0;
  Priority priority = Priority::low;
  friend auto operator<=>(const Flow&, const Flow&) = default;
};
/// "1->2", or "1->2 (high)".
std::string to_text(const Flow&);

enum class Status : std::uint8_t {
  pending,
  ok,
  truncated,  ///< the message was longer than the buffer, which holds its beginning
  refused,    ///< by the target: outside its region, or without the right
  not_ready,  ///< the target had no receive descriptor posted, and its NIC insists on one
  broken,     ///< the connection to the other rank, by an earlier error
  peer_gone,  ///< the other rank has left, or no packet reaches it
  timed_out,
  cancelled,  ///< withdrawn here, or by the sender
};
std::string_view to_text(Status);

enum class OpKind : std::uint8_t {
  send,
  recv,
  put,
  notice,  ///< a receive descriptor for a put with immediate data
  get,
  until,
  sleep,
  spend,
  set_event,
  wait_event,
  multicast,
  store,           ///< to memory that the ranks of a host share
  dma,             ///< in virtual addresses
  wait_nic_event,  ///< for an event in the memory of the NIC
};
std::string_view to_text(OpKind);

/// The outcome of an operation.
struct Result {
  Status status = Status::pending;
  Rank sender = any_source;     ///< of what was received
  Tag tag = any_tag;            ///< of what was received
  std::uint64_t bytes = 0;      ///< of the message, also of one that was truncated
  std::uint64_t immediate = 0;  ///< the immediate data of a put
  std::uint64_t message = 0;    ///< number of a tagged message, the same at both ends; see Op
  bool ok() const { return status == Status::ok; }
};

/// An operation that has not ended.
struct PendingOperation {
  Rank rank = 0;
  OpKind kind{};
  Rank peer = any_source;
  Tag tag = any_tag;
  Time since{};
  friend bool operator==(const PendingOperation&, const PendingOperation&) = default;
};
/// "rank 3 waits since 1.5us in recv from 2, tag 7".
std::string to_text(const PendingOperation&);
inline constexpr std::size_t most_ranks_shown = 16, most_of_a_rank_shown = 4;
/// A line for each, in the order of ranks: a few of every rank and so many ranks, and how many more
/// there are.
std::string to_text(std::span<const PendingOperation> pending, std::string_view indent = "");

/// The bytes of a plain value.
template <class T>
requires std::is_trivially_copyable_v<T> std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}
template <class T>
requires std::is_trivially_copyable_v<T> std::span<std::byte> writable_bytes_of(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

}  // namespace weft::comm
