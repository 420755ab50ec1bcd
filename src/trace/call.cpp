// SPDX-License-Identifier: Apache-2.0
// The words of calls.
#include "trace/call.hpp"

#include <array>

namespace weft::trace {

std::string_view to_text(CallKind kind) {
  static constexpr std::array<std::string_view, call_kinds> words{
      "init",       "finalize",      "compute",
      "send",       "ssend",         "recv",
      "isend",      "irecv",         "wait",
      "waitall",    "sendrecv",      "barrier",
      "bcast",      "reduce",        "allreduce",
      "scan",       "gather",        "scatter",
      "allgather",  "alltoall",      "reducescatterblock",
      "gatherv",    "scatterv",      "allgatherv",
      "alltoallv",  "reducescatter", "comm",
      "commfree",   "wtime begin",   "wtime end",
      "wtime other"};
  return words[static_cast<std::size_t>(kind)];
}

bool has_root(CallKind kind) {
  switch (kind) {
    case CallKind::bcast:
    case CallKind::reduce:
    case CallKind::gather:
    case CallKind::scatter:
    case CallKind::gatherv:
    case CallKind::scatterv:
      return true;
    default:
      return false;
  }
}

}  // namespace weft::trace
