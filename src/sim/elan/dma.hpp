// SPDX-License-Identifier: Apache-2.0
// What processes ask of their Elans, in virtual addresses: remote DMAs and broadcasts, with events
// at both ends.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/fabric.hpp"
#include "sim/elan/memory/address.hpp"

namespace weft::sim::elan {

/// A process where it is.
struct Place {
  HostId host{};
  Context context = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

/// DMAs of a process with the same number go one after another; those without one as they come.
inline constexpr std::uint32_t no_queue = ~std::uint32_t{0};

struct Dma {
  Process by = 0;  ///< whose accesses these are
  Place at{};      ///< who asks: the source, the target or neither
  Place from{}, to{};
  Address source = 0, target = 0;
  std::uint64_t bytes = 0;
  Address source_event = 0, target_event = 0;  ///< set when it is done; 0: none
  bool urgent = false;
  std::uint32_t queue = no_queue;
  std::uint32_t table = 0;  ///< of the source's routing tables
  std::uint64_t cookie = 0;
};

/// The same data to the same address of several processes.
struct Broadcast {
  Process by = 0;
  Place from{};
  std::uint32_t group = 0;          ///< of the tables; of its hosts but the source's
  std::vector<Context> contexts{};  ///< by member of the group
  Address source = 0, target = 0;
  std::uint64_t bytes = 0;
  Address source_event = 0, target_event = 0;
  bool urgent = false;
  std::uint64_t cookie = 0;
};

/// When an event has been set so often, its Elan does this.
struct BlockCopy {
  Address from = 0, to = 0;  ///< SDRAM, and main memory that the process polls
  std::uint32_t bytes = 0;
};

/// A step of figure 5, 1 to 13.
struct Step {
  std::uint64_t cookie = 0;
  int number = 0;
  HostId at{};
  Duration time{};
};

}  // namespace weft::sim::elan
