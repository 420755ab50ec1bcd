// SPDX-License-Identifier: Apache-2.0
// What tests of traces share: traces made of calls, and the calls of a trace.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "trace/trace.hpp"

namespace weft::testing {

using RankCalls = std::vector<std::vector<trace::Call>>;  // by rank

inline RankCalls calls_of(const trace::Trace& trace) {
  RankCalls out(static_cast<std::size_t>(trace.ranks()));
  for (trace::Rank rank = 0; rank < trace.ranks(); ++rank) {
    trace::CallCursor cursor = trace.calls(rank);
    for (trace::Call call; cursor.next(call);) out[static_cast<std::size_t>(rank)].push_back(call);
  }
  return out;
}

inline trace::Trace trace_of(const RankCalls& calls, trace::TraceHead head,
                             std::uint64_t memory = trace::usual_trace_memory) {
  head.ranks = static_cast<int>(calls.size());
  trace::TraceBuilder builder(std::move(head), memory);
  for (std::size_t rank = 0; rank < calls.size(); ++rank)
    for (const trace::Call& call : calls[rank])
      builder.append(static_cast<trace::Rank>(rank), call);
  return builder.finish();
}

/// As if all came from the same place.
inline RankCalls without_lines(RankCalls calls) {
  for (auto& rank : calls)
    for (trace::Call& call : rank) call.line = 0;
  return calls;
}

}  // namespace weft::testing
