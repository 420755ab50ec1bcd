// SPDX-License-Identifier: Apache-2.0
// The catalogue of formats of traces, and recognition of a file's format.
#include "base/catalog.hpp"

#include <array>

#include "base/compressed.hpp"
#include "trace/formats/formats.hpp"

namespace weft::trace {
namespace {

constexpr std::array format_rows{
    TraceFormat{"weft", "weft's own, a line for each MPI call of each rank", weft_calls::read,
                weft_calls::write, weft_calls::recognises},
    TraceFormat{"goal", "GOAL schedules of LogGOPSim and ATLAHS, as text; times in ns", goal::read,
                goal::write, goal::recognises},
    TraceFormat{"chakra", "Chakra execution traces, a file x.0.et for each rank; read only",
                chakra::read, nullptr, chakra::recognises},
};

const TraceFormat& format_of(const std::string& path, std::string_view front,
                             const std::string& name) {
  if (!name.empty()) return find_row(trace_formats(), "format of traces", name);
  for (const TraceFormat& row : format_rows)
    if (row.recognises(front)) return row;
  throw Error("{}: this looks like no format of traces; there are: {}", path,
              fmt::join(names_of(trace_formats()), " "));
}

}  // namespace

std::span<const TraceFormat> trace_formats() { return format_rows; }

Trace read_trace(TraceInput input, const ReadOptions& options) {
  constexpr std::size_t enough = 1 << 14;
  input.bytes = decompressed(std::move(input.bytes), input.path);
  const std::string front = take_front(*input.bytes, enough);
  input.bytes = stream_of(front, std::move(input.bytes));
  const TraceFormat& format = format_of(input.path, front, options.format);
  return format.read(std::move(input), options);
}

Trace read_trace(const std::string& path, const ReadOptions& options) {
  return read_trace({path, open_stream(chakra::first_file(path))}, options);
}

}  // namespace weft::trace
