// SPDX-License-Identifier: Apache-2.0
// Descriptors: the requests of processes to their Elans, in virtual addresses: remote DMAs and
// broadcasts, with events at both ends.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/fabric.hpp"
#include "sim/elan/memory/address.hpp"

namespace weft::sim::elan {

/// A process and its host.
struct ProcessLocation {
  HostId host{};
  Context context = 0;
  friend bool operator==(const ProcessLocation&, const ProcessLocation&) = default;
};

/// DMAs of a process with the same queue number go one after another; those without one are not
/// ordered.
inline constexpr std::uint32_t no_queue = ~std::uint32_t{0};

struct DmaDescriptor {
  Process by = 0;        ///< whose accesses these are
  ProcessLocation at{};  ///< who asks: the source, the target or neither
  ProcessLocation from{}, to{};
  Address source = 0, target = 0;
  std::uint64_t bytes = 0;
  Address source_event = 0, target_event = 0;  ///< set when it is done; 0: none
  bool urgent = false;
  std::uint32_t queue = no_queue;
  std::uint32_t table = 0;  ///< of the source's routing tables
  std::uint64_t cookie = 0;
};

/// The same data to the same address of several processes.
struct BroadcastDescriptor {
  Process by = 0;
  ProcessLocation from{};
  std::uint32_t group = 0;          ///< of the tables; all its hosts but the source's receive
  std::vector<Context> contexts{};  ///< by member of the group
  Address source = 0, target = 0;
  std::uint64_t bytes = 0;
  Address source_event = 0, target_event = 0;
  bool urgent = false;
  std::uint64_t cookie = 0;
};

/// A copy that an Elan makes when an event has reached a count.
struct BlockCopyDescriptor {
  Address from = 0, to = 0;  ///< SDRAM, and main memory that the process polls
  std::uint32_t bytes = 0;
};

/// A step of figure 5, 1 to 13.
struct DmaStep {
  std::uint64_t cookie = 0;
  int number = 0;
  HostId at{};
  Duration time{};
};

}  // namespace weft::sim::elan
