// SPDX-License-Identifier: Apache-2.0
// The columns of traces.
#pragma once
#include <array>

#include "base/file_key.hpp"

namespace weft::sim {

inline constexpr std::array trace_columns{
    FileKey{"source", "name or number", "host that sends"},
    FileKey{"destination", "name or number",
            "host that receives, or a multicast group of the tables"},
    FileKey{"size", "flits, or size", "of the message, which is cut into packets of --packet"},
    FileKey{"time", "cycles, or time", "at which the message is created, from the start"},
};
inline constexpr KeyTable trace_key_table{
    "Trace (CSV)",
    "A line for each message: --traffic file:path=trace.csv. A first line that begins with source, "
    "empty lines and lines that begin with # are skipped.",
    trace_columns};

}  // namespace weft::sim
