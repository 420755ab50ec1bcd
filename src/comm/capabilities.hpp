// SPDX-License-Identifier: Apache-2.0
// Capabilities: what only some networks can do. `if (auto* events = ep.capability<Events>()) …`
#pragma once
#include <chrono>
#include <cstdint>
#include <span>

#include "comm/op.hpp"

namespace weft::comm {

/// Counters in the NIC that others set without the host's processor (the events of QsNet).
class Events {
 public:
  virtual ~Events() = default;
  using Event = std::uint32_t;  ///< the same number names the same event at every rank
  static constexpr Event most = 1024;

  /// Adds one to an event of any rank.
  virtual Op set(Rank at, Event event) = 0;
  /// A put that sets an event of the target when its data have arrived.
  virtual Op put_and_set(Rank to, RemoteSlice at, std::span<const std::byte> data, Event event) = 0;
  /// Ends when an event of this rank has been set `count` times in all.
  virtual Op wait(Event event, std::uint64_t count) = 0;
  virtual std::uint64_t poll(Event event) const = 0;
  /// Block copy: when the event has been set `count` times, the NIC copies; the host may wait for
  /// the copy with `until` instead of asking the NIC. Both buffers must live until then.
  virtual void copy_when(Event event, std::uint64_t count, std::span<const std::byte> from,
                         std::span<std::byte> to) = 0;
};

/// Messages that the switches copy to all members of a group (an index into the tables' groups).
class Multicast {
 public:
  virtual ~Multicast() = default;
  /// The most bytes of one message.
  virtual std::size_t most() const = 0;
  virtual int groups() const = 0;
  /// Sends to all ranks on the group's hosts except this rank's; they receive a tagged message of
  /// the world. Ends when the buffer may be reused, without acknowledgement; on QsNet when all
  /// hosts have acknowledged the message, or as peer_gone.
  virtual Op send(int group, Tag tag, std::span<const std::byte> data) = 0;
};

/// A NIC that limits the packet rate of each flow.
class RateControl {
 public:
  /// The interval of a flow that may send nothing: a packet a second counts as none, and a packet
  /// sent by mistake is late rather than lost.
  static constexpr Duration stopped = std::chrono::seconds(1);

  virtual ~RateControl() = default;
  /// Sets the least time between two packets of a flow whose source is on this host; it may shorten
  /// the present wait, but never lengthens it. 0, the initial value: no limit.
  virtual void set_interval(const Flow& flow, Duration interval) = 0;

  // Intervals for the time of a lease, so that what a manager has set does not outlive it.
  /// Sets the interval of a flow that the NIC stops when the lease is over.
  virtual void set_leased(const Flow& flow, Duration interval) = 0;
  /// When the lease is over, unless a later time is set before.
  virtual void set_lease(Time end) = 0;
  /// Stops all flows with leased intervals but these.
  virtual void stop_others(std::span<const Flow> known) = 0;
  /// Packets with data of the flow that the NIC has sent.
  virtual std::uint64_t dispatched(const Flow& flow) const = 0;
};

/// Memory that the ranks of one host share.
class SharedMemory {
 public:
  virtual ~SharedMemory() = default;
  virtual int ranks_here() const = 0;
  virtual int index_here() const = 0;  ///< of this rank, from 0
  virtual Rank rank_here(int index) const = 0;
  /// The host's segment of this name; the same memory for all its ranks, zero at first.
  virtual std::span<std::byte> segment(std::uint64_t name, std::size_t bytes) = 0;
  /// Stores to a word of a segment so that `until` at other ranks sees it.
  virtual Op store(std::uint64_t& word, std::uint64_t value) = 0;
  /// Adds one atomically; ends with the value before as `immediate`.
  virtual Op increment(std::uint64_t& word) = 0;
};

}  // namespace weft::comm
