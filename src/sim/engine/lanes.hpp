// SPDX-License-Identifier: Apache-2.0
// What the engine keeps of packets and lanes. Flits are not objects: a buffer knows how many flits
// of which packets it holds. All indices are flat: see state.hpp.
#pragma once
#include <cstdint>
#include <vector>

#include "sim/network.hpp"

namespace weft::sim {

using Index = std::uint32_t;
inline constexpr Index nothing = ~Index{0};

/// A flit on a link: where it will arrive, and of which packet it is.
struct Arrival {
  static constexpr Index head = 1U << 31, tail = 1U << 30, bad = 1U << 29;
  static constexpr Index fills = 1U << 28;  ///< the last flit but one of a circuit
  static constexpr Index lane_mask = fills - 1;
  Index lane;  ///< in-lane, or the lane of a host; with the flags above
  Index packet;
};

enum class Stage : std::uint16_t {
  idle,      ///< empty
  routing,   ///< the front packet's head is being routed, or has not fully come (store-and-forward)
  waiting,   ///< for a lane of its out-port
  sending,   ///< has one
  draining,  ///< cannot go on: its flits are thrown away as they come
};

/// One lane of an input port of a switch: its front packet. Those behind it are segments.
struct InLane {
  Index packet = nothing;  ///< the front one
  Index out = nothing;     ///< the out-lane it sends to
  Index upstream = 0;      ///< the out-lane that feeds this lane
  Index home = 0;          ///< switch
  std::uint16_t bit = 0;   ///< in the switch's masks
  std::uint16_t have = 0;  ///< flits of the front packet in the buffer
  std::uint16_t port = 0;  ///< out-port of the front packet, from 0
  Stage stage = Stage::idle;
  std::uint16_t flags = 0;
  Lane lane_class = 0;                           ///< of the tables: which lanes the packet may take
  std::uint32_t sent = 0;                        ///< flits of the front packet that have left
  static constexpr std::uint16_t ended = 1;      ///< the front packet's tail has come
  static constexpr std::uint16_t bad = 2;        ///< with bit errors
  static constexpr std::uint16_t replicate = 4;  ///< to several ports: see Branch
  static constexpr std::uint16_t queue = 8;      ///< there are packets behind the front one
  static constexpr std::uint16_t routed = 16;    ///< its way on is known
  static constexpr std::uint16_t chooses = 32;   ///< of several ports: see Choice
};
static_assert(sizeof(InLane) == 32);

/// Part of a packet behind the front one.
struct Segment {
  Index packet;
  Index next;
  std::uint16_t have;
  std::uint16_t flags;
};
/// The segments of an in-lane, oldest first.
struct Queue {
  Index first = nothing, last = nothing;
};

/// One lane of an output port of a switch, or of a host's link.
struct OutLane {
  Index target = nothing;  ///< the in-lane (or lane of a host) at the other end
  Index holder = nothing;  ///< the in-lane whose packet has it; of a NIC: the host
  std::int32_t credits = 0;
  Index turn = 0;  ///< round-robin pointer of lane allocation
  std::uint64_t sent = 0;
};

/// A way out of a switch for a packet that takes several.
struct Branch {
  std::uint16_t port = 0;
  bool done = false;
  bool parked = false;  ///< no lane of the port is idle
  Index out = nothing;
  std::uint32_t sent = 0;
};

/// What a front packet chooses from whose tag names a group of links.
struct Choice {
  PortNumber tag = no_port;
  Lane lane_class = 0;  ///< that it came with
};

/// A packet on its way: a line of the cache.
struct alignas(64) Slot {
  Packet packet{};
  Index next = nothing;         ///< in the NIC's queue
  std::uint32_t hops : 24 = 0;  ///< switches that have routed it
  Lane lane_class = 0;
  void set_hops(std::uint32_t count) { hops = count & 0xFF'FFFF; }
};
static_assert(sizeof(Slot) == 64);

/// What may become of a packet besides its arrival. `pieces` counts the parts that still have an
/// end of their own: copies of a multicast, and the halves of a packet that was cut by a failure.
struct Fate {
  std::uint32_t pieces = 1;
  std::uint8_t loss = none;
  bool closed = false;   ///< a circuit whose last flit may go
  bool broken = false;   ///< and the driver was told where
  bool falling = false;  ///< of a group with a root: has been there
  static constexpr std::uint8_t none = 0xFF;
  /// The first reason stays.
  void lose(Loss why) {
    if (loss == none) loss = static_cast<std::uint8_t>(why);
  }
};

struct alignas(32) Nic {
  Index first = nothing, last = nothing;  ///< queue
  Index packet = nothing;                 ///< being sent
  Index out = nothing;
  std::uint32_t left = 0;  ///< flits of it
  std::uint32_t lane = 0;  ///< last used
};

/// A circuit whose last flit waits at the NIC.
struct OpenCircuit {
  Index packet, out;
};

/// What a host with a limited number of receive buffers can take in.
struct Intake {
  std::uint32_t room = 0;    ///< buffers beyond those that lanes to it have
  std::uint64_t closed = 0;  ///< lanes to it that wait for a buffer
};

/// A port of a switch, both ways, or the link of a host.
struct alignas(64) Port {
  Index peer = nothing;       ///< the port at the other end of its link
  std::uint32_t flight = 0;   ///< cycles from allocation to arrival at the other end
  std::uint32_t back = 0;     ///< cycles from a flit's leaving the buffer to the credit's arrival
  Index parked = nothing;     ///< in-lanes that wait for a lane of this port; none is idle
  std::uint64_t idle = 0;     ///< lanes that no packet has
  std::uint64_t senders = 0;  ///< in-lanes (bits) whose packets have one; fast path only
  Index grant_turn = 0;       ///< round robin: of the out-port among in-ports,
  Index accept_turn = 0;      ///< of the in-port among out-ports,
  Index lane_turn = 0;        ///< of the in-port among its lanes
};

struct alignas(32) SwitchState {
  Index first_port = 0, first_lane = 0, first_word = 0;
  Index ports = 0, words = 0;
};

}  // namespace weft::sim
