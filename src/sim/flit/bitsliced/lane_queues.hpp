// SPDX-License-Identifier: Apache-2.0
// LaneQueues: which packets are in which in-lanes while the network is bit-sliced. A lane's queue
// is a list of the packets that are in it, on the link to it, or partly gone.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "sim/flit/packets.hpp"

namespace weft::sim {

/// How far a packet has come, unless the network is plain (bitsliced.hpp).
struct HeadProgress {
  std::uint16_t hops = 0;  ///< switches that have routed it
  Lane lane_class = 0;     ///< where it was routed last
  std::uint8_t level = 0;  ///< of choice tables, which have no levels here: the phase
};

/// A queue, or a packet in one. In a plain network (bitsliced.hpp) a packet is in one queue at a
/// time; the fields that say so serve only there.
struct alignas(16) PacketNode {
  Index next = nothing;  ///< behind it; of a queue: its front packet
  union {
    Index last = 0;  ///< of a queue: its last packet, while there is a front one
    Index packet;
    Index row;  ///< of a packet of a plain network: of the table of next ports
  };
  union {
    std::uint32_t sent = 0;  ///< plain: packets over the out-lane that leads to this queue
    std::uint32_t arrives;   ///< plain: the cycle in which the packet does, its last 32 bits
    std::uint32_t flits;     ///< not plain: of the packet
  };
  std::uint8_t port = 0;  ///< plain: the out-port of the packet behind this one. Of a queue: that
                          ///< of its front packet, once that has come
  std::uint8_t lane_class = 0;  ///< plain, of that packet: which lanes of its out-port it may have
  union {
    std::uint16_t last_holder = 0;  ///< of a queue: the lane whose packet had the out-lane to it
    std::uint16_t course;           ///< plain: see hops() and came_by()
  };

  /// Plain: all hops that the packet makes, and its lane class on the link that it came by.
  std::uint8_t hops() const { return static_cast<std::uint8_t>(course); }
  Lane came_by() const { return static_cast<Lane>(course >> 8U); }
  void set_course(unsigned all_hops, Lane lane_class_before) {
    course = static_cast<std::uint16_t>(all_hops | unsigned{lane_class_before} << 8U);
  }
  /// Not plain: of the packet, when it is routed here.
  HeadProgress progress() const { return {course, lane_class, port}; }
  void set_progress(HeadProgress now) {
    course = now.hops;
    lane_class = now.lane_class;
    port = now.level;
  }
};

/// Nodes are named by their distance in bytes from the first one: that takes the fewest
/// instructions. The queues of the switches' in-lanes come first, in the order of
/// WordLayout::queue; then those of the hosts' lanes; then packets.
class LaneQueues {
 public:
  static constexpr Index apart = sizeof(PacketNode);
  static PacketNode& at(PacketNode* first, Index node) {
    return *reinterpret_cast<PacketNode*>(reinterpret_cast<char*>(first) + node);
  }

  void make(std::size_t switch_lanes, std::size_t host_lanes) {
    host_queues_ = static_cast<Index>(switch_lanes) * apart;
    packets_ = host_queues_ + static_cast<Index>(host_lanes) * apart;
    grow(switch_lanes + host_lanes);
  }
  /// The same for the queues of another network like it.
  void make_like(const LaneQueues& other) {
    host_queues_ = other.host_queues_;
    packets_ = other.packets_;
    by_packet_ = other.by_packet_;
    grow(packets_ / apart);
  }
  /// A queue with its packets is in another one's from now on.
  void move(Index queue, LaneQueues& to) {
    if (by_packet_) {
      for (Index i = (*this)[queue].next; i != nothing; i = (*this)[i].next) to[i] = (*this)[i];
      to[queue].next = std::exchange((*this)[queue].next, nothing);
      to[queue].last = (*this)[queue].last;
    } else {
      to[queue].next = nothing;
      for (Index i; (i = (*this)[queue].next) != nothing; pop(queue))
        to.append(queue, (*this)[i].packet, (*this)[i].flits, (*this)[i].progress());
    }
    to[queue].port = (*this)[queue].port;
    to[queue].lane_class = (*this)[queue].lane_class;
  }
  /// From now on every packet has the node of its number.
  void number_by_packet() { by_packet_ = true; }
  /// So many packets can be in queues.
  void reserve_packets(std::size_t count) {
    if (nodes_.size() < packets_ / apart + count) grow(packets_ / apart + count);
  }

  PacketNode& operator[](Index node) { return at(nodes_.data(), node); }
  const PacketNode& operator[](Index node) const { return nodes_[node / apart]; }
  PacketNode* data() { return nodes_.data(); }
  Index host_queues() const { return host_queues_; }  ///< the first of them
  Index packets() const { return packets_; }          ///< the first of them
  bool leads_to_host(Index queue) const { return queue >= host_queues_; }
  Index node_of(Index packet) const { return packets_ + packet * apart; }
  Index packet_of(Index node) const {
    return by_packet_ ? (node - packets_) / apart : nodes_[node / apart].packet;
  }

  /// Queues a packet whose head is on its way. Returns the node before its own.
  PacketNode& append(Index queue, Index packet) {
    const Index node = by_packet_ ? node_of(packet) : take_node();
    PacketNode& all = (*this)[queue];
    PacketNode& before = all.next == nothing ? all : (*this)[all.last];
    before.next = all.last = node;
    (*this)[node] = {};
    if (!by_packet_) (*this)[node].packet = packet;
    return before;
  }
  /// The same for one that is in no plain network.
  void append(Index queue, Index packet, std::uint32_t flits, HeadProgress progress) {
    append(queue, packet);
    PacketNode& node = (*this)[(*this)[queue].last];
    node.flits = flits;
    node.set_progress(progress);
  }
  /// The front packet has left.
  void pop(Index queue) {
    PacketNode& all = (*this)[queue];
    const Index node = all.next;
    all.next = (*this)[node].next;
    if (by_packet_) return;
    (*this)[node].next = free_;
    free_ = node;
  }

 private:
  Index take_node() {
    if (free_ == nothing) {
      grow(nodes_.size() + 1);
      return static_cast<Index>(nodes_.size() - 1) * apart;
    }
    return std::exchange(free_, (*this)[free_].next);
  }
  void grow(std::size_t count) {
    invariant(count < nothing / apart, "too many packets at once");
    nodes_.resize(count);
  }

  std::vector<PacketNode> nodes_;
  Index host_queues_ = 0, packets_ = 0;
  Index free_ = nothing;
  bool by_packet_ = false;
};

}  // namespace weft::sim
