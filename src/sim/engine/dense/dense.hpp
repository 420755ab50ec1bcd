// SPDX-License-Identifier: Apache-2.0
// Dense: the fast path for busy networks. A bit of a word stands for a switch, so that one
// instruction works on 64 or more switches: buffers and credits are counted, crossbars allocated,
// turns taken and flits moved in words. Only packets are handled one by one: their routes, the
// lanes they are given, and where their heads and tails are. The same packets arrive in the same
// cycles as on the event-driven paths, and the network can change over between any two cycles.
//
// Switches come in blocks of one, two or four words. A slot is a lane of a port of a switch, port *
// lanes + lane, in as well as out. Numbers have a word for every bit of theirs. A turn (a
// round-robin pointer) is a mask: word q has the bits of the switches whose turn is at or below q.
// Turn 0 is the same as one behind the last: all zeros.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/engine/dense/layout.hpp"
#include "sim/engine/state.hpp"

namespace weft::sim {

class Dense {
 public:
  virtual ~Dense() = default;
  Dense(const Dense&) = delete;

  /// Whether so many flit-hops in so many cycles are handled faster in words.
  bool pays(std::uint64_t hops, Cycle cycles) const;
  bool on() const { return on_; }

  /// Takes over from the event-driven path. Does nothing as long as a packet is being thrown away.
  void enter();
  /// Hands the network back.
  void leave();

  // The parts of a cycle, as in Engine::step.
  virtual void take_arrivals() = 0;
  std::uint32_t nic_credits(Index out_lane) const;
  /// The NIC has chosen its next packet and the lane for it.
  void begin_packet(Index host);
  /// Allocates lanes and crossbars and moves the flits. False when nothing moved.
  virtual bool serve() = 0;

 protected:
  Dense(State& state, Sizes sizes);

  /// The bits of `from` that go to the same word, all by the same number of places.
  struct Hop {
    Word from;
    Index to;     ///< the word of the first lane there
    Index delay;  ///< cycles
    int rotate;
  };
  /// By port of a block, and its words.
  struct Hops {
    std::vector<Index> first;  ///< and the last's end
    std::vector<Hop> all;
  };
  /// Words that are due in some cycles from now.
  struct Later {
    Words words{};
    std::size_t each = 0;
    Cycle mask = 0;
    void make(std::size_t words_each, Cycle longest);
    Word* at(Cycle cycle) { return &words[(cycle & mask) * each]; }
  };

  /// Finds the out-port of an in-lane's front packet, which asks for a lane of it at `when`.
  virtual void route(const Place& at, Index id, Cycle when) = 0;
  /// A packet's head is on its way to an in-lane.
  void queue(Index id, Index packet) {
    InLane& lane = state_.in[id];
    if (lane.packet == nothing)
      lane.packet = packet;
    else
      state_.append(lane, id, {id, packet}, 0);
  }
  Place place(Index id) const { return at_.place(state_.in[id]); }
  Index lane_at(const Place& at) const { return first_lane_[at_.home(at)] + at.slot; }

  State& state_;
  const Layout<> at_;
  Index blocks_ = 0;
  Index count_bits_ = 0, left_bits_ = 0, lane_bits_ = 0;

  // By in-lane.
  Words empty_;            ///< there is no packet at the front
  Words head_;             ///< the front packet's head has not left
  Words count_, filled_;   ///< flits in the buffer; whether there are any
  Words left_;             ///< flits of the front packet that have not left, less one
  Words lane_of_;          ///< the lane it was given
  Words room_;             ///< and that has room
  Words wants_, senders_;  ///< and by out-port: waits for a lane of it; has one
  Words nic_, nic_left_;   ///< the NIC before it sends a packet; its flits, less one
  Words nic_credits_;
  // By out-lane, and by out-port.
  Words credits_, open_;  ///< open: there are credits
  Words has_idle_;        ///< lanes that no packet has
  Words to_host_;         ///< the port leads to a host, which takes everything
  // Turns: by out-port, in-port; in-port, out-port; in-lane.
  Words grant_turn_, accept_turn_, lane_turn_;

  Later arrivals_, wanted_;
  Later credited_;                     ///< switches; then, as many words, NICs
  Hops onward_, from_nic_, backward_;  ///< flits, flits of NICs, credits
  std::vector<Index> host_ports_;      ///< ports of blocks that have hosts

  std::vector<Index> first_lane_, first_port_;  ///< by switch
  std::vector<std::uint64_t> idle_;             ///< by port: its lanes
  bool one_class_ = false;                      ///< of lanes: a packet may have any
  std::uint32_t most_hops_ = 0;
  /// By destination and switch: the out-port, or nowhere if the packet cannot go on. Empty where
  /// ways depend on more, or the table would be too large.
  std::vector<std::uint8_t> ways_;
  static constexpr std::uint8_t nowhere = 0xFF;

 private:
  /// Flits of a packet that have yet to come to a lane.
  struct Rest {
    Index packet;
    std::uint32_t flits;
  };
  void make_words();
  void make_hops();
  void make_ways();
  using HopLists = std::vector<std::vector<Hop>>;
  void add_hop(HopLists& lists, const Place& from, Index to_port, Index delay) const;
  void copy_turns(bool into_words);
  bool enter_credits();
  void enter_port(Index s, Index p);
  void enter_lane(Index id);
  void enter_nic(Index host);
  void enter_events();
  std::vector<Rest> leave_lane(Index id);
  void leave_nic(Index host);
  void leave_stages();
  void leave_events();
  Arrival next_flit(Index id, std::vector<Rest>& rests) const;

  bool on_ = false;
};

/// Null where a network has what words cannot do. The state must outlive it.
std::unique_ptr<Dense> make_dense(State& state);

}  // namespace weft::sim
