// SPDX-License-Identifier: Apache-2.0
// Checks that the program or schedule of a trace can run to its end, before anything replays it.
#pragma once
#include "trace/trace.hpp"

namespace weft::trace {

/// Throws Error for the first thing found that certainly keeps the program from its end, with file,
/// rank, call and line. Needs memory for channels and communicators, not for calls.
void check(const Trace& trace);

}  // namespace weft::trace
