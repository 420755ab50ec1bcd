// SPDX-License-Identifier: Apache-2.0
// Trials of what Elans (QsNet) promise: memory that nobody else reaches, DMAs through a network
// that breaks, and broadcasts to a range of hosts.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/programs/program.hpp"
#include "sim/elan/model.hpp"

namespace weft::papers::qsnet {

/// What the machine's NICs are described by. Throws Error when they are no Elans.
const sim::elan::Model& require_elan(const Machine& machine);

/// The byte that the main processor has at an address, as its Elan names it, and the other way
/// round; nothing where the other cannot reach it. Throws Error when the NIC is no Elan.
std::optional<std::uint64_t> elan_address(const Machine& machine, std::uint64_t of_host);
std::optional<std::uint64_t> host_address(const Machine& machine, std::uint64_t of_elan);

/// Something that a process may not do, or may: `allowed`.
struct Attempt {
  std::string what;
  bool allowed = false;
  bool ok = false;     ///< the DMA ended so
  std::string trap{};  ///< what its process got
};
struct MemoryTrial {
  std::vector<Attempt> attempts{};
  std::size_t told_others = 0;  ///< traps that processes heard of which did not cause them
  std::size_t changed = 0;      ///< bytes that somebody changed who may not
  std::size_t undisturbed = 0;  ///< DMAs between others meanwhile that ended well,
  std::size_t meanwhile = 0;    ///< of so many
  std::string event_in_main{};  ///< what is said of an event of one's own in main memory
};
/// A process tries to reach another's memory in several ways while others use theirs.
MemoryTrial try_memory(const Machine& machine);

/// What came of random DMAs under random faults.
struct CampaignTrial {
  std::uint64_t links = 0, switches = 0;  ///< that failed
  bool errors = false;                    ///< links damage packets
  std::uint64_t dmas = 0, delivered = 0;
  std::uint64_t unreachable = 0;   ///< reported failed, and there is no route any more
  std::uint64_t given_up = 0;      ///< reported failed although there is one
  std::uint64_t lost = 0;          ///< reported delivered, and not there
  std::uint64_t doubled = 0;       ///< delivered twice
  std::uint64_t out_of_order = 0;  ///< before one that was asked for earlier
  bool hangs = false;
  std::uint64_t retries = 0, reroutes = 0, doubles_dropped = 0;
  CampaignTrial& operator+=(const CampaignTrial& other);
};
/// Every host sends so many DMAs of random sizes to random others, in a queue, while up to five
/// links and switches fail and bits flip.
CampaignTrial try_faults(const Machine& machine, int dmas, std::uint64_t seed);

/// From the first host of a range to all others of it.
struct BroadcastRange {
  std::size_t first = 0, last = 1;
  std::size_t bytes = 64;
  bool busy = false;  ///< hosts outside send to the last one all the time
  bool dead = false;  ///< the link of the last one does not work
};
struct BroadcastTrial {
  bool ok = false;
  Duration acknowledged{};           ///< the source knows that all have it
  Duration first_has{}, last_has{};  ///< a member's program knows that it has it
  std::size_t have = 0,
              right = 0;   ///< members that the source counts, and that have the right bytes
  std::size_t others = 0;  ///< hosts outside that got something
};
BroadcastTrial try_broadcast(const Machine& machine, const BroadcastRange& range);

}  // namespace weft::papers::qsnet
