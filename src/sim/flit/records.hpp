// SPDX-License-Identifier: Apache-2.0
// Records: what the flit simulator knows of a port, of a lane, and of what is on a link; and lists
// of requests.
#pragma once
#include <memory>

#include "sim/flit/packets.hpp"
#include "sim/flit/round_robin.hpp"

// A step that is part of a loop over requests or flits.
#define WEFT_HOT [[gnu::always_inline]] inline

namespace weft::sim {

enum class Stage : std::uint8_t {
  idle,      ///< empty
  routing,   ///< the front packet's head is being routed, or has not fully come (store-and-forward)
  waiting,   ///< for a lane of its out-port
  sending,   ///< has one
  draining,  ///< cannot go on: its flits are thrown away as they come
};

/// One lane of an input port of a switch: its front packet. Those behind it are queued as segments.
struct InLane {
  union {
    Head head;          ///< of the front packet
    Cycle left_at = 0;  ///< of an idle lane: the cycle after that in which its last packet left
  };
  std::uint16_t have = 0;      ///< flits of the front packet in the buffer
  std::uint16_t out_port = 0;  ///< of the front packet, from 0
  std::uint8_t out_lane = 0;   ///< that it sends to
  Stage stage = Stage::idle;
  std::uint8_t flags = 0;
  Lane lane_class = 0;          ///< of the tables: which lanes the packet may take at its out-port
  std::uint16_t last_port = 0;  ///< round robin of lane allocation: the out-port it had last,
  std::uint8_t next_lane = 0;   ///< and the lane of it that comes next
  Index first = nothing;        ///< of the queue behind the front packet
  static constexpr std::uint8_t ended = 1;      ///< the front packet's tail has come
  static constexpr std::uint8_t bad = 2;        ///< with bit errors
  static constexpr std::uint8_t replicate = 4;  ///< to several ports: see Branch
  static constexpr std::uint8_t begun = 8;      ///< its head has left
  static constexpr std::uint8_t routed = 16;    ///< its next hop is known
  static constexpr std::uint8_t chooses = 32;   ///< of several ports: see Choices

  bool has(std::uint8_t flag) const { return (flags & flag) != 0; }
};
static_assert(sizeof(InLane) == 32);

/// A packet behind the front one, or the part of it that has come.
struct alignas(32) QueuedPacket {
  Head head;
  Index next;             ///< in the queue; nothing: it is the last one
  std::uint32_t arrived;  ///< where packets are handled as a whole: when the head came (low bits)
  std::uint16_t have;
  std::uint8_t flags;
};
static_assert(sizeof(QueuedPacket) == 32);

/// One lane of an output port of a switch, or of a host's link.
struct OutLane {
  std::uint64_t sent = 0;  ///< flits
  std::int32_t credits = 0;
  std::uint16_t holder = 0;  ///< the in-lane (of the switch) whose packet has it, unless it is idle
  std::uint16_t turn = 0;    ///< round robin of lane allocation among in-lanes
};
static_assert(sizeof(OutLane) == 16);

/// A port of a switch, both ways, or the link of a host: a line of the cache.
struct alignas(64) SwitchPort {
  std::uint64_t idle = 0;   ///< lanes of the out-port that no packet has
  Index waiting = nothing;  ///< in-lanes (or branches) that wait for one of them: a list
  // The link.
  Index peer = nothing;      ///< the port at its other end
  std::uint32_t flight = 0;  ///< cycles from allocation to arrival at the other end
  std::uint32_t back = 0;    ///< cycles from a flit's leaving the buffer to the credit's arrival
  Index home = 0;            ///< the switch, or the host
  std::uint16_t number = 0;  ///< in the switch, from 0
  std::uint16_t block = 0, peer_block = 0;
  // Round robin of the crossbar: of the out-port among in-ports, of the in-port among out-ports and
  // among its lanes. A pointer may be one behind the last.
  std::uint16_t grant_turn = 0, accept_turn = 0;
  std::uint8_t lane_turn = 0;
  bool to_host = false;
  bool requested = false;    ///< lane allocation looks at the out-port
  std::uint8_t awaited = 0;  ///< by who chooses: a lane; and by whole packets: link, input
  // Packets that are handled as a whole.
  std::uint8_t sending = no_lane;  ///< the lane whose packet has the link, or had it last
  bool several = false;            ///< wait for a lane: otherwise `waiting` is not a list, but one
  Index blocked = nothing;         ///< senders that wait for the link, or for the input: a list
  // Crossbar allocation within a cycle: the best request for the out-port, the best grant for the
  // in-port; the smaller, the better. Packets that are handled as a whole request a link that is
  // free, and an input: otherwise this is the cycle when it will be.
  union {
    std::uint64_t request = none;
    Cycle free_at;
  };
  union {
    std::uint64_t grant = none;
    Cycle input_free_at;
  };
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  static constexpr unsigned none_bit = 63;  ///< is set in `none` only
  static constexpr std::uint8_t no_lane = 0xFF, the_link = 1, the_input = 2, a_lane = 4;
};
static_assert(sizeof(SwitchPort) == 64);

/// The lane of an out-port that comes next, round-robin, for the packet of an in-lane: behind its
/// last one where that was of the same port. (No branch: it would be guessed wrong.)
inline Index next_lane(const InLane& lane, const SwitchPort& port, std::uint64_t lanes) {
  const Index again = 0U - static_cast<Index>(lane.last_port == port.number);
  return first_from(lanes, lane.next_lane & again);
}

/// An in-lane (or branch) whose front packet has an out-lane, a flit and a credit for it.
class SendRequest {
 public:
  SendRequest() = default;
  SendRequest(Index from, Index out_lane) : both_(std::uint64_t{out_lane} << 32U | from) {}
  Index from() const { return static_cast<Index>(both_); }
  Index out_lane() const { return static_cast<Index>(both_ >> 32U); }

 private:
  std::uint64_t both_;  ///< in one word, so that no load covers half of it that was just written
};

/// A head flit on a link to an in-lane.
struct HeadArrival {
  Index lane;  ///< with the flags of Arrival
  Head head;
};
/// Another flit on a link to an in-lane.
struct Arrival {
  Index lane;
  Index packet;
  static constexpr Index tail = 1U << 31U, bad = 1U << 30U;
  static constexpr Index fills = 1U << 29U;    ///< the last flit but one of a circuit
  static constexpr Index reaches = 1U << 28U;  ///< to a host: the first flit of a circuit
  static constexpr Index lane_mask = reaches - 1;
};
/// The last flit of a packet, or a flit of a circuit, on a link to a host.
struct Ejection {
  Index lane;  ///< of the host, with the flags of Arrival
  Index packet;
  std::uint32_t hops;
};

/// Credits for all flits of a packet, of which one comes in every cycle until the last one.
struct PacketCredits {
  Index out_lane;
  std::uint32_t flits;
  Cycle last;
};
/// Where packets are handled as a whole: an out-lane, and the room behind it.
struct alignas(32) PacketOutLane : OutLane {
  Cycle last = 0;        ///< when the last one of the credits comes
  bool awaited = false;  ///< somebody waits for more
};

/// Packets whose last flits leave in the cycle before `at`.
struct alignas(32) PacketEnds {
  Cycle at = 0;
  std::uint64_t in_switches = 0, in_nics = 0;
};

/// What a host with a limited number of receive buffers can take in.
struct ReceiveBuffers {
  std::uint32_t room = 0;    ///< buffers beyond those that lanes to it have
  std::uint64_t closed = 0;  ///< lanes to it that wait for a buffer
};

/// Requests of a block, with room for one of each of its in-lanes.
template <class Item>
class RequestList {
 public:
  void make(std::size_t most) {
    items_ = std::make_unique_for_overwrite<Item[]>(most);
    end_ = items_.get();
  }
  void add(const Item& item) { *end_++ = item; }
  /// (No branch: it would be guessed wrong.)
  void add_if(bool condition, const Item& item) {
    *end_ = item;
    end_ += static_cast<std::size_t>(condition);
  }
  std::size_t size() const { return static_cast<std::size_t>(end_ - items_.get()); }
  Item* begin() { return items_.get(); }
  Item* end() { return end_; }
  const Item* begin() const { return items_.get(); }
  const Item* end() const { return end_; }
  void end_at(Item* end) { end_ = end; }
  bool empty() const { return end_ == items_.get(); }

 private:
  std::unique_ptr<Item[]> items_;
  Item* end_ = nullptr;
};

}  // namespace weft::sim
