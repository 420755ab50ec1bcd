// SPDX-License-Identifier: Apache-2.0
// A trace: messages with their times, read from a file.
#pragma once
#include <vector>

#include "base/units.hpp"
#include "fabric/fabric.hpp"
#include "fabric/format/format.hpp"
#include "sim/time.hpp"

namespace weft::sim {

struct Message {
  HostId from{}, to{};
  std::uint64_t flits = 1;
  Cycle at = 0;
  friend bool operator==(const Message&, const Message&) = default;
};

using Trace = std::vector<Message>;

/// What a trace is read for.
struct TraceUnits {
  Bytes flit{8};
  Duration cycle{1};
};

/// Lines "source,destination,size,time": hosts by name or number (in double quotes where a name has
/// a comma), the size in flits or bytes ("4KiB"), the time in cycles or with a unit ("2.5us"). A
/// first line that begins with "source", empty lines and those that begin with # do not count.
/// Throws Error with file, line and what would be right.
Trace read_trace(const Source& source, const Fabric& fabric, const TraceUnits& units);

}  // namespace weft::sim
