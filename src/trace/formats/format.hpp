// SPDX-License-Identifier: Apache-2.0
// File formats of traces: one row per format, one file per row.
#pragma once
#include <string>

#include "trace/trace.hpp"

namespace weft::trace {

struct ReadOptions {
  std::string format{};  ///< name of a format; empty: the one that the contents look like
  std::string groups{};  ///< path of a JSON file {"name": [ranks]}: process groups of Chakra
  std::uint64_t memory = usual_trace_memory;
};

/// Reads a trace as its format wants it, also one that gzip or zstd has compressed, and without
/// holding all of it in memory. Throws Error. Does not check() it.
Trace read_trace(const std::string& path, const ReadOptions& options = {});

}  // namespace weft::trace
