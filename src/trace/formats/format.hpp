// SPDX-License-Identifier: Apache-2.0
// File formats of traces: one row per format, one file per row.
#pragma once
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/byte_stream.hpp"
#include "trace/trace.hpp"

namespace weft::trace {

/// Files that claim to have more are damaged.
inline constexpr int most_ranks = 1 << 20;

struct ReadOptions {
  std::string format{};  ///< name of a format; empty: the one that the contents look like
  std::string groups{};  ///< path of a JSON file {"name": [ranks]}: process groups of Chakra
  std::uint64_t memory = usual_trace_memory;
};

/// A file that is open, and decompressed.
struct TraceInput {
  std::string path;
  std::unique_ptr<ByteStream> bytes;
};

struct TraceFormat {
  std::string_view name;
  std::string_view summary;
  Trace (*read)(TraceInput, const ReadOptions&);
  void (*write)(std::ostream&, const Trace&);  ///< null: read only
  bool (*recognises)(std::string_view front);  ///< do the first bytes look like this format?
};

std::span<const TraceFormat> trace_formats();

/// Reads a trace as its format wants it, also one that gzip or zstd has compressed, and without
/// holding all of it in memory. Throws Error. Does not check() it.
Trace read_trace(const std::string& path, const ReadOptions& options = {});
/// The same; the stream may be compressed.
Trace read_trace(TraceInput input, const ReadOptions& options = {});

}  // namespace weft::trace
