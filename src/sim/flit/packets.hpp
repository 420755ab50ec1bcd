// SPDX-License-Identifier: Apache-2.0
// Packets inside the flit simulator: what travels with a head flit (Head), and what stays at one
// place from send() to the report of the packet's end (PacketRecord, PacketStatus). Indices are
// flat: see layout.hpp.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "sim/flit/shared_array.hpp"
#include "sim/network.hpp"

namespace weft::sim {

using Index = std::uint32_t;
inline constexpr Index nothing = ~Index{0};

/// All that switches need to know of a packet. It travels in its head flit, so that a hop does not
/// touch the record of the packet.
struct Head {
  Index packet;  ///< its record
  Index to;      ///< the destination host, or the multicast group
  std::uint32_t flits : 24;
  std::uint32_t level : 8;  ///< service level, where the tables have some; set by the first switch
  std::uint16_t hops;       ///< switches that it has passed
  Lane lane_class;          ///< of the tables, on the link that it came by
  std::uint8_t flags;
  static constexpr std::uint8_t urgent = 1, control = 2, group = 4, circuit = 8, own_route = 16;
  static constexpr unsigned phase_at = 5;  ///< the bits from here on: of choice tables

  bool has(std::uint8_t flag) const { return (flags & flag) != 0; }
  PhaseId phase() const { return static_cast<PhaseId>(flags >> phase_at); }
  void set_phase(PhaseId phase) {
    flags =
        static_cast<std::uint8_t>((flags & ((1U << phase_at) - 1U)) | unsigned{phase} << phase_at);
  }
  /// The head as it goes on from a switch, on a lane of this class. (In whole words, which stay in
  /// registers on their way from an in-lane to a link.)
  Head after_hop(Lane next_class) const {
    auto words = std::bit_cast<std::array<std::uint64_t, 2>>(*this);
    constexpr bool little = std::endian::native == std::endian::little;
    constexpr unsigned hops_at = little ? 32 : 16, class_at = little ? 48 : 8;
    words[1] += std::uint64_t{1} << hops_at;
    words[1] = (words[1] & ~(std::uint64_t{0xFF} << class_at)) | std::uint64_t{next_class}
                                                                     << class_at;
    return std::bit_cast<Head>(words);
  }
};
static_assert(sizeof(Head) == 16);
static_assert(most_phases <= 8);  // three bits
inline constexpr std::uint32_t most_packet_flits = (1U << 24U) - 1;
inline constexpr std::uint32_t most_counted_hops = 0xFFFF;

/// A packet from send() to its end: a line of the cache.
struct alignas(64) PacketRecord {
  Packet packet{};
  Index next = nothing;  ///< in the NIC's queue, or of the free records
  /// Of a group: switches that have copied it; with fault sites: that have routed it.
  std::uint32_t hops = 0;

  /// Returns the new count; several threads may do so.
  std::uint32_t count_hop() { return __atomic_add_fetch(&hops, 1U, __ATOMIC_RELAXED); }
};
static_assert(sizeof(PacketRecord) == 64);

/// What may become of a packet besides its arrival. `fragments` counts the parts that still have an
/// end of their own: copies of a multicast, and the halves of a packet that a failure cut.
struct PacketStatus {
  std::uint32_t fragments = 1;
  std::uint8_t loss = none;
  bool closed = false;      ///< a circuit whose last flit may go
  bool reported = false;    ///< the driver has learned where it broke
  bool descending = false;  ///< of a group with a root: has been there
  static constexpr std::uint8_t none = 0xFF;

  bool is_lost() const { return loss != none; }
  /// The first reason stays.
  void lose(Loss why) {
    if (loss == none) loss = static_cast<std::uint8_t>(why);
  }
  /// So many more parts, or fewer; several threads may do so.
  void add_fragments(std::int32_t more) {
    __atomic_fetch_add(&fragments, static_cast<std::uint32_t>(more), __ATOMIC_RELAXED);
  }
};

/// The records of all packets; numbers are reused, the last one first. Parts of a network (parts/)
/// share them: a part's pool takes some that are free when it has none, and gets those of packets
/// that end there.
class PacketPool {
 public:
  PacketPool() = default;
  /// The pool of a part, which has no record yet.
  explicit PacketPool(PacketPool& whole) : whole_(&whole) { share(); }
  /// Follows the records of the whole, which may have moved.
  void share() { records_.share(whole_->records_); }
  void own_statuses() { status_.clear(); }
  /// And its statuses, of which it has one for every record then: packets may be copied to, and
  /// cut by, switches of several parts.
  void share_statuses() {
    if (records_.size() == 0) return;
    whole_->status(static_cast<Index>(records_.size() - 1));
    status_.share(whole_->status_);
  }

  /// A new record of a packet, which gets its number.
  [[gnu::always_inline]] PacketRecord& add(const Packet& packet = {}) {
    if (free_ == nothing) get_more();
    const Index id = free_;
    PacketRecord& record = records_[id];
    free_ = record.next;
    if (free_ != nothing) __builtin_prefetch(&records_[free_]);
    record.packet = packet;
    record.packet.id = id;
    record.next = nothing;
    record.hops = 0;
    return record;
  }
  void free(Index id) {
    if (id < status_.size()) status_[id] = {};
    records_[id].next = free_;
    free_ = id;
  }
  void reserve(std::size_t count) { records_.reserve(count); }
  std::size_t size() const { return records_.size(); }
  PacketRecord& operator[](Index id) { return records_[id]; }
  const PacketRecord& operator[](Index id) const { return records_[id]; }
  PacketStatus& status(Index id) {
    if (id >= status_.size()) status_.resize(records_.size(), {});
    return status_[id];
  }
  bool any_lost() const {
    return std::any_of(status_.begin(), status_.end(),
                       [](const PacketStatus& status) { return status.is_lost(); });
  }
  bool is_closed(Index circuit) const {
    return circuit < status_.size() && status_[circuit].closed;
  }

  /// Parts take records from now on, of which so many are in use.
  void lend(std::size_t used) { left_ = records_.size() - used; }
  /// While the parts rest: so many can be taken before they rest again.
  void make_room(std::size_t count) {
    for (; left_ < count; ++left_) grow();
  }
  /// A part gives back so many free records, or all.
  void give_back(std::size_t count) {
    const std::lock_guard lock(whole_->mutex_);
    for (; count != 0 && free_ != nothing; --count, ++whole_->left_)
      whole_->free(std::exchange(free_, records_[free_].next));
  }
  static constexpr std::size_t at_once = 256;  ///< records that a part takes

 private:
  [[gnu::noinline]] void get_more() {
    if (whole_ == nullptr) {
      grow();
      return;
    }
    const std::lock_guard lock(whole_->mutex_);
    invariant(whole_->left_ >= at_once, "the records of parts have been counted");
    whole_->left_ -= at_once;
    for (std::size_t i = 0; i < at_once; ++i)
      free(std::exchange(whole_->free_, records_[whole_->free_].next));
  }
  void grow() {
    records_.push_back({});
    free(static_cast<Index>(records_.size() - 1));
  }
  SharedArray<PacketRecord> records_;
  SharedArray<PacketStatus> status_;  ///< by record, as far as it was asked for
  Index free_ = nothing;
  PacketPool* whole_ = nullptr;  ///< of a part
  // Of the whole, while parts take its records.
  std::mutex mutex_;
  std::size_t left_ = 0;  ///< that are free
};

}  // namespace weft::sim
