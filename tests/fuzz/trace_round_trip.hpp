// SPDX-License-Identifier: Apache-2.0
// What fuzzers of formats of traces share: an Error of one line is fine; a trace that was read can
// be checked and summarised, and survives writing and reading.
#pragma once
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "base/catalog.hpp"
#include "trace/check.hpp"
#include "trace/formats/format.hpp"
#include "trace/summary.hpp"

namespace weft::fuzz {

/// Calls it; false when it throws Error.
template <class Action>
bool works(Action&& action) {
  try {
    action();
    return true;
  } catch (const Error& error) {
    invariant(std::string_view(error.what()).find('\n') == std::string_view::npos,
              "an error of more than one line");
    return false;
  }
}

inline void examine(const trace::Trace& trace) {
  works([&] { trace::check(trace); });
  std::uint64_t calls = 0;
  for (trace::Rank rank = 0; rank < trace.ranks(); ++rank) calls += trace.call_count(rank);
  works([&] { invariant(summary_of(trace).calls == calls, "calls that were not counted"); });
}

/// Empty where the format cannot hold the trace.
inline std::string written(const trace::Trace& trace, std::string_view format) {
  std::ostringstream out;
  const auto write = [&] { find_row(trace::trace_formats(), "format", format).write(out, trace); };
  return works(write) ? out.str() : "";
}

inline void trace_round_trip(const std::string& bytes, const std::string& format) {
  std::optional<trace::Trace> trace;
  const auto read = [&](const std::string& text) {
    trace = trace::read_trace({"fuzz", stream_of(text)}, {.format = format, .memory = 1000});
  };
  if (!works([&] { read(bytes); })) return;
  examine(*trace);
  const std::string text = written(*trace, format);
  written(*trace, "goal");
  if (text.empty()) return;
  read(text);
  invariant(written(*trace, format) == text, "a trace changed by writing and reading");
}

}  // namespace weft::fuzz
