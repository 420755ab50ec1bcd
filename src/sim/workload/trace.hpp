// SPDX-License-Identifier: Apache-2.0
// A trace: messages with their times, read from a file.
#pragma once
#include <span>
#include <vector>

#include "base/units.hpp"
#include "fabric/fabric.hpp"
#include "fabric/format/format.hpp"
#include "sim/network.hpp"

namespace weft::sim {

struct TraceMessage {
  HostId from{}, to{};
  std::uint64_t flits = 1;
  Cycle at = 0;
  std::uint32_t group = no_group;  ///< instead of `to`
  std::uint32_t receivers = 1;
  friend bool operator==(const TraceMessage&, const TraceMessage&) = default;
};

using Trace = std::vector<TraceMessage>;

/// The network that a trace is read for.
struct TraceUnits {
  Bytes flit{8};
  Duration cycle{1};
  std::span<const Group> groups{};  ///< that messages may go to
};

/// Lines "source,destination,size,time": hosts by name or number (in double quotes where a name has
/// a comma), a destination also by the name of a multicast group; the size in flits or bytes
/// ("4KiB"), the time in cycles or with a unit ("2.5us"). A first line that begins with "source",
/// empty lines and those that begin with # are ignored. Throws Error with file, line and what would
/// be right.
Trace read_trace(const Source& source, const Fabric& fabric, const TraceUnits& units);

}  // namespace weft::sim
