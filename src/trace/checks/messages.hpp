// SPDX-License-Identifier: Apache-2.0
// Whether every message has a receive and every receive a message: counts by channel.
#pragma once
#include <cstddef>
#include <cstdint>

#include "trace/trace.hpp"

namespace weft::trace {

/// Messages that are received in the order in which they are sent. Receives also have channels from
/// any_rank and of any_message_tag.
struct MessageChannel {
  Rank destination = 0;
  std::int32_t communicator = world;
  Rank source = 0;
  std::int64_t tag = 0;
  friend auto operator<=>(const MessageChannel&, const MessageChannel&) = default;
};

struct MessageChannelHash {
  std::size_t operator()(const MessageChannel& channel) const;
};

/// The sending and the receiving half of a call, where it has one that is not for no_rank.
struct MessageEnds {
  bool sends = false, receives = false;
  MessageChannel to{}, from{};
  std::uint64_t bytes = 0, capacity = 0;
};
MessageEnds message_ends(Rank rank, const Call& call);

/// Throws Error for the first channel, in order of destinations, that keeps the program from its
/// end.
void require_messages(const Trace& trace);

}  // namespace weft::trace
