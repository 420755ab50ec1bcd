// SPDX-License-Identifier: Apache-2.0
// Records as a trace that Chrome and Perfetto open: a row for each rank, times in microseconds.
#include <fmt/format.h>

#include <iterator>

#include "run/simulated/world.hpp"

namespace weft::run {

std::string to_trace(const std::vector<Record>& records) {
  std::string out = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  const char* separator = "\n";
  for (const Record& record : records) {
    const auto microseconds = [](comm::Time time) {
      return static_cast<double>(time.count()) / 1e6;
    };
    fmt::format_to(std::back_inserter(out),
                   "{}{{\"name\":\"{}\",\"ph\":\"X\",\"pid\":0,\"tid\":{},\"ts\":{},\"dur\":{},"
                   "\"args\":{{\"peer\":{},\"tag\":{},\"bytes\":{},\"status\":\"{}\"}}}}",
                   separator, to_text(record.kind), record.rank, microseconds(record.posted),
                   microseconds(record.completed - record.posted), record.peer, record.tag,
                   record.bytes, to_text(record.status));
    separator = ",\n";
  }
  return out + "\n]}\n";
}

}  // namespace weft::run
