// SPDX-License-Identifier: Apache-2.0
// Capabilities: what only some networks can do. `if (auto* events = ep.capability<Events>()) …`
#pragma once
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

  /// Adds one to an event of another rank, or of one's own.
  virtual Op set(Rank at, Event event) = 0;
  /// A put that sets an event of the target when its data are there.
  virtual Op put_and_set(Rank to, RemoteSlice at, std::span<const std::byte> data, Event event) = 0;
  /// Ends when an event of one's own has been set `count` times in all.
  virtual Op wait(Event event, std::uint64_t count) = 0;
  virtual std::uint64_t poll(Event event) const = 0;
  /// Block copy: when the event has been set `count` times, the NIC copies; the host may wait for
  /// the copy with `until` instead of asking the NIC. Both ends must live until then.
  virtual void copy_when(Event event, std::uint64_t count, std::span<const std::byte> from,
                         std::span<std::byte> to) = 0;
};

/// Messages that the switches copy to all members of a group (an index into the tables' groups).
class Multicast {
 public:
  virtual ~Multicast() = default;
  /// What one message may carry.
  virtual std::size_t most() const = 0;
  virtual int groups() const = 0;
  /// To all ranks on the group's hosts but this one's; they receive it as a tagged message of the
  /// world. Ends when the buffer may be used again, and nobody tells whether it arrived; on QsNet
  /// when all hosts have acknowledged it, or as peer_gone.
  virtual Op send(int group, Tag tag, std::span<const std::byte> data) = 0;
};

/// A NIC that lets the packets of a flow go at a given rate.
class RateControl {
 public:
  virtual ~RateControl() = default;
  /// The least time between two packets of a flow whose source is on this host; a wait that is
  /// under way gets shorter with it, not longer. 0: as fast as they go, which is how a flow begins.
  virtual void set_interval(const Flow& flow, Duration interval) = 0;
  /// Packets with data of the flow that the NIC has let go.
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
