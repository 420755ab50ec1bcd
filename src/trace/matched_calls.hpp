// SPDX-License-Identifier: Apache-2.0
// The calls of a program with its wildcards resolved: a receive from any rank or with any tag is
// one of the message that it got in the recorded run, where the trace says so.
#pragma once
#include <cstdint>
#include <unordered_map>

#include "trace/trace.hpp"

namespace weft::trace {

/// Reads the calls of one rank like a CallCursor. What a nonblocking receive got stands in the call
/// that waits for it: a second cursor looks ahead, but only where there are such receives.
class MatchedCalls {
 public:
  MatchedCalls(const Trace& trace, Rank rank)
      : calls_(trace.calls(rank)), ahead_(trace.calls(rank)) {}
  bool next(Call& into);

 private:
  ReceivedMessage message_of(std::uint64_t receive);
  void look_at(const Call& call);
  void close(std::uint64_t request, const ReceivedMessage& got);

  CallCursor calls_, ahead_;
  Call ahead_call_{};
  std::unordered_map<std::uint64_t, std::uint64_t> open_;      ///< receives ahead, by request
  std::unordered_map<std::uint64_t, ReceivedMessage> closed_;  ///< what receives ahead got
};

}  // namespace weft::trace
