// SPDX-License-Identifier: Apache-2.0
// Expansion: a trace as the messages that it amounts to. Every collective becomes the messages of
// its algorithm, and communicators become tags. The result is a graph, for formats such as GOAL
// that have nothing but messages.
#pragma once
#include "trace/replay/algorithms.hpp"
#include "trace/trace.hpp"

namespace weft::trace {

/// Whether a trace is a program, or has collectives or messages on communicators of their own.
bool needs_expansion(const Trace& trace);

/// Throws Error, with rank, call and line, for algorithms that do more than send messages, and for
/// receives with any tag, of which the trace does not say what they got, where there are
/// collectives or communicators.
Trace expanded(const Trace& trace, const CollectiveAlgorithms& algorithms);

}  // namespace weft::trace
