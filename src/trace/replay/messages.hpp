// SPDX-License-Identifier: Apache-2.0
// The messages of a replayed rank: calls become operations on unbacked memory.
#pragma once
#include "trace/replay/replay.hpp"

namespace weft::trace {

struct ReplayedMessages {
  comm::Endpoint& endpoint;
  ReplayJob& job;

  comm::Op send(const Call& call, std::uint64_t context) const;
  comm::Op recv(const Call& call, std::uint64_t context) const;
  /// The receiving half of a sendrecv.
  comm::Op second_recv(const Call& call, std::uint64_t context) const;
  /// Throws Error unless the operation of a call has ended well.
  void require_ok(const comm::Op& op) const;

 private:
  comm::Rank in_world(Rank rank_in_trace) const;
};

}  // namespace weft::trace
