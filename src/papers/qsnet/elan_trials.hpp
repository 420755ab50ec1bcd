// SPDX-License-Identifier: Apache-2.0
// Trials of what Elans (QsNet) promise: memory that no other process reaches, DMAs through a
// network that fails, and broadcasts to a range of hosts.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/programs/program.hpp"
#include "sim/elan/model.hpp"

namespace weft::papers::qsnet {

/// The model of the machine's NICs. Throws Error when they are no Elans.
const sim::elan::Model& require_elan(const Machine& machine);

/// The Elan's address of a byte that the main processor has at an address, and the reverse; nothing
/// where the other cannot reach it. Throws Error when the NIC is no Elan.
std::optional<std::uint64_t> elan_address(const Machine& machine, std::uint64_t of_host);
std::optional<std::uint64_t> host_address(const Machine& machine, std::uint64_t of_elan);

/// Something that a process tries to do; `allowed` if it may.
struct Attempt {
  std::string what;
  bool allowed = false;
  bool ok = false;     ///< the DMA succeeded
  std::string trap{};  ///< what its process got
};
struct MemoryTrial {
  std::vector<Attempt> attempts{};
  std::size_t traps_of_others = 0;  ///< reported to processes that did not cause them
  std::size_t changed = 0;          ///< bytes changed by a process that may not
  std::size_t undisturbed = 0;      ///< DMAs between others meanwhile that succeeded,
  std::size_t meanwhile = 0;        ///< of so many
  std::string event_in_main{};      ///< the error for a process's own event in main memory
};
/// A process tries to reach another's memory in several ways while others use theirs.
MemoryTrial try_memory(const Machine& machine);

/// The outcome of random DMAs under random faults.
struct CampaignTrial {
  std::uint64_t links = 0, switches = 0;  ///< that failed
  bool errors = false;                    ///< links damage packets
  std::uint64_t dmas = 0, delivered = 0;
  std::uint64_t unreachable = 0;   ///< reported failed, and there is no route any more
  std::uint64_t failed = 0;        ///< reported failed although there is one
  std::uint64_t lost = 0;          ///< reported delivered, but not in memory
  std::uint64_t doubled = 0;       ///< delivered twice
  std::uint64_t out_of_order = 0;  ///< delivered before one that was posted earlier
  bool hangs = false;
  std::uint64_t retries = 0, reroutes = 0, doubles_dropped = 0;
  CampaignTrial& operator+=(const CampaignTrial& other);
};
/// Every host sends so many DMAs of random sizes to random others, in a queue, while up to five
/// links and switches fail and bits flip.
CampaignTrial try_faults(const Machine& machine, int dmas, std::uint64_t seed);

/// A broadcast from the first host of a range to all others in the range.
struct BroadcastRange {
  std::size_t first = 0, last = 1;
  std::size_t bytes = 64;
  bool busy = false;  ///< hosts outside send to the last one all the time
  bool dead = false;  ///< the link of the last one does not work
};
struct BroadcastTrial {
  bool ok = false;
  Duration acknowledged{};           ///< when the source knows that all have the data
  Duration first_has{}, last_has{};  ///< when a member's program knows that it has them
  std::size_t have = 0,
              right = 0;   ///< members that the source counts, and that have the right bytes
  std::size_t others = 0;  ///< hosts outside that got something
};
BroadcastTrial try_broadcast(const Machine& machine, const BroadcastRange& range);

}  // namespace weft::papers::qsnet
